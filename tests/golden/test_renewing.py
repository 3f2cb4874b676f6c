"""`make hashes` tells what changed, asks why, and writes nothing without an answer."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.golden.listing import Listing, read_listing, write_listing
from tests.golden.runs import Golden

TOOL = Path(__file__).parents[2] / "tools" / "hashes.py"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """Return the tool with a list of two runs, of which one ends otherwise now, one is new, and one is gone."""
    spec = importlib.util.spec_from_file_location("hashes", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec.loader.exec_module(module)
    file = tmp_path / "hashes.toml"
    write_listing(Listing("0.0.1", "because", {"a": "1", "b": "2", "gone": "3", "far": "4"}), file)
    runs = [Golden("a", lambda: "1"), Golden("b", lambda: "5"), Golden("new", lambda: "6")]
    runs.append(Golden("far", lambda: "9", needs="no_such_package"))
    monkeypatch.setattr(module, "goldens", lambda: {one.name: one for one in runs})
    monkeypatch.setattr(module, "read_listing", lambda: read_listing(file))
    monkeypatch.setattr(module, "write_listing", lambda listing: write_listing(listing, file))
    module.FILE = file  # type: ignore[attr-defined]
    return module


def test_without_a_reason_changes_are_told_and_nothing_is_written(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["hashes.py", "--reason", " "])

    assert tool.main() == 2
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        "kept     far: no_such_package is not installed",
        "gone     gone",
        "new      new: 6",
        "changed  b: 2 -> 5",
    ]
    assert "say why" in told.err
    assert read_listing(tool.FILE).hashes["b"] == "2"


def test_with_a_reason_the_list_is_renewed_and_what_cannot_run_here_is_kept(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["hashes.py", "--reason", "Robots jump higher than ever."])

    assert tool.main() == 0
    now = read_listing(tool.FILE)
    assert now.reason == "Robots jump higher than ever."
    assert now.hashes == {"a": "1", "b": "5", "new": "6", "far": "4"}
    assert "CHANGELOG.md, word for word: Robots jump higher than ever." in capsys.readouterr().out

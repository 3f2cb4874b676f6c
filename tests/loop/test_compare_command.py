"""`kumi compare convoy`: all stages with robot processes, and a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kumi.cli import main


def test_the_command_runs_all_stages_with_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--runs", "2", "--steps", "2", "--robots", "2", "--pace", "3", "-o", str(tmp_path), "--json"]

    assert main(["compare", "convoy", *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {len(found["runs"][where]) for where in ("virtual", "loop", "real")} == {2}
    assert "# Model and real robots, compared" in (tmp_path / "report.md").read_text(encoding="utf-8")

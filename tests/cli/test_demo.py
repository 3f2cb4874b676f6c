"""`kumi demo` runs the shipped simulations and leaves pictures."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from kumi.experiment import shipped_scenarios
from tests.commands import kumi


def demo(*arguments: str | Path) -> str:
    """Run the command in a process of its own and give what it printed."""
    done = kumi("demo", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_demo_prints_a_table_and_the_paths_of_its_pictures(tmp_path: Path) -> None:
    """Each path printed is a picture that can be read."""
    printed = demo("--days", "1", "--out", tmp_path)
    assert "working" in printed
    paths = [
        Path(line.removeprefix("picture: ")) for line in printed.splitlines() if line.startswith("picture: ")
    ]
    scenarios = sorted(shipped_scenarios())
    worlds = paths[: len(scenarios)]
    assert [path.name for path in worlds] == [f"{name}.png" for name in scenarios]
    for path in worlds:
        with Image.open(path) as picture:
            assert picture.size == (800, 800)
    assert len(paths) == len(scenarios) + 4
    for path in paths[len(scenarios) :]:
        assert ET.parse(path).getroot().tag.endswith("svg")  # noqa: S314  # the file is our own


@pytest.mark.slow
def test_the_demo_as_json_is_the_same_twice_but_for_the_time_and_shares_of_the_day_add_up(
    tmp_path: Path,
) -> None:
    """Same seed, same numbers and hashes. A rover works, waits or charges, nothing else."""
    one, other = (
        json.loads(demo("--days", "2", "--seed", "3", "--json", "--out", tmp_path)) for _ in range(2)
    )
    assert one.pop("seconds") > 0
    assert other.pop("seconds") > 0
    assert one == other
    assert [row["docks"] for row in one["rows"]] == [2, 3, 4, 5]
    for row in one["rows"]:
        assert abs(row["working"] + row["waiting"] + row["charging"] - 1.0) < 1e-9


def test_a_folder_that_cannot_be_is_refused_before_the_work(tmp_path: Path) -> None:
    """The sentence names the option and what is in the way."""
    (tmp_path / "taken").write_text("")
    for out, reason in (("taken", "is a file; give a folder"), ("taken/inside", "cannot be made")):
        done = kumi("demo", "--out", tmp_path / out)
        assert (done.returncode, done.stdout) == (2, "")
        assert "--out" in done.stderr
        assert reason in done.stderr

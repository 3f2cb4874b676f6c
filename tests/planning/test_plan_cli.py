"""`kumi plan` answers the queries of a scenario, tells them to a machine, and draws them."""

from __future__ import annotations

import json
from math import hypot, sqrt
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from kumi.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

MAP = "type octile\nheight 3\nwidth 5\nmap\n.....\n.@@.@\n..@.@\n"
SCEN = "version 1\n" + "".join(
    f"0\ta.map\t5\t3\t{line}\n" for line in ("0\t0\t2\t0\t2.0", "0\t2\t3\t2\t7.0", "0\t0\t1\t1\t0.0")
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "a.map").write_text(MAP)
    (tmp_path / "a.scen").write_text(SCEN)
    return str(tmp_path / "a.map"), str(tmp_path / "a.scen")


def test_a_scenario_for_a_machine(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """The second way goes up, along the upper row and down: every diagonal would cut a corner."""
    assert main(["plan", files[0], "--scen", files[1], "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert told.pop("seconds") >= 0
    assert told == {
        "queries": [
            {"start": [0, 0], "goal": [2, 0], "expected": 2.0, "cost": 2.0},
            {"start": [0, 2], "goal": [3, 2], "expected": 7.0, "cost": 7.0},
            {"start": [0, 0], "goal": [1, 1], "expected": 0.0, "cost": None},
        ]
    }


def test_a_scenario_for_a_person(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", files[0], "--scen", files[1]]) == 0

    told = capsys.readouterr().out
    assert "3 queries, 2 with a way" in told
    assert "largest difference from the expected length: 0" in told


def test_one_query_with_a_picture(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cell is 200 pixels wide: a thousand for five columns."""
    picture = tmp_path / "plan.png"
    command = ["plan", files[0], "--start", "0", "0", "--goal", "3", "2", "-o", str(picture)]
    assert main(command) == 0

    assert "cost 5, 6 cells" in capsys.readouterr().out
    with Image.open(picture) as drawn:
        assert drawn.size == (1000, 600)
        assert drawn.getpixel((100, 100)) == (0x00, 0x9E, 0x73)
        assert drawn.getpixel((700, 500)) == (0xD5, 0x5E, 0x00)
        assert drawn.getpixel((400, 100)) == (0x00, 0x72, 0xB2)
        assert drawn.getpixel((300, 300)) == (105, 105, 105)


@pytest.mark.parametrize(
    ("options", "cost"),
    [
        (["--moves", "4"], 5.0),
        (["--any-angle"], hypot(0.5, 2.5) + hypot(1.5, 0.5)),
        (["--costs", "near"], 50.0),
        (["--radius", "0.5"], 5.0),
        (["--radius", "0.6"], None),
    ],
)
def test_options(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], options: list[str], cost: float | None
) -> None:
    """All cells of this map lie beside an obstacle; a robot wider than a cell fits nowhere on the way."""
    assert main(["plan", files[0], "--start", "0", "0", "--goal", "3", "2", "--json", *options]) == 0

    (query,) = json.loads(capsys.readouterr().out)["queries"]
    assert query == {"start": [0, 0], "goal": [3, 2], "expected": None, "cost": cost and pytest.approx(cost)}


def test_diagonal_moves_are_root_two_long(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.map").write_text("type octile\nheight 2\nwidth 2\nmap\n..\n..\n")
    assert main(["plan", str(tmp_path / "a.map"), "--start", "0", "0", "--goal", "1", "1", "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["queries"][0]["cost"] == sqrt(2)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "Give either --scen, or --start and --goal"),
        (["--start", "0", "0"], 2, "Give either --scen, or --start and --goal"),
        (
            ["--start", "0", "0", "--goal", "5", "0"],
            2,
            "the goal is (row 0, column 5), but the grid has 3 rows",
        ),
        (["--start", "0", "0", "--goal", "1", "0", "--radius", "-1"], 2, "a radius is a finite number"),
        (["--start", "0", "0", "--goal", "1", "0", "-o", "plan.jpg"], 2, "ends in .png"),
        (
            ["--start", "0", "0", "--goal", "1", "0", "--any-angle", "--costs", "near"],
            2,
            "--any-angle goes neither",
        ),
        (["--scen", "gone.scen"], 2, "gone.scen: there is no such file"),
    ],
)
def test_wrong_use(
    files: tuple[str, str],
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    assert main(["plan", files[0], *arguments]) == code

    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1

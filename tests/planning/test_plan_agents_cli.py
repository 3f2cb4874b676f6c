"""`kumi plan --agents` plans for many robots, tells what came out, and draws it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from kumi.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

MAP = "type octile\nheight 2\nwidth 5\nmap\n.....\n@@.@@\n"
SCEN = "version 1\n" + "".join(
    f"0\ta.map\t5\t2\t{line}\n" for line in ("0\t0\t4\t0\t4.0", "4\t0\t0\t0\t4.0", "2\t1\t2\t1\t0.0")
)


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    (tmp_path / "a.map").write_text(MAP)
    (tmp_path / "a.scen").write_text(SCEN)
    return ["plan", str(tmp_path / "a.map"), "--scen", str(tmp_path / "a.scen"), "--seconds", "30"]


def test_a_plan_for_a_machine(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Two pass each other at a bay: 4 + 2 steps and 4 + 1."""
    assert main([*command, "--agents", "2", "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert told.pop("seconds") >= told["first"].pop("seconds") > 0
    assert told.pop("first")["sum_of_costs"] >= 11
    assert told == {"agents": 2, "sum_of_costs": 11, "lower_bound": 11, "makespan": 6, "is_optimal": True}


def test_a_plan_for_a_person(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--agents", "2"]) == 0

    told = capsys.readouterr().out
    assert "2 robots, all at their goals after 6 steps" in told
    assert "sum of costs 11, the least there is" in told


def test_a_plan_with_a_picture(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Five columns of 200 pixels; the two ways have two colours."""
    picture = tmp_path / "plan.png"
    assert main([*command, "--agents", "2", "-o", str(picture)]) == 0

    assert f"picture: {picture}" in capsys.readouterr().out
    with Image.open(picture) as image:
        assert image.size == (1000, 400)
        colours = {colour for _, colour in image.getcolors(1 << 20) or []}
    assert {(0, 114, 178), (213, 94, 0)} <= colours


def test_no_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two cannot pass each other in a corridor of three cells."""
    (tmp_path / "b.map").write_text("type octile\nheight 1\nwidth 3\nmap\n...\n")
    lines = [f"0\tb.map\t3\t1\t{line}\n" for line in ("0\t0\t2\t0\t2.0", "2\t0\t0\t0\t2.0")]
    (tmp_path / "b.scen").write_text("version 1\n" + "".join(lines))
    command = ["plan", str(tmp_path / "b.map"), "--scen", str(tmp_path / "b.scen"), "--agents", "2"]
    assert main(command) == 0
    assert capsys.readouterr().out == "2 robots: there is no plan that takes all to their goals\n"
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sum_of_costs"] is None


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--agents", "0"], "0 is not in the range x>=1"),
        (["--agents", "4"], "it has 3 queries, one for each robot, so that 4 robots cannot be"),
        (
            ["--agents", "2", "--moves", "4"],
            "--agents goes with --scen, --seconds, --seed, --json and -o alone",
        ),
        (["--agents", "2", "--any-angle"], "--agents goes with --scen"),
        ([], "--seconds and --seed go with --agents alone"),
        (["--agents", "2", "-o", "plan.svg"], "ends in .png"),
    ],
)
def test_wrong_use_is_told(
    command: list[str], more: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, *more]) != 0
    assert words in capsys.readouterr().err

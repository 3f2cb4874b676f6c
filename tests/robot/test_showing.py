"""A program shows what matters; what cannot be shown is refused in the same words whether anybody looks or not."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kumi.contract.published import FREE, TAKEN, UNSEEN, Shown, ShownMap, ShownMarks, ShownPath
from kumi.geometry import Point
from kumi.mapping import OccupancyMap
from kumi.recording import Published, RunFile
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import World

WRONG: list[tuple[Callable[[Robot], Any], str]] = [
    (lambda robot: robot.show("", 1), "has 1 to 60 letters, unlike ''"),
    (lambda robot: robot.show("a\nb", 1), r"has 1 to 60 letters, unlike 'a\nb'"),
    (lambda robot: robot.show("n" * 61, 1), "has 1 to 60 letters"),
    (lambda robot: robot.show(3, 1), "has 1 to 60 letters, unlike 3"),  # type: ignore[arg-type]
    (
        lambda robot: robot.show("list", [1]),  # type: ignore[arg-type]
        "show() takes a number, a text, True, False or None for 'list', not [1]",
    ),
    (lambda robot: robot.show_map([0.0, 1.0], cell=0.1), "not something with 1 dimensions"),
    (
        lambda robot: robot.show_map([[0.0, 1.0]]),
        "takes the size of a cell along with rows of numbers: cell=0.05",
    ),
    (lambda robot: robot.show_map([[0.0]], cell=-1.0), "the size of a cell"),
    (
        lambda robot: robot.show_path([(0.0, 0.0), 3]),  # type: ignore[list-item]
        "a place of a path is a Point or a pair of numbers, not 3",
    ),
    (lambda robot: robot.show_mark((nan, 0.0), "there"), "the place of a mark has finite coordinates"),
]


def do(act: Callable[[Robot], Any], path: Path | None) -> None:
    """Let a program do one thing."""

    async def program(robot: Robot) -> None:
        act(robot)

    with Stage(World(), record=path) as stage:
        stage.add(program, at=(0.0, 0.0))
        stage.run(1.0)


def shown(act: Callable[[Robot], Any], path: Path) -> dict[str, Shown]:
    """Return what is shown after a program did something."""
    do(act, path)
    return {one.name: one.value for one in RunFile(path).published_at(1.0)}


@pytest.mark.parametrize(("act", "words"), WRONG)
def test_what_cannot_be_shown_is_refused_whether_anybody_looks_or_not(
    act: Callable[[Robot], Any], words: str, tmp_path: Path
) -> None:
    for path in (None, tmp_path / "run.kumi"):
        with pytest.raises((TypeError, ValueError), match=re.escape(words)):
            do(act, path)


def test_numbers_of_every_kind_are_shown(tmp_path: Path) -> None:
    def act(robot: Robot) -> None:
        robot.show("whole", 3)
        robot.show("share", float(np.float32(0.5)))
        robot.show("claim", True)
        robot.show("word", "leader")
        robot.show("gone", 1.0)
        robot.show("gone", None)

    assert shown(act, tmp_path / "run.kumi") == {"whole": 3.0, "share": 0.5, "claim": True, "word": "leader"}


def test_rows_of_numbers_are_a_map_and_so_is_an_occupancy_map(tmp_path: Path) -> None:
    """Evidence of 1 is taken and of -0.5 free; the first cell is at column -1 and row 2 of cells of 0.25 m."""
    believed = OccupancyMap(np.array([[1.0, -0.5, 0.2]], dtype=np.float32), -1, 2, 0.25)

    def act(robot: Robot) -> None:
        robot.show_map([[0.0, 0.3], [1.0, nan], [2.0, -1.0]], "rows", cell=0.5, corner=(1.0, 2.0))
        robot.show_map(believed)

    assert shown(act, tmp_path / "run.kumi") == {
        "rows": ShownMap(Point(1.0, 2.0), 0.5, 3, 2, bytes([FREE, 30, TAKEN, UNSEEN, TAKEN, FREE])),
        "map": ShownMap(Point(-0.25, 0.5), 0.25, 1, 3, bytes([TAKEN, FREE, UNSEEN])),
    }


def test_marks_add_up_and_paths_replace_each_other(tmp_path: Path) -> None:
    def act(robot: Robot) -> None:
        for x in (1.0, 2.0, 1.0):
            robot.show_mark((x, 0.0), "victim")
            robot.show_path([(x, 0.0), (x, 1.0)])
        robot.show_mark((0.0, 0.0), "door")
        robot.show("door", None)
        robot.show_mark((5.0, 0.0), "door")

    assert shown(act, tmp_path / "run.kumi") == {
        "victim": ShownMarks((Point(1.0, 0.0), Point(2.0, 0.0))),
        "path": ShownPath((Point(1.0, 0.0), Point(1.0, 1.0))),
        "door": ShownMarks((Point(5.0, 0.0),)),
    }


def test_a_robot_at_which_nobody_looks_takes_all_of_it() -> None:
    def act(robot: Robot) -> None:
        robot.show("state", "alone")
        robot.show_map([[0.0]], cell=1.0)
        robot.show_path([(0.0, 0.0)])
        robot.show_mark((0.0, 0.0), "here")

    do(act, None)


def test_a_sensor_cannot_have_the_name_of_what_shows() -> None:
    async def program(robot: Robot) -> None:
        pass

    with (
        Stage(World()) as stage,
        pytest.raises(ValueError, match="a robot has something of that name already"),
    ):
        stage.add(program, at=(0.0, 0.0), sensors={"show": None})  # type: ignore[dict-item]


def test_what_each_robot_shows_is_its_own(tmp_path: Path) -> None:
    async def program(robot: Robot) -> None:
        robot.show("state", f"state of {robot.number}")

    with Stage(World(), record=tmp_path / "run.kumi") as stage:
        for number in range(2):
            stage.add(program, at=(float(number), 0.0))
        stage.run(1.0)
    assert RunFile(tmp_path / "run.kumi").published_at(0.0) == [
        Published(0.0, 0, "state", "state of 0"),
        Published(0.0, 1, "state", "state of 1"),
    ]

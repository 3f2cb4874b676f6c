"""A recorded run tells the ways that robots are about to go, and is the same run as one that is not recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumi.geometry import Point
from kumi.recording import BodyNote, PlannedWay, RunFile
from kumi.robot import Robot
from kumi.stage import Outcome, Stage
from kumi.stage.seen import MOST_PLACES
from kumi.world import World


async def around(robot: Robot) -> None:
    await robot.follow([(1.0, 0.0), (1.0, 2.5)])
    await robot.move_to((0.0, 0.0))


def ran(record: Path | None = None) -> Outcome:
    with Stage(World(), record=record) as stage:
        stage.add(around, at=(0.0, 0.0))
        return stage.run()


def test_the_places_of_a_path_are_noted_and_the_trace_stays(tmp_path: Path) -> None:
    outcome = ran(tmp_path / "run.kumi")

    records = list(RunFile(tmp_path / "run.kumi").records())
    assert [one for one in records if isinstance(one, PlannedWay)] == [
        PlannedWay(0.0, 0, (Point(1.0, 0.0), Point(1.0, 2.5)))
    ]
    assert not any(isinstance(one, BodyNote) for one in records)
    assert outcome.trace_hash == ran().trace_hash


def test_of_a_long_way_places_that_lie_evenly_are_told(tmp_path: Path) -> None:
    async def far(robot: Robot) -> None:
        await robot.follow([(float(number), 0.0) for number in range(1, 10_001)], speed=1e6)

    with Stage(World(), record=tmp_path / "run.kumi") as stage:
        stage.add(far, at=(0.0, 0.0))
        stage.run()
    (way,) = (one for one in RunFile(tmp_path / "run.kumi").records() if isinstance(one, PlannedWay))

    assert len(way.places) == MOST_PLACES
    assert (way.places[0], way.places[1], way.places[-1]) == (
        Point(1.0, 0.0),
        Point(21.0, 0.0),
        Point(10_000.0, 0.0),
    )


def test_what_is_no_place_is_refused_as_ever(tmp_path: Path) -> None:
    async def astray(robot: Robot) -> None:
        await robot.follow(["here"])  # type: ignore[list-item]

    with Stage(World(), record=tmp_path / "run.kumi") as stage:
        stage.add(astray, at=(0.0, 0.0))
        with pytest.raises((TypeError, ValueError)):
            stage.run()

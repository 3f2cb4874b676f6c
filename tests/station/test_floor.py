"""Robots of one world keep out of each other's way: they arrive, and never touch."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from kumi.experiment.stage import Stage
from kumi.geometry import Disc, Point
from kumi.kernel import sleep
from kumi.motion import Wheel
from kumi.robot import Robot
from kumi.station.answers import MapAnswer
from kumi.station.entering.correction import Correction
from kumi.station.entering.floor import Floor
from kumi.station.entering.tasks import Driver
from kumi.world import Map, Wall, World, map_to_table

RADIUS = 0.15
Journey = tuple[tuple[float, float], tuple[float, float], float]
"""From where, to where, and when a robot begins."""


class Still:
    """A desk without a station: all that a driver asks of one."""

    def __init__(self, map_: Map) -> None:
        self.correction = Correction()
        self.map = MapAnswer(version=1, map=map_to_table(map_), objects=(), robots=())

    def breathe(self) -> None:
        """Nobody interrupts."""


def driven(map_: Map, journeys: Iterable[Journey]) -> tuple[list[str], int]:
    """Send robots on their journeys; return what each said in the end, and how many contacts there were."""
    said: list[str] = []
    with Stage(World(map_)) as stage:
        floor, desk = Floor(), Still(map_)

        async def go(robot: Robot, goal: tuple[float, float], begin: float) -> None:
            await sleep(begin)
            at = {"at": {"x": goal[0], "y": goal[1]}}
            said.append(await Driver(RADIUS, floor).go_to(robot, desk, at))  # type: ignore[arg-type]

        for number, (start, goal, begin) in enumerate(journeys):
            floor.enter(f"r{number}", Point(*start), RADIUS)
            stage.add(go, goal, begin, at=start, shape=Disc(RADIUS), drive=Wheel(0.5), name=f"r{number}")
        outcome = stage.run(300.0)
    return sorted(said), outcome.collisions


CORRIDOR = Map(10.0, 2.0)
ROOMS = Map(
    10.0,
    4.0,
    obstacles=[
        Wall((3, 0), (3, 1.8)),
        Wall((3, 2.2), (3, 4)),
        Wall((7, 0), (7, 1.8)),
        Wall((7, 2.2), (7, 4)),
    ],
)
"""Two rooms, and a passage of 0.4 m into each: one robot fits, two do not."""


@pytest.mark.parametrize("late", [0.0, 0.3, 5.0])
def test_two_robots_that_change_places_in_a_corridor_both_arrive_without_contact(late: float) -> None:
    journeys: list[Journey] = [((1, 1), (9, 1), 0.0), ((9, 1), (1, 1), late)]

    assert driven(CORRIDOR, journeys) == (["at (1.00, 1.00)", "at (9.00, 1.00)"], 0)


@pytest.mark.parametrize("late", [0.0, 2.0])
def test_one_waits_where_only_one_can_pass(late: float) -> None:
    journeys: list[Journey] = [((1, 2), (9, 3), 0.0), ((9, 2), (1, 3), late)]

    assert driven(ROOMS, journeys) == (["at (1.00, 3.00)", "at (9.00, 3.00)"], 0)


def test_without_reserving_they_would_touch() -> None:
    """The journeys are a test of something: the same robots without a floor meet."""

    async def go(robot: Robot, goal: tuple[float, float]) -> None:
        await Driver(RADIUS).go_to(robot, desk, {"at": {"x": goal[0], "y": goal[1]}})  # type: ignore[arg-type]

    desk = Still(CORRIDOR)
    with Stage(World(CORRIDOR), on_error="robot") as stage:
        stage.add(go, (9.0, 1.0), at=(1, 1), shape=Disc(RADIUS), drive=Wheel(0.5))
        stage.add(go, (1.0, 1.0), at=(9, 1), shape=Disc(RADIUS), drive=Wheel(0.5))
        assert stage.run(100.0).collisions > 0


def test_a_robot_goes_around_one_that_stands_in_its_way() -> None:
    journeys: list[Journey] = [((1, 1), (9, 1), 0.0), ((5, 1), (5, 1), 0.0)]

    assert driven(CORRIDOR, journeys) == (["at (5.00, 1.00)", "at (9.00, 1.00)"], 0)


def test_six_robots_that_cross_a_hall_all_arrive() -> None:
    places = [(1.0, 1.0), (1.0, 4.0), (1.0, 7.0), (9.0, 1.0), (9.0, 4.0), (9.0, 7.0)]
    journeys: list[Journey] = [(place, (10.0 - place[0], 8.0 - place[1] + 0.6), 0.0) for place in places]

    said, collisions = driven(Map(10.0, 9.0), journeys)

    assert collisions == 0
    assert len(said) == 6

"""A floor sensor reads the length of its beam: known on floor, short at a wall, far over a hole."""

from __future__ import annotations

from math import radians, sqrt

import pytest

from kumi.contract.readings import Range
from kumi.geometry import Disc, Rectangle
from kumi.robot import Robot
from kumi.sensing import FloorSensor
from kumi.stage.stage import Stage
from kumi.world import Hole, Map, Slow, Wall, World
from tests.sensing.scenes import about, reading

STAIRS = Hole(Rectangle(1.0, -1.0, 1.0, 2.0))
SENSOR = FloorSensor(height=0.2, tilt=radians(45.0))
"""On a disc of 0.1 m it looks at the floor 0.3 m ahead of the centre."""


def test_on_floor_it_reads_height_over_cosine() -> None:
    assert reading(SENSOR, terrain=[STAIRS]) == Range(about(0.2 * sqrt(2.0)), True)


def test_over_a_hole_it_finds_nothing() -> None:
    assert reading(SENSOR, terrain=[STAIRS], at=(0.69, 0.0)).is_hit
    assert reading(SENSOR, terrain=[STAIRS], at=(0.71, 0.0)) == Range(3.0, False)


def test_slow_ground_is_ground() -> None:
    assert reading(SENSOR, terrain=[Slow(Rectangle(-1, -1, 2, 2), 0.5)]).is_hit


def test_the_bearing_says_where_it_looks() -> None:
    behind = FloorSensor(radians(180.0), height=0.2, tilt=radians(45.0))

    assert reading(behind, terrain=[STAIRS], at=(0.71, 0.0)).is_hit
    assert not reading(behind, terrain=[STAIRS], at=(2.25, 0.0)).is_hit


def test_straight_down_it_looks_at_the_floor_below_its_place() -> None:
    down = FloorSensor(height=0.2, tilt=0.0)

    assert reading(down, terrain=[STAIRS], at=(0.89, 0.0)) == Range(0.2, True)
    assert reading(down, terrain=[STAIRS], at=(0.91, 0.0)) == Range(3.0, False)


def test_a_wall_before_the_spot_makes_the_beam_shorter() -> None:
    """The wall is 0.1 m ahead of the surface: half way, so the beam is half as long."""
    wall = Wall((0.2, -1.0), (0.2, 1.0))

    assert reading(SENSOR, [wall], shape=Disc(0.1)).distance == about(0.1 * sqrt(2.0))


def test_beyond_the_border_there_is_no_floor() -> None:
    found = []

    async def ask(robot: Robot) -> None:
        found.append(await robot.down.read())

    with Stage(World(Map(2.0, 2.0)), on_error="run") as stage:
        stage.add(ask, at=(1.0, 1.0), sensors={"down": SENSOR})
        stage.add(ask, at=(1.85, 1.0), sensors={"down": SENSOR})
        stage.run()

    assert found[0].is_hit
    # The border is as good as a wall, and stops the beam 0.05 m ahead of the surface.
    assert found[1].distance == about(0.05 * sqrt(2.0))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"tilt": 1.6}, "a tilt is an angle from straight down, less than pi / 2 radians, not 1.6"),
        ({"height": 4.0, "tilt": 0.0}, "the floor is 4 m away, beyond the reach of 3.0 m"),
        ({"height": 0.0}, "a height is a finite number > 0, not 0.0"),
    ],
)
def test_what_cannot_be_is_refused(arguments: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        FloorSensor(**arguments)
    assert str(error.value) == sentence

"""The place ahead of two wheels moves in any direction, as it is told."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import Robot, Stage, sleep
from kumi.geometry import Point
from kumi.planning.effective_centre import EffectiveCentre

centres = st.floats(0.05, 1.0)
angles = st.floats(-pi, pi)
parts = st.floats(-1.0, 1.0).map(lambda part: round(part, 3))


def test_sideways_is_a_turn() -> None:
    """0.1 m ahead, 0.5 m/s to the left of the heading is a turn at 5 radians a second, on the spot."""
    assert EffectiveCentre(0.1).wheels(0.0, Point(0.0, 0.5)) == (0.0, 5.0)
    assert EffectiveCentre(0.1).top_speed(1.0, 3.0) == pytest.approx(0.3)


@given(centres, angles, parts, parts)
def test_the_centre_moves_as_it_was_told(offset: float, heading: float, x: float, y: float) -> None:
    """Driven for a millionth of a second, it has gone that part of its velocity, up to what the arc bends."""
    centre, velocity, told = EffectiveCentre(offset), Point(x, y), list[Point]()

    async def drive(robot: Robot) -> None:
        before = centre.place(robot.position, robot.heading)
        robot.steer(*centre.wheels(robot.heading, velocity))
        await sleep(1e-6)
        told.append((centre.place(robot.position, robot.heading) - before) / 1e-6)

    stage = Stage()
    stage.add(drive, at=(0, 0), heading=heading)
    stage.run(1.0)
    assert abs(told[0] - velocity) <= 1e-4


@given(st.lists(st.tuples(angles, parts, parts), min_size=1, max_size=5), centres)
def test_many_are_told_what_each_is_told(robots: list[tuple[float, float, float]], offset: float) -> None:
    centre = EffectiveCentre(offset)
    headings = [heading for heading, _, _ in robots]
    velocities = np.array([(x, y) for _, x, y in robots])
    speeds, turns = centre.wheels_of(headings, velocities)
    places = centre.places(velocities, headings)
    for i, heading in enumerate(headings):
        alone = centre.wheels(heading, Point(*velocities[i]))
        assert (speeds[i], turns[i]) == alone
        assert tuple(places[i]) == tuple(centre.place(Point(*velocities[i]), heading))

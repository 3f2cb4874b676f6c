"""Positioning tells where the robot is, or all of them, as well as its signal allows."""

from __future__ import annotations

from statistics import fmean, stdev

import pytest

from kumi.contract.readings import NoReading
from kumi.geometry import Point
from kumi.robot import Robot
from kumi.sensing import GaussianNoise, Position, Positions, UniformNoise
from tests.sensing.scenes import about, place, reading, readings


def test_without_noise_the_position_is_exact() -> None:
    assert reading(Position(), at=(3.0, -4.0)) == Point(3.0, -4.0)


def test_the_noise_applies_to_each_coordinate() -> None:
    found = readings(Position(GaussianNoise(0.5)), 2000, at=(10.0, -20.0))

    assert stdev(point.x for point in found) == about(0.5, rel=0.1)
    assert stdev(point.y for point in found) == about(0.5, rel=0.1)
    assert fmean(point.x for point in found) == about(10.0, abs=0.05)


def test_a_uniform_error_has_a_largest_one() -> None:
    found = readings(Position(UniformNoise(0.5)), 500, at=(1.0, 1.0))

    assert max(max(abs(point.x - 1.0), abs(point.y - 1.0)) for point in found) <= 0.5


def test_a_dropout_raises_no_reading() -> None:
    outcomes = []

    async def ask(robot: Robot) -> None:
        for _ in range(1000):
            try:
                outcomes.append(str(await robot.gps.read()))
            except NoReading as error:
                outcomes.append(str(error))

    with place() as stage:
        stage.add(ask, at=(0, 0), sensors={"gps": Position(dropout=0.3)})
        stage.run()

    assert set(outcomes) == {"Point(0.0, 0.0)", "the gps of robot 0 got no signal at t = 0 s"}
    assert outcomes.count("Point(0.0, 0.0)") == about(700, abs=60)


def test_all_positions_are_those_of_all_robots_by_number() -> None:
    assert reading(Positions(), others=[(5.0, 0.0), (0.0, 6.0)]) == (
        Point(0.0, 0.0),
        Point(5.0, 0.0),
        Point(0.0, 6.0),
    )


def test_each_robot_drops_out_alone() -> None:
    found = readings(Positions(dropout=0.5), 1000, others=[(5.0, 0.0), (0.0, 6.0)])
    counts = [sum(point in places for places in found) for point in (Point(0, 0), Point(5, 0), Point(0, 6))]

    assert counts == about([500, 500, 500], abs=60)


def test_a_probability_is_a_number_from_0_to_1() -> None:
    with pytest.raises(ValueError, match=r"a dropout is a number from 0 to 1, not 1\.5"):
        Position(dropout=1.5)

"""A compass tells the heading, off by its bias and its noise."""

from __future__ import annotations

from math import pi, radians
from statistics import stdev

import pytest

from kumi.contract.readings import NoReading
from kumi.robot import Robot
from kumi.sensing import Compass, GaussianNoise
from tests.sensing.scenes import about, place, reading, readings


def test_a_good_compass_tells_the_heading_between_minus_pi_and_pi() -> None:
    assert reading(Compass(), heading=1.25) == 1.25
    assert reading(Compass(), heading=1.5 * pi) == about(-0.5 * pi)


def test_a_bias_stays_the_same() -> None:
    assert set(readings(Compass(bias=radians(10.0)), 5)) == {radians(10.0)}
    assert reading(Compass(bias=0.5), heading=3.0) == about(3.5 - 2 * pi)


def test_a_spread_of_biases_is_drawn_once_for_each_robot() -> None:
    found: dict[str, set[float]] = {}

    async def ask(robot: Robot) -> None:
        found[robot.name] = {await robot.compass.read() for _ in range(5)}

    with place() as stage:
        for x in range(20):
            stage.add(ask, at=(x, 0), sensors={"compass": Compass(bias_spread=0.3)})
        stage.run()

    biases = [bias for (bias,) in found.values()]
    assert len(set(biases)) == 20
    assert max(map(abs, biases)) <= 0.3


def test_noise_comes_anew_with_each_reading() -> None:
    assert stdev(readings(Compass(GaussianNoise(0.1)), 1000)) == about(0.1, rel=0.1)


def test_a_dropout_raises_no_reading() -> None:
    with pytest.raises(NoReading, match="the tried of robot 0 had no reading at t = 0 s"):
        reading(Compass(dropout=1.0))

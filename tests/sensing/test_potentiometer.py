"""A potentiometer tells the angle of the front wheel of a car."""

from __future__ import annotations

from math import atan

import pytest

from kumi import sleep
from kumi.motion import Car
from kumi.robot import Robot
from kumi.sensing import Potentiometer, WheelEncoder
from kumi.stage import Stage
from kumi.world import World


def readings(sensor: Potentiometer, *orders: tuple[float, float], seed: int = 0) -> list[float]:
    """Return what a car reads a second after each order of a speed and a turning speed."""
    read: list[float] = []

    async def program(robot: Robot) -> None:
        read.append(await robot.wheel.read())
        for speed, turn_speed in orders:
            robot.steer(speed, turn_speed)
            await sleep(1.0)
            read.append(await robot.wheel.read())

    with Stage(World(), seed=seed) as stage:
        stage.add(program, at=(0, 0), drive=Car(0.2), sensors={"wheel": sensor})
        stage.run()
    return read


def test_the_angle_follows_from_wheelbase_and_radius() -> None:
    """A radius of 0.3 m with a wheelbase of 0.15 m: atan(1/2), left positive, forward and back."""
    orders = [(0.3, 1.0), (0.3, -1.0), (-0.3, 1.0), (0.3, 0.0)]

    assert readings(Potentiometer(0.15), *orders) == pytest.approx(
        [0.0, atan(0.5), -atan(0.5), -atan(0.5), 0.0]
    )


def test_at_rest_the_wheel_stands_as_it_stood() -> None:
    assert readings(Potentiometer(0.15), (0.3, 1.0), (0.0, 0.0)) == pytest.approx([0.0, atan(0.5), atan(0.5)])


def test_a_bias_stays_and_a_spread_gives_each_robot_its_own() -> None:
    assert readings(Potentiometer(bias=0.1), (0.1, 0.0)) == [0.1, 0.1]
    drawn = [readings(Potentiometer(bias_spread=0.02), (0.1, 0.0), seed=seed) for seed in range(8)]
    assert all(first == second and abs(first) <= 0.02 for first, second in drawn)
    assert len({first for first, _ in drawn}) == 8


def test_an_encoder_with_a_scale_spread_counts_all_ways_alike() -> None:
    counts: list[int] = []

    async def program(robot: Robot) -> None:
        for _ in range(2):
            await robot.forward(10.0)
            counts.append((await robot.wheels.read()).left)

    with Stage(World(), seed=3) as stage:
        stage.add(program, at=(0, 0), sensors={"wheels": WheelEncoder(100.0, scale_spread=0.05)})
        stage.run()

    assert 950 <= counts[0] <= 1050
    assert counts[0] != 1000
    assert abs(counts[1] - 2 * counts[0]) <= 1

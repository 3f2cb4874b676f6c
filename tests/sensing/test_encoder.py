"""Encoders count the ways of both wheels, forward up and back down."""

from __future__ import annotations

from itertools import pairwise
from math import pi
from typing import Any

import pytest

from kumi import sleep
from kumi.contract import Blocked
from kumi.contract.readings import Counts
from kumi.motion import Wheel
from kumi.robot import Robot
from kumi.sensing import GaussianNoise, WheelEncoder
from kumi.world import Wall
from tests.sensing.scenes import place

TRACK = 0.4


def counted(program: Any, encoder: WheelEncoder, *, drive: Wheel | None = None) -> list[Counts]:
    """What the encoder tells at the start and after each part of a program."""
    found: list[Counts] = []

    async def drive_and_read(robot: Robot) -> None:
        found.append(await robot.wheels.read())
        async for _ in program(robot):
            found.append(await robot.wheels.read())  # noqa: PERF401

    with place([Wall((20.0, -50.0), (20.0, 50.0))]) as stage:
        stage.add(drive_and_read, at=(0, 0), drive=drive, sensors={"wheels": encoder})
        stage.run()
    return found


def test_straight_on_both_wheels_count_the_way() -> None:
    """512 counts a turn of a wheel of 19 cm: 19 m are 51200 counts."""

    async def parts(robot: Robot) -> Any:
        await robot.forward(0.19)
        yield
        await robot.forward(18.81)
        yield

    assert counted(parts, WheelEncoder()) == [Counts(0, 0), Counts(512, 512), Counts(51200, 51200)]


@pytest.mark.parametrize("drive", [Wheel(), Wheel(acceleration=0.5)], ids=["at once", "eased"])
def test_back_counts_down(drive: Wheel) -> None:
    async def parts(robot: Robot) -> Any:
        await robot.back_up(2.0)
        yield
        await robot.forward(5.0)
        yield
        await robot.back_up(1.0)
        yield

    assert counted(parts, WheelEncoder(100.0), drive=drive) == [
        Counts(0, 0),
        Counts(-200, -200),
        Counts(300, 300),
        Counts(200, 200),
    ]


def test_turning_on_the_spot_the_wheels_go_opposite_ways() -> None:
    """A turn of pi with a track of 0.4 m: 0.2 * pi metres each."""

    async def parts(robot: Robot) -> Any:
        await robot.turn(pi)
        yield
        await robot.turn(-3 * pi)
        yield

    assert counted(parts, WheelEncoder(1000.0, track=TRACK)) == [
        Counts(0, 0),
        Counts(-629, 628),
        Counts(1256, -1257),
    ]


def test_on_an_arc_the_outer_wheel_goes_farther() -> None:
    """A quarter to the left around a centre 1 m away: radii 0.8 and 1.2 m."""

    async def parts(robot: Robot) -> Any:
        await robot.arc(1.0, pi / 2)
        yield

    assert counted(parts, WheelEncoder(1000.0, track=TRACK))[1] == Counts(
        int(800 * pi / 2), int(1200 * pi / 2)
    )


def test_a_long_arc_backwards_counts_down_all_the_way() -> None:
    """Three times around at a radius of 1 m."""

    async def parts(robot: Robot) -> Any:
        robot.steer(-1.0, 1.0)
        await sleep(6 * pi)
        robot.stop()
        yield

    (_, counts) = counted(parts, WheelEncoder(100.0))
    assert counts.left == counts.right == pytest.approx(-600 * pi, abs=1)


def test_it_counts_to_where_a_motion_was_interrupted() -> None:
    async def parts(robot: Robot) -> Any:
        with pytest.raises(Blocked):
            await robot.forward(50.0)
        yield

    assert counted(parts, WheelEncoder(100.0)) == [Counts(0, 0), Counts(1990, 1990)]


def test_it_counts_in_the_middle_of_a_motion() -> None:
    async def parts(robot: Robot) -> Any:
        robot.steer(-2.0)
        await sleep(1.5)
        yield
        await sleep(0.5)
        yield

    assert counted(parts, WheelEncoder(100.0))[1:] == [Counts(-300, -300), Counts(-400, -400)]


def test_it_counts_from_when_it_was_attached() -> None:
    found: list[Counts] = []

    async def drive(robot: Robot) -> None:
        await robot.forward(3.0)
        wheels = WheelEncoder(100.0).attached_to(robot._body)  # type: ignore[arg-type]
        await robot.forward(1.0)
        found.append(await wheels.read())

    with place() as stage:
        stage.add(drive, at=(0, 0))
        stage.run()

    assert found == [Counts(100, 100)]


def test_what_slipped_once_stays_in_the_counts() -> None:
    """Ten readings on a way of 10 m, each off by 10 % of its metre: errors add up, and are not drawn anew."""

    async def parts(robot: Robot) -> Any:
        for _ in range(10):
            await robot.forward(1.0)
            yield

    noisy = WheelEncoder(1000.0, noise=GaussianNoise(share=0.1))
    counts = [counts.left for counts in counted(parts, noisy)]
    steps = [after - before for before, after in pairwise(counts)]

    assert len(set(steps)) == 10
    assert 600 < min(steps)
    assert max(steps) < 1400

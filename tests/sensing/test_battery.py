"""A battery falls with time, way and turning, and warns at the exact instant."""

from __future__ import annotations

from math import inf, pi
from typing import Any

import pytest

from kumi import now, sleep, until
from kumi.contract.readings import Low
from kumi.geometry import Rectangle
from kumi.motion import Wheel
from kumi.robot import Robot
from kumi.sensing import Battery
from kumi.world import Slow
from tests.sensing.scenes import about, place


def run(program: Any, battery: Battery, *, drive: Wheel | None = None, until_time: float = 1000.0) -> None:
    with place() as stage:
        stage.add(program, at=(0, 0), drive=drive, sensors={"battery": battery})
        stage.run(until_time)


def test_the_level_falls_with_time_way_and_turning() -> None:
    """100 J: 2 s idle at 1 W, 3 m at 5 J, a turn of 2 rad left and 2 rad right at 3 J each radian."""
    levels: list[float] = []

    async def drive(robot: Robot) -> None:
        levels.append(robot.battery.level)
        await sleep(2.0)
        levels.append(robot.battery.level)
        await robot.forward(3.0, speed=3.0)
        levels.append(robot.battery.level)
        await robot.turn(2.0, speed=2.0)
        levels.append(robot.battery.level)
        await robot.turn(-2.0, speed=2.0)
        levels.append(robot.battery.level)

    run(drive, Battery(100.0, idle=1.0, per_metre=5.0, per_radian=3.0))

    assert levels == about([1.0, 0.98, 0.98 - 0.16, 0.82 - 0.07, 0.75 - 0.07])


def test_in_the_middle_of_a_motion_the_level_is_exact() -> None:
    levels: list[float] = []

    async def look(robot: Robot) -> None:
        robot.steer(2.0, 0.5)
        await sleep(1.5)
        levels.append(robot.battery.level)

    run(look, Battery(100.0, idle=1.0, per_metre=5.0, per_radian=2.0))

    assert levels == about([1.0 - 0.015 - 0.15 - 0.015])


def test_it_warns_at_the_exact_instant_while_it_rests() -> None:
    """At 1 W, 80 of 100 J are gone after 80 s."""
    found: list[Any] = []

    async def wait(robot: Robot) -> None:
        found.append((await robot.battery.wait_low(), now()))

    run(wait, Battery(100.0, idle=1.0))

    assert found == [(Low(about(80.0), about(0.2)), about(80.0))]


def test_it_warns_at_the_exact_instant_on_the_way_and_the_program_goes_home() -> None:
    """At 2 m/s and 5 J a metre, 80 J are gone after 8 s."""
    log: list[Any] = []

    async def shift(robot: Robot) -> None:
        with until(robot.battery.low):
            await robot.forward(inf, speed=2.0)
        log.append((now(), robot.position.x))
        await robot.move_to(robot.home, speed=2.0)
        log.append(robot.battery.level)

    run(shift, Battery(100.0, idle=0.0, per_metre=5.0, per_radian=0.0))

    assert log == [(about(8.0), about(16.0)), 0.0]


def test_it_warns_at_the_exact_instant_while_it_speeds_up() -> None:
    """From rest with 2 m/s², t seconds are t² metres; at 5 J a metre 80 J are gone after 4 s."""
    found: list[float] = []

    async def drive(robot: Robot) -> None:
        with until(robot.battery.low):
            await robot.forward(100.0, speed=20.0)
        found.append(now())

    run(drive, Battery(100.0, idle=0.0, per_metre=5.0), drive=Wheel(acceleration=2.0))

    assert found == [about(4.0, abs=1e-9)]


def test_on_slow_ground_a_metre_takes_longer_but_costs_the_same() -> None:
    found: list[float] = []

    async def drive(robot: Robot) -> None:
        with until(robot.battery.low):
            await robot.forward(100.0, speed=2.0)
        found.extend((now(), robot.position.x))

    with place(terrain=[Slow(Rectangle(4.0, -1.0, 100.0, 2.0), 0.5)]) as stage:
        stage.add(drive, at=(0, 0), sensors={"battery": Battery(100.0, idle=0.0, per_metre=5.0)})
        stage.run(100.0)

    assert found == about([2.0 + 12.0, 16.0])


def test_turning_left_and_right_both_cost() -> None:
    found: list[float] = []

    async def drive(robot: Robot) -> None:
        with until(robot.battery.low):
            while True:
                await robot.turn(pi, speed=pi)
                await robot.turn(-pi, speed=pi)
        found.append(now())

    run(drive, Battery(10 * pi, idle=0.0, per_metre=0.0, per_radian=1.0))

    assert found == [about(8.0)]


def test_it_warns_once_until_it_is_recharged() -> None:
    times: list[float] = []

    async def wait(robot: Robot) -> None:
        async for low in robot.battery.low:
            times.append(low.time)
            await sleep(5.0)
            robot.battery.recharge(0.5)
            assert robot.battery.level == 0.5

    run(wait, Battery(100.0, idle=1.0), until_time=200.0)

    assert times == about([80.0, 115.0, 150.0, 185.0])


def test_recharged_below_the_warning_it_stays_silent() -> None:
    times: list[float] = []

    async def wait(robot: Robot) -> None:
        async for low in robot.battery.low:
            times.append(low.time)
            robot.battery.recharge(0.1)

    run(wait, Battery(100.0, idle=1.0), until_time=500.0)

    assert times == about([80.0])


def test_a_sampled_battery_warns_at_the_next_look() -> None:
    found: list[Any] = []

    async def wait(robot: Robot) -> None:
        found.append((await robot.battery.wait_low(), now()))

    run(wait, Battery(100.0, idle=1.0, period=30.0))

    assert found == [(Low(90.0, about(0.1)), 90.0)]


def test_the_level_ends_at_nothing_and_stops_nobody() -> None:
    found: list[Any] = []

    async def drive(robot: Robot) -> None:
        await robot.forward(30.0)
        found.extend((robot.battery.level, robot.position.x))

    run(drive, Battery(100.0, idle=0.0, per_metre=5.0))

    assert found == [0.0, 30.0]


def test_a_battery_without_use_never_warns_and_plans_nothing() -> None:
    async def wait(robot: Robot) -> None:
        await robot.battery.wait_low()

    with place() as stage:
        stage.add(wait, at=(0, 0), sensors={"battery": Battery(100.0, idle=0.0)})
        stage.run(1.0)
        assert stage.simulation.next_time == inf


def test_a_level_is_a_share() -> None:
    with pytest.raises(ValueError, match="a level is a number from 0 to 1, not 80"):
        Battery(level=80.0)


def low_at(battery: Battery, drained_at: float | None = None, gone_at: float | None = None) -> list[float]:
    """When a battery that falls by 0.01 a second, and by 0.5 at one instant, warns within 100 s."""
    found: list[float] = []

    async def listen(robot: Robot) -> None:
        async for _ in robot.battery.low:
            found.append(now())  # noqa: PERF401

    with place() as stage:
        robot = stage.add(listen, at=(0, 0), sensors={"battery": battery})
        if drained_at is not None:
            stage.simulation.schedule(drained_at, lambda: robot.battery.drain(50.0))
        if gone_at is not None:
            stage.simulation.schedule(gone_at, stage.world.bodies[0].remove)
        stage.run(100.0)
    return found


def test_what_is_drained_is_told_at_once_or_at_the_next_sample_and_once() -> None:
    """At 40.25 s it falls from 0.5975 to 0.0975, below 0.2."""
    assert low_at(Battery(100.0, idle=1.0), drained_at=40.25) == [40.25]
    assert low_at(Battery(100.0, idle=1.0, period=0.5), drained_at=40.25) == [40.5]


def test_a_battery_that_is_gone_warns_no_more() -> None:
    assert low_at(Battery(100.0, idle=1.0)) == [80.0]
    assert low_at(Battery(100.0, idle=1.0), gone_at=79.0) == []


def test_recharged_to_the_level_at_which_it_warns_it_does_not_warn_again() -> None:
    """It warned at 80 s, at a level of 0.2."""
    found: list[float] = []

    async def listen(robot: Robot) -> None:
        async for _ in robot.battery.low:
            found.append(now())  # noqa: PERF401

    with place() as stage:
        robot = stage.add(listen, at=(0, 0), sensors={"battery": Battery(100.0, idle=1.0)})
        stage.simulation.schedule(90.0, lambda: robot.battery.recharge(0.2))
        stage.run(100.0)

    assert found == [80.0]


@pytest.mark.parametrize("idle", [1e155, 1e300, 1.7e308])
def test_a_use_beyond_all_reason_is_told_at_once(idle: float) -> None:
    """The square of such a use is no number, and it is over after less than any instant that can be told from 0."""
    lows: list[float] = []

    async def listen(robot: Robot) -> None:
        await robot.battery.wait_low()
        lows.append(now())

    run(listen, Battery(100.0, idle=idle), until_time=1.0)

    assert lows == about([0.0])

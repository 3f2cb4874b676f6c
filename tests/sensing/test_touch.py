"""Contact and bumper report a touch at its instant, before the motion ends."""

from __future__ import annotations

from math import pi, radians
from typing import Any

import pytest

from kumi import now, sleep, until
from kumi.contract import Blocked, Contact
from kumi.contract.readings import Pressed
from kumi.devs import together
from kumi.geometry import Point
from kumi.motion import Omni
from kumi.robot import Robot
from kumi.sensing import Bumper, ContactSensor
from kumi.stage.stage import Stage
from kumi.world import Map, Wall, World
from tests.sensing.scenes import about, place, rest

WALL = Wall((2.0, -5.0), (2.0, 5.0), name="wall")


def test_a_contact_tells_with_whom_where_and_in_which_direction() -> None:
    found = []

    async def drive(robot: Robot) -> None:
        with until(robot.touch.reports) as cut:
            await robot.forward(5.0)
        found.append(cut.event)

    with place([WALL]) as stage:
        stage.add(drive, at=(0, 0), sensors={"touch": ContactSensor()})
        stage.run()

    assert found == [Contact(1.9, Point(2.0, 0.0), 0.0, "wall")]


def test_who_is_run_into_hears_of_it_too() -> None:
    found = []

    async def listen(robot: Robot) -> None:
        found.append(await robot.touch.wait())

    async def drive(robot: Robot) -> None:
        with pytest.raises(Blocked):
            await robot.forward(5.0)

    with place() as stage:
        stage.add(listen, at=(2, 0), sensors={"touch": ContactSensor()})
        stage.add(drive, at=(0, 0), name="rude")
        stage.run()

    assert found == [Contact(about(1.8), Point(1.9, 0.0), about(pi), "rude", 1)]


def pressed_by(bumper: Bumper, heading: float) -> list[Any]:
    """What a bumper tells when its robot looks that way and is pushed into the wall ahead, along x."""
    found: list[Any] = []

    async def drive(robot: Robot) -> None:
        async with together() as tasks:
            tasks.start(listen, robot)
            await sleep(0.0)
            with pytest.raises(Blocked):
                await robot.follow([(5.0, 0.0)])
            await sleep(1.0)
            tasks.cut()

    async def listen(robot: Robot) -> None:
        async for press in robot.bumper.pressed:
            found.append(press)  # noqa: PERF401

    with place([WALL]) as stage:
        stage.add(drive, at=(0, 0), heading=heading, drive=Omni(), sensors={"bumper": bumper})
        stage.run()
    return found


def test_a_bumper_reports_contact_on_its_side_alone() -> None:
    """A front bumper of 90 degrees, and a wall ahead, 40 degrees to the left, 50 to the right, behind."""
    bumper = Bumper(0.0, pi / 2)

    assert pressed_by(bumper, 0.0) == [Pressed(1.9, 0.0)]
    assert pressed_by(bumper, radians(-40.0)) == [Pressed(1.9, about(radians(40.0)))]
    assert pressed_by(bumper, radians(50.0)) == []
    assert pressed_by(bumper, pi) == []
    (press,) = pressed_by(Bumper(pi, pi / 2), pi)
    assert abs(press.bearing) == about(pi)


def test_the_press_ends_a_block_before_the_motion_raises_blocked() -> None:
    """Cause before consequence: the program is cut by its bumper."""
    log: list[Any] = []

    async def drive(robot: Robot) -> None:
        with until(robot.bumper.pressed) as cut:
            await robot.forward(5.0)
        log.append((now(), cut.is_cut, robot.position))
        await robot.back_up(0.5)
        log.append((now(), robot.position.x))

    with place([WALL]) as stage:
        stage.add(drive, at=(0, 0), sensors={"bumper": Bumper()})
        stage.run()

    assert log == [(1.9, True, Point(1.9, 0.0)), (2.4, about(1.4))]


def test_each_of_many_presses_is_told() -> None:
    times: list[float] = []

    async def drive(robot: Robot) -> None:
        for _ in range(3):
            with until(robot.bumper.pressed):
                await robot.forward(5.0)
            times.append(now())
            await robot.back_up(1.0)

    with place([WALL]) as stage:
        stage.add(drive, at=(0, 0), sensors={"bumper": Bumper()})
        stage.run()

    assert times == about([1.9, 3.9, 5.9])


def test_wait_pressed_waits_for_the_next_press() -> None:
    found: list[Any] = []

    async def listen(robot: Robot) -> None:
        found.append(await robot.bumper.wait_pressed())

    with place([WALL]) as stage:
        robot = stage.add(listen, at=(0, 0), sensors={"bumper": Bumper()})
        robot.steer(1.0)
        stage.run(5.0)

    assert found == [Pressed(1.9, 0.0)]


def test_a_bumper_stays_silent_while_the_robot_slides_along() -> None:
    """With 45 degrees into the wall, a sliding robot touches it once."""
    found: list[Any] = []

    async def listen(robot: Robot) -> None:
        async for press in robot.bumper:
            found.append(press)  # noqa: PERF401

    with Stage(World(Map(obstacles=[WALL]), on_contact="slide"), on_error="robot") as stage:
        robot = stage.add(listen, at=(1, 0), heading=pi / 4, sensors={"bumper": Bumper()})
        robot.steer(1.0)
        stage.run(3.0)

    assert len(found) == 1


def test_a_ghost_touches_nothing() -> None:
    found: list[Any] = []

    async def listen(robot: Robot) -> None:
        found.append(await robot.touch.wait())

    with place([WALL], ghost=True) as stage:
        robot = stage.add(listen, at=(0, 0), sensors={"touch": ContactSensor()})
        stage.add(rest, at=(1, 0))
        robot.steer(1.0)
        stage.run(5.0)

    assert found == []


def test_a_side_is_an_angle() -> None:
    with pytest.raises(ValueError, match="the view of a bumper is an angle > 0"):
        Bumper(view=0.0)

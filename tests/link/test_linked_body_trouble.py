"""A linked body whose link or way is troubled: contacts, lost links, damaged packets, stalled wheels."""

from __future__ import annotations

from math import inf, pi, radians

import pytest

from kumi import now, sleep
from kumi.contract import Blocked, Contact, LinkLost
from kumi.contract.readings import Pressed
from kumi.devs import together
from kumi.link.devices import STOP
from kumi.link.emulators import ReadingErrors
from kumi.link.happenings import Collided
from kumi.link.line import Interference
from kumi.robot import Robot
from tests.link.pairs import Pair


async def drive(robot: Robot, distance: float) -> None:
    await robot.forward(distance)


def test_a_wall_is_a_contact_then_blocked_and_the_way_back_is_free() -> None:
    pair = Pair(at=(3.5, 1.5))
    heard: list[object] = []

    async def go(robot: Robot) -> None:
        async with together() as tasks:
            tasks.start(listen, robot, heard)
            await sleep(0.0)
            with pytest.raises(Blocked) as blocked:
                await robot.forward(inf)
            (contact,) = heard
            assert isinstance(contact, Contact)
            assert contact.time == now()
            assert contact.at == blocked.value.at
            assert blocked.value.bearing == 0.0
            assert blocked.value.at.distance_to((4.0, 1.5)) < 0.01
            with pytest.raises(Blocked):
                await robot.forward(inf)
            assert await robot.back_up(0.2) is not None
            tasks.cut()

    pair.run(go)

    assert len(heard) == 2
    assert pair.hardware.body.position.x == pytest.approx(3.575, abs=0.005)


async def listen(robot: Robot, heard: list[object]) -> None:
    async for contact in robot.contacts:
        heard.append(contact)  # noqa: PERF401  # at its instant


def test_backing_into_something_is_felt_behind() -> None:
    pair = Pair(at=(0.5, 1.5))
    pressed: list[Pressed] = []

    async def go(robot: Robot) -> None:
        async with together() as tasks:
            tasks.start(feel, robot, pressed)
            await sleep(0.0)
            with pytest.raises(Blocked) as blocked:
                await robot.back_up(inf)
            assert blocked.value.bearing == pi
            tasks.cut()

    pair.run(go)

    assert [one.bearing for one in pressed] == [pi]


async def feel(robot: Robot, pressed: list[Pressed]) -> None:
    async for press in robot.bumper:
        pressed.append(press)  # noqa: PERF401  # at its instant


def test_when_the_link_is_lost_the_motion_says_so_and_the_robot_stops_by_itself() -> None:
    pair = Pair()

    async def go(robot: Robot) -> None:
        async with together() as tasks:
            tasks.start(cut_after, pair, 2.0)
            with pytest.raises(
                LinkLost, match=r"robot 0 was asked \d+ times within 2\.\d s, and it did not answer in time"
            ):
                await robot.forward(1.0)
        assert not robot.is_moving
        with pytest.raises(LinkLost):
            await robot.forward(0.1)
        with pytest.raises(LinkLost):
            robot.steer(0.1)
        with pytest.raises(LinkLost):
            await robot.front.read()
        await sleep(3.0)
        assert pair.hardware.motor == STOP

    pair.run(go)


async def cut_after(pair: Pair, seconds: float) -> None:
    await sleep(seconds)
    pair.near.is_cut = True


def test_a_robot_that_is_back_goes_on_and_what_it_drove_alone_is_counted() -> None:
    pair = Pair()

    async def go(robot: Robot) -> None:
        async with together() as tasks:
            tasks.start(cut_after, pair, 2.0)
            with pytest.raises(LinkLost):
                await robot.forward(1.0)
        await sleep(5.0)
        assert pair.gap > 0.03  # the watchdog let it drive on for a second
        pair.near.is_cut = False
        await pair.remote.found.next()
        await sleep(0.5)
        assert pair.gap < 0.002
        await robot.forward(0.1)

    pair.run(go)

    assert pair.gap < 0.002


def test_a_robot_that_began_anew_has_not_jumped() -> None:
    """Its encoder is back at 0: it cannot have gone 1 m back while it was not heard."""
    pair = Pair()

    async def go(robot: Robot) -> None:
        await robot.forward(1.0)
        pair.near.is_cut = True
        await sleep(5.0)
        pair.hardware._counted = 0.0
        pair.near.is_cut = False
        await pair.remote.found.next()
        await sleep(1.0)
        assert robot.position.distance_to((2.0, 1.5)) < 0.01

    pair.run(go)


def test_a_robot_that_is_not_there_raises_link_lost_at_the_connection() -> None:
    pair = Pair(is_on=False)

    async def go(_robot: Robot) -> None:
        raise AssertionError("there is nobody")

    with pytest.raises(LinkLost, match="no byte came: is it plugged in and switched on"):
        pair.run(go)


def test_over_a_line_that_damages_a_fifth_of_the_packets_it_drives_the_same_way() -> None:
    pair = Pair(interference=Interference.for_packets(0.2), fade=7.0, seed=3)

    async def go(robot: Robot) -> None:
        await robot.forward(0.3)
        await robot.arc(0.3, radians(30))
        await robot.move_to((1.8, 1.8))

    pair.run(go)

    assert pair.gap < 0.03
    assert pair.hardware.body.position.distance_to((1.8, 1.8)) < 0.06
    assert sum(pair.remote.ignored.values()) > 20


def test_with_errors_on_its_sensors_it_still_arrives() -> None:
    pair = Pair(errors=ReadingErrors(ranger=3.0, potentiometer=1.0, wheel=0.0001))

    async def go(robot: Robot) -> None:
        await robot.move_to((2.0, 2.0))

    pair.run(go)

    assert pair.hardware.body.position.distance_to((2.0, 2.0)) < 0.06


def test_a_collision_report_that_comes_late_ends_no_other_motion() -> None:
    pair = Pair()

    async def go(robot: Robot) -> None:
        pair.body._happened(Collided(1))
        await sleep(1.0)
        await robot.forward(0.1)

    pair.run(go)

    assert pair.hardware.body.position.x == pytest.approx(1.1, abs=0.003)


def test_a_robot_that_its_watchdog_stopped_is_told_to_drive_again() -> None:
    """The computer was busy with something else for too long."""
    pair = Pair()

    async def go(robot: Robot) -> None:
        async with together() as tasks:
            tasks.start(drive, robot, 0.3)
            await sleep(1.0)
            assert pair.robot is not None
            pair.robot.firmware._stop()

    pair.run(go)

    assert pair.hardware.body.position.x == pytest.approx(1.3, abs=0.003)


def test_a_wheel_that_stands_although_it_should_turn_is_blocked() -> None:
    """Something holds the robot where no switch is."""
    pair = Pair()

    async def go(robot: Robot) -> None:
        pair.hardware.write = lambda *_given: None  # type: ignore[method-assign]  # it has gone deaf
        begun = now()
        with pytest.raises(Blocked) as blocked:
            await robot.back_up(0.3)
        assert blocked.value.bearing == pi
        assert 2.0 < now() - begun < 4.0

    pair.run(go)

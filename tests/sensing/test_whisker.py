"""A whisker reports at the instant at which its line meets something, however the two move."""

from __future__ import annotations

from collections.abc import Iterable
from math import acos, atan2, cos, hypot, inf, pi, radians
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi import now, sleep, until
from kumi.contract import Blocked
from kumi.contract.readings import Pressed
from kumi.geometry import PointLike, Rectangle
from kumi.motion import Drive, Omni, Wheel
from kumi.robot import Robot
from kumi.sensing import Whisker
from kumi.stage.stage import Stage
from kumi.world import Block, Map, Obstacle, Pillar, Wall, World
from tests.sensing.scenes import about, place, rest

WALL = Wall((2.0, -5.0), (2.0, 5.0))


def presses(
    program: Any,
    obstacles: Iterable[Obstacle] = (WALL,),
    whisker: Whisker | None = None,
    *,
    drive: Drive | None = None,
    at: PointLike = (0.0, 0.0),
    until_time: float = 100.0,
) -> list[float]:
    """The times at which a whisker of 0.2 m on a disc of 0.1 m reports while a program runs."""
    times: list[float] = []

    async def listen(robot: Robot) -> None:
        async for press in robot.whisker.pressed:
            assert press.time == now()
            times.append(press.time)

    with place(obstacles) as stage:
        sensor = whisker or Whisker(0.0, 0.2)
        robot = stage.add(program, at=at, drive=drive, sensors={"whisker": sensor})
        stage.simulation.start(listen, robot)
        stage.run(until_time)
    return times


async def straight_on(robot: Robot) -> None:
    with pytest.raises(Blocked):
        await robot.forward(50.0)


def test_ahead_of_a_wall_it_reports_before_the_body_touches() -> None:
    """The tip is 0.3 m ahead of the centre, so it touches at x = 1.7."""
    assert presses(straight_on) == [about(1.7, abs=1e-9)]


def test_it_ends_a_block_before_the_robot_bumps() -> None:
    log: list[Any] = []

    async def careful(robot: Robot) -> None:
        with until(robot.whisker.pressed) as cut:
            await robot.forward(50.0)
        log.append((robot.position.x, cut.event))

    with place([WALL]) as stage:
        stage.add(careful, at=(0, 0), sensors={"whisker": Whisker(0.0, 0.2)})
        stage.run()

    assert log == [(about(1.7), Pressed(about(1.7), 0.0))]


def test_to_the_side_it_touches_what_its_line_meets() -> None:
    """A whisker to the left, 0.3 m to the tip, and a post beside the way at x = 3 with a radius of 0.1 m.

    The tip passes the post's middle at 0.06 m: it meets the post 0.08 m before.
    """
    post = Pillar((3.0, 0.36), 0.1)

    async def drive(robot: Robot) -> None:
        await robot.forward(5.0)

    assert presses(drive, [post], Whisker(pi / 2, 0.2)) == [about(3.0 - 0.08, abs=1e-8)]
    assert presses(drive, [post], Whisker(-pi / 2, 0.2)) == []


def test_each_of_many_posts_on_one_way_is_reported() -> None:
    posts = [Pillar((x, 0.25), 0.02) for x in (1.0, 2.0, 2.5, 7.0)]

    async def drive(robot: Robot) -> None:
        await robot.forward(9.0)

    assert presses(drive, posts, Whisker(pi / 2, 0.2)) == about([0.98, 1.98, 2.48, 6.98], abs=1e-8)


def test_turning_sweeps_it_into_a_wall() -> None:
    """The tip on a circle of 0.3 m meets x = 0.2 at acos(2 / 3), coming from above."""

    async def turn(robot: Robot) -> None:
        await robot.turn(-pi, speed=0.5)

    wall = [Wall((0.2, -5.0), (0.2, 5.0))]
    whisker = Whisker(pi / 2, 0.2)

    assert presses(turn, wall, whisker) == [about((pi / 2 - acos(2 / 3)) / 0.5, abs=1e-7)]


def test_on_an_arc_the_instant_is_exact() -> None:
    """To the left around (0, 1): the tip is hypot(1, 0.3) from there, and meets y = 1.5 on its way."""

    async def arc(robot: Robot) -> None:
        with pytest.raises(Blocked):
            await robot.arc(1.0, pi)

    ceiling = [Wall((-5.0, 1.5), (5.0, 1.5))]
    far, ahead = hypot(1.0, 0.3), atan2(0.3, 1.0)
    # The tip's angle from the centre is -pi / 2 + ahead + t; it is at y = 1.5 where far * sin(...) = 0.5.
    angle = pi / 2 - acos(0.5 / far)

    assert presses(arc, ceiling) == [about(angle + pi / 2 - ahead, abs=1e-7)]


def test_while_it_speeds_up_the_instant_is_exact() -> None:
    """From rest with 2 m/s², 1.7 m are gone after sqrt(1.7) seconds."""

    async def drive(robot: Robot) -> None:
        with pytest.raises(Blocked):
            await robot.forward(50.0, speed=20.0)

    assert presses(drive, drive=Wheel(acceleration=2.0)) == [about(1.7**0.5, abs=1e-7)]


def test_it_feels_robots_that_come_and_go() -> None:
    """Another crosses the whisker, whose line ends at x = 0.3: discs of 0.1 m, from y = -5 upwards at 1 m/s."""
    times: list[float] = []

    async def listen(robot: Robot) -> None:
        async for press in robot.whisker:
            times.append(press.time)  # noqa: PERF401

    async def cross(robot: Robot) -> None:
        await robot.forward(10.0)
        await sleep(1.0)
        await robot.back_up(10.0, speed=2.0)

    with place() as stage:
        stage.add(listen, at=(0, 0), sensors={"whisker": Whisker(0.0, 0.2)})
        stage.add(cross, at=(0.25, -5.0), heading=pi / 2)
        stage.run(30.0)

    assert times == about([4.9, 11.0 + 2.45], abs=1e-8)


def test_both_may_move_and_turn() -> None:
    """Head on at 1 m/s each: the gap of 10 - 0.3 - 0.1 m is closed after 4.8 s."""
    times: list[float] = []

    async def go(robot: Robot) -> None:
        with until(robot.whisker.pressed) as cut:
            await robot.forward(20.0)
        assert cut.event is not None
        times.append(cut.event.time)

    async def come(robot: Robot) -> None:
        with pytest.raises(Blocked):
            await robot.forward(20.0)

    with place() as stage:
        stage.add(go, at=(-5, 0), sensors={"whisker": Whisker(0.0, 0.2)})
        stage.add(come, at=(5, 0), heading=pi)
        stage.run(30.0)

    assert times == [about(4.8, abs=1e-8)]


def test_a_robot_that_is_near_from_the_start_is_felt_when_it_moves() -> None:
    times: list[float] = []

    async def listen(robot: Robot) -> None:
        times.append((await robot.whisker.wait_pressed()).time)

    async def come(robot: Robot) -> None:
        await sleep(3.0)
        await robot.forward(0.2, speed=0.1)

    with place() as stage:
        stage.add(listen, at=(0, 0), sensors={"whisker": Whisker(0.0, 0.2)})
        stage.add(come, at=(0.5, 0.0), heading=pi)
        stage.run(30.0)

    assert times == [about(4.0, abs=1e-7)]


def test_what_it_touches_from_the_start_is_not_reported() -> None:
    async def back_and_forth(robot: Robot) -> None:
        await robot.back_up(1.0)
        await robot.forward(0.95)

    assert presses(back_and_forth, at=(1.75, 0.0)) == [about(1.0 + 0.95, abs=1e-8)]


def test_it_is_silent_while_it_goes_along_a_wall() -> None:
    async def along(robot: Robot) -> None:
        await robot.forward(5.0)

    assert presses(along, [Wall((1.0, 0.2), (4.0, 0.2))], Whisker(pi / 2, 0.2)) == [about(1.0, abs=1e-8)]


def test_it_feels_the_border_and_the_sides_of_blocks() -> None:
    times: list[float] = []

    async def drive(robot: Robot) -> None:
        for _ in range(2):
            with until(robot.whisker.pressed) as cut:
                await robot.forward(50.0)
            assert cut.event is not None
            times.append(cut.event.time)
            await robot.turn(pi)

    with Stage(
        World(Map(10.0, 4.0, obstacles=[Block(Rectangle(1.0, 1.0, 2.0, 2.0))])), on_error="run"
    ) as stage:
        stage.add(drive, at=(5.0, 2.0), sensors={"whisker": Whisker(0.0, 0.2)})
        stage.run()

    assert times == about([4.7, 4.7 + 2.0 + 6.4], abs=1e-8)


def test_sampled_it_reports_at_the_next_look() -> None:
    assert presses(straight_on, whisker=Whisker(0.0, 0.2, period=0.25)) == [1.75]


def test_a_whisker_at_rest_plans_nothing() -> None:
    async def listen(robot: Robot) -> None:
        await robot.whisker.wait_pressed()

    with place([WALL]) as stage:
        stage.add(listen, at=(1.6, 0), sensors={"whisker": Whisker(0.0, 0.2)})
        stage.add(rest, at=(1.3, 0))
        stage.run(1.0)

        assert stage.simulation.next_time == inf


def events_of(program: Any, wall: Wall, drive: Drive | None = None, until_time: float = 100.0) -> int:
    """How much happens on the plane while a robot with a whisker to its left goes about."""
    with place([wall]) as stage:
        stage.add(program, at=(0.0, 0.0), drive=drive, sensors={"whisker": Whisker(pi / 2, 0.2)})
        stage.run(until_time)
        return stage.world.events


def test_along_a_wall_that_it_does_not_touch_nothing_happens() -> None:
    """Nothing turns, and the gap does not close: there is nothing to look at."""

    async def along(robot: Robot) -> None:
        await robot.forward(100.0)

    assert events_of(along, Wall((-200.0, 0.35), (200.0, 0.35)), until_time=99.0) == 0


def test_is_touching_tells_of_this_instant() -> None:
    found: list[bool] = []

    async def drive(robot: Robot) -> None:
        found.append(robot.whisker.is_touching)
        await robot.forward(1.75)
        found.append(robot.whisker.is_touching)

    with place([WALL]) as stage:
        stage.add(drive, at=(0, 0), sensors={"whisker": Whisker(0.0, 0.2)})
        stage.run()

    assert found == [False, True]


@settings(max_examples=40)
@given(
    st.floats(-pi, pi),
    st.floats(-2.0, 2.0).map(lambda rate: round(rate, 3)),
    st.floats(0.1, 2.0),
    st.floats(-2.0, 2.0),
    st.floats(0.05, 0.5),
)
def test_it_agrees_with_a_look_every_two_milliseconds(
    bearing: float, turn_speed: float, speed: float, x: float, length: float
) -> None:
    """On an arc past a post: the press comes just before the first look that finds a touch."""
    post = Pillar((x, 1.0), 0.3)
    exact, sampled = (
        presses(steer(speed, turn_speed), [post], Whisker(bearing, length, period=period), until_time=3.0)
        for period in (None, 0.002)
    )

    # A touch that is shorter than that may be missed by looking, never by the exact one.
    for time in sampled:
        assert any(time - 0.002 - 1e-9 <= other <= time + 1e-9 for other in exact), (exact, sampled)


def steer(speed: float, turn_speed: float) -> Any:
    async def program(robot: Robot) -> None:
        robot.steer(speed, turn_speed)
        await sleep(3.0)

    return program


def test_a_length_is_a_size() -> None:
    with pytest.raises(ValueError, match=r"the length of a whisker is a finite number > 0, not 0\.0"):
        Whisker(length=0.0)


def test_on_wheels_that_go_anywhere() -> None:
    """Sideways at 45 degrees to the whisker: the tip meets the wall where x = 1.7."""

    async def drive(robot: Robot) -> None:
        with pytest.raises(Blocked):
            await robot.move_to((2.0 - 1e-3, 2.0 - 1e-3))

    (time,) = presses(drive, drive=Omni())
    assert time == about(1.7 / cos(radians(45.0)), abs=1e-8)


def test_it_does_not_look_all_the_time_while_it_just_touches_a_wall() -> None:
    """Along a wall that the tip touches, once a millimetre at most."""

    async def along(robot: Robot) -> None:
        with until(robot.whisker.pressed):
            await robot.move_to((1.0, 5.0))
        await robot.move_to((3.0, robot.position.y))

    wall = Wall((-50.0, 1.0), (50.0, 1.0))
    (time,) = presses(along, [wall], Whisker(pi / 2, 0.2), drive=Omni())

    assert time == about(0.7 / 5.0 * hypot(1.0, 5.0), abs=1e-8)
    assert events_of(along, wall, Omni()) <= 3100


def test_who_backs_off_by_less_than_a_millimetre_has_not_let_go() -> None:
    """The tip touches at x = 1.7; half a millimetre back and forth is one press, and two millimetres are two."""

    def back_and_forth(way: float) -> list[float]:
        async def drive(robot: Robot) -> None:
            await robot.forward(1.7001)
            await robot.forward(-way)
            await robot.forward(way)

        return presses(drive)

    assert len(back_and_forth(0.0005)) == 1
    assert len(back_and_forth(0.002)) == 2


def test_a_robot_that_is_removed_feels_nothing() -> None:
    """Another, which was near before, drives over the place where its whisker was, 1 s after it was removed."""
    times: list[float] = []

    async def listen(robot: Robot) -> None:
        async for press in robot.whisker.pressed:
            times.append(press.time)  # noqa: PERF401

    async def pass_by(robot: Robot) -> None:
        await sleep(2.0)
        await robot.forward(10.0)

    for is_removed in (False, True):
        times.clear()
        with place() as stage:
            stage.add(listen, at=(0, 0), sensors={"whisker": Whisker(0.0, 0.2)})
            stage.add(pass_by, at=(0.25, -0.45), heading=pi / 2)
            if is_removed:
                stage.simulation.schedule(1.0, stage.world.bodies[0].remove)
            stage.run(20.0)
        assert len(times) == (0 if is_removed else 1)


@pytest.mark.parametrize("seed", range(6))
def test_in_a_crowd_it_tells_the_same_with_and_without_looking_at_every_motion(seed: int) -> None:
    """With a range to watch, every change of a motion is looked at; without, those that can come to no feeler are not.

    Twelve robots turn and go in a small box, touch each other and its walls.
    """
    assert pressed_in_a_crowd(seed, watches=False) == pressed_in_a_crowd(seed, watches=True)
    assert len(pressed_in_a_crowd(seed, watches=False)) > 10


def pressed_in_a_crowd(seed: int, *, watches: bool) -> list[tuple[float, int]]:
    """The presses of the whiskers of a crowd, to a nanosecond, and whose they were."""
    found: list[tuple[float, int]] = []

    async def wander(robot: Robot) -> None:
        for _ in range(40):
            try:
                if robot.chance.happens(0.3):
                    await sleep(robot.chance.uniform(0.0, 0.5))
                await robot.turn(robot.chance.uniform(-pi, pi))
                await robot.arc(robot.chance.uniform(0.5, 2.0), robot.chance.uniform(0.05, 0.4))
                await robot.forward(robot.chance.uniform(-0.2, 0.5))
            except Blocked:
                continue

    async def listen(robot: Robot) -> None:
        async for press in robot.left.pressed | robot.right.pressed:
            found.append((round(press.time, 9), robot.number))  # noqa: PERF401

    stage = Stage(World(width=4.0, height=4.0), seed=seed)
    for number in range(12):
        robot = stage.add(
            wander,
            at=(0.6 + 0.9 * (number % 4), 0.8 + 1.1 * (number // 4)),
            radius=0.1,
            drive=Wheel(0.5, 2.0),
            sensors={"left": Whisker(0.6, 0.08), "right": Whisker(-0.6, 0.08)},
        )
        stage.simulation.start(listen, robot)
        if watches:
            robot._body.watch(0.3, lambda *_: None)  # type: ignore[attr-defined]
    with stage:
        stage.run(60.0)
    return sorted(found)

"""A motion can be interrupted anywhere, and the robot is then exactly where the closed form says."""

from __future__ import annotations

from math import cos, hypot, pi, remainder, sin, tau

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import after, now, sleep, together, until
from kumi.geometry import Point
from kumi.motion import Omni, Wheel
from kumi.robot import Robot
from tests.robot.stages import play

numbers = st.floats(-50.0, 50.0)
speeds = st.floats(0.05, 20.0)
shares = st.floats(0.0, 1.0)


@given(goal_x=numbers, goal_y=numbers, speed=speeds, share=shares)
def test_on_a_straight_way(goal_x: float, goal_y: float, speed: float, share: float) -> None:
    way = hypot(goal_x, goal_y)
    where: list[tuple[float, Point]] = []

    async def go(robot: Robot) -> None:
        with until(after(share * way / speed)):
            await robot.move_to((goal_x, goal_y), speed)
        where.append((now(), robot.position))
        await sleep(1.0)
        where.append((now(), robot.position))

    play(go, drive=Omni())

    (time, here), (_, later) = where
    assert here == later
    assert abs(here - Point(goal_x, goal_y) * share) <= 1e-12 * (1.0 + way)
    assert time == pytest.approx(share * way / speed)


@given(
    radius=st.floats(0.1, 20.0), side=st.sampled_from([1.0, -1.0]), angle=st.floats(-8.0, 8.0), share=shares
)
def test_on_an_arc(radius: float, side: float, angle: float, share: float) -> None:
    """A circle about (0, ±radius), on which the robot begins at the origin and looks along the x axis."""
    where: list[tuple[Point, float]] = []

    async def go(robot: Robot) -> None:
        with until(after(share * abs(angle) * radius)):
            await robot.arc(side * radius, angle, speed=1.0)
        where.append((robot.position, robot._body.heading))

    play(go)

    turned = share * angle
    (here, heading) = where[0]
    expected = Point(side * radius * sin(turned), side * radius * (1.0 - cos(turned)))
    assert abs(here - expected) <= 1e-12 * (1.0 + radius)
    assert remainder(heading - turned, tau) == pytest.approx(0.0, abs=1e-12)


@given(angle=st.floats(-20.0, 20.0), share=shares)
def test_in_a_turn(angle: float, share: float) -> None:
    where: list[tuple[Point, float]] = []

    async def go(robot: Robot) -> None:
        with until(after(share * abs(angle) / 2.0)):
            await robot.turn(angle, speed=2.0)
        where.append((robot.position, robot._body.heading))

    play(go)

    ((place, heading),) = where
    assert place == Point(0.0, 0.0)
    assert remainder(heading - share * angle, tau) == pytest.approx(0.0, abs=1e-12)


@given(distance=st.floats(0.01, 100.0), top=speeds, acceleration=st.floats(0.1, 10.0), share=shares)
def test_while_gathering_speed_and_braking(
    distance: float, top: float, acceleration: float, share: float
) -> None:
    """The place is the area under the speed, a trapezium or a triangle."""
    top = min(top, (distance * acceleration) ** 0.5)
    ramp = top / acceleration
    whole = distance / top + ramp
    time = share * whole
    where: list[Point] = []

    async def go(robot: Robot) -> None:
        with until(after(time)):
            await robot.forward(distance, top)
        where.append(robot.position)

    play(go, drive=Wheel(acceleration=acceleration))

    left = whole - time
    if time <= ramp:
        expected = acceleration * time**2 / 2
    elif left <= ramp:
        expected = distance - acceleration * left**2 / 2
    else:
        expected = top * (time - ramp / 2)
    assert where[0].x == pytest.approx(expected, abs=1e-9 * distance)
    assert where[0].y == 0.0


@given(pauses=st.lists(st.floats(0.0, 2.0), max_size=8))
def test_stopping_and_going_on_leads_to_the_same_place(pauses: list[float]) -> None:
    """However often a way is interrupted, the rest of it is what was left."""
    ends: list[tuple[float, Point]] = []

    async def go(robot: Robot) -> None:
        for pause in pauses:
            with until(after(pause)):
                await robot.move_to((6.0, 8.0))
        await robot.move_to((6.0, 8.0))
        ends.append((now(), robot.position))

    play(go, drive=Omni())

    ((time, place),) = ends
    assert place == Point(6.0, 8.0)
    assert time == pytest.approx(10.0)


@given(cuts=st.lists(st.floats(0.0, 3.0), min_size=1, max_size=4), angle=st.floats(-pi, pi))
def test_the_odometer_counts_every_metre_once(cuts: list[float], angle: float) -> None:
    """The way and the turning are sums over pieces, whole and interrupted."""
    counted: list[tuple[float, float]] = []

    async def go(robot: Robot) -> None:
        for cut in cuts:
            with until(after(cut)):
                await robot.forward(2.0)
            with until(after(cut)):
                await robot.turn(angle, speed=1.0)
            with until(after(cut)):
                await robot.back_up(1.0)
        body = robot._body
        counted.append((body.odometer, body.turned))  # type: ignore[attr-defined]

    play(go)

    way = sum(min(cut, 2.0) + min(cut, 1.0) for cut in cuts)
    turned = sum(min(cut, abs(angle)) for cut in cuts) * (1.0 if angle >= 0.0 else -1.0)
    assert counted[0] == pytest.approx((way, turned), abs=1e-12)


@given(at=st.floats(0.0, 10.0), looks=st.lists(st.floats(0.0, 10.0), max_size=5))
def test_looking_changes_nothing(at: float, looks: list[float]) -> None:
    """Who asks where the robot is gets the truth of that instant, and the motion goes on."""
    ends: list[tuple[float, Point]] = []

    async def go(robot: Robot) -> None:
        async def look(when: float) -> None:
            await sleep(when)
            assert robot.position == Point(when, 0.0)

        async with together() as tasks:
            for when in [*looks, at]:
                tasks.start(look, when)
            await robot.forward(10.0)
            ends.append((now(), robot.position))

    play(go)

    assert ends == [(10.0, Point(10.0, 0.0))]


def test_full_circles_come_back() -> None:
    turns = 1000
    where: list[Point] = []

    async def go(robot: Robot) -> None:
        where.append(await robot.arc(1.0, turns * tau))

    play(go)

    assert abs(where[0]) < 1e-11 * turns

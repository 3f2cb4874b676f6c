"""Drives turn commands into motion: how long it takes, where it leads, how fast it gets."""

from __future__ import annotations

from math import atan2, hypot, inf, nan, pi, remainder, sqrt, tau
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kumi import after, now, sleep, together, until
from kumi.contract import CannotDo, Sample
from kumi.geometry import Point
from kumi.motion import Car, Drive, Follower, Omni, Wheel
from kumi.robot import Robot
from tests.robot.stages import play, said, turned

numbers = st.floats(-20.0, 20.0)
places = st.tuples(numbers, numbers)
headings = st.floats(-pi, pi)


def driven(
    act: Any, drive: Drive, *, at: tuple[float, float] = (0.0, 0.0), heading: float = 0.0
) -> tuple[float, Point, float]:
    """Return when, where and with which heading a motion ends; it counts on through all that was turned."""
    ends: list[tuple[float, Point, float]] = []

    async def go(robot: Robot) -> None:
        await act(robot)
        ends.append((now(), robot.position, heading + turned(robot)))

    play(go, drive=drive, at=at, heading=heading)
    return ends[0]


# Wheels.


@given(goal=places, heading=headings, speed=st.floats(0.1, 5.0), turn_speed=st.floats(0.1, 5.0))
def test_wheels_turn_the_shorter_way_and_then_go_straight(
    goal: tuple[float, float], heading: float, speed: float, turn_speed: float
) -> None:
    way = hypot(*goal)
    assume(way > 1e-6)
    angle = remainder(atan2(goal[1], goal[0]) - heading, tau)
    time, place, ends = driven(lambda robot: robot.move_to(goal, speed, turn_speed), Wheel(), heading=heading)

    assert place == Point(*goal)
    assert time == pytest.approx(abs(angle) / turn_speed + way / speed)
    assert ends == pytest.approx(heading + angle)


def test_wheels_use_their_own_speeds_where_none_is_stated() -> None:
    drive = Wheel(speed=2.0, turn_speed=pi / 4)

    assert driven(lambda robot: robot.move_to((0.0, 6.0)), drive)[:2] == (5.0, Point(0.0, 6.0))
    assert driven(lambda robot: robot.forward(6.0), drive)[:2] == (3.0, Point(6.0, 0.0))
    assert driven(lambda robot: robot.back_up(6.0), drive)[:2] == (3.0, Point(-6.0, 0.0))
    assert driven(lambda robot: robot.turn(-pi), drive) == (4.0, Point(0.0, 0.0), -pi)
    assert driven(lambda robot: robot.arc(2.0, 1.0), drive)[0] == 1.0


def test_wheels_follow_a_path_corner_by_corner() -> None:
    square = [(1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)]

    time, place, heading = driven(lambda robot: robot.follow(square, speed=0.5, turn_speed=pi / 2), Wheel())

    assert (time, place) == (11.0, Point(0.0, 0.0))
    assert heading == pytest.approx(3 * pi / 2)


@given(
    distance=st.floats(0.01, 100.0),
    speed=st.floats(0.1, 20.0),
    acceleration=st.floats(0.05, 20.0),
    direction=headings,
)
def test_with_acceleration_a_way_begins_and_ends_at_rest(
    distance: float, speed: float, acceleration: float, direction: float
) -> None:
    """A trapezium takes way/speed + speed/acceleration; a triangle, that never gets so fast, 2·√(way/acceleration)."""
    top = min(speed, sqrt(distance * acceleration))
    expected = distance / top + top / acceleration
    goal = Point.polar(distance, direction)
    drive = Wheel(acceleration=acceleration)

    for act in (lambda robot: robot.move_to(goal, speed), lambda robot: robot.forward(distance, speed)):
        time, place, _ = driven(act, drive, heading=direction)
        assert time == pytest.approx(expected, rel=1e-9)
        assert abs(place - goal) < 1e-12 * (1.0 + distance)


@pytest.mark.parametrize(("distance", "top"), [(8.0, 2.0), (1.0, 1.0)])
def test_the_top_speed_is_reached_in_the_middle_and_no_more(distance: float, top: float) -> None:
    """With 1 m/s², 2 m/s take 2 m to reach; on a way of 1 m there is time for 1 m/s."""
    speeds: list[float] = []
    whole = distance / top + top

    async def go(robot: Robot) -> None:
        async def look() -> None:
            for _step in range(1, 200):
                await sleep(whole / 200)
                speeds.append(abs(robot._body.velocity))  # type: ignore[attr-defined]

        async with together() as tasks:
            tasks.start(look)
            await robot.forward(distance, 2.0)

    play(go, drive=Wheel(acceleration=1.0))

    assert max(speeds) == pytest.approx(top, rel=0.02)
    assert max(speeds) <= top + 1e-9
    assert speeds[0] == pytest.approx(whole / 200)
    assert speeds[-1] == pytest.approx(whole / 200)
    assert speeds[99] == pytest.approx(top)


@given(x=st.floats(-1e6, 1e6), y=st.floats(-1e6, 1e6), distance=st.floats(1e-3, 10.0), direction=headings)
def test_acceleration_works_far_from_the_origin(
    x: float, y: float, distance: float, direction: float
) -> None:
    """Coordinates around 1e6 are as good as any."""
    goal = Point(x, y) + Point.polar(distance, direction)

    time, place, _ = driven(
        lambda robot: robot.move_to(goal, 2.0), Wheel(acceleration=1.0), at=(x, y), heading=direction
    )

    assert place == goal
    expected = 2 * sqrt(distance) if distance < 4.0 else distance / 2 + 2
    assert time == pytest.approx(expected, rel=1e-3, abs=1e-3)


# What wheels are told wrongly.


@pytest.mark.parametrize("drive", [Wheel(), Wheel(acceleration=1.0), Omni(), Car()])
@pytest.mark.parametrize("speed", [0.0, -1.0, nan, inf])
def test_a_speed_is_above_zero(drive: Drive, speed: float) -> None:
    for act in (
        lambda robot: robot.forward(1.0, speed),
        lambda robot: robot.move_to((1.0, 0.0), speed),
        lambda robot: robot.arc(1.0, 1.0, speed),
        lambda robot: robot.follow([(1.0, 0.0)], speed),
    ):
        assert said(act, drive=drive).startswith("ValueError: "), "a wrong speed was accepted"


@pytest.mark.parametrize("speed", [0.0, -1.0, nan, inf])
def test_a_turning_speed_is_above_zero(speed: float) -> None:
    assert said(lambda robot: robot.turn(1.0, speed)).startswith("ValueError: ")
    assert said(lambda robot: robot.move_to((0.0, 1.0), None, speed)).startswith("ValueError: ")


@pytest.mark.parametrize("drive", [Wheel(), Wheel(acceleration=1.0), Omni(), Car()])
@pytest.mark.parametrize("goal", [1, "ab", None, (1.0, 2.0, 3.0), (nan, 0.0), (0.0, inf), ("a", "b")])
def test_a_goal_that_is_no_place_is_refused_in_one_clear_sentence(drive: Drive, goal: Any) -> None:
    """The sentence names the goal that was given."""
    for act in (lambda robot: robot.move_to(goal), lambda robot: robot.follow([(1.0, 0.0), goal])):
        words = said(act, drive=drive)
        assert words.startswith(("TypeError: ", "ValueError: ")), words
        assert repr(goal) in words or str(goal) in words, words


@pytest.mark.parametrize("kind", [Wheel, Omni, Car])
@pytest.mark.parametrize("speed", [0, -1, nan, inf, "fast", None])
def test_a_drive_s_own_speed_is_a_finite_number_above_zero(kind: Any, speed: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^speed is a .*number.*, not ") as error:
        kind(speed=speed)

    assert repr(speed) in str(error.value)


def test_what_wheels_cannot_do() -> None:
    words = said(lambda robot: robot.track([Sample(1.0, (1.0, 0.0), 0.0)]))

    assert words.startswith("CannotDo: wheels cannot carry out Track of 1 samples up to 1 s; a Follower or")


# Omnidirectional.


@given(goal=places, heading=headings)
def test_an_omnidirectional_drive_keeps_its_heading(goal: tuple[float, float], heading: float) -> None:
    time, place, ends = driven(lambda robot: robot.move_to(goal, 2.0), Omni(), heading=heading)

    assert (place, ends) == (Point(*goal), heading)
    assert time == pytest.approx(hypot(*goal) / 2.0)


def test_an_omnidirectional_drive_is_where_the_samples_say_when_they_say() -> None:
    seen: list[tuple[float, Point, float]] = []

    async def go(robot: Robot) -> None:
        async def look() -> None:
            for _ in range(4):
                await sleep(0.5)
                seen.append((now(), robot.position, robot.heading))

        async with together() as tasks:
            tasks.start(look)
            await robot.track([Sample(1.0, (2.0, 0.0), 1.0), Sample(2.0, (2.0, 4.0), 0.0)])

    play(go, drive=Omni())

    assert seen == [
        (0.5, Point(1.0, 0.0), 0.5),
        (1.0, Point(2.0, 0.0), 1.0),
        (1.5, Point(2.0, 2.0), 0.5),
        (2.0, Point(2.0, 4.0), 0.0),
    ]


@pytest.mark.parametrize("drive", [Omni(), Follower()])
@pytest.mark.parametrize("time", [nan, inf, -1.0])
def test_a_sample_s_time_is_finite_and_grows(drive: Drive, time: float) -> None:
    words = said(lambda robot: robot.track([Sample(time, (1.0, 0.0), 0.0)]), drive=drive)

    assert words.startswith("ValueError: "), words
    assert "time" in words or "duration" in words, words


@pytest.mark.parametrize("drive", [Omni(), Follower()])
@pytest.mark.parametrize("at", [(nan, 0.0), (inf, 0.0), 3, "ab"])
def test_a_sample_s_place_is_a_place(drive: Drive, at: Any) -> None:
    words = said(lambda robot: robot.track([Sample(1.0, at, 0.0)]), drive=drive)

    assert words.startswith(("ValueError: ", "TypeError: ")), words
    assert repr(at) in words, words


def test_samples_at_one_time_that_lie_apart_are_refused() -> None:
    jump = [Sample(1.0, (1.0, 0.0), 0.0), Sample(1.0, (2.0, 0.0), 0.0)]

    assert said(lambda robot: robot.track(jump), drive=Omni()).endswith(
        "a trajectory jumps: two samples of one time lie apart"
    )


# Cars.


@given(goal=places, heading=headings, radius=st.floats(0.1, 10.0))
def test_a_car_always_arrives(goal: tuple[float, float], heading: float, radius: float) -> None:
    """By an arc of its turning radius and a straight way that begins where the arc ends, looking along it."""
    time, place, ends = driven(lambda robot: robot.move_to(goal), Car(min_radius=radius), heading=heading)

    assert place == Point(*goal)
    turned = ends - heading
    assert abs(turned) < tau + 1e-6
    straight = time - abs(turned) * radius
    side = 1.0 if turned >= 0.0 else -1.0
    centre = Point.polar(radius, heading + side * pi / 2)
    left = centre + Point.polar(radius, ends - side * pi / 2)
    assert straight >= -1e-6
    assert abs(left + Point.polar(straight, ends) - place) < 1e-5 * (1.0 + abs(place) + radius)


@given(x=st.floats(-1e6, 1e6), y=st.floats(-1e6, 1e6), step=places, heading=headings)
def test_a_car_arrives_far_from_the_origin(
    x: float, y: float, step: tuple[float, float], heading: float
) -> None:
    goal = (x + step[0], y + step[1])

    assert driven(lambda robot: robot.move_to(goal), Car(), at=(x, y), heading=heading)[1] == Point(*goal)


@given(x=st.floats(-1e6, 1e6), y=st.floats(-1e6, 1e6), heading=headings)
def test_a_car_that_is_there_already_stays(x: float, y: float, heading: float) -> None:
    time, place, _ = driven(lambda robot: robot.move_to((x, y)), Car(), at=(x, y), heading=heading)

    assert (time, place) == (0.0, Point(x, y))


@given(path=st.lists(places, min_size=1, max_size=5))
def test_a_car_follows_a_path(path: list[tuple[float, float]]) -> None:
    assert driven(lambda robot: robot.follow(path), Car(min_radius=2.0))[1] == Point(*path[-1])


def test_a_car_takes_the_shorter_side() -> None:
    """To a goal beside it at twice the radius, half a circle leads; one behind needs more than a quarter."""
    time, place, heading = driven(lambda robot: robot.move_to((0.0, 2.0)), Car(min_radius=1.0))

    assert place == Point(0.0, 2.0)
    assert (time, heading) == pytest.approx((pi, pi))
    assert driven(lambda robot: robot.move_to((0.0, -2.0)), Car(min_radius=1.0))[2] == pytest.approx(-pi)
    assert driven(lambda robot: robot.move_to((7.0, 0.0)), Car(min_radius=1.0)) == (7.0, Point(7.0, 0.0), 0.0)


def test_a_car_refuses_what_is_too_tight() -> None:
    car = Car(min_radius=0.5)

    assert said(lambda robot: robot.arc(-0.4, 1.0), drive=car) == (
        "CannotDo: a car with a turning radius of 0.5 m cannot carry out "
        "Arc(radius=-0.4, angle=1.0, speed=None): its radius is 0.4 m"
    )
    assert said(lambda robot: robot.turn(1.0), drive=car).startswith(
        "CannotDo: a car cannot turn on the spot"
    )
    assert said(lambda robot: robot.steer(1.0, 2.1), drive=car).startswith("CannotDo: ")
    assert said(lambda robot: robot.steer(1.0, 2.0), drive=car) == "nothing"
    assert said(lambda robot: robot.arc(0.5, 1.0), drive=car) == "nothing"
    assert issubclass(CannotDo, ValueError)


@pytest.mark.parametrize("radius", [0, -1, nan, inf])
def test_a_car_s_radius_is_above_zero(radius: float) -> None:
    with pytest.raises(ValueError, match=r"^min_radius is a finite number.*, not "):
        Car(min_radius=radius)


# Steering.


@pytest.mark.parametrize(
    ("speed", "turn_speed", "place", "heading"),
    [
        (2.0, 0.0, (4.0, 0.0), 0.0),
        (-2.0, 0.0, (-4.0, 0.0), 0.0),
        (0.0, 0.5, (0.0, 0.0), 1.0),
        (0.0, -0.5, (0.0, 0.0), -1.0),
        (pi, pi / 2, (0.0, 4.0), pi),
        (pi, -pi / 2, (0.0, -4.0), -pi),
        (-pi, pi / 2, (0.0, -4.0), pi),
        (0.0, 0.0, (0.0, 0.0), 0.0),
    ],
)
def test_steering_drives_on(speed: float, turn_speed: float, place: Any, heading: float) -> None:
    """After 2 s: a straight way, a turn on the spot, half a circle of radius 2."""
    ends: list[tuple[Point, float]] = []

    async def go(robot: Robot) -> None:
        robot.steer(speed, turn_speed)
        await sleep(2.0)
        ends.append((robot.position, turned(robot)))

    play(go)

    where, looks = ends[0]
    assert abs(where - Point(*place)) < 1e-12
    assert looks == pytest.approx(heading)


def test_steering_ends_at_a_stop_and_by_the_next_command() -> None:
    ends: list[tuple[float, Point]] = []

    async def go(robot: Robot) -> None:
        robot.steer(1.0)
        await sleep(1.0)
        robot.steer(0.0)
        await sleep(1.0)
        ends.append((now(), robot.position))
        robot.steer(3.0)
        with until(after(1.0)):
            await robot.back_up(5.0)
        ends.append((now(), robot.position))

    play(go)

    assert ends == [(2.0, Point(1.0, 0.0)), (3.0, Point(0.0, 0.0))]

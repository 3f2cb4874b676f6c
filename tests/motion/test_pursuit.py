"""A car keeps to a curve of many places, and to the times of a trajectory."""

from __future__ import annotations

from math import cos, hypot, pi, sin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi import now, sleep
from kumi.contract import CannotDo, Sample
from kumi.devs import together
from kumi.geometry import Disc, Point
from kumi.motion import Car
from kumi.motion.pursuit import PursuitCurve, after_arc, arcs_along, is_curve, last_arc
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import World


def wave(length: float, bend: float, period: float, step: float) -> list[Point]:
    """Return places on a curve that begins at the origin, looks along x and has a curvature of bend sin(2πs/period)."""
    fine = 2000
    place, heading, places, due = Point(0.0, 0.0), 0.0, [Point(0.0, 0.0)], step
    for i in range(1, fine + 1):
        s = length * (i - 0.5) / fine
        heading += bend * sin(2 * pi * s / period) * length / fine
        place += Point.polar(length / fine, heading)
        if length * i / fine >= due - 1e-9 or i == fine:
            places.append(place)
            due += step
    return places


def distance(place: Point, places: list[Point]) -> float:
    """Return how far a place is from the nearest of some on a fine curve."""
    return min(hypot(place.x - one.x, place.y - one.y) for one in places)


@settings(max_examples=15, deadline=None)
@given(
    length=st.floats(3.0, 15.0),
    bend=st.floats(-0.95, 0.95),
    period=st.floats(3.0, 12.0),
    step=st.floats(0.05, 0.5),
)
def test_a_car_leaves_a_curve_by_a_thirtieth_of_its_turning_radius(
    length: float, bend: float, period: float, step: float
) -> None:
    """The turning radius is 1 m, and the curve is at most as tight."""
    places, fine = wave(length, bend, period, step), wave(length, bend, period, 0.02)
    assert is_curve(places, 1.0)
    place, heading = places[0], 0.0
    for curvature, way in arcs_along(PursuitCurve(places), place, heading, 1.0):
        assert abs(curvature) <= 1.0 + 1e-9
        place, heading = after_arc(place, heading, curvature, way)
        assert distance(place, fine) <= 1.0 / 30 + 0.01

    assert abs(place - places[-1]) < 1e-6


def test_places_far_apart_or_around_a_corner_are_goals_and_no_curve() -> None:
    """A car with a turning radius of 0.5 m takes places up to 1 m apart for a curve."""
    assert is_curve([Point(0, 0), Point(0.9, 0), Point(1.8, 0.2)], 0.5)
    assert not is_curve([Point(0, 0), Point(2, 0), Point(4, 0.2)], 0.5)
    assert not is_curve([Point(0, 0), Point(0.9, 0), Point(0.9, 0.9)], 0.5)
    assert not is_curve([Point(0, 0), Point(0.9, 0)], 0.5)


def driven(car: Car, places: list[Point], samples: list[Sample] | None = None) -> tuple[float, float, Point]:
    """Drive in a world; return the largest distance from the places, when it ended and where."""
    far, ended = [0.0], [0.0]

    async def watch(robot: Robot) -> None:
        while True:
            far[0] = max(far[0], distance(robot.position, places))
            await sleep(0.1)

    async def go(robot: Robot) -> None:
        async with together() as tasks:
            watching = tasks.start(watch, robot)
            await (robot.follow(places) if samples is None else robot.track(samples))
            ended[0] = now()
            watching.cut()

    stage = Stage(World())
    robot = stage.add(go, at=places[0], heading=0.0, shape=Disc(0.2), drive=car)
    stage.run(100.0)
    assert stage.outcome.errors == ()
    return far[0], ended[0], robot.position


def test_many_places_on_a_bend_are_driven_without_circles() -> None:
    """A quarter of a circle of 2 m, 15 cm from place to place: 3.14 m at 1 m/s, with a turning radius of 1 m."""
    places = [Point(2 * sin(a / 20 * pi / 2), 2 - 2 * cos(a / 20 * pi / 2)) for a in range(21)]
    far, ended, end = driven(Car(min_radius=1.0), places)

    assert far <= 0.08 + 0.03
    assert ended == pytest.approx(pi, abs=0.05)
    assert abs(end - places[-1]) < 1e-6


def test_a_trajectory_is_tracked_at_its_times() -> None:
    """Half a circle of 3 m at 0.5 m/s, with a rest of 2 s in the middle of it."""
    angles = [i / 60 * pi for i in range(61)]
    places = [Point(3 * sin(a), 3 - 3 * cos(a)) for a in angles]
    times = [3 * a / 0.5 + (2.0 if i > 30 else 0.0) for i, a in enumerate(angles)]
    samples = [Sample(t, p, a) for t, p, a in zip(times, places, angles, strict=True)]
    far, ended, end = driven(Car(min_radius=1.0), places, samples)

    assert far <= 0.08 + 0.03
    assert ended == pytest.approx(3 * pi / 0.5 + 2.0, abs=1e-6)
    assert abs(end - places[-1]) < 1e-4


def test_a_trajectory_that_is_too_tight_is_refused() -> None:
    angles = [i / 20 * pi for i in range(21)]
    samples = [Sample(a, Point(0.5 * sin(a), 0.5 - 0.5 * cos(a)), a) for a in angles]

    async def go(robot: Robot) -> None:
        with pytest.raises(
            CannotDo, match=r"turning radius of 1 m cannot carry out Track of 21 .* leave it by"
        ):
            await robot.track(samples)

    stage = Stage(World())
    stage.add(go, at=(0, 0), heading=0.0, shape=Disc(0.2), drive=Car(min_radius=1.0))
    stage.run(10.0)
    assert stage.outcome.errors == ()


@given(
    st.floats(-pi, pi),
    st.floats(-pi, pi).filter(lambda bearing: abs(abs(bearing) - pi / 2) > 1e-6),
    st.floats(0.01, 10.0),
    st.floats(0.01, 10.0),
)
def test_the_last_arc_ends_at_the_place_or_there_is_none(
    heading: float, bearing: float, far: float, radius: float
) -> None:
    """There is one to each place ahead that is outside the two circles of the turning radius beside the start."""
    place = Point.polar(far, heading + bearing)
    room = [abs(place - Point.polar(radius, heading + side * pi / 2)) - radius for side in (-1.0, 1.0)]
    found = last_arc(place, heading, radius)

    if abs(bearing) > pi / 2 or min(room) < -1e-6:
        assert found is None
    elif min(room) > 1e-6:
        assert found is not None
        assert abs(after_arc(Point(0.0, 0.0), heading, *found)[0] - place) < 1e-6 * far

"""Wishes are as strong as their zones say, and their sum is what the wheels try to do."""

from __future__ import annotations

from math import cos, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Point
from kumi.planning.motor_schemas import (
    FASTEST_TURN,
    NO_PUSH,
    PANIC,
    SchemaZones,
    Sphere,
    limited,
    wheel_speeds,
)

ZONES = SchemaZones(dead=0.1, controlled=1.0, gain=2.0)
SPHERE = Sphere(reach=1.0, margin=0.5, gain=3.0)
HERE = Point(0.0, 0.0)


def test_a_place_is_wished_for_by_zones() -> None:
    """None within 0.1 m, in proportion up to 1 m, and the gain of 2 beyond."""
    wishes = [ZONES.keep_place(HERE, Point(off, 0.0)) for off in (0.0, 0.1, 0.25, 0.5, 1.0, 7.0)]

    assert wishes == [NO_PUSH, NO_PUSH, Point(0.5, 0), Point(1, 0), Point(2, 0), Point(2, 0)]


def test_what_is_near_is_wished_away_the_more_the_nearer() -> None:
    """Beside the way it pushes straight away: not at 1 m, a quarter half-way to the margin, and beyond it a lot."""
    pushes = [SPHERE.keep_off(distance, pi / 2, 0.0).y for distance in (1.0, 0.75, 0.5, 0.1)]

    assert pushes == pytest.approx([0.0, -0.75, -3.0 * PANIC, -3.0 * PANIC])


@pytest.mark.parametrize(("bearing", "side"), [(0.3, -1.0), (-0.3, 1.0), (0.0, 1.0)])
def test_what_is_ahead_is_passed_on_the_nearer_side(bearing: float, side: float) -> None:
    """It pushes back and, as much as it is ahead, to the side where there is more room; or else to the left."""
    push = SPHERE.keep_off(0.75, bearing, 0.0)
    towards = Point.polar(1.0, bearing)

    assert push.dot(towards) == pytest.approx(-0.75)
    assert towards.cross(push) == pytest.approx(side * 0.75 * cos(bearing))


def test_what_is_behind_only_pushes_away() -> None:
    assert SPHERE.keep_off(0.75, pi, 0.0) == pytest.approx(Point(0.75, 0.0))


@given(st.floats(-10, 10), st.floats(-10, 10), st.floats(0.1, 5))
def test_a_wish_is_limited_and_keeps_its_direction(x: float, y: float, most: float) -> None:
    wish = limited(Point(x, y), most)

    assert abs(wish) <= most * (1 + 1e-12)
    assert abs(wish.cross(Point(x, y))) < 1e-9


def test_wheels_drive_the_part_that_is_along_their_heading() -> None:
    """A velocity of 1 m/s at 60 degrees is 0.5 m/s ahead; behind and fast it is none, and slow it is reverse."""
    assert wheel_speeds(Point.polar(1.0, pi / 3), 0.0, 0.5, 0.0) == pytest.approx((0.5, FASTEST_TURN))
    assert wheel_speeds(Point(-1.0, 0.0), 0.0, 0.5, 0.0)[0] == 0.0
    assert wheel_speeds(Point(-0.4, 0.0), 0.0, 0.5, 0.0) == pytest.approx((-0.4, 0.0))


def test_wheels_at_rest_turn_to_a_heading() -> None:
    assert wheel_speeds(NO_PUSH, 0.0, 0.5, 0.3) == pytest.approx((0.0, 1.0))
    assert wheel_speeds(NO_PUSH, 0.3, 0.5, 0.3) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: SchemaZones(1.0, 1.0), "the controlled zone goes beyond the dead zone, not from 1 m to 1 m"),
        (lambda: SchemaZones(-1.0, 1.0), "from -1 m to 1 m"),
        (lambda: SchemaZones(0.0, 1.0, 0.0), "a gain is a finite number > 0"),
        (lambda: Sphere(1.0, 2.0), "a sphere reaches beyond its margin, not from 1 m to 2 m"),
    ],
)
def test_what_makes_no_zones_is_refused(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=says):
        make()

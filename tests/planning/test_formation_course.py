"""A course turns the heading of a team around its corners, and knows where the team has got to."""

from __future__ import annotations

from math import pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Point
from kumi.planning.course import Course

CORNER = Course.of([(0, 0), (10, 0), (10, 10)], 3.0)


def test_the_length_is_that_of_the_legs() -> None:
    assert (CORNER.legs, CORNER.length) == (2, 20.0)


@given(st.floats(0.0, 7.0), st.floats(-2.0, 2.0))
def test_far_from_a_corner_the_heading_is_that_of_the_leg_also_aside(x: float, y: float) -> None:
    assert CORNER.heading_at(Point(x, y), 0) == pytest.approx(0.0, abs=1e-12)


def test_the_heading_turns_over_the_way_ahead_before_and_behind_a_corner() -> None:
    """In the corner it is half-way: from 3 m before to 3 m behind it."""
    assert CORNER.heading_at(Point(10, 0), 0) == pytest.approx(pi / 4)
    assert CORNER.heading_at(Point(10, 3), 1) == pytest.approx(pi / 2)
    headings = [CORNER.heading_at(Point(7 + k / 10, 0), 0) for k in range(31)]
    assert headings == sorted(headings)


def test_a_team_goes_to_the_point_ahead() -> None:
    """From 4 m aside with 3 m ahead it is a triangle of 3, 4 and 5."""
    assert CORNER.direction_at(Point(2, 4), 0) == pytest.approx(Point(3, -4).direction)


def test_a_leg_ends_where_the_next_one_is_as_near() -> None:
    """In the inner bend that is the diagonal, and the legs are passed in their order."""
    assert CORNER.leg_at(Point(8, 1.9), 0) == 0
    assert CORNER.leg_at(Point(8, 2.1), 0) == 1
    assert CORNER.leg_at(Point(3, 0), 1) == 1


def test_a_team_has_arrived_beside_the_last_waypoint() -> None:
    assert CORNER.leg_at(Point(12, 9.9), 1) == 1
    assert CORNER.leg_at(Point(12, 10.0), 1) == 2
    assert CORNER.heading_at(Point(12, 11), 2) == pytest.approx(pi / 2)
    assert CORNER.direction_at(Point(10, 10), 2) == pytest.approx(pi / 2)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=6, unique=True))
def test_who_follows_its_direction_arrives(waypoints: list[tuple[int, int]]) -> None:
    """Whatever the corners, in steps of 0.1 m, within twice the length."""
    course = Course.of([(float(x), float(y)) for x, y in waypoints], 0.5)
    place, leg, steps = course.waypoints[0], 0, 0
    while leg < course.legs and steps < 20 * course.length + 50:
        place += Point.polar(0.1, course.direction_at(place, leg))
        leg = course.leg_at(place, leg)
        steps += 1

    assert leg == course.legs


def test_a_course_needs_a_way_ahead() -> None:
    with pytest.raises(ValueError, match="the way ahead is a finite number > 0, not 0"):
        Course.of([(0, 0), (1, 0)], 0)

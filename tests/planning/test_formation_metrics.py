"""The metrics of a formation are what one would measure by hand."""

from __future__ import annotations

from math import pi

import pytest

from kumi.geometry import Point, Pose
from kumi.planning.course import Course
from kumi.planning.formation_task import measure
from kumi.planning.formations import Reference, line

PAIR = line(3, 2.0)
COURSE = Course.of([(0, 0), (10, 0)], 1.0)


def team(x: float, *aside: float) -> list[Pose]:
    """Return three robots at some x, each so far aside of its place."""
    places = [(0.0, 0.0), (0.0, 2.0), (0.0, -2.0)]
    return [Pose(Point(x, y + off)) for (_, y), off in zip(places, aside, strict=True)]


def test_who_keeps_the_formation_has_no_error() -> None:
    found = measure(PAIR, Reference.LEADER, COURSE, 0.2, [0.0, 20.0], [team(0, 0, 0, 0), team(10, 0, 0, 0)])

    assert (found.path_ratio, found.error, found.end_error, found.in_formation) == (1.0, 0.0, 0.0, 1.0)


def test_a_robot_that_is_off_for_half_of_the_time() -> None:
    """One of two followers is 1 m off from 5 s to 10 s: on average 0.25 m, and half of the time in formation."""
    times = [0.0, 5.0, 5.0, 10.0]
    poses = [team(0, 0, 0, 0), team(5, 0, 0, 0), team(5, 0, 1, 0), team(10, 0, 1, 0)]

    found = measure(PAIR, Reference.LEADER, COURSE, 0.2, times, poses)

    assert found.error == pytest.approx(0.25)
    assert found.in_formation == pytest.approx(0.5)
    assert found.end_error == pytest.approx(1.0)


def test_the_unit_centre_moves_with_whoever_is_off() -> None:
    """One of three is 3 m off, so the centre is 1 m off: errors of 2, 1 and 1 m."""
    poses = [team(0, 0, 3, 0), team(10, 0, 3, 0)]

    found = measure(PAIR, Reference.UNIT_CENTRE, COURSE, 1.5, [0.0, 1.0], poses)

    assert found.error == pytest.approx(4.0 / 3.0)
    assert found.end_error == pytest.approx(2.0)
    assert found.in_formation == 0.0


def test_a_leader_that_is_off_takes_all_along() -> None:
    """The leader has no error: the two others have."""
    found = measure(PAIR, Reference.LEADER, COURSE, 0.2, [0.0, 1.0], [team(0, 1, 0, 0), team(10, 1, 0, 0)])

    assert found.error == pytest.approx(1.0)


def test_an_arc_counts_with_its_length() -> None:
    """A quarter of a circle of radius 10 is 5 pi long, from two poses alone."""
    quarter = [[Pose(Point(0, 0), 0.0)], [Pose(Point(10, 10), pi / 2)]]

    found = measure(line(1, 1.0), Reference.LEADER, COURSE, 0.1, [0.0, 1.0], quarter)

    assert found.path_ratio == pytest.approx(0.5 * pi)


def test_one_instant_is_no_march() -> None:
    with pytest.raises(ValueError, match="poses at two times at least, not 1 at 1"):
        measure(PAIR, Reference.LEADER, COURSE, 0.1, [0.0], [team(0, 0, 0, 0)])

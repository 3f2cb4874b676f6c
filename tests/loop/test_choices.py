"""Devices are chosen one by one, and what cannot work is said before a run."""

from __future__ import annotations

from math import pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.contract import Forward, MoveTo, Turn
from kumi.geometry import Point, Pose
from kumi.loop import Choices, Emulated, Tracking
from kumi.loop.counterpart import DRIFT
from kumi.loop.reconnecting import rest_of
from kumi.mapping import Fix, PoseFilter


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match='motor is "virtual", "real" or "hil", not \'simulated\''):
        Choices(motor="simulated")  # type: ignore[arg-type]


def test_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="the period of tracking is a number of seconds > 0, not 0"):
        Tracking(period=0.0)
    with pytest.raises(ValueError, match="clock_rate of an emulated robot is a number > 0, not 0"):
        Emulated(clock_rate=0.0)


def test_what_is_left_of_a_command_is_what_was_not_done() -> None:
    start = Pose(Point(1.0, 1.0), pi / 2)

    for command, here, left in (
        (Forward(0.3), Pose(Point(1.0, 1.1), pi / 2), 0.2),
        (Forward(-0.3), Pose(Point(1.0, 0.9), pi / 2), -0.2),
    ):
        rest = rest_of(command, start, here)
        assert isinstance(rest, Forward)
        assert rest.distance == pytest.approx(left)
    rest = rest_of(Turn(1.0, 0.5), start, Pose(Point(1.0, 1.0), pi / 2 + 0.4))
    assert isinstance(rest, Turn)
    assert rest.angle == pytest.approx(0.6)
    assert rest.speed == 0.5
    assert rest_of(Forward(0.3), start, Pose(Point(1.0, 1.35), pi / 2)) is None
    assert rest_of(Turn(-1.0), start, Pose(Point(1.0, 1.0), pi / 2 - 1.2)) is None
    assert rest_of(MoveTo((2.0, 2.0)), start, start) == MoveTo((2.0, 2.0))


def test_a_tracker_without_doubt_believes_the_reckoning_and_one_in_doubt_the_picture() -> None:
    """Standing, nothing adds to the doubt: a picture changes nothing. After a metre, an exact picture is believed."""
    estimate = PoseFilter(Pose(Point(0.0, 0.0)), DRIFT, has_gate=False)
    estimate.move(Pose(Point(1.0, 0.0)), 1.0)
    estimate.fix(Fix(1.1, 0.05, 0.1, 0.0, 0.0), 1.0)

    assert estimate.pose.position.x == pytest.approx(1.1)
    assert estimate.pose.position.y == pytest.approx(0.05)
    assert estimate.pose.heading == pytest.approx(0.1)

    standing = PoseFilter(Pose(Point(0.0, 0.0)), DRIFT, has_gate=False)
    standing.fix(Fix(1.0, 0.0, 0.0, 0.01, 0.02), 1.0)
    assert standing.pose == Pose(Point(0.0, 0.0))


@given(
    x=st.floats(-5.0, 5.0),
    y=st.floats(-5.0, 5.0),
    turn=st.floats(-3.0, 3.0),
    way=st.floats(0.1, 2.0),
)
def test_after_an_exact_picture_the_way_on_goes_in_the_true_direction(
    x: float, y: float, turn: float, way: float
) -> None:
    """The robot believes to look along x and looks elsewhere: what it reckons on is turned as it is."""
    estimate = PoseFilter(Pose(Point(0.0, 0.0)), DRIFT, has_gate=False)
    estimate.move(Pose(Point(0.5, 0.0)), 1.0)
    estimate.fix(Fix(x, y, turn, 0.0, 0.0), 1.0)
    estimate.move(Pose(Point(0.5 + way, 0.0)), 2.0)

    expected = Point(x, y) + Point.polar(way, turn)
    assert estimate.pose.position.distance_to(expected) < 1e-9


def test_a_late_picture_is_held_against_what_was_reckoned_then() -> None:
    """At 1 s the robot was at 0.5 m and seen there, exactly. It is told of at 2 s, at 1 m: nothing is wrong."""
    estimate = PoseFilter(Pose(Point(0.0, 0.0)), DRIFT, has_gate=False)
    estimate.move(Pose(Point(0.0, 0.0)), 0.0)
    estimate.move(Pose(Point(1.0, 0.0)), 2.0)
    estimate.fix(Fix(0.5, 0.0, 0.0, 0.0, 0.0), 1.0)

    assert estimate.pose.position.x == pytest.approx(1.0)

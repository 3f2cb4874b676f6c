"""The formulas of the convoy, against geometry that can be checked in one's head or by another way."""

from __future__ import annotations

from math import atan2, cos, hypot, isclose, pi, remainder, sin, sqrt, tan, tau

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.convoy.program import Informed, observed, predicted, turned

ANGLES = st.floats(-pi, pi)


def test_behind_a_front_robot_that_went_straight_on_one_goes_as_far() -> None:
    assert predicted(0.5, 0.0, Informed(0.0, 0.3, 0.0), 0.5) == pytest.approx((0.0, 0.3))


def test_a_front_robot_that_turned_left_and_went_as_far_as_the_gap_is_at_45_degrees() -> None:
    alpha, distance = predicted(1.0, 0.0, Informed(pi / 2, 1.0, 0.0), 0.5)

    assert (alpha, distance) == pytest.approx((pi / 4, sqrt(2.0) - 0.5))


def test_who_is_too_near_goes_back() -> None:
    assert predicted(0.4, 0.0, Informed(0.0, 0.0, 0.0), 0.5) == pytest.approx((0.0, -0.1))


def test_a_front_robot_that_came_behind_is_found_behind() -> None:
    alpha, distance = predicted(0.5, pi, Informed(0.0, 1.5, 0.0), 0.5)

    assert (abs(alpha), distance) == pytest.approx((pi, 0.5))


@given(gap=st.floats(0.2, 1.0), delta=ANGLES, alpha=ANGLES, way=st.floats(-1.0, 1.0))
def test_formulas_1_and_2_hold_as_printed_wherever_they_have_a_value(
    gap: float, delta: float, alpha: float, way: float
) -> None:
    turn, distance = predicted(gap, delta, Informed(alpha, way, 0.0), 0.5)
    left, ahead = way * sin(alpha + delta), gap + way * cos(alpha + delta)
    if abs(ahead) > 1e-6:
        assert isclose(tan(turn), left / ahead, rel_tol=1e-9, abs_tol=1e-9)
    if abs(sin(turn)) > 1e-6:
        assert isclose(distance, left / sin(turn) - 0.5, rel_tol=1e-9, abs_tol=1e-9)


@given(heading=ANGLES, delta=ANGLES, alpha=ANGLES, beta=ANGLES, way=st.floats(-1.0, 1.0))
def test_without_noise_the_routine_ends_behind_the_front_robot_and_knows_its_heading(
    heading: float, delta: float, alpha: float, beta: float, way: float
) -> None:
    """Moved on the plane by hand: from the origin, the front robot 0.6 m ahead."""
    front_heading = heading + delta + alpha
    front = 0.6 * cos(heading) + way * cos(front_heading), 0.6 * sin(heading) + way * sin(front_heading)
    told = Informed(alpha, way, beta)

    turn, distance = predicted(0.6, delta, told, 0.5)
    own = Informed(turn, distance, 0.0)
    at = distance * cos(heading + turn), distance * sin(heading + turn)
    away = front[0] - at[0], front[1] - at[1]

    assert isclose(hypot(*away), 0.5, abs_tol=1e-9)
    assert isclose(remainder(atan2(away[1], away[0]) - heading - turn, tau), 0.0, abs_tol=1e-9)
    difference = front_heading + beta - (heading + turn)
    assert isclose(remainder(turned(delta, told, own) - difference, tau), 0.0, abs_tol=1e-9)


@given(delta=ANGLES, alpha=ANGLES, beta=ANGLES, turn=ANGLES, way=st.floats(0.1, 1.0), goes_back=st.booleans())
def test_where_the_front_robot_is_found_shows_how_it_looked_whatever_was_believed(
    delta: float, alpha: float, beta: float, turn: float, way: float, goes_back: bool
) -> None:
    """Moved on the plane by hand: from the origin, heading 0, the front robot 0.6 m ahead."""
    way = -way if goes_back else way
    front = 0.6 + way * cos(delta + alpha), way * sin(delta + alpha)
    at = 0.2 * cos(turn), 0.2 * sin(turn)
    away = front[0] - at[0], front[1] - at[1]
    own = Informed(turn, 0.2, atan2(away[1], away[0]) - turn)

    seen = observed(0.6, Informed(alpha, way, beta), own, hypot(*away))

    assert seen is not None
    assert isclose(remainder(seen - delta, tau), 0.0, abs_tol=1e-8)


def test_a_front_robot_that_did_not_move_shows_nothing() -> None:
    assert observed(0.6, Informed(1.0, 0.0, 0.0), Informed(0.0, 0.1, 0.0), 0.5) is None

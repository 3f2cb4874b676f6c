"""A bound on the jerk is kept, and costs no more than it must on a straight way."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.planning.limits import Limits, PlannedStop, SpeedZone
from kumi.planning.profile import speed_profile
from tests.planning.courses import straight, winding


def shortest(length: float, top: float, up: float, jerk: float) -> float:
    """Return the least time from rest to rest: the seven phases, by the limits that are reached."""
    if top * jerk >= up**2:  # the acceleration is reached on the way to the top speed
        if length >= top**2 / up + top * up / jerk:
            return length / top + top / up + up / jerk
        if length >= 2 * up**3 / jerk**2:
            peak = (-(up**2) / jerk + sqrt((up**2 / jerk) ** 2 + 4 * up * length)) / 2
            return 2 * peak / up + 2 * up / jerk
    elif length >= 2 * top * sqrt(top / jerk):
        return length / top + 2 * sqrt(top / jerk)
    return float((32 * length / jerk) ** (1 / 3))


@settings(max_examples=60, deadline=None)
@given(
    length=st.floats(0.1, 100.0), top=st.floats(0.3, 5.0), up=st.floats(0.3, 5.0), jerk=st.floats(0.3, 20.0)
)
def test_a_straight_way_takes_the_least_time(length: float, top: float, up: float, jerk: float) -> None:
    profile = speed_profile(straight(length), Limits(top_speed=top, acceleration=up, jerk=jerk))

    assert profile.duration == pytest.approx(shortest(length, top, up, jerk), rel=1e-6)


def test_the_seven_phases_of_the_known_case() -> None:
    """10 m at 2 m/s, 1 m/s² and 2 m/s³: half a second each to build up and to let go the acceleration."""
    profile = speed_profile(straight(10), Limits(top_speed=2, acceleration=1, jerk=2))

    assert profile.pieces.time.tolist() == pytest.approx([0, 0.5, 2, 2.5, 5, 5.5, 7, 7.5])
    assert profile.pieces.jerk.tolist() == pytest.approx([2, 0, -2, 0, -2, 0, 2])


@pytest.mark.parametrize("seed", range(3))
def test_curves_take_longer_than_without_the_bound_but_not_by_far(seed: int) -> None:
    path = winding(seed)
    free = speed_profile(path, Limits(top_speed=2, acceleration=1, lateral=0.5)).duration

    for jerk, share in ((1.0, 1.5), (10.0, 1.1), (100.0, 1.02)):
        bound = speed_profile(path, Limits(top_speed=2, acceleration=1, lateral=0.5, jerk=jerk)).duration
        assert free * (1 - 1e-9) <= bound <= share * free


def test_zones_and_stops_hold_with_a_bound_on_the_jerk() -> None:
    limits = Limits(top_speed=2, acceleration=1, braking=1.5, jerk=2)
    profile = speed_profile(
        straight(20), limits, zones=[SpeedZone(4, 6, 0.5)], stops=[PlannedStop(12.0, 1.0)]
    )
    places = [4.0 + 0.02 * number for number in range(101)]

    assert profile.speed_on(places).max() <= 0.5 + 1e-9
    assert profile.leaves_at(12.0) - profile.time_at(12.0) == pytest.approx(1.0)
    assert abs(profile.pieces.jerk).max() <= 2.0 + 1e-6
    assert profile.way_at(profile.duration) == pytest.approx(20.0)

"""A trajectory is where the path and the profile say, at every time."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from kumi.planning.limits import Limits
from kumi.planning.profile import speed_profile
from kumi.planning.trajectory import TimedMotion, Trajectory
from tests.planning.courses import circle, straight

LIMITS = Limits(top_speed=2.0, acceleration=1.0)


def test_states_carry_the_eight_numbers() -> None:
    """After 2 s it has gone 2 m and is at top speed; the whole 10 m take 7 s."""
    path = straight(10)
    states = Trajectory(path, speed_profile(path, LIMITS), start=1.0).states(1.0)

    assert len(states) == 8
    assert states[2] == pytest.approx((2.0, 0.0, 0.0, 0.0, 2.0, 2.0, 0.0, 3.0))
    assert states[-1][:7] == pytest.approx((10.0, 0.0, 0.0, 0.0, 10.0, 0.0, -1.0))
    assert states[-1].t == 8.0


def test_places_between_postures_lie_on_the_curve() -> None:
    """Fifty postures on a circle of 2 m: in between the cubic is within a hundredth of a millimetre."""
    path = circle(2)
    x, y, heading = Trajectory(path, speed_profile(path, LIMITS)).poses(np.linspace(0.0, 9.0, 1001))

    assert np.hypot(x, y - 2.0) == pytest.approx(np.full(1001, 2.0), abs=1e-5)
    assert heading.max() == pytest.approx(2 * pi)


def test_it_waits_for_its_start_and_stays_at_its_end() -> None:
    path = straight(10)
    trajectory = Trajectory(path, speed_profile(path, LIMITS), start=3.0)

    assert trajectory.end == 10.0
    assert trajectory.poses([0.0, 3.0, 10.0, 99.0])[0].tolist() == [0.0, 0.0, 10.0, 10.0]
    assert [time for time, _, _ in trajectory.timed_places(7.0)] == [0.0, 3.0, 10.0]


def test_path_and_profile_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="of one length, not 5 m and 10 m"):
        Trajectory(straight(5), speed_profile(straight(10), LIMITS))


def test_a_motion_has_columns_of_one_length_and_growing_times() -> None:
    with pytest.raises(ValueError, match="one length"):
        TimedMotion(np.array([0.0, 1.0]), np.zeros(1), np.zeros(2), np.zeros(2))
    with pytest.raises(ValueError, match="never shrink"):
        TimedMotion(np.array([1.0, 0.0]), np.zeros(2), np.zeros(2), np.zeros(2))
    with pytest.raises(ValueError, match="finite"):
        TimedMotion(np.array([np.nan]), np.zeros(1), np.zeros(1), np.zeros(1))

"""A vehicle that lags behind its plan is where the closed form says, and near its path."""

from __future__ import annotations

from math import exp, pi

import numpy as np
import pytest

from kumi.geometry import Disc
from kumi.planning.conflicts import Mover
from kumi.planning.lag import lagged, least_gap
from kumi.planning.trajectory import TimedMotion


def test_behind_an_even_motion_it_stays_a_lag_of_way() -> None:
    """At 1 m/s and a lag of 0.5 s it is 0.5 m behind in the end, and 0.5 (1 - 1/e) m after the first lag."""
    motion = lagged(TimedMotion.of([0, 0.5, 10], [0, 0.5, 10], [0, 0, 0], [0, 0, 0]), 0.5)

    assert motion.poses(0.5)[0] == pytest.approx(0.5 - 0.5 * (1 - exp(-1)))
    assert motion.poses(10.0)[0] == pytest.approx(9.5)
    assert motion.x[-1] == pytest.approx(10.0, abs=1e-3)


def test_it_leaves_a_circle_by_half_the_square_of_the_lag_times_the_acceleration() -> None:
    """Radius 5 m, 1 m/s: 0.2 m/s² across; a lag of 1 s draws it in by 0.1 m, less what is of higher order."""
    time = np.linspace(0, 20 * pi, 4001)
    circle = TimedMotion(time, 5 * np.cos(time / 5), 5 * np.sin(time / 5), time / 5)
    motion = lagged(circle, 1.0)
    late = motion.time[(motion.time > 20) & (motion.time < 60)]
    radius = np.hypot(*motion.poses(late)[:2])

    assert 5.0 - radius.min() <= 0.1
    assert 5.0 - radius.max() >= 0.09


def test_the_least_gap_of_two_who_cross() -> None:
    """One goes along y = 0, the other stands 1 m beside it; radii 0.2 and 0.3 leave 0.5 m."""
    motion = TimedMotion(np.linspace(0, 10, 101), np.linspace(-5, 5, 101), np.zeros(101), np.zeros(101))
    other = Mover(Disc(0.3), TimedMotion.of([0], [0], [1], [0]))

    assert least_gap(Disc(0.2), motion, other) == pytest.approx(0.5)

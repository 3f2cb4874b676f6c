"""Other solvers find the same times: toppra on random paths, and the formula, taken literally."""

from __future__ import annotations

from importlib import import_module
from math import sqrt
from typing import Any

import numpy as np
import pytest

from kumi.planning.limits import Limits
from kumi.planning.paths import Path
from kumi.planning.profile import speed_profile
from tests.planning.courses import winding

CHOICES = [
    Limits(top_speed=2, acceleration=1, braking=1.5, lateral=0.5, turn_speed=1.2),
    Limits(top_speed=3, acceleration=0.5, lateral=1.0),
    Limits(top_speed=1.5, acceleration=2, braking=0.7, turn_speed=0.4),
]


def cap(path: Path, limits: Limits, s: np.ndarray) -> np.ndarray:
    """Return the highest speeds at places, without a look at what comes before and after."""
    bend = np.maximum(abs(np.interp(s, path.s, path.curvature)), 1e-12)
    top: np.ndarray = np.minimum(
        limits.top_speed, np.minimum(np.sqrt(limits.lateral / bend), limits.turn_speed / bend)
    )
    return top


@pytest.mark.slow
@pytest.mark.parametrize("limits", CHOICES)
@pytest.mark.parametrize("seed", range(4))
def test_toppra_takes_as_long_within_half_a_percent(limits: Limits, seed: int) -> None:
    """The way along the path is the one joint of its robot."""
    ta: Any = import_module("toppra")
    algorithm, constraint = ta.algorithm, ta.constraint

    path = winding(seed)

    def bounds(s: float) -> np.ndarray:
        top = float(cap(path, limits, np.array([s]))[0])
        return np.array([[-top, top]])

    problem = algorithm.TOPPRA(
        [
            constraint.JointVelocityConstraintVarying(bounds),
            constraint.JointAccelerationConstraint(np.array([[-limits.braking, limits.acceleration]])),
        ],
        ta.SplineInterpolator([0.0, path.length], np.array([[0.0], [path.length]])),
        gridpoints=np.linspace(0.0, path.length, 2001),
        solver_wrapper="seidel",
    )
    expected = problem.compute_trajectory(0, 0).duration

    assert speed_profile(path, limits).duration == pytest.approx(expected, rel=0.005)


@pytest.mark.parametrize("limits", CHOICES)
@pytest.mark.parametrize("seed", range(4, 10))
def test_the_formula_of_the_optimum_taken_literally_gives_the_same(limits: Limits, seed: int) -> None:
    """At each place the least over all others of their cap, sped up from or braked to: n² numbers."""
    path = winding(seed)
    s = np.linspace(0.0, path.length, 1501)
    squares = cap(path, limits, s) ** 2
    squares[0] = squares[-1] = 0.0
    apart = s[:, None] - s[None, :]
    grown = squares[None, :] + np.where(
        apart >= 0, 2 * limits.acceleration * apart, -2 * limits.braking * apart
    )
    v = np.sqrt(grown.min(axis=1))
    took = float((2 * np.diff(s) / (v[1:] + v[:-1])).sum())

    profile = speed_profile(path, limits)

    assert took * (1 - 1e-3) <= profile.duration <= took * 1.005
    assert profile.speed_on(s) == pytest.approx(v, abs=0.01 * sqrt(squares.max()))

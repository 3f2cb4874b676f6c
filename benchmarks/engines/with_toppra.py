"""Speed profiles by toppra, as the solver of one joint, the way along the path."""

from importlib import import_module
from math import sqrt
from typing import Any

import numpy as np

from benchmarks.plan_kumi import best
from benchmarks.plan_scene import LIMITS, winding
from benchmarks.tasks import Sample

toppra: Any = import_module("toppra")


def plan_profile(postures: int) -> Sample:
    """Measure the profile of a winding path, from its constraints to its duration."""
    toppra.setup_logging("ERROR")
    path = winding(postures)
    bends = abs(path.curvature)

    def bounds(s: float) -> np.ndarray:
        bend = max(float(np.interp(s, path.s, bends)), 1e-12)
        top = min(LIMITS.top_speed, sqrt(LIMITS.lateral / bend))
        return np.array([[-top, top]])

    def solve() -> float:
        problem = toppra.algorithm.TOPPRA(
            [
                toppra.constraint.JointVelocityConstraintVarying(bounds),
                toppra.constraint.JointAccelerationConstraint(
                    np.array([[-LIMITS.braking, LIMITS.acceleration]])
                ),
            ],
            toppra.SplineInterpolator([0.0, path.length], np.array([[0.0], [path.length]])),
            gridpoints=path.s,
            solver_wrapper="seidel",
        )
        return float(problem.compute_trajectory(0, 0).duration)

    return {"figure": best(solve, 3), "duration": solve()}

"""Plans by kumi: the whole way from a route to a speed profile, and each step alone."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, inf, pi, sin
from statistics import fmean
from time import process_time

from benchmarks.plan_scene import GOAL, LIMITS, RADIUS, START, hall, winding
from benchmarks.tasks import Sample
from kumi.geometry import Disc
from kumi.planning import Limits, Path, Vehicle, fit_path, plan_route, prioritised, speed_profile
from tests.planning.dubins_oracle import dubins_length, random_poses

TIMES = 10


def best(work: Callable[[], object], times: int = TIMES) -> float:
    """Return the least CPU time of some work, in milliseconds."""
    taken = []
    for _ in range(times):
        began = process_time()
        work()
        taken.append(process_time() - began)
    return 1e3 * min(taken)


def plan_pipeline(by: str, postures: int) -> Sample:
    """Measure a route of 50 m, a path along it of so many postures, and its profile, the space made anew."""
    lengths = []

    def work() -> None:
        space = hall()
        route = plan_route(space, START, GOAL, RADIUS, by=by)  # type: ignore[arg-type]  # one of its names
        assert route is not None
        path = fit_path(route, min_radius=0.5, clearance=RADIUS, space=space, spacing=50.0 / postures)
        speed_profile(path, LIMITS)
        lengths.append(path.length)
        if len(path) < postures:
            raise ValueError(f"the path has {len(path)} postures, fewer than {postures}")

    work()
    return {"figure": best(work), "length": lengths[-1]}


def plan_profile(postures: int) -> Sample:
    """Measure the profile of a winding path."""
    path = winding(postures)
    return {
        "figure": best(lambda: speed_profile(path, LIMITS)),
        "duration": speed_profile(path, LIMITS).duration,
    }


def plan_headings(near: float, far: float, rate: float | None, poses: int) -> Sample:
    """Compare paths between random poses, so many radii apart, with the shortest drives by formulas of others.

    A rate bounds that of the curvature, in rad/m² for a radius of 1 m. The time is that of one path, in milliseconds.
    """
    pairs = random_poses(1, poses, near, far)

    def ratio(start: tuple[float, float, float], goal: tuple[float, float, float]) -> float:
        path = fit_path(
            [start[:2], goal[:2]],
            min_radius=1.0,
            start_heading=start[2],
            goal_heading=goal[2],
            max_curvature_rate=inf if rate is None else rate,
        )
        return path.length / dubins_length(start, goal)

    began = process_time()
    ratios = [ratio(*pair) for pair in pairs]
    taken = process_time() - began
    return {"figure": 1e3 * taken / poses, "worst": max(ratios), "mean": fmean(ratios)}


def plan_crossing(vehicles: int) -> Sample:
    """Measure plans for vehicles whose straight ways of 40 m, from all around, cross near one place."""
    limits = Limits(top_speed=1.0, acceleration=0.5)

    def way(number: int) -> Path:
        angle = pi * number / vehicles
        aside = 0.3 * (number % 4 - 1.5)
        x, y = -20 * cos(angle) - aside * sin(angle), -20 * sin(angle) + aside * cos(angle)
        return Path.of(
            (x + s * cos(angle), y + s * sin(angle), angle, 0.0, s) for s in (0.4 * i for i in range(101))
        )

    fleet = [Vehicle(way(number), Disc(0.4), limits, f"vehicle-{number}") for number in range(vehicles)]
    return {"figure": best(lambda: prioritised(fleet, margin=0.2, resolution=0.2), 1)}

"""What is measured of plans for many robots, the same for all engines.

An engine is one function: `solve(blocked, starts, goals)` returns the cells of all robots at all steps, or None. Its time
counts from the array of cells to the plan, as a user meets it, the best of some tries. Every plan is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from benchmarks.grid_maps import Blocked, Cell
from benchmarks.mapf_maps import MAPS, SEED, robots
from benchmarks.tasks import Sample, Skipped
from kumi.planning.grid import grid_path
from kumi.planning.mapf import check_mapf

Paths = NDArray[np.int32]
Solve = Callable[[Blocked, list[Cell], list[Cell]], Paths | None]


def measure_first(solve: Solve, name: str, agents: int, times: int) -> Sample:
    """Measure the time to the first solution in milliseconds, and its share of the lower bound."""
    blocked = MAPS[name](SEED)
    starts, goals = robots(blocked, agents)
    best, paths = float("inf"), None
    for _ in range(times):
        began = perf_counter()
        paths = solve(blocked, starts, goals)
        best = min(best, perf_counter() - began)
    if paths is None:
        raise Skipped("it finds no plan")
    return {"figure": 1e3 * best, "ratio": ratio(blocked, starts, goals, paths)}


def ratio(blocked: Blocked, starts: list[Cell], goals: list[Cell], paths: Paths) -> float:
    """Return how many times the sum of the shortest ways a plan costs, after checking it."""
    flaws = check_mapf(blocked, starts, goals, paths)
    if flaws:
        raise ValueError(f"the plan has {len(flaws)} flaws; the first: {flaws[0]}")
    least = 0.0
    for start, goal in zip(starts, goals, strict=True):
        path = grid_path(blocked, start, goal, moves=4)
        least += path.cost if path else 0.0
    away = (paths != paths[:, -1:]).any(axis=2)
    return float((away * np.arange(1, paths.shape[1] + 1)).max(axis=1).sum() / least)

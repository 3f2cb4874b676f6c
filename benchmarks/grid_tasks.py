"""What is measured of grid searches, the same for all engines.

An engine is one function: `find(blocked, start, goal, moves)` returns the length of a shortest way, or None. The
time of a query counts from the array of cells to the result, as a user meets it. A wrong length has no speed: all
are compared with those of kumi, except with 8 neighbours where an engine cuts corners and finds shorter ways.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from benchmarks.grid_maps import KINDS, Blocked, Cell, pairs, scattered, thesis
from benchmarks.tasks import Sample
from kumi.planning.costs import near_costs
from kumi.planning.grid import grid_path

Find = Callable[[Blocked, Cell, Cell, int], float | None]
FindCheapest = Callable[[NDArray[np.float32], Cell, Cell], float | None]

SEED = 1


def timed(
    find: Find, blocked: Blocked, start: Cell, goal: Cell, moves: int, times: int
) -> tuple[float, float | None]:
    """Return the best time of a query in milliseconds, and the length."""
    best, length = float("inf"), None
    for _ in range(times):
        began = perf_counter()
        length = find(blocked, start, goal, moves)
        best = min(best, perf_counter() - began)
    return 1e3 * best, length


def measure_thesis(find: Find, side: int, reading: int, number: int, times: int = 5) -> Sample:
    """Measure one of the five maps, corner to corner with 4 neighbours; the length is known."""
    blocked = thesis(side, number, reading)
    figure, length = timed(find, blocked, (0, 0), (side - 1, side - 1), 4, times)
    expected = None if number == 2 else 2.0 * (side - 1)
    if length != expected:
        raise ValueError(f"the length is {length}, but {expected} is right")
    return {"figure": figure}


def measure_kind(
    find: Find, kind: str, side: int, moves: int, queries: int, *, times: int = 3, cuts: bool = False
) -> Sample:
    """Measure queries on a map of some kind: the median and the slowest. `cuts` tells that corners are cut."""
    blocked = KINDS[kind](side, SEED)
    taken = []
    for start, goal in pairs(blocked, queries, SEED):
        time, length = timed(find, blocked, start, goal, moves, times)
        taken.append(time)
        path = grid_path(blocked, start, goal, moves=moves)
        expected = None if path is None else path.cost
        if not (cuts and moves == 8) and not is_near(length, expected):
            raise ValueError(f"from {start} to {goal} the length is {length}, but {expected} by kumi")
    return {"figure": median(taken), "slowest": max(taken)}


def measure_wide(find: Find, side: int, share: float) -> Sample:
    """Measure one search from corner to corner with 8 neighbours among scattered cells, in seconds."""
    blocked = scattered(side, SEED, share)
    blocked[:3, :3] = blocked[-3:, -3:] = False
    figure, length = timed(find, blocked, (0, 0), (side - 1, side - 1), 8, 1)
    if length is None:
        raise ValueError("no way was found")
    return {"figure": figure / 1e3}


def measure_costs(find: FindCheapest, kind: str, side: int, queries: int, times: int = 3) -> Sample:
    """Measure queries with 4 neighbours where cells beside an obstacle cost 10 to enter, and others 1."""
    blocked = KINDS[kind](side, SEED)
    costs = near_costs(blocked)

    def ask(_blocked: Blocked, start: Cell, goal: Cell, _moves: int) -> float | None:
        return find(costs, start, goal)

    taken = []
    for start, goal in pairs(blocked, queries, SEED):
        time, cost = timed(ask, blocked, start, goal, 4, times)
        taken.append(time)
        path = grid_path(costs, start, goal, moves=4)
        expected = None if path is None else path.cost
        if not is_near(cost, expected):
            raise ValueError(f"from {start} to {goal} the cost is {cost}, but {expected} by kumi")
    return {"figure": median(taken), "slowest": max(taken)}


def is_near(one: float | None, other: float | None) -> bool:
    """Tell whether two lengths differ by no more than rounding."""
    return one == other or (one is not None and other is not None and abs(one - other) < 1e-6)

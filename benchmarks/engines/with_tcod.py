"""Grid search by tcod, in its native A*; its diagonal moves cut corners."""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.grid_maps import Blocked, Cell
from benchmarks.grid_tasks import measure_costs, measure_kind, measure_thesis, measure_wide
from benchmarks.tasks import Sample

path: Any = import_module("tcod.path")


def find(blocked: Blocked, start: Cell, goal: Cell, moves: int) -> float | None:
    graph = path.SimpleGraph(cost=(~blocked).astype(np.int8), cardinal=70, diagonal=0 if moves == 4 else 99)
    search = path.Pathfinder(graph)
    search.add_root(start)
    found = search.path_to(goal)
    if len(found) < 2 and start != goal:
        return None
    steps = np.abs(np.diff(found.astype(int), axis=0)).sum(axis=1)
    return float((steps == 1).sum() + (steps == 2).sum() * 2**0.5)


def grid_thesis(side: int, reading: int, number: int) -> Sample:
    return measure_thesis(find, side, reading, number, times=1)


def grid_kind(kind: str, side: int, moves: int, queries: int) -> Sample:
    return measure_kind(find, kind, side, moves, queries, times=1, cuts=True)


def grid_wide(side: int, share: float) -> Sample:
    return measure_wide(find, side, share)


def find_cheapest(costs: NDArray[np.float32], start: Cell, goal: Cell) -> float | None:
    whole = np.where(np.isfinite(costs), costs, 0).astype(np.int8)
    search = path.Pathfinder(path.SimpleGraph(cost=whole, cardinal=1, diagonal=0))
    search.add_root(start)
    found = search.path_to(goal)
    if len(found) < 2 and start != goal:
        return None
    return float(costs[found[1:, 0], found[1:, 1]].sum())


def grid_costs(kind: str, side: int, queries: int) -> Sample:
    return measure_costs(find_cheapest, kind, side, queries, times=1)

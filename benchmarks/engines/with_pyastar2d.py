"""Grid search by pyastar2d, A* in C++; its diagonal moves cost as much as straight ones, so it has 4 only."""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.grid_maps import Blocked, Cell
from benchmarks.grid_tasks import measure_costs, measure_kind, measure_thesis
from benchmarks.tasks import Sample, Skipped

astar: Any = import_module("pyastar2d").astar_path


def find(blocked: Blocked, start: Cell, goal: Cell, moves: int) -> float | None:
    if moves == 8:
        raise Skipped("its diagonal moves have the length 1")
    costs = np.where(blocked, np.float32(np.inf), np.float32(1.0))
    path = astar(costs, start, goal, allow_diagonal=False)
    return None if path is None else float(len(path) - 1)


def grid_thesis(side: int, reading: int, number: int) -> Sample:
    return measure_thesis(find, side, reading, number, times=1)


def grid_kind(kind: str, side: int, moves: int, queries: int) -> Sample:
    return measure_kind(find, kind, side, moves, queries, times=1)


def find_cheapest(costs: NDArray[np.float32], start: Cell, goal: Cell) -> float | None:
    path = astar(costs, start, goal, allow_diagonal=False)
    return None if path is None else float(costs[path[1:, 0], path[1:, 1]].sum())


def grid_costs(kind: str, side: int, queries: int) -> Sample:
    return measure_costs(find_cheapest, kind, side, queries, times=1)

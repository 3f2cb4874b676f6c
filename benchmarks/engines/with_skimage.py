"""Grid search by scikit-image's minimum cost paths; its diagonal moves cut corners."""

from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.grid_maps import Blocked, Cell
from benchmarks.grid_tasks import measure_kind, measure_thesis
from benchmarks.tasks import Sample

graph: Any = import_module("skimage.graph")


def find(blocked: Blocked, start: Cell, goal: Cell, moves: int) -> float | None:
    kind = graph.MCP_Geometric if moves == 8 else graph.MCP
    search = kind(np.where(blocked, np.inf, 1.0), fully_connected=moves == 8)
    costs, _ = search.find_costs([start], [goal])
    cost = float(costs[goal])
    # Without geometry it counts cells, the first one included.
    return None if not np.isfinite(cost) else cost if moves == 8 else cost - 1.0


def grid_thesis(side: int, reading: int, number: int) -> Sample:
    return measure_thesis(find, side, reading, number, times=1)


def grid_kind(kind: str, side: int, moves: int, queries: int) -> Sample:
    return measure_kind(find, kind, side, moves, queries, times=1, cuts=True)

"""Grid search by networkx: A* on a graph with one node a cell; building the graph counts."""

from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.grid_maps import Blocked, Cell
from benchmarks.grid_tasks import measure_kind, measure_thesis
from benchmarks.tasks import Sample

networkx: Any = import_module("networkx")
ROOT = 2**0.5


def graph_of(blocked: Blocked, moves: int) -> Any:
    rows, columns = blocked.shape
    graph = networkx.grid_2d_graph(rows, columns)
    networkx.set_edge_attributes(graph, 1.0, "weight")
    if moves == 8:
        free = ~blocked
        square = free[:-1, :-1] & free[1:, 1:] & free[:-1, 1:] & free[1:, :-1]
        for r, c in np.argwhere(square).tolist():
            graph.add_edge((r, c), (r + 1, c + 1), weight=ROOT)
            graph.add_edge((r, c + 1), (r + 1, c), weight=ROOT)
    graph.remove_nodes_from(map(tuple, np.argwhere(blocked).tolist()))
    return graph


def find(blocked: Blocked, start: Cell, goal: Cell, moves: int) -> float | None:
    def estimate(one: Cell, other: Cell) -> float:
        down, right = abs(one[0] - other[0]), abs(one[1] - other[1])
        return down + right if moves == 4 else max(down, right) + (ROOT - 1.0) * min(down, right)

    try:
        length: float = networkx.astar_path_length(graph_of(blocked, moves), start, goal, estimate)
    except networkx.NetworkXNoPath:
        return None
    return length


def grid_thesis(side: int, reading: int, number: int) -> Sample:
    return measure_thesis(find, side, reading, number, times=1)


def grid_kind(kind: str, side: int, moves: int, queries: int) -> Sample:
    return measure_kind(find, kind, side, moves, queries, times=1)

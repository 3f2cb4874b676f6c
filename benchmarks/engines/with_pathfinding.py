"""Grid search by the package pathfinding, A* in Python; it does not cut corners."""

import itertools
from importlib import import_module
from typing import Any

from benchmarks.grid_maps import Blocked, Cell
from benchmarks.grid_tasks import measure_kind, measure_thesis
from benchmarks.tasks import Sample

Grid: Any = import_module("pathfinding.core.grid").Grid
AStarFinder: Any = import_module("pathfinding.finder.a_star").AStarFinder
Diagonal: Any = import_module("pathfinding.core.diagonal_movement").DiagonalMovement


def find(blocked: Blocked, start: Cell, goal: Cell, moves: int) -> float | None:
    grid = Grid(matrix=(~blocked).astype(int).tolist())
    diagonals = Diagonal.only_when_no_obstacle if moves == 8 else Diagonal.never
    finder = AStarFinder(diagonal_movement=diagonals)
    path, _ = finder.find_path(grid.node(start[1], start[0]), grid.node(goal[1], goal[0]), grid)
    if not path:
        return None
    cells = [(node.y, node.x) for node in path]
    steps = [abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in itertools.pairwise(cells)]
    return steps.count(1) + steps.count(2) * 2**0.5


def grid_thesis(side: int, reading: int, number: int) -> Sample:
    return measure_thesis(find, side, reading, number, times=1)


def grid_kind(kind: str, side: int, moves: int, queries: int) -> Sample:
    return measure_kind(find, kind, side, moves, queries, times=1)

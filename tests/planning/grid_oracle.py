"""The cost of a cheapest way by Dijkstra's algorithm in plain Python, cell by cell: the judge of all searches."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import product
from math import hypot, inf
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Cell = tuple[int, int]


def costs_of(grid: NDArray[Any]) -> NDArray[np.float64]:
    return grid.astype(float) if grid.dtype.kind == "f" else np.where(grid != 0, inf, 1.0)


def neighbours(costs: NDArray[np.float64], cell: Cell, moves: int) -> Iterator[tuple[Cell, float]]:
    """Give each cell that one move leads to, and what the move costs."""
    r, c = cell
    rows, columns = costs.shape

    def is_free(row: int, column: int) -> bool:
        return 0 <= row < rows and 0 <= column < columns and bool(costs[row, column] < inf)

    for down, right in product((-1, 0, 1), repeat=2):
        if (down, right) == (0, 0) or (moves == 4 and down and right):
            continue
        if is_free(r + down, c + right) and is_free(r + down, c) and is_free(r, c + right):
            yield (r + down, c + right), hypot(down, right) * float(costs[r + down, c + right])


def least_cost(grid: NDArray[Any], start: Cell, goal: Cell, moves: int) -> float | None:
    costs = costs_of(grid)
    if costs[start] == inf or costs[goal] == inf:
        return None
    known, queue = {start: 0.0}, [(0.0, start)]
    while queue:
        cost, cell = heappop(queue)
        if cell == goal:
            return cost
        if cost > known[cell]:
            continue
        for near, price in neighbours(costs, cell, moves):
            if cost + price < known.get(near, inf):
                known[near] = cost + price
                heappush(queue, (known[near], near))
    return None


def walked(grid: NDArray[Any], cells: NDArray[Any], moves: int) -> float:
    """Return what a way costs, after checking that each of its moves is allowed."""
    costs, total = costs_of(grid), 0.0
    for one, other in zip(cells[:-1].tolist(), cells[1:].tolist(), strict=True):
        total += dict(neighbours(costs, tuple(one), moves))[tuple(other)]
    return total

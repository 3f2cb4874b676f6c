"""How is a way found again when the map has changed a little?

A `Replanner` keeps what it knows about the distance of every cell to one goal. After a change only those cells are
computed again whose distance becomes another, and the robot may have moved on in between (D* Lite, Koenig &
Likhachev 2002). Each way is as short as one that is searched for anew.

Its memory is 20 bytes a cell, and does not grow with the number of changes beyond what waits in its queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kumi._core import CellReplan, cost_range
from kumi.planning.grid import (
    Cell,
    Grid,
    GridPath,
    as_bytes,
    check_moves,
    check_range,
    cost_of,
    costs_of,
    place,
    table,
)
from kumi.planning.grid_error import GridError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray


class Replanner:
    """Ways to one goal, from anywhere, on a map whose cells become blocked, free, dear or cheap.

    The grid is one of `grid_path`: booleans, 0 and 1, or costs.
    """

    def __init__(self, grid: ArrayLike, goal: Cell, *, moves: int = 8) -> None:
        check_moves(moves)
        array = table(grid)
        self._costs = starting_costs(array)
        self.goal = place(goal, array.shape, "the goal")
        self.moves = moves
        self._core = CellReplan(self._costs, *self.goal, moves)
        self._least, self._greatest, _ = cost_range(self._costs)

    @property
    def expanded(self) -> int:
        """How many cells the last search computed."""
        return self._core.expanded

    def block(self, *cells: Cell) -> None:
        """Block cells."""
        self._change(cells, np.inf)

    def free(self, *cells: Cell, cost: float = 1.0) -> None:
        """Free cells, or change what entering them costs."""
        if not (np.isfinite(cost) and cost > 0.0):
            raise GridError(f"the cost of a free cell is a finite number greater than 0, not {cost!r}")
        least, greatest = min(self._least, cost), max(self._greatest, cost)
        check_range(least, greatest)
        self._change(cells, cost)
        self._least, self._greatest = least, greatest

    def path(self, start: Cell) -> GridPath | None:
        """Return a way of least cost from a cell to the goal on the map as it is now, or None."""
        cells = self._core.path(*place(start, self._costs.shape, "the start"))
        return None if cells is None else GridPath(cells, cost_of(cells, self._costs))

    def _change(self, cells: Iterable[Cell], cost: float) -> None:
        # All are looked at before the first is changed: a mistake changes nothing.
        for row, column in [place(cell, self._costs.shape, "the cell") for cell in cells]:
            self._costs[row, column] = cost
            self._core.set_cost(row, column, cost)


def starting_costs(array: NDArray[Any]) -> NDArray[np.float32]:
    """Return a copy of a grid as costs."""
    if array.dtype.kind == "f":
        return costs_of(array).astype(np.float32)
    Grid(array)
    return np.where(as_bytes(array) != 0, np.float32(np.inf), np.float32(1.0))

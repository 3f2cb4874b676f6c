"""What is a short way over a grid for a robot that drives at any angle?

`any_angle_path` returns sub-goals: cells, each of which sees the next, from centre to centre through free cells
only. Two searches are made, and the shorter result is given: Lazy Theta* (Nash, Koenig & Tovey 2010), and the
shortest way of 8 neighbours with all cells left out that are not needed for seeing. So the way is never longer than
that of 8 neighbours, and never shorter than the straight line; that it is the shortest of all is not promised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kumi.planning.grid import Cell, Grid, GridPath, place

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def any_angle_path(grid: ArrayLike | Grid, start: Cell, goal: Cell) -> GridPath | None:
    """Return sub-goals that see each other with their length as the cost, or None when there is no way."""
    ready = grid if isinstance(grid, Grid) else Grid(grid)
    stepped = ready.path(start, goal, moves=8)
    if stepped is None:
        return None
    here, there = place(start, ready.shape, "the start"), place(goal, ready.shape, "the goal")
    ways = [ready._core.sub_goals(stepped.cells), ready._core.any_angle(*here, *there)]
    return min((GridPath(cells, length(cells)) for cells in ways), key=lambda way: way.cost)


def length(cells: NDArray[Any]) -> float:
    """Return the length of the straight lines from cell to cell."""
    steps = np.diff(cells, axis=0)
    return float(np.hypot(steps[:, 0], steps[:, 1]).sum())

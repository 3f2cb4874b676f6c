"""Which route leads through the cells of a configuration space?

The window is covered with square cells; a cell is free if a robot at its centre, and on the ways to free
neighbours, keeps the clearance. The grid search finds the cheapest path over these cells, and of its cells
only those stay as sub-goals that are needed to see from each to the next.

The cells decide what is found: a way at least two cells wider than the robot needs. If there is none, cells
of half the size are tried, twice, before it is said that there is no route. The path is optimal on the grid;
the route is shorter than it, but not the shortest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kumi.planning.distances import Numbers
from kumi.planning.field import MOST_CELLS, Field, check_cell, field_of
from kumi.planning.grid import grid_path

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kumi.geometry import Bounds, Point
    from kumi.planning.criteria import Criterion
    from kumi.planning.space import Space

HALVINGS = 2


def grid_route(
    space: Space,
    window: Bounds,
    start: Point,
    goal: Point,
    clearance: float,
    criterion: Criterion,
    cell: float,
) -> Numbers | None:
    """Return the centres of the cells of the cheapest path, from the start to the goal, or None."""
    for size in sizes(window, cell):
        field = field_of(space, window, size)
        free = field.free(clearance)
        costs = np.full(free.shape, np.inf)
        costs[free] = criterion.at(field.distance[free])
        found = through_cells(space, field, costs, start, goal, clearance)
        if found is not None:
            return found
    return None


def sizes(window: Bounds, cell: float) -> list[float]:
    """Return the sizes of cells to try one after the other."""
    check_cell(cell)
    area = (window.right - window.left) * (window.top - window.bottom)
    finer = [cell / 2**k for k in range(1, HALVINGS + 1)]
    return [cell, *(size for size in finer if area / (size * size) < MOST_CELLS / 2)]


def through_cells(
    space: Space, field: Field, costs: NDArray[np.float64], start: Point, goal: Point, clearance: float
) -> Numbers | None:
    """Return the centres of the cheapest path over cells with costs, with the start and the goal, or None."""
    free = np.isfinite(costs)
    first = field.nearest_free(space, start, clearance, free)
    last = field.nearest_free(space, goal, clearance, free)
    if first is None or last is None:
        return None
    found = grid_path(costs if (costs[free] != 1).any() else ~free, first, last, moves=8)
    if found is None:
        return None
    centres = field.centres(np.asarray(found.cells, dtype=np.int64).reshape(-1, 2))
    return np.vstack([[tuple(start)], centres, [tuple(goal)]])

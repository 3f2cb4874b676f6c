"""What does it cost to be near an obstacle, and where on a grid can the centre of a robot be?

A robot may pass close to a table, but had better not. `near_costs` is the rule of Skadsem (2006): 10 for the cells
around a blocked one, 1 elsewhere. `distance_costs` falls evenly from `most` beside an obstacle to 1 at `reach`.
Blocked cells cost infinitely much, so that the result is a grid by itself: `grid_path(near_costs(grid), ...)`.

Distances are between the centres of cells, in cells; the eight cells around one are beside it.

A robot is a disc, as large as it needs to be. `inflate` blocks every cell at whose centre the disc would overlap a
blocked cell, which is a square of side 1. A robot that only touches fits: one of radius 0.5 goes through every gap
of the grid, and 0 changes nothing. Distances are in cells.

What lies outside the grid counts as free, unless `edges` says that it is a wall.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from kumi.geometry.points import as_real
from kumi.planning.grid import MOST_COST_RATIO, Grid
from kumi.planning.grid_error import GridError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


BESIDE_COST = 10.0
ELSEWHERE_COST = 1.0
NEIGHBOUR_RADIUS = 0.8
"""A disc so large reaches from a cell into the eight around it, and no further."""


def near_costs(grid: ArrayLike, *, beside: float = BESIDE_COST) -> NDArray[np.float32]:
    """Return costs of `beside` for cells around a blocked one and 1 for the others."""
    check(beside, "what a cell beside an obstacle costs")
    core = Grid(grid)._core
    costs = np.where(core.inflated(NEIGHBOUR_RADIUS, False), np.float32(beside), np.float32(ELSEWHERE_COST))
    costs[core.inflated(0.0, False)] = np.inf
    return costs


def distance_costs(grid: ArrayLike, *, reach: float = 5.0, most: float = BESIDE_COST) -> NDArray[np.float32]:
    """Return costs that fall from `most`, one cell from an obstacle, to 1, `reach` cells from it."""
    check(most, "the most a cell costs")
    if not 1.0 < as_real(reach, "a reach") <= MOST_COST_RATIO:
        raise GridError(
            f"a reach is a number of cells greater than 1, up to {MOST_COST_RATIO:g}, not {reach!r}"
        )
    squared: NDArray[np.float32] = Grid(grid)._core.squared_distances()
    away = np.sqrt(squared)
    share = np.clip((reach - away) / (reach - 1.0), 0.0, 1.0)
    costs: NDArray[np.float32] = (ELSEWHERE_COST + (most - ELSEWHERE_COST) * share).astype(np.float32)
    costs[squared == 0.0] = np.inf
    return costs


def clearances(grid: ArrayLike) -> NDArray[np.float32]:
    """Return for every cell the distance to the nearest blocked one, infinite where none is."""
    squared: NDArray[np.float32] = Grid(grid)._core.squared_distances()
    return np.sqrt(squared)


def check(cost: float, name: str) -> None:
    """Refuse what would make cells near obstacles cheaper than others."""
    if not ELSEWHERE_COST <= as_real(cost, name) <= MOST_COST_RATIO:
        raise GridError(f"{name} is a number from {ELSEWHERE_COST:g} to {MOST_COST_RATIO:g}, not {cost!r}")


def inflate(grid: ArrayLike, radius: float, *, edges: bool = False) -> NDArray[np.bool_]:
    """Return the grid, as booleans, for the centre of a disc of `radius` cells."""
    if not isinstance(edges, bool):
        raise TypeError(f"edges is True or False, not {edges!r}")
    if not 0.0 <= as_real(radius, "a radius") < inf:
        raise GridError(f"a radius is a finite number of cells, at least 0, not {radius!r}")
    wide: NDArray[np.bool_] = Grid(grid)._core.inflated(float(radius), edges)
    return wide

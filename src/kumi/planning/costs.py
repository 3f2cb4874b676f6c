"""What does it cost to be near an obstacle?

A robot may pass close to a table, but had better not. `near_costs` is the rule of Skadsem (2006): 10 for the cells
around a blocked one, 1 elsewhere. `distance_costs` falls evenly from `most` beside an obstacle to 1 at `reach`.
Blocked cells cost infinitely much, so that the result is a grid by itself: `grid_path(near_costs(grid), ...)`.

Distances are between the centres of cells, in cells; the eight cells around one are beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kumi.geometry.points import as_real
from kumi.planning.grid import WIDEST, Grid
from kumi.planning.grid_error import GridError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

BESIDE = 10.0
ELSEWHERE = 1.0
AROUND = 0.8
"""A disc so large reaches from a cell into the eight around it, and no further."""


def near_costs(grid: ArrayLike, *, beside: float = BESIDE) -> NDArray[np.float32]:
    """Return costs of `beside` for cells around a blocked one and 1 for the others."""
    check(beside, "what a cell beside an obstacle costs")
    core = Grid(grid)._core
    costs = np.where(core.inflated(AROUND, False), np.float32(beside), np.float32(ELSEWHERE))
    costs[core.inflated(0.0, False)] = np.inf
    return costs


def distance_costs(grid: ArrayLike, *, reach: float = 5.0, most: float = BESIDE) -> NDArray[np.float32]:
    """Return costs that fall from `most`, one cell from an obstacle, to 1, `reach` cells from it."""
    check(most, "the most a cell costs")
    if not 1.0 < as_real(reach, "a reach") <= WIDEST:
        raise GridError(f"a reach is a number of cells greater than 1, up to {WIDEST:g}, not {reach!r}")
    squared: NDArray[np.float32] = Grid(grid)._core.squared_distances()
    away = np.sqrt(squared)
    share = np.clip((reach - away) / (reach - 1.0), 0.0, 1.0)
    costs: NDArray[np.float32] = (ELSEWHERE + (most - ELSEWHERE) * share).astype(np.float32)
    costs[squared == 0.0] = np.inf
    return costs


def clearances(grid: ArrayLike) -> NDArray[np.float32]:
    """Return for every cell the distance to the nearest blocked one, infinite where none is."""
    squared: NDArray[np.float32] = Grid(grid)._core.squared_distances()
    return np.sqrt(squared)


def check(cost: float, name: str) -> None:
    """Refuse what would make cells near obstacles cheaper than others."""
    if not ELSEWHERE <= as_real(cost, name) <= WIDEST:
        raise GridError(f"{name} is a number from {ELSEWHERE:g} to {WIDEST:g}, not {cost!r}")

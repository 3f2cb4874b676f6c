"""Where on a grid can the centre of a robot be?

A robot is a disc, as large as it needs to be. `inflate` blocks every cell at whose centre the disc would overlap a
blocked cell, which is a square of side 1. A robot that only touches fits: one of radius 0.5 goes through every gap
of the grid, and 0 changes nothing. Distances are in cells.

What lies outside the grid counts as free, unless `edges` says that it is a wall.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from kumi.geometry.points import as_real
from kumi.planning.grid import Grid
from kumi.planning.grid_error import GridError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


def inflate(grid: ArrayLike, radius: float, *, edges: bool = False) -> NDArray[np.bool_]:
    """Return the grid, as booleans, for the centre of a disc of `radius` cells."""
    if not isinstance(edges, bool):
        raise TypeError(f"edges is True or False, not {edges!r}")
    if not 0.0 <= as_real(radius, "a radius") < inf:
        raise GridError(f"a radius is a finite number of cells, at least 0, not {radius!r}")
    wide: NDArray[np.bool_] = Grid(grid)._core.inflated(float(radius), edges)
    return wide

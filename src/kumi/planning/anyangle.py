"""What is the shortest way over a grid for a robot that drives at any angle?

`any_angle_path` returns the shortest of all ways that enter no blocked cell, from the centre of one cell to that of
another: the straight line, where nothing is in between, and else a chain of straight lines that bends at corners of
blocked cells. The search follows beams of sight from corner to corner (Harabor, Grastien, Öz & Aksakalli 2016).

A way may touch blocked cells, as a string does that is pulled tight; those that keep clear of them are longer by as
little as you like. It does not pass between two blocked cells that touch in a corner, so there is a way exactly where
there is one over 4 or 8 neighbours. A robot of some size needs a map that is inflated by its radius and by half the
diagonal of a cell, since a way passes free cells at their corners, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kumi.maths import hypot, total
from kumi.planning.grid import Cell, Grid, GridPath, place

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def any_angle_path(grid: ArrayLike | Grid, start: Cell, goal: Cell) -> GridPath | None:
    """Return where a shortest way begins, bends and ends, with its length as the cost; None when there is none.

    Centres of cells are whole numbers of rows and columns, and corners lie half-way between: the first cell's corners
    are at -0.5 and 0.5.
    """
    ready = grid if isinstance(grid, Grid) else Grid(grid)
    here, there = place(start, ready.shape, "the start"), place(goal, ready.shape, "the goal")
    places = ready._core.any_angle(*here, *there)
    return None if places is None else GridPath(places, length(places))


def length(places: NDArray[Any]) -> float:
    """Return the length of the straight lines from place to place."""
    steps = np.diff(places, axis=0)
    return float(total(hypot(steps[:, 0], steps[:, 1])))

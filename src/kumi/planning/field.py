"""How far is each cell of a grid from obstacles?

The distances at the centres of square cells are exact. They are counted by the core.

Between the centres of two neighbouring cells, also across a corner, no place is farther than 0.71 cells from
the nearer centre. So all ways between free neighbours are free if a cell is free only when its centre keeps
that much more than the clearance. A way that is at least two cells wider than the robot needs is found.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kumi._core import nearest_lines
from kumi.geometry import Bounds, Outline, Point
from kumi.maths import hypot
from kumi.planning.distances import Numbers, insides
from kumi.planning.space import PlanError

if TYPE_CHECKING:
    from kumi.planning.space import Space

MOST_CELLS = 4_000_000
FINE = 256
"""Cells along the longer side of the window, if no size is given; more if that is coarser than the robot."""

HALF_DIAGONAL = sqrt(0.5)

NEAR = 64
"""Free cells around a place that are tried as a start or a goal, the nearest first."""


@dataclass(frozen=True, eq=False)
class DistanceField:
    """Distances from obstacles and borders, [row, column] from the lower left, and what is nearest there."""

    window: Bounds
    cell: float
    distance: Numbers
    nearest: Numbers

    def centres(self, cells: NDArray[np.int64]) -> Numbers:
        """Return the centres of cells, given as rows and columns."""
        corner = np.array([self.window.left, self.window.bottom])
        places: Numbers = corner + (cells[:, ::-1] + 0.5) * self.cell
        return places

    def free(self, clearance: float) -> NDArray[np.bool_]:
        """Tell which cells can be gone through, to and from all their free neighbours."""
        found: NDArray[np.bool_] = self.distance > clearance + HALF_DIAGONAL * self.cell
        return found

    def nearest_free(
        self, space: Space, place: Point, clearance: float, free: NDArray[np.bool_]
    ) -> tuple[int, int] | None:
        """Return the free cell whose centre is nearest to a place among those that it sees, if any."""
        cells = np.argwhere(free)
        if not len(cells):
            return None
        centres = self.centres(cells)
        here = np.array([[place.x, place.y]])
        ways = hypot(*(centres - here).T)
        near = np.flatnonzero(ways <= np.partition(ways, min(NEAR, len(ways)) - 1)[min(NEAR, len(ways)) - 1])
        order = near[np.argsort(ways[near], kind="stable")][:NEAR]
        seen = space.sees(np.repeat(here, len(order), axis=0), centres[order], clearance)
        if not seen.any():
            return None
        row, column = cells[order[int(seen.argmax())]].tolist()
        return row, column


def field_of(space: Space, window: Bounds, cell: float) -> DistanceField:
    """Return the distances at the centres of cells of a size that cover a window."""
    check_cell(cell)
    columns, rows = (
        max(1, ceil(side / cell - 1e-9)) for side in (window.right - window.left, window.top - window.bottom)
    )
    if columns * rows > MOST_CELLS:
        raise PlanError(
            f"cells of {cell:g} m are {columns:,} by {rows:,}, more than {MOST_CELLS:,}; take larger ones"
        )
    xs = window.left + (np.arange(columns, dtype=np.float64) + 0.5) * cell
    ys = window.bottom + (np.arange(rows, dtype=np.float64) + 0.5) * cell
    lines = space.lines
    table = np.column_stack([lines.start, lines.end, lines.radius])
    distance, nearest = nearest_lines(table, xs, ys)
    _sink(distance, space, xs, ys)
    _add_borders(distance, nearest, space, xs, ys)
    return DistanceField(window, cell, distance, nearest)


def check_cell(cell: float) -> None:
    """Refuse what is no side of a cell."""
    if not (np.isfinite(cell) and cell > 0):
        raise PlanError(f"the side of a cell is a finite number of metres > 0, not {cell!r}")


def size_of_cell(window: Bounds, clearance: float) -> float:
    """Return the side of a cell for a window: half the clearance, or less if the window is small."""
    side = max(window.right - window.left, window.top - window.bottom)
    least = sqrt(side * side / MOST_CELLS) * 2
    return max(min(side / FINE, clearance / 2 if clearance > 0 else side), least)


def _sink(distance: Numbers, space: Space, xs: Numbers, ys: Numbers) -> None:
    """Give the cells inside outlines distances below 0."""
    number = 0
    for thing in space.obstacles:
        if isinstance(thing, Outline):
            left, bottom, right, top = thing.bounds
            part = np.s_[
                np.searchsorted(ys, bottom) : np.searchsorted(ys, top),
                np.searchsorted(xs, left) : np.searchsorted(xs, right),
            ]
            places = np.stack(np.meshgrid(xs[part[1]], ys[part[0]]), axis=-1)
            within = insides(places.reshape(-1, 2), space.lines.only(space.lines.outline == number))
            inside = within.reshape(places.shape[:2])
            distance[part] = np.where(inside, -np.abs(distance[part]), distance[part])
            number += 1


def _add_borders(distance: Numbers, nearest: Numbers, space: Space, xs: Numbers, ys: Numbers) -> None:
    """Count the borders as obstacles."""
    if space.bounds is None:
        return
    left, bottom, right, top = space.bounds
    x, y = xs[None, :], ys[:, None]
    for gap, foot_x, foot_y in (
        (x - left, left, y),
        (right - x, right, y),
        (y - bottom, x, bottom),
        (top - y, x, top),
    ):
        is_nearer = gap < distance
        np.copyto(distance, gap, where=is_nearer)
        np.copyto(nearest[..., 0], foot_x, where=is_nearer)
        np.copyto(nearest[..., 1], foot_y, where=is_nearer)

"""How good is a way, and how good is a map?

A way is judged by its absolute trajectory error: the root mean square distance of its poses from the true ones, in
one frame, with no fit. A map is judged by its occupied cells: precision is the share of them whose middle lies in
something solid, or within a tolerance of it; recall the share of the surfaces that have such a middle within the
tolerance. What is behind a border counts as solid. Only surfaces count that a robot could come near, from a place it
was at. Coverage is the share of the floor there that the map knows, be it as free or as occupied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kumi.geometry import Bounds, PointLike, Pose, as_point
from kumi.mapping.occupancy import OccupancyMap
from kumi.mapping.scan import MappingError
from kumi.maths import total
from kumi.planning.space import Space

Numbers = NDArray[np.float64]

TOLERANCE = 0.075
"""Metres: a cell and a half."""

FINE_CELL = 0.025
"""Metres between the places at which the truth is looked at."""


def trajectory_error(poses: Sequence[Pose], truth: Sequence[Pose]) -> float:
    """Return the root mean square distance of poses from the true ones, in metres."""
    if len(poses) != len(truth) or not poses:
        raise MappingError(
            f"{len(poses)} poses are compared with {len(truth)} true ones; as many are needed, and one at least"
        )
    steps = np.array([tuple(one.position - other.position) for one, other in zip(poses, truth, strict=True)])
    return float(np.sqrt(total((steps * steps).sum(axis=1)) / len(steps)))


@dataclass(frozen=True)
class Score:
    """How good a map is: three shares from 0 to 1."""

    precision: float
    recall: float
    coverage: float


class Truth:
    """The floor and the surfaces of a place, as far as they can be reached from somewhere on it."""

    def __init__(self, space: Space, start: PointLike, bounds: Bounds | None = None) -> None:
        window = bounds or space.bounds
        if window is None:
            raise MappingError("a place without borders has no floor to cover; give the bounds to look at")
        self.space = space
        xs = np.arange(window.left + FINE_CELL / 2, window.right, FINE_CELL)
        ys = np.arange(window.bottom + FINE_CELL / 2, window.top, FINE_CELL)
        self._corner, self._shape = (window.left, window.bottom), (len(ys), len(xs))
        places = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        clearance = space.clearances(places, limit=1.0).reshape(self._shape)
        here = as_point(start)
        row, column = int((here.y - window.bottom) / FINE_CELL), int((here.x - window.left) / FINE_CELL)
        if not (0 <= row < len(ys) and 0 <= column < len(xs) and clearance[row, column] > 0.0):
            raise MappingError(f"({here.x:g}, {here.y:g}) is no place on the floor")
        floor = reached(clearance > 0.0, (row, column))
        self.floor: Numbers = places.reshape(*self._shape, 2)[floor]
        self.surfaces: Numbers = places.reshape(*self._shape, 2)[floor & (clearance <= FINE_CELL)]

    def score(self, drawn: OccupancyMap, tolerance: float = TOLERANCE) -> Score:
        """Judge a map."""
        cells = np.argwhere(drawn.occupied)
        middles = (cells[:, ::-1] + np.array([drawn.column + 0.5, drawn.row + 0.5])) * drawn.cell
        if not len(cells):
            return Score(1.0, 0.0 if len(self.surfaces) else 1.0, self.coverage(drawn))
        precision = np.count_nonzero(self.space.clearances(middles) <= tolerance) / len(middles)
        return Score(precision, _share_near(self.surfaces, middles, tolerance), self.coverage(drawn))

    def coverage(self, drawn: OccupancyMap) -> float:
        """Return the share of the floor that a map knows."""
        at = np.floor(self.floor / drawn.cell).astype(int) - np.array([drawn.column, drawn.row])
        within = ((at >= 0) & (at < np.array(drawn.shape[::-1]))).all(axis=1)
        return float(np.count_nonzero(drawn.known[at[within, 1], at[within, 0]]) / len(self.floor))


def reached(free: NDArray[np.bool_], start: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the free cells that can be reached from one of them, by steps to the next of a row or column."""
    found = np.zeros_like(free)
    if not free[start]:
        return found
    found[start] = True
    edge = np.array([start])
    steps = np.array([(0, 1), (0, -1), (1, 0), (-1, 0)])
    while len(edge):
        nexts = (edge[:, None, :] + steps).reshape(-1, 2)
        inside = ((nexts >= 0) & (nexts < np.array(free.shape))).all(axis=1)
        nexts = nexts[inside]
        nexts = np.unique(nexts[free[nexts[:, 0], nexts[:, 1]] & ~found[nexts[:, 0], nexts[:, 1]]], axis=0)
        found[nexts[:, 0], nexts[:, 1]] = True
        edge = nexts
    return found


def _share_near(places: Numbers, others: Numbers, tolerance: float) -> float:
    """Return the share of places that have one of the others within the tolerance."""
    near = 0
    for part in np.array_split(places, max(1, len(places) * len(others) // 1_000_000)):
        squares = np.square(part[:, None, :] - others[None, :, :]).sum(axis=2)
        near += int(np.count_nonzero(squares.min(axis=1) <= tolerance * tolerance))
    return near / max(1, len(places))

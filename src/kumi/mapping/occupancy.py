"""Which cells around are free, which are occupied, and which did nobody see?

`OccupancyMap` is a value: evidence in nats for each cell, positive for occupied, 0 where nobody looked. A `Drawing`
makes one from scans at known poses, beam by beam, in the core. The cells of all maps lie on one lattice through the
origin of their frame, so that two maps of a frame add up cell by cell.

A cell is (row, column) of the array, the lowest row first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kumi._core import EvidenceMap, Point
from kumi.geometry import Bounds, PointLike, Pose, as_point
from kumi.mapping.models import PACKET_BEAMS, Beam, RangeModel
from kumi.mapping.scan import MappingError, Scan

Cells = NDArray[np.bool_]

OCCUPIED = 1.0
FREE_EVIDENCE = -0.5
"""Nats: from the one on a cell is called occupied, up to the other free."""


@dataclass(frozen=True, eq=False)
class OccupancyMap:
    """Evidence of cells of `cell` metres; the first cell is at `column` and `row` of the lattice."""

    evidence: NDArray[np.float32]
    column: int
    row: int
    cell: float

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        rows, columns = self.evidence.shape
        return rows, columns

    @property
    def occupied(self) -> Cells:
        """The cells that stop beams."""
        cells: Cells = self.evidence >= OCCUPIED
        return cells

    @property
    def free(self) -> Cells:
        """The cells that beams go through."""
        cells: Cells = self.evidence <= FREE_EVIDENCE
        return cells

    @property
    def known(self) -> Cells:
        """The cells that are one or the other."""
        return self.occupied | self.free

    @property
    def area(self) -> float:
        """Square metres that are known."""
        return float(np.count_nonzero(self.known)) * self.cell * self.cell

    @property
    def bounds(self) -> Bounds:
        """The rectangle of all cells, in metres."""
        rows, columns = self.shape
        left, bottom = self.column * self.cell, self.row * self.cell
        return Bounds(left, bottom, left + columns * self.cell, bottom + rows * self.cell)

    def cell_at(self, place: PointLike) -> tuple[int, int]:
        """Return the (row, column) of a place, which may lie outside the array."""
        point = as_point(place)
        return floor(point.y / self.cell) - self.row, floor(point.x / self.cell) - self.column

    def contains(self, cell: tuple[int, int]) -> bool:
        """Tell whether a (row, column) lies in the array."""
        return 0 <= cell[0] < self.shape[0] and 0 <= cell[1] < self.shape[1]

    def centre(self, cell: Sequence[int]) -> Point:
        """Return the middle of a cell."""
        return Point((self.column + cell[1] + 0.5) * self.cell, (self.row + cell[0] + 0.5) * self.cell)

    def over(self, bounds: tuple[int, int, int, int]) -> NDArray[np.float32]:
        """Return the evidence of the lattice from (column, row) up to but without (column, row)."""
        left, bottom, right, top = bounds
        wide = np.zeros((top - bottom, right - left), dtype=np.float32)
        rows, columns = self.shape
        first_row, first_column = max(bottom, self.row), max(left, self.column)
        last_row, last_column = min(top, self.row + rows), min(right, self.column + columns)
        if first_row < last_row and first_column < last_column:
            wide[first_row - bottom : last_row - bottom, first_column - left : last_column - left] = (
                self.evidence[
                    first_row - self.row : last_row - self.row,
                    first_column - self.column : last_column - self.column,
                ]
            )
        return wide

    def around(self, place: Point, reach: float) -> OccupancyMap:
        """Return the part of the map within so many metres of a place along rows and columns; at least one cell."""
        (row, column), cells = self.cell_at(place), ceil(reach / self.cell)
        low_row, low_column = (
            min(max(at - cells, 0), size - 1) for at, size in zip((row, column), self.shape, strict=True)
        )
        high_row, high_column = max(row + cells, low_row) + 1, max(column + cells, low_column) + 1
        part = self.evidence[low_row:high_row, low_column:high_column]
        return OccupancyMap(part, self.column + low_column, self.row + low_row, self.cell)

    @property
    def lattice(self) -> tuple[int, int, int, int]:
        """Its part of the lattice: the first column and row, and those after the last."""
        rows, columns = self.shape
        return self.column, self.row, self.column + columns, self.row + rows


def hull(maps: Iterable[OccupancyMap]) -> tuple[int, int, int, int]:
    """Return the least part of the lattice that holds some maps of one frame."""
    found = list(maps)
    if not found:
        raise MappingError("maps are laid together, but there is none")
    if len({one.cell for one in found}) > 1:
        raise MappingError(f"maps have cells of one size, not {sorted({one.cell for one in found})} m")
    lefts, bottoms, rights, tops = zip(*(one.lattice for one in found), strict=True)
    return min(lefts), min(bottoms), max(rights), max(tops)


def trimmed(evidence: Any, column: int, row: int, cell: float) -> OccupancyMap:
    """Return a map without the outer rows and columns that nobody saw."""
    seen = evidence != 0.0
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    if not len(rows):
        return OccupancyMap(np.zeros((1, 1), dtype=np.float32), column, row, cell)
    part = evidence[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].copy()
    return OccupancyMap(part, column + int(columns[0]), row + int(rows[0]), cell)


class Drawing:
    """A map that is drawn from scans at known poses."""

    def __init__(self, ranges: RangeModel | None = None, beams: Sequence[Beam] = PACKET_BEAMS) -> None:
        self.ranges = ranges or RangeModel()
        self._core = EvidenceMap(mounts(beams), self.ranges.array())

    def add(self, pose: Pose, scan: Scan) -> None:
        """Add what a scan at a pose says."""
        self._core.add(pose.position.x, pose.position.y, pose.heading, scan.array())

    def likelihood(self, pose: Pose, scan: Scan) -> float:
        """Return how likely a scan is at a pose: a density, for each beam that hit in 1/m."""
        return self._core.likelihood(pose.position.x, pose.position.y, pose.heading, scan.array())

    @property
    def map(self) -> OccupancyMap:
        """The map so far."""
        return trimmed(*self._core.evidence(), self.ranges.cell)


def mounts(beams: Sequence[Beam]) -> NDArray[np.float64]:
    """Return where beams leave, and in which direction, for the core."""
    if not beams:
        raise MappingError("a robot that draws a map has at least one beam")
    return np.array([(beam.x, beam.y, beam.bearing) for beam in beams], dtype=np.float64)

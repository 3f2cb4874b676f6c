"""Into which cells of a grid does something reach?

A cell is reached by what has a point in its inside, however little: so thin walls are not lost, and what was
traced from cells gives the same cells again. Three counts do it without looking at single cells. A polygon
reaches the cells through whose inside one of its edges goes; any other cell lies wholly inside or outside,
and its centre tells: walking along the row from the left, edges that go down lead in, and edges that go up
lead out. A circle reaches the cells whose nearest point is nearer than its radius.

A wall without thickness that runs between two cells counts for the one above it, or to its right. Places
closer to a line of the grid than a millionth of a cell are taken to be on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kumi.geometry import Bounds, Circle, Outline, Point
from kumi.maths import hypot
from kumi.world.map_error import MapError
from kumi.world.obstacles import Block, Forbidden, Hole, Obstacle, Pillar, Slow, Terrain, Wall

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kumi.world.map import Map
    from kumi.world.outlines import Cells

MOST_CELLS = 64_000_000
"""Cells: 8,000 by 8,000. The map of a building of that size takes seconds and a gigabyte."""

RASTER_TOLERANCE = 1e-6
Numbers = NDArray[np.float64]
Lines = tuple[Numbers, Numbers]
"""The starts and the ends of straight lines, each [line, x or y], counted in cells."""


@dataclass(frozen=True)
class Raster:
    """Square cells that cover a rectangle, beginning at its lower left corner."""

    bounds: Bounds
    resolution: float
    columns: int
    rows: int

    def reached(self, things: Iterable[Obstacle | Terrain]) -> Cells:
        """Return the cells into which any of these reaches."""
        outlines, circles, lines = [], [], []
        for thing in things:
            match thing:
                case Block(outline):
                    outlines.append(outline)
                case Wall(start, end, 0):
                    lines.append((start, end))
                case Wall(start, end, thickness):
                    outlines.append(_sides(start, end, thickness))
                    circles += [Circle(start, thickness / 2), Circle(end, thickness / 2)]
                case Pillar(centre, radius):
                    circles.append(Circle(centre, radius))
                case Slow(Outline() as area) | Hole(Outline() as area) | Forbidden(Outline() as area):
                    outlines.append(area)
                case Slow(Circle() as area) | Hole(Circle() as area) | Forbidden(Circle() as area):
                    circles.append(area)
        return self._in_outlines(outlines) | self._in_circles(circles) | self._on_lines(lines)

    @property
    def outside(self) -> Cells:
        """The cells that stick out of the rectangle, because it is no whole number of cells."""
        cells = np.zeros((self.rows, self.columns), dtype=np.bool_)
        left, bottom, right, top = self.bounds
        cells[:, self.columns - 1] |= (right - left) / self.resolution < self.columns - RASTER_TOLERANCE
        cells[self.rows - 1] |= (top - bottom) / self.resolution < self.rows - RASTER_TOLERANCE
        return cells

    def _in_outlines(self, outlines: list[Outline]) -> Cells:
        change = self._no_change()
        if outlines:
            lines, signs = self._edges(outlines)
            self._count_crossed(change, lines, at_least=0)
            self._count_inside(change, lines, signs)
        return np.cumsum(change, axis=1)[:, :-1] > 0

    def _on_lines(self, lines: list[tuple[Point, Point]]) -> Cells:
        change = self._no_change()
        if lines:
            starts, ends = zip(*lines, strict=True)
            self._count_crossed(change, (self._cells(starts), self._cells(ends)), at_least=1)
        return np.cumsum(change, axis=1)[:, :-1] > 0

    def _in_circles(self, circles: list[Circle]) -> Cells:
        cells = np.zeros((self.rows, self.columns), dtype=np.bool_)
        for circle in circles:
            x, y = self._cells([circle.centre])[0]
            radius = circle.radius / self.resolution
            columns = np.arange(max(0, math.floor(x - radius)), min(self.columns, math.ceil(x + radius)))
            rows = np.arange(max(0, math.floor(y - radius)), min(self.rows, math.ceil(y + radius)))
            if len(columns) and len(rows):
                across, up = np.clip(x, columns, columns + 1) - x, np.clip(y, rows, rows + 1) - y
                is_near = hypot(across[None, :], up[:, None]) < radius - RASTER_TOLERANCE
                cells[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] |= is_near
        return cells

    def _no_change(self) -> NDArray[np.int32]:
        """Return for each row how much more is counted from each column on: nothing yet."""
        return np.zeros((self.rows, self.columns + 1), dtype=np.int32)

    def _cells(self, points: Iterable[Point]) -> Numbers:
        """Return places counted in cells."""
        places = np.array([(point.x, point.y) for point in points])
        counted: Numbers = (places - np.array(self.bounds[:2])) / self.resolution
        return counted

    def _edges(self, outlines: list[Outline]) -> tuple[Lines, NDArray[np.int64]]:
        """Return the edges of all polygons, and for each whether its polygon is counter-clockwise: 1 or -1."""
        starts = self._cells(corner for outline in outlines for corner in outline.corners)
        counts = np.array([len(outline.corners) for outline in outlines])
        firsts = np.cumsum(counts) - counts
        following = np.arange(1, len(starts) + 1)
        following[firsts + counts - 1] = firsts
        ends = starts[following]
        area = np.add.reduceat(starts[:, 0] * ends[:, 1] - ends[:, 0] * starts[:, 1], firsts)
        return (starts, ends), np.repeat(np.where(area < 0, -1, 1), counts)

    def _count_inside(self, change: NDArray[np.int32], lines: Lines, signs: NDArray[np.int64]) -> None:
        """Count, from the first centre to the right of an edge on, one more polygon or one less."""
        starts, ends = lines
        lows, highs = np.minimum(starts[:, 1], ends[:, 1]), np.maximum(starts[:, 1], ends[:, 1])
        line, row = _spread(np.ceil(lows - 0.5), np.ceil(highs - 0.5), self.rows)
        x = _crossing(starts[line], ends[line], row + 0.5)
        column = np.clip(np.ceil(x - 0.5), 0, self.columns).astype(np.int64)
        step = np.where(ends[line, 1] < starts[line, 1], 1, -1) * signs[line]
        np.add.at(change, (row, column), step.astype(np.int32))

    def _count_crossed(self, change: NDArray[np.int32], lines: Lines, at_least: int) -> None:
        """Count the cells through whose inside a line goes: in each row from one column to another."""
        starts, ends = lines
        lows, highs = np.minimum(starts[:, 1], ends[:, 1]), np.maximum(starts[:, 1], ends[:, 1])
        firsts, lasts = _span(lows, highs, at_least, self.rows)
        line, row = _spread(firsts, lasts, self.rows)
        enters = _crossing(starts[line], ends[line], np.maximum(row, lows[line]))
        leaves = _crossing(starts[line], ends[line], np.minimum(row + 1, highs[line]))
        is_level = starts[line, 1] == ends[line, 1]
        enters, leaves = (
            np.where(is_level, starts[line, 0], enters),
            np.where(is_level, ends[line, 0], leaves),
        )
        begin, end = _span(np.minimum(enters, leaves), np.maximum(enters, leaves), at_least, self.columns)
        first, last = (np.clip(column, 0, self.columns).astype(np.int64) for column in (begin, end))
        is_any = first < last
        np.add.at(change, (row[is_any], first[is_any]), 1)
        np.add.at(change, (row[is_any], last[is_any]), -1)


def raster_of(drawn: Map, resolution: float, where: str) -> Raster:
    """Return cells that cover the plane of a map, or, if that has no end, what is in it."""
    check_resolution(resolution, where)
    bounds = drawn.bounds if drawn.is_finite else drawn.content_bounds
    if bounds is None:
        raise MapError("an infinite plane with nothing in it has no size to draw", where)
    left, bottom, right, top = bounds
    columns, rows = (
        max(1, math.ceil(length / resolution - RASTER_TOLERANCE)) for length in (right - left, top - bottom)
    )
    check_size(columns, rows, where)
    if not drawn.is_finite:
        bounds = Bounds(left, bottom, left + columns * resolution, bottom + rows * resolution)
    return Raster(bounds, resolution, columns, rows)


def check_resolution(resolution: object, where: str) -> None:
    """Raise if this is no size for a cell."""
    if not isinstance(resolution, int | float) or not 0 < resolution < math.inf:
        raise MapError(f"resolution is {resolution!r}; it takes a number of metres greater than 0", where)


def check_size(columns: int, rows: int, where: str) -> None:
    """Raise if a grid has no cells, or more than can be handled."""
    if not 0 < columns * rows <= MOST_CELLS:
        raise MapError(f"{columns:,} by {rows:,} cells; a map has from 1 to {MOST_CELLS:,}", where)


def _sides(start: Point, end: Point, thickness: float) -> Outline:
    along = end - start
    aside = Point(-along.y, along.x) * (thickness / 2 / abs(along))
    return Outline((start - aside, end - aside, end + aside, start + aside))


def _span(low: Numbers, high: Numbers, at_least: int, limit: int) -> Lines:
    """Return the first cell of a row or column whose inside meets an interval, and the first after it."""
    first = np.floor(low + RASTER_TOLERANCE)
    last = np.maximum(np.ceil(high - RASTER_TOLERANCE), first + at_least)
    on_the_end = (first == limit) & (last == limit + 1) & (at_least > 0)
    return first - on_the_end, last - on_the_end


def _spread(first: Numbers, last: Numbers, limit: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of a line and each of its rows, from `first` up to but without `last`, inside the grid."""
    low, high = (np.clip(end, 0, limit).astype(np.int64) for end in (first, last))
    counts = np.maximum(high - low, 0)
    line = np.repeat(np.arange(len(counts)), counts)
    return line, np.arange(len(line)) - np.repeat(np.cumsum(counts) - counts, counts) + low[line]


def _crossing(start: Numbers, end: Numbers, y: NDArray[np.floating]) -> Numbers:
    """Return where lines are at a height; for level ones, where they begin."""
    rise = end[:, 1] - start[:, 1]
    share = np.divide(y - start[:, 1], rise, out=np.zeros(len(start)), where=rise != 0)
    x: Numbers = start[:, 0] + np.clip(share, 0.0, 1.0) * (end[:, 0] - start[:, 0])
    return x

"""Through which free cells does a way lead?

The window is cut into square cells, and these into four again, where it matters. The distance from obstacles
changes by no more than the way one goes, so a cell whose middle is farther from them than the clearance and
half the cell's diagonal is free as a whole; one whose middle is nearer than the clearance less that half is
blocked as a whole; others are cut, down to a least size. A* leads from a free cell to its neighbours, through
the middles of the borders that they share. Free cells are convex, so each leg is free.

Approximate in one way only: cells of the least size that are neither free nor blocked count as blocked. What
is found is free; a way is missed only if it is narrower, somewhere, than the robot and about three of these.

Brooks and Lozano-Pérez, "A subdivision algorithm in configuration space for findpath with rotation", 1985.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kumi.geometry import Bounds, Point
from kumi.maths import hypot, log2
from kumi.planning.distances import Numbers
from kumi.planning.field import check_cell
from kumi.planning.space import PlanError

if TYPE_CHECKING:
    from kumi.planning.criteria import Criterion
    from kumi.planning.space import Space

Whole = NDArray[np.int64]

COARSE_FACTOR = 8
"""Cells along the longer side of the window before any is cut."""

MOST_CELLS = 1_000_000


@dataclass(frozen=True, eq=False)
class FreeCells:
    """Free cells: lower left corners and sides, counted in the least size from the window's lower left."""

    window: Bounds
    unit: float
    corner: Whole
    side: Whole

    def places(self, counted: Numbers | Whole) -> Numbers:
        """Return as places in metres what is counted in the least size."""
        found: Numbers = np.array([self.window.left, self.window.bottom]) + counted * self.unit
        return found


def decompose(space: Space, window: Bounds, clearance: float, least: float) -> FreeCells:
    """Return the free cells of a window, none of them smaller than a least size in metres."""
    check_cell(least)
    width, height = window.right - window.left, window.top - window.bottom
    side = max(1, 1 << max(0, ceil(log2(max(width, height) / COARSE_FACTOR / least))))
    columns, rows = (max(1, ceil(length / (side * least) - 1e-9)) for length in (width, height))
    grid = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).reshape(-1, 2)
    corners: Whole = grid.astype(np.int64) * side
    origin = np.array([window.left, window.bottom])
    free: list[Whole] = []
    sides: list[Whole] = []
    while len(corners):
        if len(corners) + sum(len(part) for part in free) > MOST_CELLS:
            raise PlanError(f"cells of {least:g} m are more than {MOST_CELLS:,}; take larger ones")
        half = side * least * sqrt(0.5)
        gaps = space.clearances(origin + (corners + side / 2) * least, clearance + half)
        is_free = gaps > clearance + half
        free.append(corners[is_free])
        sides.append(np.full(np.count_nonzero(is_free), side))
        if side == 1:
            break
        mixed = corners[~is_free & (gaps > clearance - half)]
        side //= 2
        quarters = np.array([(0, 0), (1, 0), (0, 1), (1, 1)]) * side
        corners = (mixed[:, None, :] + quarters).reshape(-1, 2)
    return FreeCells(window, least, np.concatenate(free), np.concatenate(sides))


def cells_route(
    space: Space, cells: FreeCells, start: Point, goal: Point, clearance: float, criterion: Criterion
) -> Numbers | None:
    """Return a route through the middles of borders of free cells, or None."""
    count = len(cells.side)
    if not count:
        return None
    one, other = _neighbours(cells)
    doors = cells.places(_doors(cells, one, other))
    begins, ends = (_seen_cells(space, cells, place, clearance) for place in (start, goal))
    middles = cells.places(cells.corner + cells.side[:, None] / 2)
    costs = criterion.at(space.clearances(middles)) if criterion.per_metre else np.ones(count)
    chain = _search(_Graph(one, other, doors, costs, middles), begins, ends, goal)
    return None if chain is None else np.vstack([[tuple(start)], chain, [tuple(goal)]])


@dataclass(frozen=True, eq=False)
class _Graph:
    """Pairs of neighbours, the middles of their common borders, and cost per metre and middle of each cell."""

    one: Whole
    other: Whole
    doors: Numbers
    costs: Numbers
    middles: Numbers

    def by_cell(self) -> list[list[tuple[int, int]]]:
        """Return for each cell its neighbours and the numbers of the doors to them."""
        table: list[list[tuple[int, int]]] = [[] for _ in self.costs]
        for door, (one, other) in enumerate(zip(self.one.tolist(), self.other.tolist(), strict=True)):
            table[one].append((other, door))
            table[other].append((one, door))
        return table


def _search(graph: _Graph, begins: dict[int, float], ends: dict[int, float], goal: Point) -> Numbers | None:
    """A* over cells; a cell is entered at the place of the door through which it was first reached best."""
    neighbours = graph.by_cell()
    doors = graph.doors.tolist()
    factors, middles = graph.costs.tolist(), graph.middles.tolist()
    entries: dict[int, tuple[float, float]] = {cell: (middles[cell][0], middles[cell][1]) for cell in begins}
    costs = dict(begins)
    before: dict[int, tuple[int, int]] = {}
    aim = (goal.x, goal.y)
    queue = [(cost + _far(entries[cell], aim), cell) for cell, cost in sorted(begins.items())]
    heapq.heapify(queue)
    done: set[int] = set()
    while queue:
        _, here = heapq.heappop(queue)
        if here in done:
            continue
        done.add(here)
        if here in ends:
            return _back(graph, before, here)
        for there, door in neighbours[here]:
            through = (doors[door][0], doors[door][1])
            cost = costs[here] + factors[here] * _far(entries[here], through)
            if there not in done and cost < costs.get(there, np.inf):
                costs[there], entries[there], before[there] = cost, through, (here, door)
                heapq.heappush(queue, (cost + _far(through, aim), there))
    return None


def _back(graph: _Graph, before: dict[int, tuple[int, int]], last: int) -> Numbers:
    """Return the doors on the way to a cell, between the middles of the first and the last cell."""
    chain, here = [graph.middles[last]], last
    while here in before:
        here, door = before[here]
        chain.append(graph.doors[door])
    chain.append(graph.middles[here])
    return np.array(chain[::-1])


def _far(one: tuple[float, float], other: tuple[float, float]) -> float:
    return hypot(one[0] - other[0], one[1] - other[1])


def _seen_cells(space: Space, cells: FreeCells, place: Point, clearance: float) -> dict[int, float]:
    """Return cells whose middle a place sees, with the distance: of those near it, also where none holds it."""
    here = np.array([[place.x, place.y]])
    middles = cells.places(cells.corner + cells.side[:, None] / 2)
    low, high = cells.places(cells.corner), cells.places(cells.corner + cells.side[:, None])
    apart = hypot(*(here - np.clip(here, low, high)).T)
    order = np.argsort(apart, kind="stable")[:32]
    seen = order[space.sees(np.repeat(here, len(order), axis=0), middles[order], clearance)]
    return {int(cell): float(hypot(*(middles[cell] - here[0]))) for cell in seen}


def _neighbours(cells: FreeCells) -> tuple[Whole, Whole]:
    """Return all pairs of cells that share more than a corner, each once."""
    pairs = [_along(cells.corner, cells.side, axis) for axis in (0, 1)]
    one, other = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return one, other


def _along(corner: Whole, side: Whole, axis: int) -> tuple[Whole, Whole]:
    """Return the pairs of which the second begins where the first ends along an axis.

    Cells that end on a line, and those that begin there, lie on it in an order without overlaps; so the two
    ends of each cell on one side are looked up among the beginnings on the other.
    """
    across = 1 - axis
    lowest = int(corner.min())
    span = int((corner + side[:, None]).max()) - lowest + 1
    begins_at = (corner[:, axis] - lowest) * span + corner[:, across] - lowest
    ends_at = (corner[:, axis] + side - lowest) * span + corner[:, across] - lowest
    found: list[tuple[Whole, Whole]] = []
    for keys, others, flip in ((ends_at, begins_at, False), (begins_at, ends_at, True)):
        order = np.argsort(others, kind="stable")
        first = np.searchsorted(others[order], keys, "left")
        last = np.searchsorted(others[order], keys + side, "left")
        counts = last - first
        one = np.repeat(np.arange(len(side)), counts)
        at = np.arange(len(one)) - np.repeat(np.cumsum(counts) - counts, counts) + first[one]
        other = order[at]
        # Cells of one size that face each other are found from both sides; they are kept once.
        keep = np.ones(len(one), dtype=np.bool_) if not flip else keys[one] != others[other]
        found.append((other[keep], one[keep]) if flip else (one[keep], other[keep]))
    ones, others_ = (np.concatenate(column) for column in zip(*found, strict=True))
    return ones, others_


def _doors(cells: FreeCells, one: Whole, other: Whole) -> Numbers:
    """Return the middles of the borders that pairs of cells share, counted in the least size."""
    low = np.maximum(cells.corner[one], cells.corner[other])
    high = np.minimum(
        cells.corner[one] + cells.side[one][:, None], cells.corner[other] + cells.side[other][:, None]
    )
    middles: Numbers = (low + high) / 2
    return middles

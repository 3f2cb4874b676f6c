"""Which few polygons cover exactly the blocked cells of a grid?

Every side of a blocked cell that faces a free one is an edge with the blocked cell on its left. At its end
each edge has one successor, so the edges close to loops: counter-clockwise ones around what is blocked,
clockwise ones around the holes in it. A simple polygon has no hole. So the first walk finds the holes, from
the top of each of them a cut goes left and another right until they meet something free, and the second walk
goes along the cuts, too.

Why two cuts suffice: each leads to what is free and lies higher, or as high and further out, hence at last to
the outside. So every hole hangs on the outside by two ways that share no cut; together they are a closed
line around one side of each cut, and no piece has both sides of a cut. Cells that only share a corner belong
to different polygons, even when those touch there. Sides on one line are one edge.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]
"""A grid of cells: [row, column], where row 0 is the lowest, as y counts."""

LEFT, STRAIGHT, RIGHT = 1, 0, -1
HOLES_FIRST = (RIGHT, STRAIGHT, LEFT)
PIECES_FIRST = (LEFT, STRAIGHT, RIGHT)


class Loops(NamedTuple):
    """Closed lines along the sides of cells, as their unit edges in order, one loop after the other."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    direction: NDArray[np.int64]
    loop: NDArray[np.int64]


def outlines(blocked: Cells) -> list[NDArray[np.int64]]:
    """Return simple polygons, counter-clockwise, that cover the blocked cells and nothing else, each once.

    A polygon is an array of its corners (x, y), counted in cells.
    """
    if not blocked.any():
        return []
    holes = _loops(blocked, np.zeros((blocked.shape[0] + 1, blocked.shape[1]), dtype=np.bool_), HOLES_FIRST)
    edges = _loops(blocked, _cuts(blocked, holes), PIECES_FIRST)
    before = np.arange(-1, len(edges.loop) - 1)
    starts = np.flatnonzero(np.diff(edges.loop, prepend=-1))
    before[starts] = np.append(starts[1:], len(edges.loop)) - 1
    is_corner = edges.direction != edges.direction[before]
    corners = np.stack([edges.x[is_corner], edges.y[is_corner]], axis=1)
    return np.split(corners, np.flatnonzero(np.diff(edges.loop[is_corner])) + 1)


def _loops(blocked: Cells, cuts: Cells, turns: tuple[int, int, int]) -> Loops:
    """Walk along all sides between blocked and free, and along both sides of the cuts.

    `turns` says which way to prefer where several edges leave a point.
    """
    leaving = _edges(blocked, cuts)
    points, across = leaving.shape[1], blocked.shape[1] + 1
    edges = np.flatnonzero(leaving)
    direction, start = np.divmod(edges, points)
    end = start + np.array([1, across, -1, -across])[direction]
    turned = (direction + turns[2]) % 4
    for turn in turns[1::-1]:
        wanted = (direction + turn) % 4
        turned = np.where(leaving[wanted, end], wanted, turned)
    order, loop = _cycles(np.searchsorted(edges, turned * points + end).tolist())
    y, x = np.divmod(start[order], across)
    return Loops(x, y, direction[order], loop)


def _edges(blocked: Cells, cuts: Cells) -> Cells:
    """Tell for each direction (east, north, west, south) and each corner of a cell whether an edge leaves."""
    height, width = blocked.shape
    cells = np.pad(blocked, 1)
    south_west, south_east, north_west, north_east = (
        cells[:-1, :-1],
        cells[:-1, 1:],
        cells[1:, :-1],
        cells[1:, 1:],
    )
    edges = np.stack(
        [
            north_east & ~south_east,
            north_west & ~north_east,
            south_west & ~north_west,
            south_east & ~south_west,
        ]
    )
    edges[0, :, :-1] |= cuts
    edges[2, :, 1:] |= cuts
    return edges.reshape(4, (height + 1) * (width + 1))


def _cycles(successor: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the members of each cycle in order, one cycle after the other, and the cycle of each."""
    order: list[int] = []
    lengths: list[int] = []
    is_new = bytearray(b"\1") * len(successor)
    for start in range(len(successor)):
        if is_new[start]:
            edge, known = start, len(order)
            while is_new[edge]:
                is_new[edge] = 0
                order.append(edge)
                edge = successor[edge]
            lengths.append(len(order) - known)
    return np.array(order, dtype=np.int64), np.repeat(np.arange(len(lengths)), lengths)


def _cuts(blocked: Cells, edges: Loops) -> Cells:
    """Return the sides between two blocked cells, one above the other, along which to cut holes open."""
    cuts = np.zeros((blocked.shape[0] + 1, blocked.shape[1]), dtype=np.bool_)
    starts = np.flatnonzero(np.diff(edges.loop, prepend=-1))
    area = np.add.reduceat(edges.x * np.array([0, 1, 0, -1])[edges.direction], starts)
    top = np.maximum.reduceat(edges.y, starts)
    is_top = edges.y == top[edges.loop]
    left = np.minimum.reduceat(np.where(is_top, edges.x, blocked.shape[1]), starts)
    right = np.maximum.reduceat(np.where(is_top, edges.x, 0), starts)
    holes = np.flatnonzero(area < 0)
    holes = holes[np.argsort(top[holes], kind="stable")]
    for group in np.split(holes, np.flatnonzero(np.diff(top[holes])) + 1) if len(holes) else []:
        row = top[group[0]]
        stops = np.flatnonzero(np.pad(~(blocked[row - 1] & blocked[row]), 1, constant_values=True))
        begins = np.append(stops[np.searchsorted(stops, left[group], side="right") - 1], right[group])
        ends = np.append(left[group], stops[np.searchsorted(stops, right[group], side="right")] - 1)
        change = np.zeros(blocked.shape[1] + 1, dtype=np.int64)
        np.add.at(change, begins, 1)
        np.add.at(change, ends, -1)
        cuts[row] = np.cumsum(change)[:-1] > 0
    return cuts

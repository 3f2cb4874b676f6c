"""The length of a shortest way at any angle by exhaustive visibility, in whole numbers: the judge of `any_angle_path`.

Places are counted in half cells from the outer corner of the map, so that corners have even and centres odd numbers. A
way is a chain of straight lines between the start, the goal and corners of cells. A line is free when it enters no
blocked cell, does not run between two that lie side by side, and does not pass the point where two touch in a corner.
"""

from __future__ import annotations

from itertools import pairwise, product
from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Cell = tuple[int, int]


def shortest(blocked: NDArray[np.bool_], start: Cell, goal: Cell) -> float | None:
    """Return the length in cells, or None when there is no way."""
    if blocked[start] or blocked[goal]:
        return None
    around = np.pad(blocked, 1, constant_values=True)
    places = np.array([centre(start), centre(goal), *corners(around)], dtype=np.int64)
    free = sight(around, places)
    steps = places[:, None] - places[None]
    lengths = np.where(free, np.sqrt((steps**2).sum(axis=2)) / 2, inf)
    known, is_settled = np.full(len(places), inf), np.zeros(len(places), dtype=bool)
    known[0] = 0.0
    while not is_settled[1]:
        at = int(np.argmin(np.where(is_settled, inf, known)))
        if is_settled[at] or known[at] == inf:
            return None
        is_settled[at] = True
        known = np.minimum(known, known[at] + lengths[at])
    return float(known[1])


def centre(cell: Cell) -> Cell:
    """Return the centre of a cell on the map with a ring of blocked cells around it."""
    return 2 * cell[0] + 3, 2 * cell[1] + 3


def corners(around: NDArray[np.bool_]) -> list[Cell]:
    """Return the corners of blocked cells with a free one beside them, but for those where two touch diagonally."""
    found = []
    for row, column in product(range(1, around.shape[0]), range(1, around.shape[1])):
        four = around[row - 1 : row + 1, column - 1 : column + 1]
        if four.any() and not four.all() and not touches(four):
            found.append((2 * row, 2 * column))
    return found


def touches(four: NDArray[np.bool_]) -> bool:
    """Tell whether exactly two of four cells are blocked, and touch in the corner between."""
    return bool(four.sum() == 2 and four[0, 0] == four[1, 1])


def sight(around: NDArray[np.bool_], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell of all pairs of places whether the line between them is free."""
    free = np.ones((len(places), len(places)), dtype=bool)
    one, other = places[:, None], places[None]
    for (row, column), (high, wide) in product(np.argwhere(around).tolist(), ((1, 1), (1, 2), (2, 1))):
        part = around[row : row + high, column : column + wide]
        if part.shape == (high, wide) and part.all():
            free &= ~enters(one, other, 2 * row, 2 * column, 2 * (row + high), 2 * (column + wide))
    for row, column in product(range(1, around.shape[0]), range(1, around.shape[1])):
        if touches(around[row - 1 : row + 1, column - 1 : column + 1]):
            free &= ~passes(one, other, np.array([2 * row, 2 * column]))
    return free


def enters(
    one: NDArray[Any], other: NDArray[Any], top: int, left: int, bottom: int, right: int
) -> NDArray[np.bool_]:
    """Tell whether lines meet the inside of a rectangle: no side of it and no line itself separates the two."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    meets = (low < (bottom, right)).all(axis=2) & (high > (top, left)).all(axis=2)
    sides = [turn(one, other, np.array(corner)) for corner in product((top, bottom), (left, right))]
    inside: NDArray[np.bool_] = meets & (np.min(sides, axis=0) < 0) & (np.max(sides, axis=0) > 0)
    return inside


def passes(one: NDArray[Any], other: NDArray[Any], point: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell whether a point lies on a line."""
    between = ((np.minimum(one, other) <= point) & (point <= np.maximum(one, other))).all(axis=2)
    on_line: NDArray[np.bool_] = between & (turn(one, other, point) == 0)
    return on_line


def turn(one: NDArray[Any], other: NDArray[Any], point: NDArray[Any]) -> NDArray[np.int64]:
    """Return on which side of a line a point lies: less than 0, 0 or more."""
    along, to = other - one, point - one
    side: NDArray[np.int64] = along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]
    return side


def length_of(blocked: NDArray[np.bool_], places: NDArray[Any]) -> float:
    """Return the length of a way whose places count from the centre of the first cell, after checking its lines."""
    around = np.pad(blocked, 1, constant_values=True)
    halves = 2 * places + 3
    chain = halves.astype(np.int64)
    assert (chain == halves).all()
    pairs = pairwise(chain)
    assert all(sight(around, np.array(pair))[0, 1] for pair in pairs)
    assert not any(
        touches(around[r // 2 - 1 : r // 2 + 1, c // 2 - 1 : c // 2 + 1]) for r, c in chain[1:-1].tolist()
    )
    return sum(sqrt(float(((one - other) ** 2).sum())) / 2 for one, other in pairwise(chain))

"""Which points of a chain are needed as sub-goals?

A chain of many points, such as the cells of a path through a grid, is cut short: from each point to each later
one there may be a straight way, and the cheapest way through a part of the points is found by going through
them once in order. A long chain is cut in windows, which bounds the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kumi.geometry import Point
from kumi.maths import hypot
from kumi.planning.distances import Lines, Numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

WINDOW = 96
"""Points looked at together: 4,560 ways."""


def turns(places: Numbers) -> NDArray[np.int64]:
    """Return which points of a chain are not in the middle of a straight part: both ends, and the turns."""
    apart = np.flatnonzero(np.concatenate([[True], (np.diff(places, axis=0) != 0).any(axis=1)]))
    steps = np.diff(places[apart], axis=0)
    cross = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
    dot = (steps[:-1] * steps[1:]).sum(axis=1)
    is_turn = np.abs(cross) > 1e-12 * dot
    kept: NDArray[np.int64] = apart[np.concatenate([[True], is_turn, [True] * (len(apart) > 1)])]
    return kept


def shortened(
    places: Numbers, allowed: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
) -> NDArray[np.int64]:
    """Return the points of the shortest way through a part of a chain.

    `allowed` tells for pairs of points, given by their numbers, whether the straight way between them may be
    taken. Neighbours in the chain are always joined.
    """
    chosen = np.arange(len(places))
    while True:
        parts = [chosen[first : first + WINDOW] for first in range(0, max(len(chosen) - 1, 1), WINDOW - 1)]
        kept = [_shortest(places, part, allowed) for part in parts]
        following = np.concatenate([kept[0], *(part[1:] for part in kept[1:])])
        if len(following) == len(chosen) or len(parts) == 1:
            return following
        chosen = following


def strays(places: Numbers, one: NDArray[np.int64], other: NDArray[np.int64]) -> Numbers:
    """Return for pairs of points of a chain how far those between them lie off the straight way, at most."""
    lines = Lines(places[one], places[other], np.zeros(len(one)), np.full(len(one), -1))
    found = np.zeros(len(one))
    for number in range(int(one.min(initial=0)), int(other.max(initial=0)) + 1):
        between = np.flatnonzero((one < number) & (number < other))
        gaps = lines.only(between).gaps(places[number])
        found[between] = np.maximum(found[between], gaps)
    return found


def _shortest(
    places: Numbers,
    chosen: NDArray[np.int64],
    allowed: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]],
) -> NDArray[np.int64]:
    count = len(chosen)
    one, other = np.triu_indices(count, 1)
    may = np.zeros((count, count), dtype=np.bool_)
    may[one, other] = (other == one + 1) | allowed(chosen[one], chosen[other])
    at = places[chosen]
    costs, before = np.full(count, np.inf), np.zeros(count, dtype=np.int64)
    costs[0] = 0.0
    for here in range(1, count):
        ways = hypot(*(at[:here] - at[here]).T)
        totals = np.where(may[:here, here], costs[:here] + ways, np.inf)
        before[here] = int(totals.argmin())
        costs[here] = totals[before[here]]
    chain = [count - 1]
    while chain[-1] > 0:
        chain.append(int(before[chain[-1]]))
    kept: NDArray[np.int64] = chosen[np.array(chain[::-1])]
    return kept


def as_points(places: Numbers) -> list[Point]:
    """Return places, one row each, as points."""
    return [Point(x, y) for x, y in places.tolist()]

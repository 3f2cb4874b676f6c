"""How far are many places, or many straight ways, from many lines?

All counts are numpy's, over pairs of a place and a line, a limited number of pairs at a time, so that memory
stays bounded and Ctrl-C is heard. Where only distances up to a limit matter, pairs whose boxes are farther
apart are left out first: what is farther than the limit may then be reported as infinitely far.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kumi.maths import hypot

Numbers = NDArray[np.float64]

MOST_PAIRS = 1_000_000
"""Pairs counted at once: some tens of megabytes."""


@dataclass(frozen=True, eq=False)
class Segments:
    """Lines from `start` to `end` with a radius; `outline` is the number of the outline of a side, or -1."""

    start: Numbers
    end: Numbers
    radius: Numbers
    outline: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.radius)

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Segments:
        """Return some of the lines."""
        return Segments(self.start[chosen], self.end[chosen], self.radius[chosen], self.outline[chosen])

    def boxes(self, room: float) -> tuple[Numbers, Numbers]:
        """Return the lower left and upper right corners of upright boxes around the lines, with room."""
        reach = (self.radius + room)[:, None]
        return np.minimum(self.start, self.end) - reach, np.maximum(self.start, self.end) + reach

    def gaps(self, place: Numbers) -> Numbers:
        """Return the distance of one place from each line, less the line's radius."""
        return _place_to_line(place, self.start, self.end) - self.radius


def nearest_lines(places: Numbers, lines: Segments, limit: float = np.inf) -> tuple[Numbers, Numbers]:
    """Return for each place its distance from the nearest line, and the nearest point of that line's middle.

    Farther than the limit there need be no nearest one: then both are infinite.
    """
    found, nearest = np.full(len(places), np.inf), np.full((len(places), 2), np.inf)
    if not len(lines):
        return found, nearest
    if limit == np.inf:
        return _nearest_of_all(places, lines)
    low, high = lines.boxes(limit)
    for part in _parts(len(places), len(lines)):
        here = places[part]
        place, line = np.nonzero(_boxes_meet(here, here, low, high))
        found[part], nearest[part] = nearest_of_pairs(here, lines, place, line)
    return found, nearest


def pairs_within(
    places: Numbers, lines: Segments, limit: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of places and lines in pairs: all that are no farther apart than a limit, and some more."""
    low, high = lines.boxes(limit)
    found = [
        (part.start + place, line)
        for part in _parts(len(places), max(len(lines), 1))
        for place, line in [np.nonzero(_boxes_meet(places[part], places[part], low, high))]
    ]
    return np.concatenate([place for place, _ in found]), np.concatenate([line for _, line in found])


def nearest_of_pairs(
    places: Numbers, lines: Segments, place: NDArray[np.int64], line: NDArray[np.int64]
) -> tuple[Numbers, Numbers]:
    """Return what `nearest_lines` does, among given pairs of a place and a line, infinite without a pair."""
    found, nearest = np.full(len(places), np.inf), np.full((len(places), 2), np.inf)
    feet = _foot(places[place], lines.start[line], lines.end[line])
    gaps = hypot(*(places[place] - feet).T) - lines.radius[line]
    # The last one written for a place is its nearest, and of equals the first.
    order = np.lexsort((-line, -gaps))
    at = place[order]
    found[at], nearest[at] = gaps[order], feet[order]
    return found, nearest


def _nearest_of_all(places: Numbers, lines: Segments) -> tuple[Numbers, Numbers]:
    found, nearest = np.empty(len(places)), np.empty((len(places), 2))
    for part in _parts(len(places), len(lines)):
        gaps = _place_to_line(places[part][:, None, :], lines.start, lines.end) - lines.radius
        line = gaps.argmin(axis=1)
        found[part] = gaps[np.arange(len(line)), line]
        nearest[part] = _foot(places[part], lines.start[line], lines.end[line])
    return found, nearest


def from_ways(starts: Numbers, ends: Numbers, lines: Segments, limit: float = np.inf) -> Numbers:
    """Return for each straight way its distance from the nearest line, less the line's radius."""
    found = np.full(len(starts), np.inf)
    if not len(lines):
        return found
    low, high = lines.boxes(limit)
    for part in _parts(len(starts), len(lines)):
        one, other = starts[part], ends[part]
        near = _boxes_meet(np.minimum(one, other), np.maximum(one, other), low, high)
        way, line = np.nonzero(near)
        if limit < np.inf:
            beside = _beside(
                one[way], other[way], lines.start[line], lines.end[line], lines.radius[line] + limit
            )
            way, line = way[~beside], line[~beside]
        gaps = _way_to_line(one[way], other[way], lines.start[line], lines.end[line]) - lines.radius[line]
        least = np.full(len(one), np.inf)
        np.minimum.at(least, way, gaps)
        found[part] = least
    return found


def insides(places: Numbers, lines: Segments) -> NDArray[np.bool_]:
    """Tell for each place whether it lies inside an outline: a ray to the right crosses its sides oddly often."""
    within = np.zeros(len(places), dtype=np.bool_)
    sides = np.flatnonzero(lines.outline >= 0)
    if not len(sides) or not len(places):
        return within
    start, end, outline = lines.start[sides], lines.end[sides], lines.outline[sides]
    firsts = np.flatnonzero(np.diff(outline, prepend=-1))
    low, high = np.minimum.reduceat(start, firsts), np.maximum.reduceat(start, firsts)
    meets = ((low <= places.max(axis=0)) & (high >= places.min(axis=0))).all(axis=1)
    for number in np.flatnonzero(meets):
        near = np.flatnonzero(((places >= low[number]) & (places <= high[number])).all(axis=1))
        own = slice(firsts[number], firsts[number + 1] if number + 1 < len(firsts) else len(sides))
        within[near] |= _odd(places[near], start[own], end[own])
    return within


def _odd(places: Numbers, start: Numbers, end: Numbers) -> NDArray[np.bool_]:
    """Tell for each place whether a ray to the right crosses lines an odd number of times."""
    odd = np.zeros(len(places), dtype=np.bool_)
    rise = np.where(end[:, 1] == start[:, 1], 1.0, end[:, 1] - start[:, 1])
    for part in _parts(len(places), len(start)):
        x, y = places[part][:, 0:1], places[part][:, 1:2]
        straddles = (start[:, 1] > y) != (end[:, 1] > y)
        crossing = start[:, 0] + (y - start[:, 1]) / rise * (end[:, 0] - start[:, 0])
        odd[part] = (straddles & (x < crossing)).sum(axis=1) % 2 == 1
    return odd


def _parts(count: int, lines: int) -> Iterator[slice]:
    step = max(1, MOST_PAIRS // lines)
    for first in range(0, count, step):
        yield slice(first, first + step)


def _boxes_meet(low: Numbers, high: Numbers, other_low: Numbers, other_high: Numbers) -> NDArray[np.bool_]:
    near: NDArray[np.bool_] = (
        (low[:, None, 0] <= other_high[:, 0])
        & (high[:, None, 0] >= other_low[:, 0])
        & (low[:, None, 1] <= other_high[:, 1])
        & (high[:, None, 1] >= other_low[:, 1])
    )
    return near


def _beside(a: Numbers, b: Numbers, c: Numbers, d: Numbers, reach: Numbers) -> NDArray[np.bool_]:
    """Tell whether lines lie wholly on one side of ways, farther than a reach from their straight lines."""
    along = b - a
    of_c, of_d = _cross(along, c - a), _cross(along, d - a)
    # A little farther, so that rounding decides nothing here.
    far = hypot(along[:, 0], along[:, 1]) * reach * (1 + 1e-9)
    beside: NDArray[np.bool_] = (np.minimum(of_c, of_d) > far) | (np.maximum(of_c, of_d) < -far)
    return beside


def _foot(place: Numbers, start: Numbers, end: Numbers) -> Numbers:
    """Return the point of a line nearest to a place."""
    along, share = end - start, _share(place, start, end)
    foot: Numbers = start + share[..., None] * along
    return foot


def _share(place: Numbers, start: Numbers, end: Numbers) -> Numbers:
    """Return how far along a line, from 0 to 1, the point nearest to a place lies."""
    # By columns: sums over pairs of numbers cost numpy several times as much.
    x, y = start[..., 0], start[..., 1]
    along_x, along_y = end[..., 0] - x, end[..., 1] - y
    square = along_x * along_x + along_y * along_y
    share = ((place[..., 0] - x) * along_x + (place[..., 1] - y) * along_y) / np.where(
        square > 0, square, 1.0
    )
    limited: Numbers = np.minimum(np.maximum(share, 0.0), 1.0)
    return limited


def _place_to_line(place: Numbers, start: Numbers, end: Numbers) -> Numbers:
    share = _share(place, start, end)
    x = place[..., 0] - (start[..., 0] + share * (end[..., 0] - start[..., 0]))
    y = place[..., 1] - (start[..., 1] + share * (end[..., 1] - start[..., 1]))
    gap: Numbers = hypot(x, y)
    return gap


def _way_to_line(a: Numbers, b: Numbers, c: Numbers, d: Numbers) -> Numbers:
    gaps = np.minimum.reduce(
        [_place_to_line(a, c, d), _place_to_line(b, c, d), _place_to_line(c, a, b), _place_to_line(d, a, b)]
    )
    of_a, of_b = _cross(d - c, a - c), _cross(d - c, b - c)
    of_c, of_d = _cross(b - a, c - a), _cross(b - a, d - a)
    crosses = (of_a * of_b < 0) & (of_c * of_d < 0)
    return np.where(crosses, 0.0, gaps)


def _cross(one: Numbers, other: Numbers) -> Numbers:
    product: Numbers = one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]
    return product

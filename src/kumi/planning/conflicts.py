"""Where on its path, and when, would a vehicle meet another whose trajectory is known?

The plane of way and time, (s, t), is cut into cells. The gap between two bodies changes by no more than they
move: a turning body moves by at most 1 + |κ| reach metres a metre of way. So a cell whose middle has a larger
gap than margin and half the motion in the cell is free throughout, and all others count as taken. What is
taken is never too small; it is too large by about `resolution`.

Cells that hang together are one region, kept as one span of time for each piece of the way. After its end the
other stands where it is, so a region may last for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf

import numpy as np
from numpy.typing import NDArray

from kumi import _core
from kumi.geometry import BodyShape, Disc
from kumi.geometry.points import as_number, as_real, as_size
from kumi.maths import hypot
from kumi.planning.paths import Numbers, Path
from kumi.planning.profile import Profile
from kumi.planning.trajectory import TimedMotion, poses_on
from kumi.planning.type_checks import as_kind, as_not_negative, as_shape

OVERLAP_TOLERANCE = 1e-9
"""Seconds by which two spans of time may overlap by rounding."""
MOST_CELLS = 20_000_000
MOST_SECONDS = 1e5
TOGETHER = 64
"""Instants whose places are looked at as one box."""


@dataclass(frozen=True)
class Mover:
    """Another vehicle: its shape, where it is at any time, and its name."""

    shape: BodyShape
    motion: TimedMotion
    name: str = "another vehicle"

    def __post_init__(self) -> None:
        as_shape(self.shape, "the shape of another vehicle")
        as_kind(self.motion, TimedMotion, "the motion of another vehicle")


@dataclass(frozen=True, eq=False)
class Region:
    """Pieces of the way, from `low` to `high` metres, that `name` takes from `opens` to `closes` seconds."""

    name: str
    low: Numbers
    high: Numbers
    opens: Numbers
    closes: Numbers

    def goes(self, profile: Profile) -> Numbers:
        """Return when a profile leaves each piece of the way; where it ends, it stays."""
        return np.where(self.high >= profile.length, inf, profile.leaves_at(self.high))

    def hits(self, profile: Profile) -> tuple[float, int] | None:
        """Return when, and at which piece of the way, a profile first is in the region; or None."""
        comes, goes = profile.time_at(self.low), self.goes(profile)
        inside = np.flatnonzero(
            (comes < self.closes - OVERLAP_TOLERANCE) & (goes > self.opens + OVERLAP_TOLERANCE)
        )
        if len(inside) == 0:
            return None
        when = np.maximum(comes, self.opens)[inside]
        first = int(np.argmin(when))
        return float(when[first]), int(inside[first])


def window(start: float, end: float, opens: float, closes: float, name: str = "a closed zone") -> Region:
    """Return the region of a zone, from `start` to `end` metres, that is closed for some time."""
    numbers = [as_number(value, "a bound of a window") for value in (start, end, opens)]
    as_real(closes, "a bound of a window")
    if not (numbers[1] > numbers[0] and closes > opens):
        raise ValueError(
            f"a window has a length and lasts, but this one is from {start} to {end} m and {opens} to {closes} s"
        )
    return Region(name, *(np.array([value], dtype=float) for value in (start, end, opens, closes)))


def conflicts(
    path: Path, shape: BodyShape, other: Mover, *, margin: float = 0.0, resolution: float | None = None
) -> list[Region]:
    """Return the regions of (s, t) in which a vehicle would come within `margin` metres of another.

    `resolution` is the size of a cell in metres; a tenth of the smaller body's reach if none is given.
    """
    as_kind(path, Path, "a path")
    as_shape(shape, "the shape of a vehicle")
    as_kind(other, Mover, "another vehicle")
    as_not_negative(margin, "a margin")
    size = (
        min(shape.reach, other.shape.reach) / 10
        if resolution is None
        else as_size(resolution, "a resolution")
    )
    _check_cells(path.length / size, 1, size)
    ways = np.linspace(0.0, path.length, ceil(path.length / size) + 1)
    clock = _clock(other, size)
    _check_cells(len(ways), len(clock), size)
    taken = _taken(path, shape, other, ways, clock, margin)
    edges = np.append(clock, inf)
    return [_region(other.name, ways, edges, spans) for spans in _together(taken)]


def _check_cells(ways: float, times: float, size: float) -> None:
    if ways * times > MOST_CELLS:
        raise ValueError(
            f"{ways:.0f} pieces of the way and {times:.0f} of time are more than {MOST_CELLS} cells; "
            f"the resolution, {size:g} m, must be coarser"
        )


def _clock(other: Mover, size: float) -> Numbers:
    """Return instants from 0 on between which another vehicle goes no further than about a cell."""
    first, last = max(0.0, float(other.motion.time[0])), max(0.0, float(other.motion.time[-1]))
    if last <= first:
        return np.array([0.0])
    if last - first > MOST_SECONDS:
        raise ValueError(
            f"{other.name} moves for {last - first:g} s; up to {MOST_SECONDS:g} s can be planned around"
        )
    fine = np.linspace(first, last, 2 + int(20 * (last - first)))
    fastest = float((np.diff(other.motion.way(fine, _turning(other.shape))) / np.diff(fine)).max())
    _check_cells((last - first) * fastest / size, 1, size)
    clock = np.linspace(first, last, max(ceil((last - first) * fastest / size), 1) + 1)
    return np.append(0.0, clock) if first > 0.0 else clock


def _turning(shape: BodyShape) -> float:
    """Return how far a point of a body moves at most, a radian of turning."""
    return 0.0 if isinstance(shape, Disc) else shape.reach


def _swing(path: Path, shape: BodyShape) -> float:
    """Return how far a point of a body moves at most, a metre of way."""
    return 1.0 + float(abs(path.curvature).max()) * _turning(shape)


def _taken(
    path: Path, shape: BodyShape, other: Mover, ways: Numbers, clock: Numbers, margin: float
) -> NDArray[np.bool_]:
    """Return which cells are not surely free: one row a piece of the way, the last column for all time after."""
    x, y, heading = poses_on(path, (ways[:-1] + ways[1:]) / 2)
    middle = np.append((clock[:-1] + clock[1:]) / 2, clock[-1])
    there = other.motion.poses(middle)
    way, bounds = (
        other.motion.way(instants, _turning(other.shape))
        for instants in (middle, np.append(clock, clock[-1]))
    )
    slack = np.maximum(way - bounds[:-1], bounds[1:] - way)
    slack = slack + margin + (ways[1] - ways[0]) / 2 * _swing(path, shape)
    taken = np.zeros((len(x), len(middle)), dtype=np.bool_)
    reach = shape.reach + other.shape.reach
    for first in range(0, len(middle), TOGETHER):
        span = slice(first, first + TOGETHER)
        # Most of the way is far from all places of a short time: only what is within the box around those is looked at.
        room = (reach + float(slack[span].max())) * (1.0 + 1e-9) + 1e-9
        near = np.flatnonzero(_is_between(x, there[0][span], room) & _is_between(y, there[1][span], room))
        if len(near):
            gaps = hypot(x[near, None] - there[0][span], y[near, None] - there[1][span])
            taken[near, span] = gaps - shape.reach - other.shape.reach <= slack[span]
    if not (isinstance(shape, Disc) and isinstance(other.shape, Disc)):
        one, two = shape.core, other.shape.core
        here, others = np.column_stack([x, y, heading]).tolist(), np.column_stack(there).tolist()
        bound = slack.tolist()
        for i, j in np.argwhere(taken).tolist():
            (a, b, c), (d, e, f) = here[i], others[j]
            taken[i, j] = _core.gap(one, a, b, c, two, d, e, f)[0] <= bound[j]
    return taken


def _is_between(values: Numbers, bounds: Numbers, room: float) -> NDArray[np.bool_]:
    """Tell which values lie between the least and the largest of others, or beside them within some room."""
    between: NDArray[np.bool_] = (values >= bounds.min() - room) & (values <= bounds.max() + room)
    return between


def _together(taken: NDArray[np.bool_]) -> Iterator[list[tuple[int, int, int]]]:
    """Give the cells that hang together: for each piece of the way its first and last time."""
    groups: list[list[tuple[int, int, int]]] = []
    open_ones: list[tuple[int, int, int]] = []
    before = -1
    for row in np.flatnonzero(taken.any(axis=1)).tolist():
        cells = taken[row]
        open_ones = open_ones if row == before + 1 else []
        before = row
        steps = np.diff(np.concatenate([[0], cells.astype(np.int8), [0]]))
        runs = zip(
            np.flatnonzero(steps == 1).tolist(), (np.flatnonzero(steps == -1) - 1).tolist(), strict=True
        )
        now: list[tuple[int, int, int]] = []
        for first, last in runs:
            near = sorted({g for g, start, end in open_ones if start <= last + 1 and first <= end + 1})
            group = near[0] if near else len(groups)
            if not near:
                groups.append([])
            for joined in set(near[1:]) - {group}:
                groups[group] += groups[joined]
                groups[joined] = []
                open_ones = [(group if g == joined else g, a, b) for g, a, b in open_ones]
                now = [(group if g == joined else g, a, b) for g, a, b in now]
            groups[group].append((row, first, last))
            now.append((group, first, last))
        open_ones = now
    for group_ in groups:
        if group_:
            yield _hulls(group_)


def _hulls(spans: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return one span of time for each piece of the way."""
    hulls: dict[int, tuple[int, int]] = {}
    for row, first, last in spans:
        before = hulls.get(row, (first, last))
        hulls[row] = min(before[0], first), max(before[1], last)
    return [(row, *hulls[row]) for row in sorted(hulls)]


def _region(name: str, ways: Numbers, edges: Numbers, spans: list[tuple[int, int, int]]) -> Region:
    rows, firsts, lasts = (np.array(column) for column in zip(*spans, strict=True))
    return Region(name, ways[rows], ways[rows + 1], edges[firsts], edges[lasts + 1])

"""Which drive along a path, within all limits, is the earliest past zones that are closed for some time?

The path is cut into some hundred cells. At the nodes between them the vehicle may have a few dozen speeds, whose
squares are even steps apart, so that speeding up as hard as it can leads from one of them to another; the last
is that of the fastest drive. The core finds, for each node and speed, all instants at which the vehicle can be
there, and the earliest drive to the end: see `core/profile/lattice.hpp`. Closed zones are exact; only the places and
speeds at which the drive may change are those of the lattice.

What is found is then brought closer to the fastest drive. Limits of speed, acceleration and grip hold for each mix
of two drives whose squares of speeds are mixed, so each slow part is mixed with the fastest drive, and each
standing is shortened, as far as the closed zones let it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from kumi import _core
from kumi.maths import interp
from kumi.planning.conflicts import Region
from kumi.planning.limits import Limits
from kumi.planning.paths import Numbers
from kumi.planning.pieces import SpeedChain, timed
from kumi.planning.profile import Profile
from kumi.planning.speed_limits import SpeedCells

NODES = 240
FINE_NODES = 600
"""Where two zones are nearer to each other than a cell or two, the path is cut into so many."""
FEW_PIECES = 64
"""With more pieces than that, as those of whoever moves have, that is not looked at: they are as coarse as a cell."""
LEVELS = 16
"""At least so many speeds are tried between standing and the fastest."""
FRICTION_PARTS = 6
"""At least into so many is cut what a cell can gain, where less than that can be gained in curves."""
HALVINGS = 16
SLOW_PARTS = 12
"""At most so many slow parts of a drive are brought closer to the fastest."""

IsFree = Callable[[Profile], bool]


@dataclass(frozen=True, eq=False)
class LatticeDrive:
    """Squares of speeds along a path, as corners of straight lines, and where it stands for how long."""

    line: SpeedChain
    halts: dict[float, float]

    @property
    def profile(self) -> Profile:
        """The drive as a profile."""
        return Profile(timed(self.line, self.halts))


def earliest(
    fastest: Profile, cells: SpeedCells, limits: Limits, region: Region, nodes: int, window: float = 0.0
) -> LatticeDrive | None:
    """Return the earliest drive of a lattice outside of a region, or None; no faster one than `fastest` exists.

    With a window it keeps its speed for so many seconds at least between speeding up and braking.
    """
    top = SpeedChain(fastest.pieces.s, np.square(fastest.pieces.speed))
    s, levels = _levels(top, cells, limits, nodes)
    rests = np.array([cells.halts.get(place, 0.0) for place in s.tolist()])
    stays = _core.lattice_drive(
        levels,
        rests,
        _cells(s, top, fastest, cells),
        _pieces(s, fastest, region),
        _corners(s, top),
        _closed(s, region),
        limits.acceleration,
        limits.braking,
        limits.grip,
        window,
    )
    return _drive(s, top, np.array(stays), cells.halts.get(float(s[-1]), 0.0)) if stays else None


def counts_for(region: Region, length: float) -> tuple[int, ...]:
    """Return into how many cells the path is cut, and into how many if that finds nothing.

    Between two zones there may be a place to stand at: a cell is shorter than that, if FINE_NODES can do it.
    """
    ends = np.sort(region.high)
    before = np.searchsorted(ends, region.low, side="right") - 1
    gaps = (region.low - ends[np.maximum(before, 0)])[before >= 0]
    is_narrow = ((gaps > length / FINE_NODES) & (gaps < 2.0 * length / NODES)).any()
    return (FINE_NODES,) if is_narrow and len(gaps) <= FEW_PIECES else (NODES, FINE_NODES)


def closer(drive: LatticeDrive, fastest: Profile, halts: dict[float, float], is_free: IsFree) -> Profile:
    """Return a drive brought as close to the fastest as stays free; `halts` are the least seconds it stands."""
    top = SpeedChain(fastest.pieces.s, np.square(fastest.pieces.speed))
    s = np.union1d(drive.line.s, top.s)
    low, high = interp(s, *drive.line), interp(s, *top)
    kept = LatticeDrive(SpeedChain(s, low), drive.halts)

    def mixed(part: slice, share: float) -> LatticeDrive:
        z = kept.line.z.copy()
        z[part] = (1.0 - share) * z[part] + share * high[part]
        return replace(kept, line=SpeedChain(s, z))

    def shortened(place: float, share: float) -> LatticeDrive:
        least = halts.get(place, 0.0)
        seconds = least + (1.0 - share) * (drive.halts[place] - least)
        return replace(kept, halts={**kept.halts, place: seconds})

    for part in [slice(0, len(s)), *_slow_parts(low, high)][: SLOW_PARTS + 1]:
        kept = _furthest(partial(mixed, part), is_free) or kept
    for place in sorted(drive.halts, reverse=True)[:SLOW_PARTS]:
        if kept.halts[place] > halts.get(place, 0.0):
            kept = _furthest(partial(shortened, place), is_free) or kept
    return kept.profile


def _furthest(drive: Callable[[float], LatticeDrive], is_free: IsFree) -> LatticeDrive | None:
    """Return the drive with about the largest share, from 0 to 1, that is free."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2 if low > 0.0 or high < 1.0 else 1.0
        low, high = (middle, high) if is_free(drive(middle).profile) else (low, middle)
        if low == 1.0:
            break
    return drive(low) if low > 0.0 else None


def _slow_parts(low: Numbers, high: Numbers) -> Iterator[slice]:
    """Give the parts between two places where a drive is as fast as the fastest."""
    is_slow = low < high * (1.0 - 1e-9)
    steps = np.diff(np.concatenate([[0], is_slow.astype(np.int8), [0]]))
    for first, last in zip(np.flatnonzero(steps == 1), np.flatnonzero(steps == -1), strict=True):
        yield slice(int(first), int(last))


def _levels(top: SpeedChain, cells: SpeedCells, limits: Limits, nodes: int) -> tuple[Numbers, Numbers]:
    """Return the nodes, and rows of node and square of speed; at halts and at both ends there is one speed."""
    ends = sorted({0.0, *cells.halts, float(top.s[-1])})
    places, rows = [0.0], [(0.0, float(top.z[0]))]
    for start, end in pairwise(ends):
        count = max(8, round(nodes * (end - start) / ends[-1]))
        s = np.linspace(start, end, count + 1)[1:]
        highest = interp(s, *top)
        step = _step((end - start) / count, float(highest.max()), limits)
        for i, most in enumerate(highest.tolist()):
            if i < count - 1:
                grid = np.arange(0.0, most * (1.0 - 1e-9), step).tolist()
                rows += [(float(len(places)), square) for square in grid]
            rows.append((float(len(places)), most if s[i] not in cells.halts else 0.0))
            places.append(float(s[i]))
    return np.array(places), np.array(rows)


def _step(way: float, most: float, limits: Limits) -> float:
    """Return the step of squares of speeds: a part of what a cell can gain, and all but a part of what it can lose."""
    up, down = min(limits.acceleration, limits.grip), min(limits.braking, limits.grip)
    rise, fall = 2.0 * up * way, down / up
    if rise >= most:
        return most / LEVELS
    parts = max(int(np.ceil(LEVELS * rise / most)), 1 if limits.grip == inf else FRICTION_PARTS)

    def lost(count: int) -> float:
        return (count * fall + 1e-9) % 1.0 / (count * fall)

    return rise / min(range(parts, parts + 8), key=lambda count: lost(count) + 0.01 * count)


def _cells(s: Numbers, top: SpeedChain, fastest: Profile, cells: SpeedCells) -> Numbers:
    count = np.arange(len(s) - 1.0)
    seconds = fastest.time_at(s[1:]) - fastest.leaves_at(s[:-1])
    inner = np.searchsorted(s, top.s, side="right") - 1
    least = np.minimum(interp(s[:-1], *top), interp(s[1:], *top))
    inside = inner < len(least)
    np.minimum.at(least, inner[inside], top.z[inside])
    bend = np.zeros(len(least))
    first, last = np.searchsorted(s, cells.s[:-1], side="right") - 1, np.searchsorted(s, cells.s[1:]) - 1
    for rows in (first, last):
        np.maximum.at(bend, np.clip(rows, 0, len(bend) - 1), cells.bend)
    return np.column_stack([count, np.diff(s), seconds, least, bend])


def _corners(s: Numbers, top: SpeedChain) -> Numbers:
    """Return rows of cell, place in it and square of the fastest speed."""
    inner = np.searchsorted(s, top.s, side="right") - 1
    inside = inner < len(s) - 1
    return np.column_stack([inner[inside], top.s[inside] - s[inner[inside]], top.z[inside]]).astype(float)


def _spread(first: NDArray[np.intp], last: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return each number from first to last, both included, and which of them it is from."""
    counts = np.maximum(last - first + 1, 0)
    which = np.repeat(np.arange(len(first)), counts)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return first[which] + np.arange(len(before)) - before, which


def _pieces(s: Numbers, fastest: Profile, region: Region) -> Numbers:
    """Return rows of cell, its closed piece from place to place, since when, until when, and the fastest drive there."""
    length = s[-1]
    low, high = np.clip(region.low, 0.0, length), np.clip(region.high, 0.0, length)
    last = len(s) - 2
    first_cell = np.clip(np.searchsorted(s, low, side="right") - 1, 0, last)
    last_cell = np.clip(np.searchsorted(s, high, side="left") - 1, first_cell, last)
    cell, which = _spread(first_cell, last_cell)
    begin, end = np.maximum(low[which], s[cell]), np.minimum(high[which], s[cell + 1])
    leaves = fastest.leaves_at(s)[cell]
    goes = np.where((region.high[which] >= length) & (cell == last), inf, fastest.time_at(end) - leaves)
    goes = np.maximum(goes, 0.0)
    comes = np.where(begin > s[cell], fastest.time_at(begin) - leaves, 0.0)
    columns = [cell, begin - s[cell], end - s[cell], region.opens[which], region.closes[which], comes, goes]
    return np.column_stack(columns).astype(float)


def _closed(s: Numbers, region: Region) -> Numbers:
    """Return rows of node, and from when to when it lies in a closed piece."""
    node, which = _spread(
        np.searchsorted(s, region.low, side="left"), np.searchsorted(s, region.high, side="right") - 1
    )
    return np.column_stack([node, region.opens[which], region.closes[which]]).astype(float)


def _drive(s: Numbers, top: SpeedChain, stays: Numbers, rest: float) -> LatticeDrive:
    """Return the drive over the nodes, which rests at its end."""
    square, comes, goes, is_fastest = stays.T
    inner = np.clip(np.searchsorted(s, top.s, side="right") - 1, 0, len(s) - 2)
    between = (is_fastest[inner] > 0.0) & (top.s > s[inner]) & (top.s < s[inner + 1])
    places, squares = np.append(s, top.s[between]), np.append(square, top.z[between])
    order = np.argsort(places, kind="stable")
    stands = np.flatnonzero(goes > comes)
    halts = {float(s[i]): float(goes[i] - comes[i]) for i in stands}
    if rest > 0.0:
        halts[float(s[-1])] = rest
    return LatticeDrive(SpeedChain(places[order], squares[order]), halts)

"""How does a vehicle keep a bound on the jerk, too?

A motion with bounded acceleration is averaged over a sliding window of τ seconds. The average goes equally
far, keeps the bounds of speed and acceleration, takes τ seconds longer, and its jerk is the change of the
acceleration over the window, divided by τ. With τ = a/j that is at most j as long as speeding up and braking
lie at least τ apart; so tops of the speed are cut off until they last that long. On a straight way from rest
to rest this is the optimum, L/V + V/a + a/j, once the strength a of speeding up is chosen best for the way.

The average is over places that differ. A cap c is widened by c τ to both sides: then all places in a window
around a place of that cap have it, too, and the average keeps it. This makes curves somewhat slower than
the optimum, which is not known in closed form there.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from kumi import _core
from kumi.maths import pow
from kumi.planning.pieces import Pieces, SpeedChain, fastest, timed
from kumi.planning.speed_limits import SpeedCells

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kumi.planning.limits import Limits
    from kumi.planning.paths import Numbers

GOLDEN = (sqrt(5.0) - 1.0) / 2.0
TRIALS = 30
COARSE_STEPS = 200
"""The best strength is looked for with so many cells at most."""


def smoothed(cells: SpeedCells, limits: Limits) -> Pieces:
    """Return the motion along a path from rest to rest within all limits, the jerk among them."""

    def with_strength(cells: SpeedCells, share: float) -> Pieces:
        return _fastest_averaged(cells, limits.acceleration * share, limits.braking * share, limits.jerk)

    few = _coarse(cells)
    # On a straight way from rest to rest the strength is at most this, whatever the top speed is.
    most = pow(limits.jerk * limits.jerk * float(cells.s[-1]) / 2.0, 1.0 / 3.0)
    least = min(1e-3, 0.1 * most / max(limits.acceleration, limits.braking))
    share = _best_share(lambda share: _duration(with_strength(few, share)), least)
    return min((with_strength(cells, share), with_strength(cells, 1.0)), key=_duration)


def _best_share(duration: Callable[[float], float], low: float) -> float:
    """Return the share of the strength, up to 1, that takes the least time, by the golden section."""
    high = 1.0
    one, other = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    first, second = duration(one), duration(other)
    best = min((duration(1.0), 1.0), (first, one), (second, other))
    for _ in range(TRIALS):
        if first <= second:
            high, other, second = other, one, first
            one = high - GOLDEN * (high - low)
            first = duration(one)
        else:
            low, one, first = one, other, second
            other = low + GOLDEN * (high - low)
            second = duration(other)
        best = min(best, (first, one), (second, other))
    return best[1]


def _coarse(cells: SpeedCells) -> SpeedCells:
    """Return fewer cells, each with the least cap of those in it; with few, the cells themselves."""
    count = len(cells.top)
    if count <= COARSE_STEPS:
        return cells
    ends = np.unique(np.linspace(0, count, COARSE_STEPS + 1).astype(int))
    ends = np.union1d(ends, np.flatnonzero(np.isin(cells.s, list(cells.halts))))
    return SpeedCells(
        cells.s[ends],
        np.minimum.reduceat(cells.top, ends[:-1]),
        np.maximum.reduceat(cells.bend, ends[:-1]),
        cells.halts,
    )


def _duration(motion: Pieces) -> float:
    return float(motion.time[-1])


def _fastest_averaged(cells: SpeedCells, acceleration: float, braking: float, jerk: float) -> Pieces:
    window = max(acceleration, braking) / jerk
    wide = widened(cells, window)
    line = fastest(wide, wide.nodes(0.0, 0.0), acceleration, braking)
    line = SpeedChain(*(np.array(column) for column in _core.without_short_tops(line.s, line.z, window)))
    rests = {place: seconds + window for place, seconds in cells.halts.items() if 0.0 < place < cells.s[-1]}
    rests[0.0] = cells.halts.get(0.0, 0.0)
    return averaged(line, rests, cells, window)


def averaged(line: SpeedChain, rests: Mapping[float, float], cells: SpeedCells, window: float) -> Pieces:
    """Return the average over a window of a drive that rests for some time, a window or more on the way."""
    first = rests.get(0.0, 0.0)
    inner = {place: seconds for place, seconds in rests.items() if 0.0 < place < cells.s[-1]}
    motion = _slid(timed(line, inner), window)
    for place in inner:
        is_there = (abs(motion.s - place) < 1e-9 * motion.s[-1]) & (motion.speed < 1e-9 * motion.speed.max())
        motion.s[is_there] = place
    return _begun_and_ended(motion, first, cells.halts.get(float(cells.s[-1]), 0.0))


def widened(cells: SpeedCells, window: float) -> SpeedCells:
    """Return the cells with each cap widened by the way that it allows in a window."""
    speeds = np.sqrt(cells.top)
    starts, ends = cells.s[:-1] - speeds * window, cells.s[1:] + speeds * window
    is_low = speeds < speeds.max()
    s = np.unique(np.concatenate([cells.s, starts[is_low], ends[is_low]]))
    s = s[(s >= 0.0) & (s <= cells.s[-1])]
    s = s[np.append(True, (np.diff(s) > 1e-12 * s[-1]) | np.isin(s[1:], list(cells.halts)))]
    s[-1] = cells.s[-1]
    top = np.full(len(s) - 1, cells.top.max())
    firsts, lasts = np.searchsorted(s, starts, side="right") - 1, np.searchsorted(s, ends)
    for i in np.argsort(-cells.top, kind="stable"):
        top[max(firsts[i], 0) : lasts[i]] = cells.top[i]
    return replace(cells, s=s, top=top, bend=np.zeros(len(top)))


def _slid(motion: Pieces, window: float) -> Pieces:
    """Return the average of a motion over a sliding window: pieces of even jerk."""
    time = np.unique(np.concatenate([motion.time, motion.time + window]))
    time = time[np.append(np.diff(time) > 1e-12 * time[-1], True)]
    time[0] = 0.0
    here, before = _state(motion, time), _state(motion, time - window)
    speed = (here[0] - before[0]) / window
    rate = (here[1] - before[1]) / window
    spans = np.diff(time)
    jerk = np.diff(rate) / spans
    steps = spans * (speed[:-1] + spans * (rate[:-1] / 2 + spans * jerk / 6))
    s = np.append(0.0, np.cumsum(steps))
    s *= motion.s[-1] / s[-1]
    s[-1] = motion.s[-1]
    return Pieces(time, np.maximum.accumulate(s), np.maximum(speed, 0.0), rate[:-1], jerk)


def _state(motion: Pieces, time: Numbers) -> tuple[Numbers, Numbers]:
    """Return way and speed of a motion of even accelerations that rests before and after."""
    clock = np.clip(time, 0.0, motion.time[-1])
    index = np.clip(np.searchsorted(motion.time, clock, side="right") - 1, 0, len(motion.jerk) - 1)
    passed = clock - motion.time[index]
    speed, rate = motion.speed[index], motion.acceleration[index]
    way = motion.s[index] + passed * (speed + passed * rate / 2)
    return way, (speed + passed * rate) * (time < motion.time[-1]) * (time > 0.0)


def _begun_and_ended(motion: Pieces, first: float, last: float) -> Pieces:
    """Add the rests at both ends of the path."""
    time, s, speed = motion.time + first, motion.s, motion.speed
    rate, jerk = motion.acceleration, motion.jerk
    if first > 0.0:
        time, s, speed = np.append(0.0, time), np.append(0.0, s), np.append(0.0, speed)
        rate, jerk = np.append(0.0, rate), np.append(0.0, jerk)
    if last > 0.0:
        time, s, speed = np.append(time, time[-1] + last), np.append(s, s[-1]), np.append(speed, 0.0)
        rate, jerk = np.append(rate, 0.0), np.append(jerk, 0.0)
    return Pieces(time, s, speed, rate, jerk)

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

from bisect import bisect_left
from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from kumi.planning.pieces import HALVINGS, Line, Pieces, fastest, timed

if TYPE_CHECKING:
    from kumi.planning.caps import Cells
    from kumi.planning.limits import Limits
    from kumi.planning.paths import Numbers

GOLDEN = (sqrt(5.0) - 1.0) / 2.0
TRIALS = 30


def smoothed(cells: Cells, limits: Limits) -> Pieces:
    """Return the motion along a path from rest to rest within all limits, the jerk among them."""

    def with_strength(share: float) -> Pieces:
        return _averaged(cells, limits.acceleration * share, limits.braking * share, limits.jerk)

    best = with_strength(1.0)
    low, high = 1e-3, 1.0
    one, other = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    first, second = with_strength(one), with_strength(other)
    for _ in range(TRIALS):
        best = min(best, first, second, key=_duration)
        if _duration(first) <= _duration(second):
            high, other, second = other, one, first
            one = high - GOLDEN * (high - low)
            first = with_strength(one)
        else:
            low, one, first = one, other, second
            other = low + GOLDEN * (high - low)
            second = with_strength(other)
    return best


def _duration(motion: Pieces) -> float:
    return float(motion.time[-1])


def _averaged(cells: Cells, acceleration: float, braking: float, jerk: float) -> Pieces:
    window = max(acceleration, braking) / jerk
    wide = _widened(cells, window)
    line = fastest(wide, wide.nodes(0.0, 0.0), acceleration, braking)
    line = _without_short_tops(line, window)
    rests = {place: seconds + window for place, seconds in cells.halts.items() if 0.0 < place < cells.s[-1]}
    motion = _slid(timed(line, rests), window)
    for place in rests:
        is_there = (abs(motion.s - place) < 1e-9 * motion.s[-1]) & (motion.speed < 1e-9 * motion.speed.max())
        motion.s[is_there] = place
    return _begun_and_ended(motion, cells)


def _widened(cells: Cells, window: float) -> Cells:
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


def _without_short_tops(line: Line, window: float) -> Line:
    """Cut off each top of the speed at the height where it lasts for the window."""
    s, z = line.s.tolist(), line.z.tolist()
    i = 1
    while i < len(z) - 1:
        last = i
        while last + 1 < len(z) and z[last + 1] == z[i]:
            last += 1
        is_top = z[i - 1] < z[i] and last + 1 < len(z) and z[last + 1] < z[i]
        if is_top and s[last] - s[i] < window * sqrt(z[i]):
            last = _cut_top(s, z, i, last, window)
        i = last + 1
    return Line(np.array(s), np.array(z))


def _cut_top(s: list[float], z: list[float], first: int, last: int, window: float) -> int:
    """Cut off one top, between two corners of the line; return the corner at its new end."""
    left, right = first, last
    while left > 0 and z[left - 1] <= z[left]:
        left -= 1
    while right < len(z) - 1 and z[right + 1] <= z[right]:
        right += 1
    up, rising = s[left : first + 1], z[left : first + 1]
    down, falling = s[last : right + 1][::-1], z[last : right + 1][::-1]
    low, high = max(rising[0], falling[0]), rising[-1]
    for _ in range(HALVINGS):
        level = (low + high) / 2
        is_short = _crossed(level, down, falling) - _crossed(level, up, rising) < window * sqrt(level)
        low, high = (low, level) if is_short else (level, high)
    head, tail = left + bisect_left(rising, low), right + 1 - bisect_left(falling, low)
    s[head:tail] = [_crossed(low, up, rising), _crossed(low, down, falling)]
    z[head:tail] = [low, low]
    return head + 1


def _crossed(level: float, places: list[float], heights: list[float]) -> float:
    """Return the first place at which heights that never fall reach a level."""
    i = bisect_left(heights, level)
    if i == 0:
        return places[0]
    share = (level - heights[i - 1]) / (heights[i] - heights[i - 1])
    return places[i - 1] + share * (places[i] - places[i - 1])


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


def _begun_and_ended(motion: Pieces, cells: Cells) -> Pieces:
    """Add the rests at both ends of the path."""
    first, last = cells.halts.get(0.0, 0.0), cells.halts.get(float(cells.s[-1]), 0.0)
    time, s, speed = motion.time + first, motion.s, motion.speed
    rate, jerk = motion.acceleration, motion.jerk
    if first > 0.0:
        time, s, speed = np.append(0.0, time), np.append(0.0, s), np.append(0.0, speed)
        rate, jerk = np.append(0.0, rate), np.append(0.0, jerk)
    if last > 0.0:
        time, s, speed = np.append(time, time[-1] + last), np.append(s, s[-1]), np.append(speed, 0.0)
        rate, jerk = np.append(rate, 0.0), np.append(jerk, 0.0)
    return Pieces(time, s, speed, rate, jerk)

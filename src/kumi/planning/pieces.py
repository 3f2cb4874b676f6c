"""How do squares of speeds along a path become pieces of motion in time?

With a steady acceleration a the square of the speed is a straight line along the path, dz/ds = 2a. So the
fastest motion under caps that are even in each cell is a chain of straight lines in the (s, z) plane, found
by one running minimum from each side. A line from z0 to z1 takes 2 (s1 - s0) / (v0 + v1) seconds.

See Verscheure et al. (2009) for z as the variable, and Bobrow et al. (1985) for the two passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from kumi.planning.paths import Numbers

if TYPE_CHECKING:
    from kumi.planning.speed_limits import SpeedCells

HALVINGS = 60


class SpeedChain(NamedTuple):
    """Corners of a chain of straight lines: places and squares of speeds."""

    s: Numbers
    z: Numbers


@dataclass(frozen=True, eq=False)
class Pieces:
    """Motion of even jerk from time[i] to time[i + 1]; s, speed and acceleration are those at time[i].

    Time, s and speed have one more number, those at the end.
    """

    time: Numbers
    s: Numbers
    speed: Numbers
    acceleration: Numbers
    jerk: Numbers

    def times(self, way: Numbers, side: Literal["left", "right"]) -> Numbers:
        """Return the first (left) or last (right) instant at each place."""
        way = np.clip(way, self.s[0], self.s[-1])
        index = np.searchsorted(self.s, way, side=side) - 1
        index = np.clip(index, 0, len(self.jerk) - 1)
        low = np.zeros(way.shape)
        high = self.time[index + 1] - self.time[index]
        ahead = way - self.s[index]
        speed, rate, jerk = self.speed[index], self.acceleration[index], self.jerk[index]
        final = np.sqrt(np.maximum(speed * speed + 2.0 * rate * ahead, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            even = np.where(ahead > 0.0, 2.0 * ahead / (speed + final), 0.0)
        if side == "right":
            even = np.where((ahead <= 0.0) & (self.s[index + 1] == self.s[index]), high, even)
        passed = np.clip(even, low, high)
        if np.any(jerk != 0.0):
            passed = np.where(jerk == 0.0, passed, _solved(ahead, speed, rate, jerk, high))
        passed = np.where((way == self.s[index + 1]) & (ahead > 0.0), high, passed)
        return np.asarray(self.time[index] + passed)


def _solved(ahead: Numbers, speed: Numbers, rate: Numbers, jerk: Numbers, high: Numbers) -> Numbers:
    """Return when a motion of even jerk has gone so far; it never goes back, so halving finds it."""
    low = np.zeros_like(high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_short = middle * (speed + middle * (rate / 2 + middle * jerk / 6)) < ahead
        low, high = np.where(is_short, middle, low), np.where(is_short, high, middle)
    return high


def fastest(cells: SpeedCells, nodes: Numbers, acceleration: float, braking: float) -> SpeedChain:
    """Return the highest line below the caps of cells and nodes with slopes from -2 braking to 2 acceleration."""
    s = cells.s
    rise, fall = 2.0 * acceleration, 2.0 * braking
    up = np.minimum.accumulate(nodes - rise * s) + rise * s
    down = np.minimum.accumulate((nodes + fall * s)[::-1])[::-1] - fall * s
    z = np.maximum(np.minimum(np.minimum(up, down), nodes), 0.0)
    return _with_tops(s, z, cells.top, rise, fall)


def _with_tops(s: Numbers, z: Numbers, top: Numbers, rise: float, fall: float) -> SpeedChain:
    """Put in the corners inside of cells: where the line meets the cap, or where speeding up turns to braking."""
    left, right, first, last = s[:-1], s[1:], z[:-1], z[1:]
    peak = (last - first + rise * left + fall * right) / (rise + fall)
    high = np.minimum(first + rise * (peak - left), top)
    up = np.clip(left + (high - first) / rise, left, right)
    down = np.clip(right - (high - last) / fall, up, right)
    places = np.stack([left, up, down], axis=1).ravel()
    heights = np.stack([first, high, high], axis=1).ravel()
    places, heights = np.append(places, s[-1]), np.append(heights, z[-1])
    least = 1e-12 * s[-1]
    keep = np.append(np.diff(places) > least, True)
    keep[0] = True
    keep[::3] |= np.isin(places[::3], s[z == 0.0])
    return SpeedChain(places[keep], heights[keep])


def timed(line: SpeedChain, halts: Mapping[float, float]) -> Pieces:
    """Return the motion along a line, which stands at the halts."""
    speeds = np.sqrt(line.z)
    way = np.diff(line.s)
    total = speeds[:-1] + speeds[1:]
    spans = np.divide(2.0 * way, total, out=np.zeros_like(way), where=total > 0.0)
    rates = np.divide(np.diff(speeds), spans, out=np.zeros_like(way), where=spans > 0.0)
    s, rests = line.s, sorted((place, time) for place, time in halts.items() if time > 0.0)
    where = np.searchsorted(s, [place for place, _ in rests])
    spans = np.insert(spans, np.minimum(where, len(spans)), [time for _, time in rests])
    rates = np.insert(rates, np.minimum(where, len(rates)), 0.0)
    s, speeds = np.insert(s, where, s[where]), np.insert(speeds, where, 0.0)
    return Pieces(np.append(0.0, np.cumsum(spans)), s, speeds, rates, np.zeros(len(spans)))

"""How fast may a vehicle be at each place of its path, whatever comes before and after?

The path is cut into cells with one cap each: the least that top speed, curve, turning rate, steering and
zones allow anywhere in the cell. A cap that is asked for only at the ends of a cell would be broken inside
it. The curvature changes evenly in a cell, so its largest size is at an end, and the cap of the cell holds
throughout. At a jump of the curvature a vehicle with a bounded steering rate stands until its wheels follow. Where the curvature changes much, a cell is cut until its cap is within a thousandth of the best.

Caps are kept as squares of speeds, z = v²: then a steady acceleration a is a straight line, dz/ds = 2a.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from kumi.maths import atan, interp
from kumi.planning.limits import Limits, PlannedStop, SpeedZone
from kumi.planning.paths import Numbers, Path

FINENESS = 0.002
"""By which share the curvature changes in a cell; the speed then changes by half of it."""
JERK_FINENESS = 0.02
"""The same with a limit of jerk, where the caps are widened much more than that."""
SAME_PLACE = 1e-9
"""The share of the path within which two places are one."""
MOST_CELLS = 200_000
FRICTION_CELLS = 4_000


@dataclass(frozen=True, eq=False)
class SpeedCells:
    """Cell i goes from s[i] to s[i + 1], with the square `top[i]` of its cap and its largest |curvature|.

    `halts` are the places where the vehicle stands, with the seconds it stands there.
    """

    s: Numbers
    top: Numbers
    bend: Numbers
    halts: dict[float, float]

    def nodes(self, first: float, last: float) -> Numbers:
        """Return the squares of the caps at the ends of the cells, given those at both ends of the path."""
        caps: Numbers = np.minimum(np.append(self.top, inf), np.append(inf, self.top))
        caps[0], caps[-1] = min(caps[0], first), min(caps[-1], last)
        caps[np.isin(self.s, list(self.halts))] = 0.0
        return caps


def cut(
    path: Path, limits: Limits, zones: Iterable[SpeedZone] = (), stops: Iterable[PlannedStop] = ()
) -> SpeedCells:
    """Cut a path into cells with their caps."""
    zones, stops = tuple(zones), sorted(stops, key=lambda stop: stop.seconds)
    for stop in stops:
        if not 0.0 <= stop.s <= path.length:
            raise ValueError(f"a stop lies on the path, from 0 to {path.length:g} m, not at {stop.s:g} m")
    for zone in zones:
        if zone.start >= path.length or zone.end <= 0.0:
            raise ValueError(
                f"a zone lies on the path, from 0 to {path.length:g} m, not from {zone.start:g} to {zone.end:g} m"
            )
    places = [place for zone in zones for place in (zone.start, zone.end)] + [stop.s for stop in stops]
    s, bends = _refined(*_with(path.s, path.curvature, places), limits)
    halts = {stop.s: stop.seconds for stop in stops}
    if isfinite(limits.steering_rate):
        for place, seconds in _resteered(s, bends, limits):
            halts[place] = max(halts.get(place, 0.0), seconds)
    way = np.diff(s)
    is_real = way > 0.0
    left, right = bends[:-1][is_real], bends[1:][is_real]
    top = _speed_limits(left, right, way[is_real], limits)
    starts, ends = s[:-1][is_real], s[1:][is_real]
    for zone in zones:
        inside = (ends > zone.start) & (starts < zone.end)
        top[inside] = np.minimum(top[inside], zone.speed * zone.speed)
    return SpeedCells(np.append(starts, s[-1]), top, np.maximum(abs(left), abs(right)), halts)


def _with(s: Numbers, bends: Numbers, places: Iterable[float]) -> tuple[Numbers, Numbers]:
    """Put places between the postures, where something changes; a posture that is all but there moves there."""
    s, close = s.copy(), SAME_PLACE * s[-1]
    inner = []
    for place in sorted({place for place in places if 0.0 < place < s[-1]}):
        near = abs(s - place) < close
        if near.any():
            s[near] = place
        else:
            inner.append(place)
    where = np.searchsorted(s, inner)
    return np.insert(s, where, inner), np.insert(bends, where, interp(np.array(inner), s, bends))


def _refined(s: Numbers, bends: Numbers, limits: Limits) -> tuple[Numbers, Numbers]:
    """Cut cells until their caps are close to the best at every place in them."""
    left, right, way = abs(bends[:-1]), abs(bends[1:]), np.diff(s)
    least = np.where(bends[:-1] * bends[1:] > 0.0, np.minimum(left, right), 0.0)
    square = limits.top_speed * limits.top_speed
    cut_off = min(limits.lateral / square, limits.turn_speed / limits.top_speed)
    cut_off = min(cut_off, limits.grip / square)
    change = abs(np.diff(bends))
    fineness = JERK_FINENESS if isfinite(limits.jerk) else FINENESS
    parts = np.zeros(len(way))
    if isfinite(cut_off):
        parts = np.where(
            np.maximum(left, right) > cut_off, change / (np.maximum(least, cut_off) * fineness), 0.0
        )
    if isfinite(limits.steering_rate):
        squares = np.square(limits.wheelbase * np.maximum(left, right))
        parts = np.maximum(parts, squares / (1.0 + squares) / fineness * (change > 0.0))
    if isfinite(limits.grip):
        parts = np.maximum(parts, way / s[-1] * FRICTION_CELLS)
    most = max(1, MOST_CELLS // len(way))
    counts = np.where(way > SAME_PLACE * s[-1], np.clip(np.ceil(parts), 1, most), 1).astype(int)
    if counts.max() == 1:
        return s, bends
    starts = np.repeat(np.arange(len(way)), counts)
    share = (np.arange(len(starts)) - np.repeat(np.cumsum(counts) - counts, counts)) / counts[starts]
    return (
        np.append(s[starts] + share * way[starts], s[-1]),
        np.append(bends[starts] + share * np.diff(bends)[starts], bends[-1]),
    )


def _speed_limits(left: Numbers, right: Numbers, way: Numbers, limits: Limits) -> Numbers:
    """Return the square of the highest speed that is allowed everywhere in each cell."""
    bend = np.maximum(np.maximum(abs(left), abs(right)), 1e-300)
    least = np.where(left * right > 0.0, np.minimum(abs(left), abs(right)), 0.0)
    with np.errstate(over="ignore", divide="ignore"):
        top = np.minimum(limits.top_speed * limits.top_speed, min(limits.lateral, limits.grip) / bend)
        top = np.minimum(top, np.square(limits.turn_speed / bend))
        if isfinite(limits.steering_rate):
            base, rate = limits.wheelbase, abs(right - left) / way
            steer = limits.steering_rate * (1.0 + np.square(base * least)) / (base * np.maximum(rate, 1e-300))
            top = np.minimum(top, steer * steer)
    return top


def _resteered(s: Numbers, bends: Numbers, limits: Limits) -> Iterable[tuple[float, float]]:
    """Give each jump of the curvature, and how long the wheels of a standing vehicle take to follow it."""
    for i in np.flatnonzero((np.diff(s) == 0.0) & (np.diff(bends) != 0.0)):
        turn = atan(limits.wheelbase * bends[i + 1]) - atan(limits.wheelbase * bends[i])
        yield float(s[i]), float(abs(turn)) / limits.steering_rate

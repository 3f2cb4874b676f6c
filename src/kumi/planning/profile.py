"""How fast does a vehicle go at each place of its path, and when is it where?

A profile is made of pieces with an even jerk, mostly 0: acceleration, speed and way are then polynomials of
time, and speed as a function of the way is continuous. Before its start and after its end the vehicle stands
at the first and the last place.

`speed_profile` gives the fastest one. Without a friction circle and a limit of jerk the fastest speeds are
known: at each place the least that any cap allows, when the vehicle speeds up from it or brakes towards it as
hard as it can. It is the fastest at each place and the earliest, so a deadline that it misses is impossible.

The acceleration a along the path and κv² across it lie in a circle of radius A: a² + κ²z² <= A², with z = v².
In a cell the acceleration is even, and z and |κ| are at most those of the faster end and the sharpest place.
So the circle holds throughout if it holds for these: (z1 - z0)² / 4h² + κ² max(z0, z1)² <= A². From the end
of the path backwards this gives the highest speeds from which the rest can still be kept, and from its start
forwards the fastest among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np
from numpy.typing import ArrayLike

from kumi import _core
from kumi.planning.jerk import smoothed
from kumi.planning.limits import MOST_LIMIT, Deadline, Impossible, Limits, PlannedStop, SpeedZone
from kumi.planning.paths import Numbers, Path
from kumi.planning.pieces import Pieces, SpeedChain, fastest, timed
from kumi.planning.speed_limits import SpeedCells, cut
from kumi.planning.type_checks import as_kind, as_kinds, as_not_negative, as_row

SPEED_TOLERANCE = 1e-9
"""By which share a speed that was asked for may be missed by rounding."""


@dataclass(frozen=True, eq=False)
class Profile:
    """Where a vehicle is on its path, and how fast, at any time."""

    pieces: Pieces

    @property
    def duration(self) -> float:
        """The time at which the vehicle is at the end."""
        return float(self.pieces.time[-1])

    @property
    def length(self) -> float:
        """The length of the path, in metres."""
        return float(self.pieces.s[-1])

    def way_at(self, time: ArrayLike) -> Numbers:
        """Return how far along the path it is at each time."""
        index, passed = self._piece(time)
        p = self.pieces
        way = p.s[index] + passed * (
            p.speed[index] + passed * (p.acceleration[index] / 2 + passed * p.jerk[index] / 6)
        )
        return np.asarray(np.minimum(way, self.length))

    def speed_at(self, time: ArrayLike) -> Numbers:
        """Return how fast it is at each time."""
        index, passed = self._piece(time)
        p = self.pieces
        speed = p.speed[index] + passed * (p.acceleration[index] + passed * p.jerk[index] / 2)
        return np.asarray(np.maximum(speed, 0.0) * self._is_under_way(time))

    def acceleration_at(self, time: ArrayLike) -> Numbers:
        """Return how fast its speed changes at each time; where that jumps, what comes after."""
        index, passed = self._piece(time)
        p = self.pieces
        return np.asarray((p.acceleration[index] + passed * p.jerk[index]) * self._is_under_way(time))

    def time_at(self, way: ArrayLike) -> Numbers:
        """Return when it comes to each place of the path, given in metres along it."""
        return self.pieces.times(_numbers(way, "places"), "left")

    def leaves_at(self, way: ArrayLike) -> Numbers:
        """Return when it goes on from each place: later than it comes where it stands."""
        return self.pieces.times(_numbers(way, "places"), "right")

    def speed_on(self, way: ArrayLike) -> Numbers:
        """Return how fast it is at each place of the path, v(s)."""
        return self.speed_at(self.time_at(way))

    def _piece(self, time: ArrayLike) -> tuple[np.ndarray, Numbers]:
        clock = np.clip(_numbers(time, "times"), 0.0, self.duration)
        index = np.searchsorted(self.pieces.time, clock, side="right") - 1
        index = np.clip(index, 0, len(self.pieces.jerk) - 1)
        return index, clock - self.pieces.time[index]

    def _is_under_way(self, time: ArrayLike) -> np.ndarray:
        clock = np.asarray(time, dtype=float)
        return (clock >= 0.0) & (clock <= self.duration)

    def __repr__(self) -> str:
        return f"Profile({self.length:g} m in {self.duration:g} s)"


def speed_profile(
    path: Path,
    limits: Limits,
    *,
    zones: Iterable[SpeedZone] = (),
    stops: Iterable[PlannedStop] = (),
    deadlines: Iterable[Deadline] = (),
    start_speed: float = 0.0,
    end_speed: float = 0.0,
) -> Profile:
    """Return the fastest profile along a path within all limits; Impossible says what cannot be kept.

    With a limit of jerk it is the fastest on straight ways from rest to rest, and close to it elsewhere.
    """
    as_kind(path, Path, "a path")
    as_kind(limits, Limits, "limits")
    deadlines = as_kinds(deadlines, Deadline, "deadlines")
    cells = cut(path, limits, as_kinds(zones, SpeedZone, "zones"), as_kinds(stops, PlannedStop, "stops"))
    ends = _as_speed(start_speed, "the start"), _as_speed(end_speed, "the end")
    if isfinite(limits.jerk):
        if any(ends):
            raise ValueError(f"a profile with a limit of jerk begins and ends at rest, not at {ends} m/s")
        profile = Profile(smoothed(cells, limits))
    else:
        profile = Profile(timed(_line(cells, limits, ends), cells.halts))
    check_deadlines(profile, deadlines)
    return profile


def check_deadlines(profile: Profile, deadlines: Iterable[Deadline]) -> None:
    """Raise Impossible for the first deadline that a profile misses."""
    for deadline in deadlines:
        if not 0.0 <= deadline.s <= profile.length:
            raise ValueError(
                f"a deadline lies on the path, from 0 to {profile.length:g} m, not at {deadline.s:g} m"
            )
        earliest = float(profile.time_at(deadline.s))
        if earliest > deadline.time * (1.0 + SPEED_TOLERANCE):
            raise Impossible(
                f"{deadline.s:g} m along the path the deadline is {deadline.time:g} s, "
                f"but the vehicle comes there at {earliest:.6g} s at the earliest"
            )


def _line(cells: SpeedCells, limits: Limits, ends: Sequence[float]) -> SpeedChain:
    """Return the squares of the fastest speeds, which must begin and end with those asked for."""
    nodes = cells.nodes(ends[0] * ends[0], ends[1] * ends[1])
    if isfinite(limits.grip):
        line = with_friction_circle(cells, nodes, limits)
    else:
        line = fastest(cells, nodes, limits.acceleration, limits.braking)
    for where, asked, found in (("begin", ends[0], line.z[0]), ("end", ends[1], line.z[-1])):
        if found < asked * asked * (1.0 - SPEED_TOLERANCE):
            raise Impossible(
                f"the vehicle is to {where} at {asked:g} m/s, but at most {sqrt(found):.6g} m/s can be kept there"
            )
    return line


def _numbers(values: ArrayLike, name: str) -> Numbers:
    numbers = as_row(values, name)
    if np.isnan(numbers).any():
        raise ValueError(f"{name} are numbers, and NaN is none")
    return numbers


def _as_speed(value: float, where: str) -> float:
    speed = as_not_negative(value, f"the speed at {where}")
    if speed > MOST_LIMIT:
        raise ValueError(f"the speed at {where} is a number up to {MOST_LIMIT:g}, not {value!r}")
    return speed


def with_friction_circle(cells: SpeedCells, nodes: Numbers, limits: Limits) -> SpeedChain:
    """Return the highest line below the caps that keeps to the circle of friction."""
    ways, bends = np.diff(cells.s), np.ascontiguousarray(cells.bend)
    squares = _core.friction_circle_squares(
        ways, bends, nodes, limits.grip, limits.acceleration, limits.braking
    )
    return SpeedChain(cells.s, np.array(squares))

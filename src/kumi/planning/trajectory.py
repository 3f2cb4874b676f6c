"""Where is a vehicle at any time, when it drives along a path with a speed profile?

A trajectory is both, with the instant at which it begins. Between two postures of the path the place is on the
cubic curve with their places and headings. Before the start the vehicle stands at the first posture, after
the end at the last.

`timed_places` is what a body tracks: `robot.track([Sample(*one) for one in trajectory.timed_places(0.05)])`.
Between two of them a body moves on the chord, at most κ (v step)² / 8 beside the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kumi.geometry import Point
from kumi.geometry.points import as_number, as_size
from kumi.maths import cos, hypot, interp, sin
from kumi.planning.paths import Numbers, Path
from kumi.planning.profile import Profile
from kumi.planning.type_checks import as_kind, as_row

MOST_STATES = 10_000_000


class VehicleState(NamedTuple):
    """A posture with its speed in m/s, its acceleration in m/s² and its time in s."""

    x: float
    y: float
    heading: float
    curvature: float
    s: float
    v: float
    a: float
    t: float


@dataclass(frozen=True, eq=False)
class TimedMotion:
    """Places and headings at growing times; in between a body goes evenly, before and after it stands."""

    time: Numbers
    x: Numbers
    y: Numbers
    heading: Numbers

    def __post_init__(self) -> None:
        for name in ("time", "x", "y", "heading"):
            column = as_row(getattr(self, name), f"the column {name} of a motion")
            if column.ndim != 1 or not len(column) or not np.isfinite(column).all():
                raise ValueError(f"the column {name} of a motion is a row of finite numbers")
            column.setflags(write=False)
            object.__setattr__(self, name, column)
        if (
            len({len(self.time), len(self.x), len(self.y), len(self.heading)}) > 1
            or (np.diff(self.time) < 0).any()
        ):
            raise ValueError("the columns of a motion are of one length, and its times never shrink")

    @staticmethod
    def of(*columns: Sequence[float]) -> TimedMotion:
        """Return the motion of four rows of numbers: times, xs, ys and headings."""
        if len(columns) != 4:
            raise ValueError(f"a motion is four rows: times, xs, ys and headings, not {len(columns)}")
        return TimedMotion(*(as_row(column, "a row of a motion") for column in columns))

    def poses(self, time: ArrayLike) -> tuple[Numbers, Numbers, Numbers]:
        """Return x, y and heading at each instant."""
        x, y, heading = (
            interp(np.asarray(time, dtype=float), self.time, column)
            for column in (self.x, self.y, self.heading)
        )
        return x, y, heading

    def way(self, time: ArrayLike, reach: float) -> Numbers:
        """Return how far a point of a body has moved at most, up to each instant, by going and by turning."""
        steps = hypot(np.diff(self.x), np.diff(self.y)) + reach * abs(np.diff(self.heading))
        instants = np.asarray(time, dtype=float)
        return np.asarray(interp(instants, self.time, np.append(0.0, np.cumsum(steps))))


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A path with the speeds along it, begun at `start` seconds."""

    path: Path
    profile: Profile
    start: float = 0.0

    def __post_init__(self) -> None:
        as_kind(self.path, Path, "the path of a trajectory")
        as_kind(self.profile, Profile, "the profile of a trajectory")
        as_number(self.start, "the start of a trajectory")
        if abs(self.path.length - self.profile.length) > 1e-9 * self.path.length:
            raise ValueError(
                f"a trajectory has a path and a profile of one length, not {self.path.length:g} m "
                f"and {self.profile.length:g} m"
            )

    @property
    def end(self) -> float:
        """The instant at which the vehicle is at the end."""
        return self.start + self.profile.duration

    def poses(self, time: ArrayLike) -> tuple[Numbers, Numbers, Numbers]:
        """Return x, y and heading at each instant."""
        return poses_on(self.path, self.profile.way_at(np.asarray(time, dtype=float) - self.start))

    def states(self, step: float) -> list[VehicleState]:
        """Return the state every `step` seconds from the start on, and that at the end."""
        return self.states_at(self.start + self._clock(step))

    def states_at(self, time: ArrayLike) -> list[VehicleState]:
        """Return the states at instants, one row of them."""
        instants = np.asarray(time, dtype=float)
        clock = instants - self.start
        way = self.profile.way_at(clock)
        columns = (
            *poses_on(self.path, way),
            interp(way, self.path.s, self.path.curvature),
            way,
            self.profile.speed_at(clock),
            self.profile.acceleration_at(clock),
            instants,
        )
        return [VehicleState(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]

    def timed_places(self, step: float) -> list[tuple[float, Point, float]]:
        """Return time since 0, place and heading, every `step` seconds and at the end; it stands until its start."""
        states = self.states(step)
        first = states[0]
        waits = [(0.0, Point(first.x, first.y), first.heading)] if self.start > 0.0 else []
        return waits + [(state.t, Point(state.x, state.y), state.heading) for state in states]

    def motion(self, step: float) -> TimedMotion:
        """Return the motion over its timed places."""
        rows = [(state.t, state.x, state.y, state.heading) for state in self.states(step)]
        return TimedMotion(*np.array(rows).T)

    def _clock(self, step: float) -> Numbers:
        as_size(step, "the step of a trajectory")
        if self.profile.duration > MOST_STATES * step:
            raise ValueError(
                f"{self.profile.duration:g} s in steps of {step:g} s are more than {MOST_STATES:,} states"
            )
        return np.append(
            step * np.arange(max(ceil(self.profile.duration / step - 1e-9), 1)), self.profile.duration
        )

    def __repr__(self) -> str:
        return f"Trajectory({self.path.length:g} m from {self.start:g} to {self.end:g} s)"


def poses_on(path: Path, way: ArrayLike) -> tuple[Numbers, Numbers, Numbers]:
    """Return x, y and heading at places of a path, given in metres along it."""
    places: Numbers = np.clip(np.asarray(way, dtype=float), 0.0, path.length)
    index = np.clip(np.searchsorted(path.s, places, side="right") - 1, 0, len(path.s) - 2)
    index = np.where(path.s[index + 1] > path.s[index], index, np.maximum(index - 1, 0))
    size = path.s[index + 1] - path.s[index]
    u = (places - path.s[index]) / size
    first, last = path.heading[index], path.heading[index + 1]
    bends = path.curvature[index], path.curvature[index + 1]
    swing = size * u * (bends[0] + u * (bends[1] - bends[0]) / 2)
    heading = first + swing + u * (last - first - size * (bends[0] + bends[1]) / 2)
    start, end = (1 + 2 * u) * (1 - u) * (1 - u), u * u * (3 - 2 * u)
    leave, come = u * (1 - u) * (1 - u) * size, u * u * (u - 1) * size
    x = path.x[index] * start + path.x[index + 1] * end + cos(first) * leave + cos(last) * come
    y = path.y[index] * start + path.y[index + 1] * end + sin(first) * leave + sin(last) * come
    return x, y, heading

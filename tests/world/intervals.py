"""From when to when is a pair in contact? By other means than the core's.

Poses are counted by formulas of their own, at many times at once. A gap changes no faster than bodies move, so an
interval of time in whose middle it is wider than that is one without contact, one in whose middle it is deeper than
that lies within a contact, and any other is halved, down to a billionth of a second.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kumi.motion import Leg

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]
Gap: TypeAlias = Callable[[Numbers, Floats], Floats]
WIDTH = 1e-9
"""Seconds: what is narrower is not halved again."""
CHUNK = 200_000
"""Gaps that are counted at once."""


@dataclass(frozen=True)
class Step:
    """A leg of a motion: the one that the core gets, and what the formulas need of it."""

    leg: Leg
    length: float = 0.0  # of the way; seconds of a rest
    speed: float = 0.0
    acceleration: float = 0.0
    course: float | None = None  # where it leads, counted from the heading unless there is a goal
    bend: float = 0.0  # radians a metre
    turning: float = 0.0  # radians a second
    goal: tuple[float, float] | None = None

    @property
    def duration(self) -> float:
        """Seconds that it takes."""
        if self.speed == 0.0 == self.acceleration:
            return self.length
        under = self.speed**2 + 2 * self.acceleration * self.length
        return 2 * self.length / (self.speed + math.sqrt(max(0.0, under)))

    @property
    def top_speed(self) -> float:
        """Metres a second that it does not exceed."""
        return max(self.speed, self.speed + self.acceleration * self.duration)


def rest(duration: float) -> Step:
    """Stay for so long."""
    return Step(Leg.rest(duration), duration)


def spin(angle: float, speed: float) -> Step:
    """Turn on the spot."""
    return Step(Leg.spin(angle, speed), abs(angle) / speed, turning=math.copysign(speed, angle))


def forward(distance: float, speed: float, acceleration: float = 0.0) -> Step:
    """Go along the heading."""
    return Step(Leg.forward(distance, speed, acceleration), distance, speed, acceleration, course=0.0)


def line(start: tuple[float, float], goal: tuple[float, float], speed: float) -> Step:
    """Go from a place to another, whatever the heading."""
    return Step(Leg.line(goal, speed), math.dist(start, goal), speed, goal=goal)


def arc(radius: float, angle: float, speed: float) -> Step:
    """Go around a centre on the left, or on the right where the radius is negative."""
    course = 0.0 if radius * angle > 0 else math.pi
    bend = math.copysign(1.0, angle) / abs(radius)
    return Step(Leg.arc(radius, angle, speed), abs(radius * angle), speed, course=course, bend=bend)


class Track:
    """A body's motion: pieces that each begin at a time and go on until the next."""

    def __init__(self, x: float, y: float, heading: float = 0.0) -> None:
        self.top_speed = self.top_turning = 0.0
        self._starts = [0.0]
        self._pieces = [(x, y, heading, 0.0, 0.0, 0.0, 0.0, 0.0)]

    def go(self, time: float, steps: Sequence[Step] = ()) -> float:
        """Begin these steps at a time, in place of what goes on, or rest; return when they end."""
        x, y, heading = self.pose(time)
        while self._starts[-1] >= time > 0.0:
            self._starts.pop()
            self._pieces.pop()
        for step in steps:
            if step.goal is None:
                course = heading + (step.course or 0.0)
            else:
                course = math.atan2(step.goal[1] - y, step.goal[0] - x)
            self._starts.append(time)
            self._pieces.append(
                (x, y, heading, course, step.speed, step.acceleration, step.bend, step.turning)
            )
            self.top_speed = max(self.top_speed, step.top_speed)
            self.top_turning = max(self.top_turning, abs(step.turning), abs(step.bend) * step.top_speed)
            time += step.duration
            x, y, heading = self.pose(time)
            x, y = step.goal or (x, y)
        self._starts.append(time)
        self._pieces.append((x, y, heading, 0.0, 0.0, 0.0, 0.0, 0.0))
        return time

    def put(self, time: float, x: float, y: float) -> None:
        """Rest elsewhere from a time on."""
        heading = self.pose(time)[2]
        self.go(time)
        self._pieces[-1] = (x, y, heading, 0.0, 0.0, 0.0, 0.0, 0.0)

    def pose(self, time: float) -> tuple[float, float, float]:
        """Return where it is at a time, just before what begins then."""
        which = max(i for i, start in enumerate(self._starts) if start < time or i == 0)
        x, y, heading = _poses(np.array(self._pieces[which]), np.array(time - self._starts[which]))
        return float(x), float(y), float(heading)

    def pose_at(self, time: float) -> tuple[float, float, float]:
        """Return where it is at a time, after what begins then."""
        which = max(0, bisect_right(self._starts, time) - 1)
        x, y, heading, course, speed, acceleration, bend, turning = self._pieces[which]
        passed = time - self._starts[which]
        way = passed * (speed + 0.5 * acceleration * passed)
        half = 0.5 * bend * way
        chord = way * (math.sin(half) / half if half else 1.0)
        at = x + chord * math.cos(course + half), y + chord * math.sin(course + half)
        return *at, heading + bend * way + turning * passed

    def poses(self, times: Floats) -> tuple[Floats, Floats, Floats]:
        """Return places and headings at many times."""
        starts = np.array(self._starts)
        which = np.maximum(np.searchsorted(starts, times, side="right") - 1, 0)
        return _poses(np.array(self._pieces)[which].T, times - starts[which])

    @property
    def starts(self) -> list[float]:
        """The times at which pieces begin."""
        return self._starts

    @property
    def straights(self) -> Floats:
        """Place and velocity at the beginning of each piece."""
        x, y, _, course, speed, *_ = np.array(self._pieces).T
        return np.stack([x, y, speed * np.cos(course), speed * np.sin(course)], axis=1)


def _poses(pieces: Floats, passed: Floats) -> tuple[Floats, Floats, Floats]:
    x, y, heading, course, speed, acceleration, bend, turning = pieces
    way = passed * (speed + 0.5 * acceleration * passed)
    half = 0.5 * bend * way
    chord = way * np.sinc(half / np.pi)
    return (
        x + chord * np.cos(course + half),
        y + chord * np.sin(course + half),
        heading + bend * way + turning * passed,
    )


class Span(NamedTuple):
    """A contact: the earliest and the latest time at which it can have begun, and those of its end."""

    begins: tuple[float, float]
    ends: tuple[float, float]


def spans(
    gap: Gap, slopes: Floats, times: Sequence[float], width: float = WIDTH
) -> dict[int, list[Span] | None]:
    """Return the contacts of each of many pairs, those that have any; None of those that graze.

    `gap` gives the gaps of pairs, by number, at times. Between two of `times` the gap of a pair changes by no more than
    its slope a second. A pair grazes where rounding decides whether there is a contact, or an end of one.
    """
    sorted_out = _sorted_out(gap, slopes, times, width)
    found: dict[int, list[Span] | None] = {}
    for pair, pieces in groupby(sorted_out, lambda piece: piece[0]):
        merged: list[tuple[int, float, float]] = []
        for kind, run in groupby(pieces, lambda piece: piece[3]):
            parts = list(run)
            merged.append((kind, parts[0][1], parts[-1][2]))
        found[pair] = _spans(merged)
    return found


def _spans(merged: Sequence[tuple[int, float, float]]) -> list[Span] | None:
    apart = (1, 0.0, 0.0)
    found = []
    around = [apart, apart, *merged, apart, apart]
    for before, left, here, right, after in zip(
        around, around[1:], around[2:], around[3:], around[4:], strict=False
    ):
        kind, start, stop = here
        if kind == 0 and left[0] == right[0]:
            return None
        if kind == -1:
            begins = (left[1], left[2]) if left[0] == 0 else (start, start)
            ends = (right[1], right[2]) if right[0] == 0 else (stop, stop)
            if (left[0] == 0 and before[0] == -1) or (right[0] == 0 and after[0] == -1):
                return None
            found.append(Span(begins, ends))
    return found


def _sorted_out(
    gap: Gap, slopes: Floats, times: Sequence[float], width: float
) -> Iterator[tuple[int, float, float, int]]:
    """Give (pair, start, stop, kind): without contact (1), within one (-1), or too narrow to tell (0); in order.

    Pairs that are without contact all the time are left out.
    """
    count = len(slopes)
    start, stop = (np.repeat(np.array(one), count) for one in (times[:-1], times[1:]))
    pair = np.tile(np.arange(count), len(times) - 1)
    done: list[tuple[Numbers, Floats, Floats, Numbers]] = []
    while len(start):
        half = 0.5 * (stop - start)
        middle = start + half
        apart = np.concatenate(
            [gap(pair[i : i + CHUNK], middle[i : i + CHUNK]) for i in range(0, len(pair), CHUNK)]
        )
        change = slopes[pair] * half + 1e-13
        kind = np.where(apart > change, 1, np.where(apart < -change, -1, 0))
        ends = (kind != 0) | (half < 0.5 * width)
        done.append((pair[ends], start[ends], stop[ends], kind[ends]))
        rest = ~ends
        pair = np.tile(pair[rest], 2)
        start, stop = (
            np.concatenate([start[rest], middle[rest]]),
            np.concatenate([middle[rest], stop[rest]]),
        )
    every = [np.concatenate(column) for column in zip(*done, strict=True)]
    is_met = np.isin(every[0], np.unique(every[0][every[3] != 1]))
    order = np.lexsort((every[1][is_met], every[0][is_met]))
    columns = [column[is_met][order].tolist() for column in every]
    yield from zip(*columns, strict=True)

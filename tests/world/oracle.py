"""Where is a body, how far are two apart, and when do they first overlap? By other means than the core's.

Positions are counted by formulas of their own. The gap of two convex shapes is the greatest distance that
any direction leaves between them: many directions are tried, the best refined. The first overlap is found by
halving intervals of time: where the gap in the middle is wider than speeds can close in half the interval,
there is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from kumi.geometry import BodyShape, Disc, Ellipse, Polygon
from kumi.motion import Leg

Place: TypeAlias = tuple[float, float, float]
Pair: TypeAlias = tuple[float, float]
GOLDEN = (math.sqrt(5) - 1) / 2


class TooHard(Exception):
    """The oracle would need too many steps."""


@dataclass(frozen=True)
class Way:
    """A motion: the leg that the core gets, and the same by formulas of its own."""

    legs: tuple[Leg, ...]
    at: Callable[[float], Place]
    duration: float
    speed: float  # is never exceeded
    turning: float = 0.0


def rest(place: Place) -> Way:
    """Stay."""
    return Way((), lambda _: place, 0.0, 0.0)


def time_to_go(length: float, speed: float, acceleration: float) -> float:
    """Return the first root of speed * t + acceleration * t² / 2 = length."""
    if acceleration == 0.0:
        return length / speed
    return 2 * length / (speed + math.sqrt(max(0.0, speed**2 + 2 * acceleration * length)))


def line(place: Place, goal: Pair, speed: float, acceleration: float = 0.0) -> Way:
    """Go straight to a goal."""
    x, y, heading = place
    dx, dy = goal[0] - x, goal[1] - y
    length = math.hypot(dx, dy)
    duration = time_to_go(length, speed, acceleration)

    def at(time: float) -> Place:
        if time >= duration:
            return (*goal, heading)
        share = (speed * time + acceleration * time * time / 2) / length
        return x + dx * share, y + dy * share, heading

    top = max(speed, speed + acceleration * duration)
    return Way((Leg.line(goal, speed, acceleration),), at, duration, top)


def arc(place: Place, radius: float, angle: float, speed: float, acceleration: float = 0.0) -> Way:
    """Turn by an angle around a centre on the left, or on the right where the radius is negative."""
    x, y, heading = place
    duration = time_to_go(abs(radius * angle), speed, acceleration)
    centre = x - radius * math.sin(heading), y + radius * math.cos(heading)

    def at(time: float) -> Place:
        gone = abs(radius * angle)
        if time < duration:
            gone = speed * time + acceleration * time * time / 2
        now = heading + math.copysign(gone / abs(radius), angle)
        return centre[0] + radius * math.sin(now), centre[1] - radius * math.cos(now), now

    top = max(speed, speed + acceleration * duration)
    return Way((Leg.arc(radius, angle, speed, acceleration),), at, duration, top, top / abs(radius))


def glide(place: Place, goal: Place, duration: float) -> Way:
    """Move and turn evenly to a pose."""
    turning = abs(goal[2] - place[2]) / duration
    speed = math.hypot(goal[0] - place[0], goal[1] - place[1]) / duration

    def at(time: float) -> Place:
        share = min(1.0, time / duration)
        x, y, heading = (start + (end - start) * share for start, end in zip(place, goal, strict=True))
        return x, y, heading

    return Way((Leg.glide(goal[:2], goal[2], duration),), at, duration, speed, turning)


@dataclass(frozen=True)
class Bar:
    """A straight wall with round ends, placed; a pillar where both ends are one."""

    start: Pair
    end: Pair
    radius: float

    @property
    def reach(self) -> float:
        """Its half extent."""
        return math.dist(self.start, self.end) / 2 + self.radius


Form: TypeAlias = BodyShape | Bar


def extent(form: Form, place: Place, angle: float) -> float:
    """Return how far a placed form extends in a direction."""
    x, y, heading = place
    c, s = math.cos(angle), math.sin(angle)
    if isinstance(form, Bar):
        return max(form.start[0] * c + form.start[1] * s, form.end[0] * c + form.end[1] * s) + form.radius
    own = angle - heading
    here = x * c + y * s
    if isinstance(form, Disc):
        return here + form.radius
    if isinstance(form, Ellipse):
        return here + math.hypot(form.length * math.cos(own), form.width * math.sin(own)) / 2
    c, s = math.cos(own), math.sin(own)
    return here + max(px * c + py * s for px, py in form.corners)


def facings(form: Form, heading: float) -> list[float]:
    """Return directions across the sides of a form."""
    if isinstance(form, Bar):
        along = math.atan2(form.end[1] - form.start[1], form.end[0] - form.start[0])
        return [along + math.pi / 2, along - math.pi / 2]
    if isinstance(form, Polygon):
        corners = [*form.corners, form.corners[0]]
        return [heading + (end - start).direction - math.pi / 2 for start, end in pairwise(corners)]
    return []


def gap(one: Form, at_one: Place, other: Form, at_other: Place) -> float:
    """Return how far two placed forms are apart, below 0 where they overlap."""
    if isinstance(one, Disc) and isinstance(other, Disc):
        return math.hypot(at_other[0] - at_one[0], at_other[1] - at_one[1]) - one.radius - other.radius
    if isinstance(one, Disc) and isinstance(other, Bar):
        return to_segment(at_one[:2], other.start, other.end) - one.radius - other.radius

    def apart(angle: float) -> float:
        return -extent(one, at_one, angle) - extent(other, at_other, angle + math.pi)

    kinks = [*facings(one, at_one[2]), *(angle + math.pi for angle in facings(other, at_other[2]))]
    tries = sorted({angle % math.tau for angle in [*kinks, *(math.tau * i / 48 for i in range(48))]})
    tries = [tries[-1] - math.tau, *tries, tries[0] + math.tau]
    values = [apart(angle) for angle in tries]
    best = max(values)
    peaks = [i for i in range(1, len(tries) - 1) if values[i] >= max(values[i - 1], values[i + 1])]
    for i in sorted(peaks, key=lambda i: -values[i])[:2]:
        best = max(best, highest(apart, tries[i - 1], tries[i]), highest(apart, tries[i], tries[i + 1]))
    return best


def to_segment(point: Pair, start: Pair, end: Pair) -> float:
    """Return the distance of a point from a segment."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    square = dx * dx + dy * dy
    px, py = point[0] - start[0], point[1] - start[1]
    share = min(1.0, max(0.0, (px * dx + py * dy) / square)) if square else 0.0
    return math.hypot(px - share * dx, py - share * dy)


def highest(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the highest value between two arguments, by golden sections."""
    while high - low > 1e-9:
        width = GOLDEN * (high - low)
        if function(high - width) < function(low + width):
            low = high - width
        else:
            high = low + width
    return function((low + high) / 2)


def first_below(
    function: Callable[[float], float],
    level: float,
    stretches: Sequence[tuple[float, float, float]],
    finest: float,
    patience: int = 20_000,
) -> float | None:
    """Return when a function first falls below a level; stretches are (start, end, steepest slope)."""
    for start, end, slope in stretches:
        parts = [(start, end)]
        while parts:
            low, high = parts.pop()
            middle, half = (low + high) / 2, (high - low) / 2
            value = function(middle)
            if value - slope * half > level:
                continue
            if slope * half <= finest or middle in {low, high}:
                if value <= level:
                    return middle
                continue
            patience -= 1
            if not patience:
                raise TooHard
            parts += [(middle, high), (low, middle)]
    return None


@dataclass(frozen=True)
class Pairing:
    """Two forms on their ways."""

    one: Form
    way: Way
    other: Form
    other_way: Way

    @property
    def size(self) -> float:
        """The sum of their reaches; of a wall only its half thickness counts."""
        return sum(form.radius if isinstance(form, Bar) else form.reach for form in (self.one, self.other))

    def gap(self, time: float) -> float:
        """Return how far they are apart."""
        return gap(self.one, self.way.at(time), self.other, self.other_way.at(time))

    def slope(self, time: float) -> float:
        """Return how fast their gap can change from a time on."""
        both = ((self.one, self.way), (self.other, self.other_way))
        return sum(way.speed + way.turning * form.reach for form, way in both if time < way.duration)

    def overlap(self, until: float, depth: float) -> float | None:
        """Return when they first overlap by more than a depth."""
        ends = sorted(
            {0.0, until, *(end for way in (self.way, self.other_way) if (end := way.duration) < until)}
        )
        stretches = [(start, end, self.slope(start)) for start, end in pairwise(ends)]

        def apart(time: float) -> float:
            here, there = self.way.at(time), self.other_way.at(time)
            if not isinstance(self.other, Bar):
                far = math.hypot(here[0] - there[0], here[1] - there[1]) - self.size
                if far > self.size:
                    return far
            return gap(self.one, here, self.other, there)

        return first_below(apart, -depth, stretches, depth / 8)

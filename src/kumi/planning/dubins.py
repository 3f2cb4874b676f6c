"""Where is a curve with a bound on its turning, and how does a path that begins in a given direction come to its route?

Without a bound on the rate of curvature it is made of at most three pieces: turns on the least radius to the left (L) or
to the right (R), and straight ways (S), in one of the six words LSL, RSR, LSR, RSL, LRL and RLR (Dubins). Each word follows
from the centres of its first and its last turn. The curvature jumps where pieces meet.

With a bound a turn begins and ends with a clothoid. Seen from its centre it begins and ends on one circle, a little wider
than its arc, and crosses it at one angle, however far it turns: so the same six words follow from these circles (Fraichard
& Scheuer). A turn too small to reach the least radius is two clothoids between places of the same circle. Wider turns have
shorter clothoids, so some radii are tried; the words with a bound are not proven to hold the shortest curve.

Where the heading at one end is free, a turn and a straight way lead there, or two turns.

Dubins, "On curves of minimal length with a constraint on average curvature", 1957.
Fraichard and Scheuer, "From Reeds and Shepp's to continuous-curvature paths", 2004.

First straight, then along a circle that touches this line, to the left or to the right, until the straight
way to a place farther on the route touches the circle: the beginning of a Dubins path. Of the two circles the
one with the shorter way is taken, a free one before one that is not. At the goal the same is done backwards.
What is made here only guides the control points of a path; it is not tested.

Dubins, "On curves of minimal length with a constraint on average curvature", 1957.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import ceil, fsum, inf, pi, remainder, sqrt, tau
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kumi.geometry import Point
from kumi.maths import acos, atan2, cos, hypot, interp, sin, total
from kumi.planning.beta_spline import GAUSS
from kumi.planning.clothoids import Curve, CurvePiece
from kumi.planning.distances import Numbers

if TYPE_CHECKING:
    from kumi.planning.space import Space


LEFT, RIGHT = 1, -1

END_TOLERANCE = 1e-9
"""By how much a curve may miss its end, as a share of the way there or of the radius: an end on the edge of what a word
reaches is reached."""

ROUNDING = 4e-15
"""The same share that rounding may take, of both."""

STEEPEST = 1.0
"""Radians by which a clothoid turns at most: beyond, a wider turn is shorter."""

TRIED_RADII = (1.0, 1.15, 1.35, 1.6, 2.0, 2.5, 4.0, 8.0, 16.0, 32.0)
"""Radii of turns that are tried with a bound on the rate of curvature, in least ones."""

HEADINGS = 12
"""How many headings are tried at a place so near ahead that turns with clothoids pass it on both sides."""


class CurveEnd(NamedTuple):
    """A place where a curve begins or ends, and its heading there in radians, or None where any will do."""

    place: Point
    heading: float | None


class EndPose(NamedTuple):
    """An end with a heading."""

    place: Point
    heading: float


@dataclass(frozen=True)
class SmoothTurn:
    """Turns of one radius, whose curvature changes by no more than a rate in rad/m²; they begin and end straight."""

    radius: float
    rate: float = inf

    @property
    def ramp(self) -> float:
        """The length of a clothoid from straight to the radius, in metres; 0 without a bound."""
        return 1.0 / (self.radius * self.rate)

    @property
    def least(self) -> float:
        """The radians of a turn that is two clothoids and no arc."""
        return self.ramp / self.radius

    @cached_property
    def centre(self) -> Point:
        """The centre of a turn to the left, from where it begins along the first axis."""
        if not self.ramp:
            return Point(0.0, self.radius)
        x, y, heading, _ = CurvePiece(self.ramp, 0.0, 1.0 / self.radius).after(np.array([self.ramp]), 0.0)
        angle = float(heading[0])
        return Point(float(x[0]) - self.radius * sin(angle), float(y[0]) + self.radius * cos(angle))

    def before(self, heading: float, side: int) -> Point:
        """Return where the centre of a turn lies, seen from its beginning with a heading."""
        return Point(self.centre.x, side * self.centre.y).turned(heading)

    def behind(self, heading: float, side: int) -> Point:
        """Return where the centre of a turn lies, seen from its end with a heading."""
        return Point(-self.centre.x, side * self.centre.y).turned(heading)

    def pieces(self, side: int, begin: float, end: float) -> tuple[CurvePiece, ...]:
        """Return the pieces of a turn from one heading to another, which is less than a full turn."""
        angle = (side * (end - begin)) % tau
        if angle >= self.least:
            bend = side / self.radius
            arc = self.radius * (angle - self.least)
            return (
                CurvePiece(self.ramp, 0.0, bend),
                CurvePiece(arc, bend, bend),
                CurvePiece(self.ramp, bend, 0.0),
            )
        slant = atan2(self.centre.x, self.centre.y)
        half = abs(self.centre) * sin(angle / 2 + slant) / _forwards(angle / 2)
        peak = side * angle / half
        return CurvePiece(half, 0.0, peak), CurvePiece(half, peak, 0.0)


def shortest_curves(start: CurveEnd, goal: CurveEnd, radius: float, rate: float = inf) -> list[Curve]:
    """Return the curves of all words that lead from one end to the other, the shortest first.

    The turns have at least a radius in metres, the curvature changes by no more than a rate in rad/m². The ends lie apart;
    at least one of them has a heading. A curve leads to its end up to rounding.
    """
    if start.heading is None:
        assert goal.heading is not None
        back = shortest_curves(CurveEnd(goal.place, goal.heading + pi), start, radius, rate)
        return [curve.backwards for curve in back]
    begin = EndPose(start.place, remainder(start.heading, tau))
    words = [word for turn in _turns(radius, rate) for word in _words_to_end(turn, begin, goal)]
    kept = [tuple(piece for piece in word if piece.length > 0.0) for word in words]
    kept.sort(key=lambda pieces: fsum(piece.length for piece in pieces))
    return [Curve(begin.place.x, begin.place.y, begin.heading, pieces) for pieces in kept if pieces]


def _turns(radius: float, rate: float) -> list[SmoothTurn]:
    """Return the turns that are tried: one, or with a bound wider ones as well."""
    if rate == inf:
        return [SmoothTurn(radius)]
    least = max(radius, 1.0 / sqrt(2.0 * STEEPEST * rate))
    return [SmoothTurn(least * wider, rate) for wider in TRIED_RADII]


def _words_to_end(turn: SmoothTurn, start: EndPose, goal: CurveEnd) -> Iterator[tuple[CurvePiece, ...]]:
    if goal.heading is not None:
        yield from _words(turn, start, EndPose(goal.place, remainder(goal.heading, tau)))
        return
    words = list(_words_to_place(turn, start, goal))
    yield from words
    if not words:
        for number in range(HEADINGS):
            yield from _words(turn, start, EndPose(goal.place, tau * number / HEADINGS))


def _words(turn: SmoothTurn, start: EndPose, goal: EndPose) -> Iterator[tuple[CurvePiece, ...]]:
    for first in (LEFT, RIGHT):
        for last in (LEFT, RIGHT):
            yield from _with_straight(turn, start, goal, first, last)
        yield from _with_three_turns(turn, start, goal, first)


def _with_straight(
    turn: SmoothTurn, start: EndPose, goal: EndPose, first: int, last: int
) -> Iterator[tuple[CurvePiece, ...]]:
    """Give the word of a turn, a straight way and a turn, if there is one."""
    between = turn.behind(goal.heading, last) - turn.before(start.heading, first)
    between = goal.place - start.place + between
    aside = (first - last) * turn.centre.y
    either = start.heading, goal.heading
    for heading, ahead in _straights(between, aside, either, 2.0 * turn.centre.x, _close(turn, start, goal)):
        yield (
            *turn.pieces(first, start.heading, heading),
            CurvePiece(ahead, 0.0, 0.0),
            *turn.pieces(last, heading, goal.heading),
        )


def _with_three_turns(
    turn: SmoothTurn, start: EndPose, goal: EndPose, side: int
) -> Iterator[tuple[CurvePiece, ...]]:
    """Give the words of a turn, one to the other side, and one to the same side as the first: two, or none."""
    one = turn.before(start.heading, side)
    three = goal.place - start.place + turn.behind(goal.heading, side)
    across = 2.0 * abs(turn.centre)
    for two in _apexes(one, three, across, across, _close(turn, start, goal)):
        heading, later = _handover(turn, one, two, side), _handover(turn, two, three, -side)
        yield (
            *turn.pieces(side, start.heading, heading),
            *turn.pieces(-side, heading, later),
            *turn.pieces(side, later, goal.heading),
        )


def _words_to_place(turn: SmoothTurn, start: EndPose, goal: CurveEnd) -> Iterator[tuple[CurvePiece, ...]]:
    """Give the words to a place with any heading: a turn and a straight way, or two turns."""
    close, out, place = _close(turn, start, goal), abs(turn.centre), goal.place - start.place
    for side in (LEFT, RIGHT):
        one = turn.before(start.heading, side)
        aside = side * turn.centre.y
        for heading, ahead in _straights(place - one, aside, (start.heading,), turn.centre.x, close):
            yield (*turn.pieces(side, start.heading, heading), CurvePiece(ahead, 0.0, 0.0))
        for two in _apexes(one, place, 2.0 * out, out, close):
            heading = _handover(turn, one, two, side)
            end = (two - place).direction - Point(-turn.centre.x, -side * turn.centre.y).direction
            yield (*turn.pieces(side, start.heading, heading), *turn.pieces(-side, heading, end))


def _straights(
    between: Point, aside: float, headings: tuple[float, ...], taken: float, close: float
) -> Iterator[tuple[float, float]]:
    """Give heading and length of the straight way that leads ahead and so far aside, to the right, from here to there.

    Of its way ahead the turns at its ends take a part. A heading that needs no turn at an end is taken if it does as well:
    by rounding, the turn would be a full one.
    """
    far = abs(between)
    if far < abs(aside) - close:
        return
    ahead = sqrt(max((far - abs(aside)) * (far + abs(aside)), 0.0))
    exact = between.direction + atan2(aside, ahead)
    for heading in (*headings, exact):
        along = Point.polar(1.0, heading)
        is_there = heading == exact or abs(along.cross(between) + aside) <= close
        if is_there and along.dot(between) >= taken - close:
            yield heading, max(along.dot(between) - taken, 0.0)
            return


def _apexes(one: Point, other: Point, near: float, far: float, close: float) -> list[Point]:
    """Return the points so near to one point and so far from the other: two, or none."""
    between = other - one
    base = abs(between)
    if not (abs(near - far) <= base <= near + far + close and base > 0.0):
        return []
    share = (near * near + base * base - far * far) / (2.0 * near * base)
    angle = acos(min(max(share, -1.0), 1.0))
    return [one + between.turned(side * angle) * (near / base) for side in (LEFT, RIGHT)]


def _close(turn: SmoothTurn, start: EndPose, goal: CurveEnd | EndPose) -> float:
    """Return by how many metres a curve may miss its end."""
    apart = start.place.distance_to(goal.place)
    return max(END_TOLERANCE * min(turn.radius, apart), ROUNDING * (turn.radius + apart))


def _handover(turn: SmoothTurn, one: Point, two: Point, side: int) -> float:
    """Return the heading where a turn about one centre becomes a turn to the other side about another."""
    return (two - one).direction + atan2(side * turn.centre.y, turn.centre.x)


def _forwards(half: float) -> float:
    """Return how far two clothoids lead along their chord, as a share of their length, if each turns by so much."""
    return fsum(
        weight / 2 * cos(half * (1.0 - ((side * at + 1) / 2) * ((side * at + 1) / 2)))
        for side in (-1.0, 1.0)
        for at, weight in GAUSS
    )


LEAD_RADII = 4.0
"""How far on the route a lead aims, in radii of its circle, or half the route if that is less."""

STRAIGHT_RADII = 0.4
"""How far a lead goes straight before its circle, in radii: the path begins with curvature 0."""

ALONG = 0.05
"""An angle in radians up to which a direction is that of the route, and no lead is needed."""


def with_end_headings(
    space: Space, places: Numbers, ends: tuple[Point | None, Point | None], clearance: float, radius: float
) -> Numbers:
    """Return a route that begins and ends in the directions asked for, on circles of a radius."""
    start, goal = ends
    ahead = min(LEAD_RADII * radius, length_of(places) / 2)
    if start is not None:
        places = _led(space, places, (start.x, start.y), clearance, radius, ahead)
    if goal is not None:
        places = _led(space, places[::-1], (-goal.x, -goal.y), clearance, radius, ahead)[::-1]
    return places


def length_of(places: Numbers) -> float:
    """Return the length of a chain of places in metres."""
    steps = np.diff(places, axis=0)
    return float(total(hypot(steps[:, 0], steps[:, 1])))


def _led(
    space: Space, places: Numbers, way: tuple[float, float], clearance: float, radius: float, ahead: float
) -> Numbers:
    first = places[1] - places[0]
    turn = atan2(way[0] * first[1] - way[1] * first[0], way[0] * first[0] + way[1] * first[1])
    if abs(turn) <= ALONG:
        return places
    rest = _from(places, ahead)
    begin = places[0] + STRAIGHT_RADII * radius * np.array(way)
    arcs = [arc for side in (1, -1) for arc in (_arc(begin, way, rest[0], radius, side),) if arc is not None]
    chains = [np.vstack([places[:1], arc, rest]) for arc in arcs] or [places]

    def rank(chain: Numbers) -> tuple[bool, float]:
        return not space.sees(chain[:-1], chain[1:], clearance).all(), length_of(chain)

    return min(chains, key=rank)


def _from(places: Numbers, ahead: float) -> Numbers:
    """Return the rest of a chain from a way along it on."""
    ways = np.concatenate([[0.0], np.cumsum(hypot(*np.diff(places, axis=0).T))])
    place = [float(interp(ahead, ways, places[:, axis])) for axis in (0, 1)]
    return np.vstack([place, places[ways > ahead + 1e-12 * ways[-1]]])


def _arc(start: Numbers, way: tuple[float, float], aim: Numbers, radius: float, side: int) -> Numbers | None:
    """Return places on a circle to the left (1) or right (-1) until the tangent to the aim; None within it."""
    centre = start[0] - side * radius * way[1], start[1] + side * radius * way[0]
    x, y = aim[0] - centre[0], aim[1] - centre[1]
    far = hypot(x, y)
    if far <= radius:
        return None
    begin = atan2(start[1] - centre[1], start[0] - centre[0])
    leave = atan2(y, x) - side * acos(radius / far)
    angle = (side * (leave - begin)) % (2 * pi)
    count = max(1, ceil(angle / 0.2))
    at = [begin + side * angle * k / count for k in range(count + 1)]
    rim = np.array([(centre[0] + radius * cos(a), centre[1] + radius * sin(a)) for a in at])
    rim[0] = start
    return rim

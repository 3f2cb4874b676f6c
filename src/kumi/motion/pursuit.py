"""How does a car keep to a curve that is given by many places?

The curve goes through the places, and its heading changes evenly from one to the next. The car drives along it in short
steps, each with the mean curvature κ of the curve over the step, and corrects: with e metres beside the curve and a heading
off by φ, its own curvature is κ - 2φ/ℓ - e/ℓ². Where it has come ℓ metres further, most of an error is gone, without swinging. No arc
is tighter than the turning radius. Over its last metres it drives one arc that ends at the last place.

Places are a curve if they lie no farther apart than two turning radii and turn by less than 45° from one to the
next. On a curve that is never tighter than the turning radius a car that begins on it stays within a twenty-fifth of
that radius of it; between two places d metres apart the curve leaves the straight line by up to κ d² / 8.

Source: the linear controller in the Frenet frame, as in De Luca, Oriolo & Samson, Feedback control of a nonholonomic
car-like robot, 1998.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from math import pi, remainder, tau

from kumi._core import Point
from kumi.maths import atan2, cos, hypot, sin

SHARP = pi / 4
MOST_SPACING = 2.0
"""Turning radii between two places of a curve, at most."""
NEW = 1e-9
"""Metres from the place before that make another one."""


class PursuitCurve:
    """A curve through places, by the way along it."""

    def __init__(self, places: Sequence[Point]) -> None:
        kept = [places[0]]
        for place in places[1:]:
            if abs(place - kept[-1]) > NEW:
                kept.append(place)
        if len(kept) < 2:
            raise ValueError(f"a curve goes through at least two places, not {len(kept)}")
        self.places = kept
        steps = [other - one for one, other in pairwise(kept)]
        self.ways = [0.0, *accumulate(abs(step) for step in steps)]
        chords = [steps[0].direction]
        for step in steps[1:]:
            chords.append(chords[-1] + remainder(step.direction - chords[-1], tau))
        self.turns = [after - before for before, after in pairwise(chords)]
        inner = [
            before + (after - before) * abs(first) / (abs(first) + abs(second))
            for (before, after), (first, second) in zip(pairwise(chords), pairwise(steps), strict=True)
        ]
        ends = (2 * chords[0] - inner[0], 2 * chords[-1] - inner[-1]) if inner else (chords[0], chords[-1])
        self.headings = [ends[0], *inner, ends[1]]

    @property
    def length(self) -> float:
        """The way along it, in metres."""
        return self.ways[-1]

    @property
    def end(self) -> Point:
        """Its last place."""
        return self.places[-1]

    def at(self, way: float) -> tuple[Point, float, float]:
        """Return place, heading and curvature; beyond its ends it goes on straight."""
        i = min(max(bisect_right(self.ways, way) - 1, 0), len(self.ways) - 2)
        size = self.ways[i + 1] - self.ways[i]
        first, last = self.headings[i], self.headings[i + 1]
        bend = (last - first) / size
        u = min(max((way - self.ways[i]) / size, 0.0), 1.0)
        one, other = self.places[i], self.places[i + 1]
        leave, come = Point.polar(size, first), Point.polar(size, last)
        place = (
            one * ((1 + 2 * u) * (1 - u) * (1 - u))
            + other * (u * u * (3 - 2 * u))
            + leave * (u * (1 - u) * (1 - u))
            + come * (u * u * (u - 1))
        )
        heading = first + u * (last - first)
        beyond = way - min(max(way, 0.0), self.length)
        if beyond:
            return place + Point.polar(beyond, heading), heading, 0.0
        return place, heading, bend

    def nearest(self, place: Point, way: float) -> float:
        """Return the way to the nearest place of the curve, from a way that is not far from it."""
        for _ in range(4):
            here, heading, _ = self.at(way)
            off = place - here
            way += off.x * cos(heading) + off.y * sin(heading)
        return way

    def steered(
        self, place: Point, heading: float, way: float, reach: float, min_radius: float, step: float = 0.0
    ) -> float:
        """Return the curvature to drive with; an error is gone after about `reach` metres.

        A step driven with it follows the mean curvature over the step: at a bend that begins within it, a car at its
        least radius would be late for good.
        """
        here, wanted, bend = self.at(way)
        ahead = min(step, self.length - way)
        if ahead > NEW:
            bend = (self.at(way + ahead)[1] - wanted) / ahead
        off = place - here
        beside = off.y * cos(wanted) - off.x * sin(wanted)
        turned = remainder(heading - wanted, tau)
        curvature = bend - 2.0 * turned / reach - beside / (reach * reach)
        return min(max(curvature, -1.0 / min_radius), 1.0 / min_radius)


def is_curve(places: Sequence[Point], min_radius: float) -> bool:
    """Tell whether places are meant as a curve, and not as goals one after the other."""
    kept = [place for place, before in zip(places[1:], places, strict=False) if abs(place - before) > NEW]
    if len(kept) < 2:
        return False
    curve = PursuitCurve(places)
    return all(
        size <= MOST_SPACING * min_radius for size in (b - a for a, b in pairwise(curve.ways))
    ) and all(abs(turn) < SHARP for turn in curve.turns)


def arcs_along(
    curve: PursuitCurve, place: Point, heading: float, min_radius: float
) -> Iterator[tuple[float, float]]:
    """Give curvature and length of the arcs with which a car drives along a curve to its end."""
    reach, way = min_radius / 2, curve.nearest(place, 0.0)
    step = min(reach / 10, curve.length / 4)
    while curve.length - way > step / 2:
        if (last := last_arc(curve.end - place, heading, min_radius)) and curve.length - way <= reach / 2:
            yield last
            return
        curvature = curve.steered(place, heading, way, reach, min_radius, step)
        yield curvature, step
        place, heading = after_arc(place, heading, curvature, step)
        way = curve.nearest(place, way + step)


def last_arc(to_end: Point, heading: float, min_radius: float) -> tuple[float, float] | None:
    """Return curvature and length of the one arc to a place ahead, unless it is tighter than the turning radius."""
    distance = hypot(to_end.x, to_end.y)
    if distance <= NEW:
        return None
    bearing = remainder(atan2(to_end.y, to_end.x) - heading, tau)
    curvature = 2.0 * sin(bearing) / distance
    if abs(bearing) > pi / 2 or abs(curvature) * min_radius > 1.0:
        return None
    return curvature, distance if abs(bearing) < 1e-9 else distance * bearing / sin(bearing)


def after_arc(place: Point, heading: float, curvature: float, length: float) -> tuple[Point, float]:
    """Return place and heading at the end of an arc."""
    turn = curvature * length
    half = turn / 2
    chord = length * (1.0 - half * half / 6.0 if abs(half) < 1e-4 else sin(half) / half)
    return place + Point.polar(chord, heading + half), heading + turn

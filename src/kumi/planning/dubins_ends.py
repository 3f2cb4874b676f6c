"""How does a path that begins in a given direction come to its route?

First straight, then along a circle that touches this line, to the left or to the right, until the straight
way to a place farther on the route touches the circle: the beginning of a Dubins path. Of the two circles the
one with the shorter way is taken, a free one before one that is not. At the goal the same is done backwards.
What is made here only guides the control points of a path; it is not tested.

Dubins, "On curves of minimal length with a constraint on average curvature", 1957.
"""

from __future__ import annotations

from math import ceil, pi
from typing import TYPE_CHECKING

import numpy as np

from kumi.maths import acos, atan2, cos, hypot, interp, sin, total
from kumi.planning.distances import Numbers

if TYPE_CHECKING:
    from kumi.geometry import Point
    from kumi.planning.space import Space

AHEAD = 4.0
"""How far on the route a lead aims, in radii of its circle, or half the route if that is less."""

STRAIGHT = 0.4
"""How far a lead goes straight before its circle, in radii: the path begins with curvature 0."""

ALONG = 0.05
"""An angle in radians up to which a direction is that of the route, and no lead is needed."""


def with_leads(
    space: Space, places: Numbers, ends: tuple[Point | None, Point | None], clearance: float, radius: float
) -> Numbers:
    """Return a route that begins and ends in the directions asked for, on circles of a radius."""
    start, goal = ends
    ahead = min(AHEAD * radius, length_of(places) / 2)
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
    begin = places[0] + STRAIGHT * radius * np.array(way)
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

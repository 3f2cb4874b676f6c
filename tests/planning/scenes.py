"""Spaces for tests, and distances counted anew, one place at a time, to compare with."""

from __future__ import annotations

from itertools import pairwise
from math import hypot, inf
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from kumi.geometry import Bounds, Circle, Outline, Point, Rectangle, Segment
from kumi.planning.space import Space, WallSpace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kumi.planning.space import Obstacle

ROOM = Bounds(0.0, 0.0, 20.0, 20.0)

number = st.floats(1.0, 18.0)
places = st.tuples(number, number)
circles = st.builds(Circle, places, st.floats(0.2, 2.0))
walls = st.builds(
    lambda start, dx, dy, thickness: WallSpace(start, (start[0] + dx, start[1] + dy), thickness),
    places,
    st.floats(-5.0, 5.0),
    st.floats(-5.0, 5.0),
    st.sampled_from([0.0, 0.1, 0.4]),
)
boxes = st.builds(
    lambda at, w, h: Rectangle(at[0], at[1], w, h), places, st.floats(0.5, 4.0), st.floats(0.5, 4.0)
)
hooks = st.builds(
    lambda at, size: Outline(
        [(at[0] + size * x, at[1] + size * y) for x, y in ((0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3))]
    ),
    places,
    st.floats(0.3, 1.2),
)
obstacles = st.one_of(circles, walls, boxes, hooks)
spaces = st.builds(Space, st.lists(obstacles, max_size=8), st.sampled_from([ROOM, None]))


def distance(space: Space, place: tuple[float, float]) -> float:
    """Return how far a place is from all obstacles and borders; at most 0 inside them."""
    far = min((distance_from(thing, place) for thing in space.obstacles), default=inf)
    if space.bounds:
        left, bottom, right, top = space.bounds
        far = min(far, place[0] - left, right - place[0], place[1] - bottom, top - place[1])
    return far


def distance_from(thing: Obstacle, place: tuple[float, float]) -> float:
    """Return how far a place is from an obstacle, 0 or less inside."""
    match thing:
        case Circle(centre, radius):
            return hypot(place[0] - centre.x, place[1] - centre.y) - radius
        case WallSpace(start, end, thickness):
            return from_line(start, end, place) - thickness / 2
        case Segment(start, end):
            return from_line(start, end, place)
        case Outline(corners):
            if thing.contains(place):
                return 0.0
            return min(from_line(one, other, place) for one, other in pairwise((*corners, corners[0])))
    raise AssertionError(thing)


def from_line(start: Point, end: Point, place: tuple[float, float]) -> float:
    """Return how far a place is from a line, by the three cases of school: beside it, or beyond an end."""
    along = end - start
    far = abs(along)
    here = Point(*place) - start
    if far == 0 or here.dot(along) <= 0:
        return abs(here)
    if here.dot(along) >= far * far:
        return abs(Point(*place) - end)
    return abs(along.cross(here)) / far


def along(start: Sequence[float], end: Sequence[float], steps: int) -> list[tuple[float, float]]:
    """Return places on a straight way, its ends included."""
    shares = [k / steps for k in range(steps + 1)]
    return [(start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1])) for t in shares]


def least_on(space: Space, start: Sequence[float], end: Sequence[float]) -> tuple[float, float]:
    """Return the least distance found on a straight way, and how much less it may be between what was tried.

    The distance changes by no more than the way one goes.
    """
    steps = 200
    found = min(distance(space, place) for place in along(start, end, steps))
    return found, hypot(end[0] - start[0], end[1] - start[1]) / steps / 2

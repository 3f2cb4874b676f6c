"""The floor a robot needs for the next piece of its way.

A zone is everything within `radius` of a path: a capsule around each piece of it, a disc where the path is
one point. Zones include their border, since bodies that touch have collided; so two zones overlap when
their paths are no farther apart than the sum of their radii.

The answer is exact for the numbers given. It is first computed in floating point; only when that is too
close to call, in whole numbers: floats are multiples of a power of two, and the square of the distance
between two straight pieces is a ratio of whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf, sqrt
from typing import TypeVar

from kumi.contract.messages import Message
from kumi.geometry import Bounds, Point, PointLike, as_point
from kumi.geometry.points import as_number, as_several

N = TypeVar("N", float, int)
Corners = tuple[float, float, float, float, float, float, float, float]
"""The ends of two straight pieces: ax, ay, bx, by, and cx, cy, dx, dy."""

DOUBT = 1e-9
"""Floats decide where the squares differ by more than this share of the largest square in sight."""
SMALL, LARGE = 1e-100, 1e100
"""Metres between which the squares, and the products of them, are floats that are neither 0 nor infinite."""


@dataclass(frozen=True, slots=True)
class Zone(Message):
    """All points within `radius` of the path through these points."""

    path: tuple[Point, ...]
    radius: float

    def __post_init__(self) -> None:
        places = as_several(self.path, "the points of a zone's path")
        object.__setattr__(self, "path", tuple(as_point(point, "a point of a path") for point in places))
        if not self.path:
            raise ValueError("the path of a zone has at least one point")
        if as_number(self.radius, "the radius of a zone") < 0.0:
            raise ValueError(f"the radius of a zone is a number of metres from 0 on, not {self.radius!r}")

    @property
    def end(self) -> Zone:
        """The place at the end of the path."""
        return Zone((self.path[-1],), self.radius)

    @property
    def bounds(self) -> Bounds:
        """An upright rectangle around the zone, a little larger than the least one: rounding loses nothing."""
        xs, ys = [point.x for point in self.path], [point.y for point in self.path]
        reach = self.radius + DOUBT * max(self.radius, *map(abs, xs), *map(abs, ys))
        return Bounds(min(xs) - reach, min(ys) - reach, max(xs) + reach, max(ys) + reach)

    def overlaps(self, other: Zone) -> bool:
        """Return whether they share a point."""
        for ours in pieces(self.path):
            for theirs in pieces(other.path):
                if near(ours, theirs, self.radius, other.radius):
                    return True
        return False

    def contains(self, point: PointLike) -> bool:
        """Return whether a point lies in the zone or on its border."""
        return self.overlaps(Zone((as_point(point),), 0.0))

    def gap(self, point: PointLike) -> float:
        """Return the metres from a point to the border of the zone; less than 0 for a point within."""
        x, y = place = as_point(point)
        if len(self.path) == 1:
            return place.distance_to(self.path[0]) - self.radius
        squares = (to_piece(x, y, (*one, *other)) for one, other in pieces(self.path))
        return sqrt(min(squares)) - self.radius

    def covers(self, other: Zone) -> bool:
        """Return whether each piece of the other zone lies in one piece of this one, which is convex."""
        return other.radius <= self.radius and all(
            any(
                all(end in ours or near(ours, (end, end), self.radius, -other.radius) for end in theirs)
                for ours in pieces(self.path)
            )
            for theirs in pieces(other.path)
        )


def pieces(path: tuple[Point, ...]) -> list[tuple[Point, Point]]:
    """Return the straight pieces of a path; a single point is one of length 0."""
    return list(pairwise(path)) or [(path[0], path[0])]


def near(ours: tuple[Point, Point], theirs: tuple[Point, Point], radius: float, other: float) -> bool:
    """Return whether two straight pieces are no farther apart than the sum of two radii."""
    (ax, ay), (bx, by) = ours
    (cx, cy), (dx, dy) = theirs
    reach = radius + other
    size = max(ax, ay, bx, by, cx, cy, dx, dy, reach, -min(ax, ay, bx, by, cx, cy, dx, dy))
    if SMALL < size < LARGE:
        enough, doubt = reach * reach, DOUBT * size * size
        least = inf
        for x, y, piece in (
            (ax, ay, (cx, cy, dx, dy)),
            (bx, by, (cx, cy, dx, dy)),
            (cx, cy, (ax, ay, bx, by)),
            (dx, dy, (ax, ay, bx, by)),
        ):
            far = to_piece(x, y, piece)
            if far < enough - doubt:
                return True
            least = min(least, far)
        if least > enough + doubt and not crosses((ax, ay, bx, by, cx, cy, dx, dy)):
            return False
    return near_exactly((ax, ay, bx, by, cx, cy, dx, dy), radius, other)


def near_exactly(corners: Corners, radius: float, other: float) -> bool:
    """Return the same without rounding: all numbers are whole multiples of one power of two."""
    ratios = [value.as_integer_ratio() for value in (*corners, radius, other)]
    unit = max(below for _, below in ratios)
    ax, ay, bx, by, cx, cy, dx, dy, own, others = (above * (unit // below) for above, below in ratios)
    reach = own + others
    if reach < 0:
        return False
    return (
        crosses((ax, ay, bx, by, cx, cy, dx, dy))
        or is_within(ax, ay, (cx, cy, dx, dy), reach)
        or is_within(bx, by, (cx, cy, dx, dy), reach)
        or is_within(cx, cy, (ax, ay, bx, by), reach)
        or is_within(dx, dy, (ax, ay, bx, by), reach)
    )


def is_within(x: int, y: int, piece: tuple[int, int, int, int], reach: int) -> bool:
    """Return whether a point is no farther than so much from a straight piece, all in whole numbers."""
    ax, ay, bx, by = piece
    along, up, right, above = bx - ax, by - ay, x - ax, y - ay
    length, share = along * along + up * up, right * along + above * up
    if share <= 0:
        return right * right + above * above <= reach * reach
    if share >= length:
        right, above = x - bx, y - by
        return right * right + above * above <= reach * reach
    aside = right * up - above * along
    return aside * aside <= reach * reach * length


def crosses(corners: tuple[N, N, N, N, N, N, N, N]) -> bool:
    """Return whether each piece has its ends on both sides of the other."""
    ax, ay, bx, by, cx, cy, dx, dy = corners
    of_a = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    of_b = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    if (of_a > 0) == (of_b > 0):
        return False
    of_c = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    of_d = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    return (of_c > 0) != (of_d > 0)


def to_piece(x: float, y: float, piece: tuple[float, float, float, float]) -> float:
    """Return the square of the distance of a point from a straight piece."""
    ax, ay, bx, by = piece
    along, up = bx - ax, by - ay
    right, above = x - ax, y - ay
    length = along * along + up * up
    if length > 0.0:
        share = (right * along + above * up) / length
        if share >= 1.0:
            right, above = x - bx, y - by
        elif share > 0.0:
            right, above = right - share * along, above - share * up
    return right * right + above * above

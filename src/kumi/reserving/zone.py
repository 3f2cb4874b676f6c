"""The floor a robot needs for the next piece of its way.

A zone is everything within `radius` of a path: a capsule around each piece of it, a disc where the path is
one point. Zones include their border, since bodies that touch have collided; so two zones overlap when
their paths are no farther apart than the sum of their radii.

The answer is exact for the numbers given. It is first computed in floating point; only when that is too
close to call, in fractions, which is possible because the square of the distance between two straight
pieces is a ratio of whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import TypeVar

from kumi.contract.messages import Message
from kumi.geometry import Bounds, Point, PointLike, as_point
from kumi.geometry.points import as_number, as_several

N = TypeVar("N", float, Fraction)

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
        return any(
            near(ours, theirs, self.radius, other.radius)
            for ours in pieces(self.path)
            for theirs in pieces(other.path)
        )

    def contains(self, point: PointLike) -> bool:
        """Return whether a point lies in the zone or on its border."""
        return self.overlaps(Zone((as_point(point),), 0.0))

    def gap(self, point: PointLike) -> float:
        """Return the metres from a point to the border of the zone; less than 0 for a point within."""
        x, y = place = as_point(point)
        if len(self.path) == 1:
            return place.distance_to(self.path[0]) - self.radius
        squares = (to_piece(x, y, [*one, *other], 0.0) for one, other in pieces(self.path))
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
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = *ours, *theirs
    floats = [ax, ay, bx, by, cx, cy, dx, dy]
    reach = radius + other
    size = max(*floats, -min(floats), reach)
    apart = max(
        min(ax, bx) - max(cx, dx),
        min(cx, dx) - max(ax, bx),
        min(ay, by) - max(cy, dy),
        min(cy, dy) - max(ay, by),
    )
    if apart - reach > DOUBT * size:
        return False
    if SMALL < size < LARGE:
        far, enough = square_of_distance(floats, 0.0), reach * reach
        if abs(far - enough) > DOUBT * size * size:
            return far < enough
    exact = Fraction(radius) + Fraction(other)
    return square_of_distance([Fraction(value) for value in floats], Fraction(0)) <= exact * exact


def square_of_distance(corners: list[N], zero: N) -> N:
    """Return the square of the distance between two straight pieces, given by eight numbers.

    Pieces that cross have the distance 0; otherwise an end of one of them is nearest.
    """
    ax, ay, bx, by, cx, cy, dx, dy = corners
    if crosses(corners, zero):
        return zero
    return min(
        to_piece(ax, ay, [cx, cy, dx, dy], zero),
        to_piece(bx, by, [cx, cy, dx, dy], zero),
        to_piece(cx, cy, [ax, ay, bx, by], zero),
        to_piece(dx, dy, [ax, ay, bx, by], zero),
    )


def crosses(corners: list[N], zero: N) -> bool:
    """Return whether each piece has its ends on both sides of the other."""
    ax, ay, bx, by, cx, cy, dx, dy = corners
    of_a = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    of_b = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    of_c = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    of_d = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    return (of_a > zero) != (of_b > zero) and (of_c > zero) != (of_d > zero) and zero not in (of_a, of_b)


def to_piece(x: N, y: N, piece: list[N], zero: N) -> N:
    """Return the square of the distance of a point from a straight piece."""
    ax, ay, bx, by = piece
    along, up = bx - ax, by - ay
    length = along * along + up * up
    share = zero if length == zero else ((x - ax) * along + (y - ay) * up) / length
    if share < zero:
        share = zero
    elif share > zero + 1:
        share = zero + 1
    off, above = x - ax - share * along, y - ay - share * up
    return off * off + above * above

"""Which part of the plane is meant?

Areas have a fixed place, unlike shapes, which move with their body. They include their boundary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from kumi._core import Point
from kumi.geometry.points import PointLike, as_number, as_point, as_points, as_size


class Bounds(NamedTuple):
    """The least upright rectangle around something."""

    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True, init=False)
class Segment:
    """A straight line from one point to another."""

    start: Point
    end: Point

    def __init__(self, start: PointLike, end: PointLike) -> None:
        object.__setattr__(self, "start", as_point(start, "the start of a segment"))
        object.__setattr__(self, "end", as_point(end, "the end of a segment"))

    @property
    def length(self) -> float:
        """The distance from the start to the end."""
        return self.start.distance_to(self.end)

    @property
    def bounds(self) -> Bounds:
        """The least upright rectangle around the segment."""
        return _bounds((self.start, self.end))


@dataclass(frozen=True, init=False)
class Circle:
    """All points within a distance of a centre."""

    centre: Point
    radius: float

    def __init__(self, centre: PointLike, radius: float) -> None:
        object.__setattr__(self, "centre", as_point(centre, "the centre of a circle"))
        object.__setattr__(self, "radius", as_size(radius, "the radius of a circle"))

    @property
    def bounds(self) -> Bounds:
        """The least upright rectangle around the circle."""
        (x, y), r = self.centre, self.radius
        return Bounds(x - r, y - r, x + r, y + r)

    def contains(self, point: PointLike) -> bool:
        """Return whether the point lies in the circle or on its rim."""
        return self.centre.distance_to(as_point(point)) <= self.radius


@dataclass(frozen=True, eq=False, init=False)
class Outline:
    """What lies inside a closed line of corners, which may bend inwards but not meet itself.

    The corners are kept counter-clockwise. Outlines with the same corners from the same one on are equal.
    """

    corners: tuple[Point, ...]

    def __init__(self, corners: Sequence[PointLike]) -> None:
        given = as_points(corners, 3, "an outline")
        area = _area(given)
        if area == 0 and _is_flat(given):
            raise ValueError(f"an outline has an area, but all its corners lie on one line: {given}")
        _check_simple(given)
        object.__setattr__(self, "corners", given if area > 0 else given[::-1])

    def __eq__(self, other: object) -> bool:
        return self.corners == other.corners if isinstance(other, Outline) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.corners)

    @property
    def sides(self) -> tuple[Segment, ...]:
        """The sides in the order of the corners, the area on their left."""
        return tuple(Segment(start, end) for start, end in _sides(self.corners))

    @property
    def area(self) -> float:
        """The size of what lies inside, in square metres."""
        return _area(self.corners)

    @property
    def bounds(self) -> Bounds:
        """The least upright rectangle around the outline."""
        return _bounds(self.corners)

    def contains(self, point: PointLike) -> bool:
        """Return whether the point lies inside the outline or on it."""
        place = as_point(point)
        is_inside = False
        for start, end in _sides(self.corners):
            side = _side_of(start, end, place)
            if side == 0 and _is_within_box(place, start, end):
                return True
            if (start.y > place.y) != (end.y > place.y) and (side > 0) == (end.y > start.y):
                is_inside = not is_inside
        return is_inside


class Rectangle(Outline):
    """An upright rectangle whose lower left corner lies at (x, y)."""

    def __init__(self, x: float, y: float, width: float, height: float) -> None:
        x, y = as_number(x, "the x of a rectangle"), as_number(y, "the y of a rectangle")
        right = x + as_size(width, "the width of a rectangle")
        top = y + as_size(height, "the height of a rectangle")
        super().__init__(((x, y), (right, y), (right, top), (x, top)))


def _sides(corners: tuple[Point, ...]) -> list[tuple[Point, Point]]:
    return list(pairwise((*corners, corners[0])))


def _area(corners: tuple[Point, ...]) -> float:
    first = corners[0]
    return fsum((a - first).cross(b - first) for a, b in pairwise(corners[1:])) / 2


def _is_flat(corners: tuple[Point, ...]) -> bool:
    first = corners[0]
    far = max((corner - first for corner in corners), key=abs)
    return all(far.cross(corner - first) == 0 for corner in corners)


def _bounds(points: tuple[Point, ...]) -> Bounds:
    xs, ys = [point.x for point in points], [point.y for point in points]
    return Bounds(min(xs), min(ys), max(xs), max(ys))


def _side_of(start: Point, end: Point, point: Point) -> float:
    """Return a number above 0 on the left of the line, below 0 on its right."""
    return (end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)


def _is_within_box(point: Point, start: Point, end: Point) -> bool:
    return min(start.x, end.x) <= point.x <= max(start.x, end.x) and (
        min(start.y, end.y) <= point.y <= max(start.y, end.y)
    )


def _check_simple(corners: tuple[Point, ...]) -> None:
    """Refuse an outline whose sides meet elsewhere than at their common corner.

    Sides are gone through from left to right, each with those that begin before it ends.
    """
    sides = _sides(corners)
    for start, end in sides:
        if start == end:
            raise ValueError(f"neighbouring corners of an outline differ, but {start} comes twice")
    order = sorted(range(len(sides)), key=lambda i: min(sides[i][0].x, sides[i][1].x))
    open_sides: list[int] = []
    for i in order:
        left = min(sides[i][0].x, sides[i][1].x)
        open_sides = [j for j in open_sides if max(sides[j][0].x, sides[j][1].x) >= left]
        for j in open_sides:
            if _meet_wrongly(sides, i, j):
                raise ValueError(
                    f"an outline does not meet itself, but the side from {sides[i][0]} to {sides[i][1]}"
                    f" meets that from {sides[j][0]} to {sides[j][1]}"
                )
        open_sides.append(i)


def _meet_wrongly(sides: list[tuple[Point, Point]], i: int, j: int) -> bool:
    """Return whether two sides share a point that is not their common corner."""
    apart = (i - j) % len(sides)
    if apart == 1:
        return _folds_back(*sides[j], sides[i][1])
    if apart == len(sides) - 1:
        return _folds_back(*sides[i], sides[j][1])
    (a, b), (c, d) = sides[i], sides[j]
    if max(a.y, b.y) < min(c.y, d.y) or max(c.y, d.y) < min(a.y, b.y):
        return False
    of_a, of_b = _side_of(c, d, a), _side_of(c, d, b)
    of_c, of_d = _side_of(a, b, c), _side_of(a, b, d)
    if of_a * of_b < 0 and of_c * of_d < 0:
        return True
    touches = [(of_a, a, c, d), (of_b, b, c, d), (of_c, c, a, b), (of_d, d, a, b)]
    return any(side == 0 and _is_within_box(point, start, end) for side, point, start, end in touches)


def _folds_back(before: Point, corner: Point, after: Point) -> bool:
    return _side_of(before, corner, after) == 0 and (corner - before).dot(after - corner) < 0

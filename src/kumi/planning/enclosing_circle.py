"""Where is the middle of some points?

It is their mean, or the centre of the smallest circle around them. For the circle, points are taken in one after the other. One that lies outside the circle so far lies on the edge of the next one, so
the circle around the points before it is found anew with that point on its edge; and again with two points, and
three. In the worst case that takes the cube of the number of points, for points in any order seldom more than a few
times their number.

Source: Welzl (1991), in its form without recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from kumi.geometry import Point

ROUNDING_SHARE = 1e-12
"""The share of its radius by which a point may lie outside a circle, for rounding."""

HUGE = 1e150
"""Metres of radius from which on three points count as lying on a line."""


class Disk(NamedTuple):
    """A circle that may have no radius."""

    centre: Point
    radius: float

    def contains(self, point: Point) -> bool:
        """Tell whether a point lies inside or on the edge."""
        return self.centre.distance_to(point) <= self.radius * (1.0 + ROUNDING_SHARE)


def mean(points: Sequence[Point]) -> Point:
    """Return the mean of points."""
    if not points:
        raise ValueError("there is a mean of at least one point")
    return Point(fsum(p.x for p in points) / len(points), fsum(p.y for p in points) / len(points))


def smallest_circle(points: Sequence[Point]) -> Disk:
    """Return the smallest circle around points."""
    if not points:
        raise ValueError("a circle goes around at least one point")
    origin = points[0]
    steps = [point - origin for point in points]  # far away from the origin rounding would be felt
    disk = Disk(steps[0], 0.0)
    for number, point in enumerate(steps):
        if not disk.contains(point):
            disk = _through_one(steps[:number], point)
    return Disk(origin + disk.centre, disk.radius)


def _through_one(points: Sequence[Point], edge: Point) -> Disk:
    disk = Disk(edge, 0.0)
    for number, point in enumerate(points):
        if not disk.contains(point):
            disk = _through_two(points[:number], edge, point)
    return disk


def _through_two(points: Sequence[Point], one: Point, two: Point) -> Disk:
    disk = _across(one, two)
    for point in points:
        if not disk.contains(point):
            disk = _through(one, two, point)
    return disk


def _across(one: Point, two: Point) -> Disk:
    return Disk((one + two) / 2.0, one.distance_to(two) / 2.0)


def _through(one: Point, two: Point, three: Point) -> Disk:
    """Return the circle through three points; of three on a line, the one across the two farthest apart."""
    b, c = two - one, three - one
    twice = 2.0 * b.cross(c)
    off = Point(c.y * b.dot(b) - b.y * c.dot(c), b.x * c.dot(c) - c.x * b.dot(b))
    if abs(off) >= abs(twice) * HUGE:
        return max(
            (_across(one, two), _across(two, three), _across(three, one)), key=lambda disk: disk.radius
        )
    return Disk(one + off / twice, abs(off / twice))

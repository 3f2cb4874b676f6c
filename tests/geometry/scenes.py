"""Shapes and poses drawn at random, and an oracle for the gap between them.

The oracle knows no geometry but extents. In the direction u two shapes are f(u) apart: what the one leaves
free towards the other. The gap is the greatest f of all directions; many are tried, those of sides among
them, and the best are refined by golden sections.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from hypothesis import strategies as st

from kumi.geometry import BodyShape, Disc, Ellipse, Point, Polygon, Pose

sizes = st.floats(0.05, 2)
angles = st.floats(-7, 7)
GOLDEN = (math.sqrt(5) - 1) / 2


def _round_polygon(angles: list[float], length: float, width: float, aside: float = 0.0) -> Polygon:
    return Polygon([(length * (math.cos(a) + aside), width * math.sin(a)) for a in angles])


discs = st.builds(Disc, sizes)
ellipses = st.builds(Ellipse, sizes, sizes) | st.builds(
    lambda length, share: Ellipse(length, length * share), sizes, st.floats(0.01, 0.1)
)
polygons = st.builds(
    _round_polygon,
    st.lists(st.integers(0, 63), min_size=3, max_size=12, unique=True).map(
        lambda steps: [math.tau * step / 64 for step in sorted(steps)]
    ),
    sizes,
    sizes,
) | st.builds(
    # So many corners that not all of them are looked at; the last are those of bodies that do not turn about their middle.
    _round_polygon,
    st.sets(st.integers(0, 255), min_size=16, max_size=100).map(
        lambda steps: [math.tau * step / 256 for step in sorted(steps)]
    ),
    sizes,
    sizes,
    st.just(0.0) | st.floats(-1.2, 1.2),
)
shapes = discs | polygons | ellipses
places = st.builds(Point, st.floats(-2, 2), st.floats(-2, 2))
poses = st.builds(Pose, places, angles)


def placed(pose: Pose) -> tuple[float, float, float]:
    """Return a pose as the core takes it."""
    return pose.position.x, pose.position.y, pose.heading


def pair(point: Point) -> tuple[float, float]:
    """Return a point as the core takes it."""
    return point.x, point.y


def extent(shape: BodyShape, heading: float, direction: float) -> float:
    """Return how far a shape extends in a direction."""
    angle = direction - heading
    match shape:
        case Disc(radius=radius):
            return radius
        case Ellipse(length=length, width=width):
            return math.hypot(length * math.cos(angle), width * math.sin(angle)) / 2
        case Polygon(corners=corners):
            return max(x * math.cos(angle) + y * math.sin(angle) for x, y in corners)


def gap_by_extents(a: BodyShape, at_a: Pose, b: BodyShape, at_b: Pose) -> float:
    """Return the gap between two shapes by trying directions."""
    dx, dy = at_b.position.x - at_a.position.x, at_b.position.y - at_a.position.y

    def apart(direction: float) -> float:
        way = dx * math.cos(direction) + dy * math.sin(direction)
        return way - extent(a, at_a.heading, direction) - extent(b, at_b.heading, direction + math.pi)

    kinks = facings(a, at_a.heading) + facings(b, at_b.heading)
    tries = sorted({angle % math.tau for angle in [*kinks, *(math.tau * i / 256 for i in range(256))]})
    tries = [tries[-1] - math.tau, *tries, tries[0] + math.tau]
    values = [apart(direction) for direction in tries]
    peaks = [i for i in range(1, len(tries) - 1) if values[i] >= max(values[i - 1], values[i + 1])]
    refined = [
        highest(apart, low, high)
        for i in peaks
        for low, high in pairwise([tries[i - 1], tries[i], tries[i + 1]])
    ]
    return max(*values, *refined)


def facings(shape: BodyShape, heading: float) -> list[float]:
    """Return directions that matter: across sides, and at even steps around an ellipse, however thin."""
    match shape:
        case Polygon(corners=corners):
            sides = [end - start for start, end in pairwise((*corners, corners[0]))]
            return [
                heading + side.direction + quarter
                for side in sides
                for quarter in (-math.pi / 2, math.pi / 2)
            ]
        case Ellipse(length=length, width=width):
            steps = [math.tau * i / 64 for i in range(64)]
            return [heading + math.atan2(math.sin(t) / width, math.cos(t) / length) for t in steps]
        case Disc():
            return []


def highest(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the highest value between two arguments, by golden sections."""
    for _ in range(60):
        width = GOLDEN * (high - low)
        if function(high - width) < function(low + width):
            low = high - width
        else:
            high = low + width
    return function((low + high) / 2)

"""How much of an obstacle lies on a straight line?

Each obstacle is a union of figures whose chords have closed forms: a pillar is a disc, a wall a rectangle
with a disc at each end, a block a polygon, which may be concave. Where the parts of a wall overlap they
count once: a wall is convex, so the line enters it once and leaves it once. A line that only touches an
obstacle, or runs along its side, does not go through it.
"""

from __future__ import annotations

from itertools import pairwise
from math import sqrt
from typing import TypeAlias

from kumi.geometry import Outline, Point
from kumi.world.obstacles import Block, Pillar, Wall

Span: TypeAlias = tuple[float, float]
"""The part of a line between two shares of its length."""


def thickness_along(thing: object, start: Point, end: Point) -> float:
    """Return how many metres of the line from one point to another lie in an obstacle; 0 in anything else."""
    match thing:
        case Pillar(centre, radius):
            share = _length([_disc(start, end, centre, radius)])
        case Wall(one, other, thickness):
            half = thickness / 2
            ends = [_disc(start, end, one, half), _disc(start, end, other, half)]
            spans = [span for span in (*ends, _bar(start, end, one, other, half)) if span]
            share = max(s[1] for s in spans) - min(s[0] for s in spans) if spans else 0.0
        case Block(outline):
            share = _length(_polygon(start, end, outline))
        case _:
            return 0.0
    return share * abs(end - start)


def _length(spans: list[Span | None]) -> float:
    return sum(span[1] - span[0] for span in spans if span)


def _disc(start: Point, end: Point, centre: Point, radius: float) -> Span | None:
    step, back = end - start, start - centre
    square = step.x * step.x + step.y * step.y
    if square == 0.0:
        return None
    half = (step.x * back.x + step.y * back.y) / square
    root = half * half - (back.x * back.x + back.y * back.y - radius * radius) / square
    if root <= 0.0:
        return None
    return _clipped(-half - sqrt(root), -half + sqrt(root))


def _bar(start: Point, end: Point, one: Point, other: Point, half: float) -> Span | None:
    """Return the part within half a thickness of a stretch, between its ends."""
    along = (other - one) / abs(other - one)
    first, last = 0.0, 1.0
    for axis, low, high in (
        (along, 0.0, abs(other - one)),
        (Point(-along.y, along.x), -half, half),
    ):
        at, to = _dot(start - one, axis), _dot(end - one, axis)
        if at == to:
            if not low < at < high:
                return None
            continue
        enters, leaves = sorted(((low - at) / (to - at), (high - at) / (to - at)))
        first, last = max(first, enters), min(last, leaves)
    return _clipped(first, last)


def _polygon(start: Point, end: Point, outline: Outline) -> list[Span | None]:
    """Return the parts between crossings whose middles are inside; along a side is outside."""
    step = end - start
    shares, sides = [0.0, 1.0], []
    for side in outline.sides:
        edge, gap = side.end - side.start, side.start - start
        across = _cross(step, edge)
        if across != 0.0:
            shares.append(_cross(gap, edge) / across)
        elif _cross(gap, step) == 0.0:
            ends = _dot(gap, step), _dot(side.end - start, step)
            sides.append((min(ends), max(ends)))
    inside = sorted(share for share in shares if 0.0 <= share <= 1.0)
    square = _dot(step, step)
    return [
        (enters, leaves)
        for enters, leaves in pairwise(inside)
        if leaves > enters
        and outline.contains(start + step * (middle := (enters + leaves) / 2))
        and not any(low < middle * square < high for low, high in sides)
    ]


def _clipped(enters: float, leaves: float) -> Span | None:
    first, last = max(0.0, enters), min(1.0, leaves)
    return (first, last) if first < last else None


def _dot(one: Point, other: Point) -> float:
    return one.x * other.x + one.y * other.y


def _cross(one: Point, other: Point) -> float:
    return one.x * other.y - one.y * other.x

"""How much of an obstacle lies on a straight line, and how far is the line from passing it?

Each obstacle is a union of figures whose chords have closed forms: a pillar is a disc, a wall a rectangle
with a disc at each end, a block a polygon, which may be concave. Where the parts of a wall overlap they
count once: a wall is convex, so the line enters it once and leaves it once. A line that only touches an
obstacle, or runs along its side, does not go through it: that is, one that is nowhere deeper in it than
`GRAZING`, so that rounding does not decide.

The clearance of a line is how far both of its ends can be moved, each anywhere, without the line coming to an
obstacle, or leaving it. It says how long nothing can change while the ends move.
"""

from __future__ import annotations

from itertools import pairwise
from math import fsum, inf, sqrt
from typing import TypeAlias

from kumi.geometry import Outline, Point
from kumi.world.obstacles import Block, Pillar, Wall

Span: TypeAlias = tuple[float, float]
"""The part of a line between two shares of its length."""

GRAZING = 1e-11
"""Metres: a line that is no deeper in an obstacle touches it."""


def thickness_along(thing: object, start: Point, end: Point) -> float:
    """Return how many metres of the line from one point to another lie in an obstacle; 0 in anything else."""
    match thing:
        case Pillar(centre, radius):
            spans = _spans(_disc(start, end, centre, radius - GRAZING)) and _spans(
                _disc(start, end, centre, radius)
            )
        case Wall(one, other, thickness):
            half = thickness / 2
            spans = _whole(start, end, one, other, half - GRAZING) and _whole(start, end, one, other, half)
        case Block(outline):
            spans = [span for span in _polygon(start, end, outline) if _is_deep(start, end, span, outline)]
        case _:
            return 0.0
    return fsum(leaves - enters for enters, leaves in spans) * abs(end - start)


def _spans(*found: Span | None) -> list[Span]:
    return [span for span in found if span]


def _whole(start: Point, end: Point, one: Point, other: Point, half: float) -> list[Span]:
    """Return the part of a line within a distance of a stretch."""
    if half <= 0.0:
        return []
    parts = _spans(
        _disc(start, end, one, half), _disc(start, end, other, half), _bar(start, end, one, other, half)
    )
    return [(min(part[0] for part in parts), max(part[1] for part in parts))] if parts else []


def _is_deep(start: Point, end: Point, span: Span, outline: Outline) -> bool:
    """Whether the middle of a part in a polygon is farther from its sides than a line that grazes."""
    middle = start + (end - start) * ((span[0] + span[1]) / 2)
    return all(_away(middle, side.start, side.end) > GRAZING for side in outline.sides)


def clearance(thing: object, start: Point, end: Point) -> float:
    """Return how many metres each end of a line can move for sure without its passing the side of an obstacle.

    Negative where the line goes through the obstacle; inf where it never does.
    """
    match thing:
        case Pillar(centre, radius):
            return _away(centre, start, end) - radius
        case Wall(one, other, thickness):
            return _gap(start, end, one, other) - thickness / 2 if thickness > 0.0 else inf
        case Block(outline):
            # A line that crosses a side goes on to do so until an end of one comes to the other.
            least = min(_gap(start, end, side.start, side.end) for side in outline.sides)
            return -least if least > 0.0 and outline.contains(start) else least
        case _:
            return inf


def _gap(start: Point, end: Point, one: Point, other: Point) -> float:
    """Return the distance of two stretches; of two that cross, how far one end is from the other stretch, below 0."""
    nearest = min(
        _away(start, one, other), _away(end, one, other), _away(one, start, end), _away(other, start, end)
    )
    step, side = end - start, other - one
    crosses = (
        _cross(step, one - start) * _cross(step, other - start) < 0.0
        and _cross(side, start - one) * _cross(side, end - one) < 0.0
    )
    return -nearest if crosses else nearest


def _away(point: Point, start: Point, end: Point) -> float:
    """Return the distance of a point from a stretch."""
    step, back = end - start, point - start
    square = _dot(step, step)
    share = min(1.0, max(0.0, _dot(back, step) / square)) if square > 0.0 else 0.0
    return abs(back - step * share)


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


def _polygon(start: Point, end: Point, outline: Outline) -> list[Span]:
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

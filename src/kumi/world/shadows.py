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
from math import fsum, inf
from typing import TypeAlias

from kumi._core import chord
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
            return _chord(start, end, centre, centre, radius)
        case Wall(one, other, thickness):
            return _chord(start, end, one, other, thickness / 2)
        case Block(outline):
            spans = [span for span in _polygon(start, end, outline) if _is_deep(start, end, span, outline)]
            return fsum(leaves - enters for enters, leaves in spans) * abs(end - start)
    return 0.0


def _chord(start: Point, end: Point, one: Point, other: Point, radius: float) -> float:
    """Return how many metres of a line lie within a distance of a stretch, or 0 where it grazes what that is."""
    if chord(one.x, one.y, other.x, other.y, radius - GRAZING, start.x, start.y, end.x, end.y) == 0.0:
        return 0.0
    return chord(one.x, one.y, other.x, other.y, radius, start.x, start.y, end.x, end.y)


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


def _dot(one: Point, other: Point) -> float:
    return one.x * other.x + one.y * other.y


def _cross(one: Point, other: Point) -> float:
    return one.x * other.y - one.y * other.x

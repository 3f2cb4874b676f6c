"""How far is it from a feeler to each thing around, and is a direction within a field of view?

A feeler is a convex shape at a place: a point for an eye, a line for a whisker. What is around is made of
convex parts: a wall is one, a block has one for each side. Between two convex shapes there is a gap and a
direction in which it is narrowest, both exact. A field of view is the bearing of its middle and its whole width, in radians.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import remainder, tau
from typing import NamedTuple, TypeAlias

from kumi import _core
from kumi._core import Point, Shape
from kumi.geometry import Pose
from kumi.geometry.headings import seems_degrees
from kumi.geometry.points import as_number
from kumi.world import BORDER, Block, Modality, Obstacle, Pillar, SimulatedBody, Wall
from kumi.world.world import Thing

Part: TypeAlias = tuple[Shape, Point]

EYE = Shape.polygon([(0.0, 0.0)])
"""A feeler without any size."""


class Gap(NamedTuple):
    """What separates a feeler from a thing: below 0 they overlap by so much."""

    width: float
    normal: Point
    """The direction from the feeler to the thing, of length 1."""
    thing: Thing


class Surroundings:
    """What is around a body; remembers of which parts obstacles are made."""

    def __init__(self, body: SimulatedBody) -> None:
        self._body = body
        self._parts: dict[str, list[Part]] = {}

    def gaps(
        self, feeler: Shape, pose: Pose, within: float, modality: Modality = Modality.TOUCH
    ) -> Iterator[Gap]:
        """Give the gap to each part of each thing that is met and whose surface is within that distance of the feeler."""
        world, here = self._body.world, pose.position
        for other in world.near(here, within + feeler.reach):
            if other is not self._body:
                yield self._gap(feeler, pose, other.shape.core, other.pose, other)
        for thing, _ in world.near_obstacles(here, within + feeler.reach):
            if isinstance(thing, Obstacle) and not thing.material.meets(modality):
                continue
            for shape, middle in self._parts_of(thing):
                gap = self._gap(feeler, pose, shape, Pose(middle), thing)
                if gap.width <= within:
                    yield gap

    def _gap(self, feeler: Shape, pose: Pose, shape: Shape, place: Pose, thing: Thing) -> Gap:
        (x, y), (there_x, there_y) = pose.position, place.position
        width, along, across, _, _ = _core.gap(
            feeler, x, y, pose.heading, shape, there_x, there_y, place.heading
        )
        return Gap(width, Point(along, across), thing)

    def _parts_of(self, thing: Thing) -> list[Part]:
        name = thing if isinstance(thing, str) else thing.name
        if name not in self._parts:
            self._parts[name] = list(self._split(thing))
        return self._parts[name]

    def _split(self, thing: Thing) -> Iterator[Part]:
        match thing:
            case Wall(start, end, thickness):
                yield _capsule(start, end, thickness / 2)
            case Pillar(centre, radius):
                yield Shape.disc(radius), centre
            case Block(outline):
                for side in outline.sides:
                    yield _capsule(side.start, side.end, 0.0)
            case _ if thing == BORDER:
                left, bottom, right, top = self._body.world.map.bounds
                corners = [Point(left, bottom), Point(right, bottom), Point(right, top), Point(left, top)]
                for start, end in pairwise([*corners, corners[0]]):
                    yield _capsule(start, end, 0.0)


def _capsule(start: Point, end: Point, radius: float) -> Part:
    middle = (start + end) / 2
    (x, y) = end - middle
    return Shape.polygon([(-x, -y), (x, y)], radius), middle


def name_of(thing: Thing) -> str:
    """Return the name of a robot or an obstacle."""
    return thing if isinstance(thing, str) else thing.name


def distance_to(place: Point, other: SimulatedBody) -> float:
    """Return how far it is from a place to the surface of a body; 0 within it."""
    (x, y), (there_x, there_y) = place, other.position
    return max(0.0, _core.gap(EYE, x, y, 0.0, other.shape.core, there_x, there_y, other.heading)[0])


def off(direction: float, middle: float) -> float:
    """Return how far a direction is from another, between -pi and pi, positive to the left."""
    return remainder(direction - middle, tau)


def is_within(direction: float, middle: float, width: float) -> bool:
    """Tell whether a direction lies in a field of view, its edges included."""
    return abs(off(direction, middle)) <= width / 2


def as_view(value: float, name: str = "a field of view", most: float = tau) -> float:
    """Return a width above 0, no wider than a full turn."""
    number = as_number(value, name)
    if not 0 < number <= most:
        hint = f"; for {number:g} degrees write radians({number:g})" if seems_degrees(number) else ""
        raise ValueError(f"{name} is an angle > 0 and <= {most:.5g} radians, not {value!r}{hint}")
    return number

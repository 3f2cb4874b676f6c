"""How far is it to what is ahead, or all around?

A range finder sits on the body's surface, in the direction of its bearing, and looks that way. With a field
of view it finds the nearest point within a cone, otherwise what a single beam meets. What is nearer than it
can measure reads as the least it can; where nothing is in reach, the reading is the reach, and no hit.

All beams of a lidar leave the body's centre at one instant: a scan takes no time, and the answer comes after the
latency. The first beam is that of the right edge of the field of view, the last that of the left edge; all
around there is no edge, and the beams are spread evenly from straight back.

What a beam of light or sound does at an obstacle, the obstacle's material says: it goes on, comes back, or is
swallowed. Glass does not stop light, and from what is dark none comes back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import pi, radians, sqrt, tau
from operator import index
from typing import ClassVar

import numpy as np

from kumi import _core
from kumi._core import Point
from kumi.contract.readings import LaserScan, Range
from kumi.geometry import Pose
from kumi.geometry.points import as_angle, as_size
from kumi.maths import atan2
from kumi.sensing.noise import EXACT, Exact, Noise, as_noise, as_share, not_negative
from kumi.sensing.sensor import AskedSensor
from kumi.sensing.surroundings import EYE, Gap, Surroundings, as_view, is_within, off
from kumi.teaching import taught
from kumi.world import Block, Modality, Obstacle, Pillar, SimulatedBody, Wall
from kumi.world.world import Thing

MISS_ANGLE = 1e-9
"""Radians by which a beam goes past what it is to miss."""


class RangeFinder(AskedSensor[Range]):
    """Measures the distance to the nearest surface in its cone, up to its reach, by light.

    `offset` is where it sits, in metres from the body's centre along the bearing; on the surface where none
    is given. `resolution` rounds: with 0.01 readings are whole centimetres. A dropout reads as no hit.
    What is not given is as the class says.
    """

    modality: ClassVar[Modality] = Modality.LIGHT
    reach: float = 1.0
    min_reach: float = 0.0
    view: float = 0.0
    resolution: float = 0.0

    @taught
    def __init__(
        self,
        bearing: float = 0.0,
        *,
        reach: float | None = None,
        min_reach: float | None = None,
        view: float | None = None,
        resolution: float | None = None,
        offset: float | None = None,
        noise: Noise | float = EXACT,
        dropout: float = 0.0,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.bearing = as_angle(bearing, "a bearing")
        kind = type(self)
        self.reach = as_size(kind.reach if reach is None else reach, "a reach")
        self.min_reach = not_negative(kind.min_reach if min_reach is None else min_reach, "a min_reach")
        if self.min_reach >= self.reach:
            raise ValueError(f"a min_reach is less than the reach, {self.reach!r} m, not {self.min_reach!r}")
        self.view = not_negative(kind.view if view is None else view, "a field of view")
        if self.view >= pi:
            raise ValueError(f"the cone of a range finder is narrower than pi radians, not {self.view!r}")
        self.resolution = not_negative(kind.resolution if resolution is None else resolution, "a resolution")
        self.offset = None if offset is None else not_negative(offset, "an offset")
        self.noise = as_noise(noise)
        self.dropout = as_share(dropout, "a dropout")

    def start(self) -> None:
        """Begin with surroundings that nobody knows yet."""
        self._surroundings = Surroundings(self.body)

    @property
    def asked_for(self) -> str:
        """The reach."""
        return f"{self.reach:g}"

    @property
    def mount(self) -> Pose:
        """Where it sits and looks, from the place and heading of its body."""
        return Pose(Point.polar(place_on(self.body, self.bearing, self.offset), self.bearing), self.bearing)

    def measure(self) -> Range:
        """Return the distance to the nearest surface."""
        distance = self.nearest()
        if distance is None or (self.dropout and self.chance.happens(self.dropout)):
            return Range(self.reach, False)
        read = self.noise(distance, self.chance)
        return Range(rounded(min(max(read, self.min_reach), self.reach), self.resolution), True)

    def nearest(self) -> float | None:
        """Return the true distance, or None where nothing is in reach."""
        direction = self.body.heading + self.bearing
        eye = self.body.position + Point.polar(place_on(self.body, self.bearing, self.offset), direction)
        if self.view == 0.0:
            return self._beam(eye, direction)
        # The nearest point of a convex part within a cone lies on an edge of the cone, unless it is the
        # nearest point of all.
        edges = [self._beam(eye, direction + side * self.view / 2) for side in (-1, 1)]
        gaps = list(self._surroundings.gaps(EYE, Pose(eye), self.reach, self.modality))
        if any(self._is_swallowed_by(gap.thing) for gap in gaps):
            return self._nearest_that_echoes(eye, direction, gaps)
        inside = [
            max(0.0, gap.width) for gap in gaps if is_within(gap.normal.direction, direction, self.view)
        ]
        return min((*inside, *(edge for edge in edges if edge is not None)), default=None)

    def _nearest_that_echoes(self, eye: Point, direction: float, gaps: Sequence[Gap]) -> float | None:
        """Return the distance to the nearest point in the cone that echoes and that nothing swallowing hides.

        Between the edges of the cone, the directions of nearest points and those of the rims of what swallows, the
        distance rises or falls steadily, so that it is least at an end. Where an obstacle comes out from behind
        another one in between, they cross, and that direction is an end, too.
        """
        middles = [gap.normal.direction for gap in gaps]
        rims = [rim for gap in gaps if self._is_swallowed_by(gap.thing) for rim in rims_of(gap.thing, eye)]
        turns = (off(one, direction) for one in (*middles, *rims))
        half = self.view / 2
        found = []
        for first, last in pairwise(sorted({-half, half, *(turn for turn in turns if abs(turn) < half)})):
            inset = min(MISS_ANGLE, (last - first) / 4)
            lit, dim = first + inset, last - inset
            echoes = [self._beam(eye, direction + turn) for turn in (lit, dim)]
            found += echoes
            if (echoes[0] is None) == (echoes[1] is None):
                continue
            if echoes[0] is None:
                lit, dim = dim, lit
            while abs(lit - dim) > MISS_ANGLE:
                turn = (lit + dim) / 2
                if (echo := self._beam(eye, direction + turn)) is None:
                    dim = turn
                else:
                    lit = turn
                    found.append(echo)
        return min((echo for echo in found if echo is not None), default=None)

    def _is_swallowed_by(self, thing: Thing) -> bool:
        return isinstance(thing, Obstacle) and not thing.material.echoes(self.modality)

    def _beam(self, eye: Point, direction: float) -> float | None:
        return self.world.echo(eye, direction, self.reach, ignoring=self.body, modality=self.modality)


class Infrared(RangeFinder):
    """Measures the distance along a narrow beam of light, in whole centimetres from 10 to 80."""

    reach = 0.8
    min_reach = 0.1
    resolution = 0.01


class Ultrasonic(RangeFinder):
    """Measures the distance to the nearest surface in a cone of sound, from 0.1 m to 3 m."""

    modality = Modality.SOUND
    reach = 3.0
    min_reach = 0.1
    view = radians(30.0)


def rims_of(thing: Thing, eye: Point) -> Iterator[float]:
    """Give the directions in which something begins and ends, as seen from a place; some may lie in between."""
    discs: list[tuple[Point, float]] = []
    match thing:
        case Wall(start, end, thickness):
            discs = [(start, thickness / 2), (end, thickness / 2)]
        case Pillar(centre, radius):
            discs = [(centre, radius)]
        case Block(outline):
            discs = [(corner, 0.0) for corner in outline.corners]
    for centre, radius in discs:
        step = centre - eye
        if abs(step) > radius:
            spread = atan2(radius, sqrt((abs(step) - radius) * (abs(step) + radius)))
            yield step.direction - spread
            yield step.direction + spread


def place_on(body: SimulatedBody, bearing: float, offset: float | None) -> float:
    """Return how far from the body's centre a sensor sits: at the offset, or else on the surface."""
    if offset is not None:
        return offset
    shape = body.shape.core
    if shape.kind == "disc":
        return shape.reach
    far = Point.polar(2.0 * shape.reach, bearing)
    back = -far / abs(far)
    return abs(far) - _core.ray_hit(shape, 0.0, 0.0, 0.0, far.x, far.y, back.x, back.y)


def rounded(value: float, resolution: float) -> float:
    """Return the nearest whole multiple of a resolution; 0 rounds nothing.

    Whole parts of a metre are divided, not multiplied: 57 hundredths are 0.57, and 57 * 0.01 is not.
    """
    if resolution == 0.0:
        return value
    steps, parts = round(value / resolution), round(1.0 / resolution)
    return steps / parts if abs(parts * resolution - 1.0) < 1e-12 else steps * resolution


class Lidar(AskedSensor[LaserScan]):
    """Measures the distances in many directions at once; inf where nothing is in reach."""

    @taught
    def __init__(
        self,
        rays: int = 360,
        *,
        view: float = tau,
        bearing: float = 0.0,
        reach: float = 10.0,
        min_reach: float = 0.0,
        noise: Noise | float = EXACT,
        dropout: float = 0.0,
        latency: float = 0.0,
        period: float | None = None,
    ) -> None:
        super().__init__(latency=latency, period=period)
        self.rays = index(rays)
        if self.rays < 1:
            raise ValueError(f"the rays of a lidar are a whole number >= 1, not {rays!r}")
        self.view = as_view(view)
        self.bearing = as_angle(bearing, "a bearing")
        self.reach = as_size(reach, "a reach")
        self.min_reach = not_negative(min_reach, "a min_reach")
        self.noise = as_noise(noise)
        self.dropout = as_share(dropout, "a dropout")

    def start(self) -> None:
        """Work out the bearings once."""
        whole = self.view >= tau
        self._step = self.view / (self.rays if whole else max(1, self.rays - 1))
        self._first = self.bearing - (self.view / 2 if self.rays > 1 or whole else 0.0)
        self._bearings = self._first + self._step * np.arange(self.rays, dtype=np.float64)
        self._bearings.flags.writeable = False

    @property
    def asked_for(self) -> str:
        """The number of rays and the reach."""
        return f"{self.rays} {self.reach:g}"

    def measure(self) -> LaserScan:
        """Return the distances of all rays."""
        first = self.body.heading + self._first
        found = self.world.hits(self.body.position, first, self._step, self.rays, self.reach, self.body)
        distances = np.frombuffer(found, np.float64)
        if not isinstance(self.noise, Exact) or self.dropout or self.min_reach:
            distances = np.array([self._read(distance) for distance in distances.tolist()], np.float64)
            distances.flags.writeable = False
        return LaserScan(self._bearings, distances)

    def _read(self, distance: float) -> float:
        if distance > self.reach or (self.dropout and self.chance.happens(self.dropout)):
            return np.inf
        return min(max(self.noise(distance, self.chance), self.min_reach), self.reach)

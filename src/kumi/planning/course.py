"""Which way does a team go from waypoint to waypoint?

A course is a line through waypoints. The team does not head for the waypoint itself but for a point on the line
that lies a way ahead of the place nearest to it. So its heading turns before and behind a corner, over about that
way, and is defined also at the end, where the last leg goes on straight.

The legs are passed in their order, also where the line crosses itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import fsum

from kumi.geometry import Point, PointLike, as_point
from kumi.geometry.points import as_size


@dataclass(frozen=True)
class Course:
    """A line through at least two waypoints, and how far ahead on it the team aims, in metres."""

    waypoints: tuple[Point, ...]
    ahead: float
    _lengths: list[float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        points = tuple(as_point(point, "a waypoint") for point in self.waypoints)
        if len(points) < 2:
            raise ValueError(f"a course has at least two waypoints, not {len(points)}")
        for before, after in pairwise(points):
            if before == after:
                raise ValueError(
                    f"each waypoint of a course is another place, but {before} is there twice in a row"
                )
        object.__setattr__(self, "waypoints", points)
        object.__setattr__(
            self, "_lengths", [before.distance_to(after) for before, after in pairwise(points)]
        )
        as_size(self.ahead, "the way ahead")

    @staticmethod
    def of(waypoints: Sequence[PointLike], ahead: float) -> Course:
        """Return the course through some places."""
        return Course(tuple(as_point(point, "a waypoint") for point in waypoints), ahead)

    @property
    def legs(self) -> int:
        """How many legs there are."""
        return len(self.waypoints) - 1

    @property
    def length(self) -> float:
        """The length of the line, in metres."""
        return fsum(self._lengths)

    def leg_at(self, place: Point, leg: int) -> int:
        """Return the leg on which a team at a place is that was on a leg before; `legs` says that it has arrived.

        The next leg begins where it is as near as the present one.
        """
        while leg < self.legs - 1 and self._off(place, leg + 1) <= self._off(place, leg):
            leg += 1
        if leg == self.legs - 1 and self._along(place, leg) >= self._length(leg):
            leg += 1
        return leg

    def direction_at(self, place: Point, leg: int) -> float:
        """Return the direction in which a team at a place goes, in radians: to the point that lies ahead."""
        return (self._point(leg, self._way(place, leg) + self.ahead) - place).direction

    def heading_at(self, place: Point, leg: int) -> float:
        """Return the heading of a team at a place: from the point behind to the point ahead.

        It does not change where the team goes aside, and is that of the last leg where it has arrived.
        """
        way = self._way(place, leg)
        return (self._point(leg, way + self.ahead) - self._point(leg, way - self.ahead)).direction

    def _way(self, place: Point, leg: int) -> float:
        """Return how far along a leg, or along the last one where it has arrived, the nearest point of it is."""
        if leg >= self.legs:
            return self._length(-1)
        return max(0.0, min(self._along(place, leg), self._length(leg)))

    def _point(self, leg: int, way: float) -> Point:
        """Return the point so far along the course from the beginning of a leg; its ends go on straight."""
        leg = min(leg, self.legs - 1)
        while way < 0.0 and leg > 0:
            leg -= 1
            way += self._length(leg)
        while way > self._length(leg) and leg < self.legs - 1:
            way -= self._length(leg)
            leg += 1
        return self.waypoints[leg] + self._unit(leg) * way

    def _length(self, leg: int) -> float:
        return self._lengths[leg]

    def _unit(self, leg: int) -> Point:
        return (self.waypoints[leg + 1] - self.waypoints[leg]) / self._length(leg)

    def _along(self, place: Point, leg: int) -> float:
        """Return how far along a leg the nearest point of its line is."""
        return self._unit(leg).dot(place - self.waypoints[leg])

    def _off(self, place: Point, leg: int) -> float:
        """Return the distance to a leg."""
        way = max(0.0, min(self._along(place, leg), self._length(leg)))
        return place.distance_to(self.waypoints[leg] + self._unit(leg) * way)

"""Which places can a robot of a given size be at, and between which can it go straight?

Obstacles are areas with a fixed place: circles, outlines (also concave), and walls, which are all points
within half a thickness of a line. A space is a set of them, with borders or without end. For distances each
obstacle is lines with a radius, the sides of an outline having none; a place inside an outline has a distance
below 0. The distance of two lines is that of an end of one from the other, or 0 where they cross: no sampling.

A place is free for a clearance, the radius of a round robot, if it is farther than that from all obstacles
and from the borders: touching is not free. Distances carry rounding errors near 1e-15 of the coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kumi.geometry import Bounds, Circle, Outline, Point, PointLike, Segment, as_point
from kumi.geometry.points import as_number, as_several, shown
from kumi.planning.distances import Numbers, Segments, from_ways, insides, nearest_lines

if TYPE_CHECKING:
    from collections.abc import Sequence


class PlanError(ValueError):
    """A question to a planner that has no meaning: a start that is blocked, a size that is none."""


@dataclass(frozen=True, init=False)
class WallSpace:
    """All points within half a thickness of the line between two points: a wall with round ends."""

    start: Point
    end: Point
    thickness: float

    def __init__(self, start: PointLike, end: PointLike, thickness: float = 0.0) -> None:
        if as_number(thickness, "the thickness of a wall") < 0:
            raise ValueError(f"the thickness of a wall is a finite number >= 0, not {thickness!r}")
        object.__setattr__(self, "start", as_point(start, "the start of a wall"))
        object.__setattr__(self, "end", as_point(end, "the end of a wall"))
        object.__setattr__(self, "thickness", float(thickness))

    @property
    def bounds(self) -> Bounds:
        """The least upright rectangle around the wall."""
        (left, right), (bottom, top) = sorted((self.start.x, self.end.x)), sorted((self.start.y, self.end.y))
        half = self.thickness / 2
        return Bounds(left - half, bottom - half, right + half, top + half)


Obstacle: TypeAlias = Circle | Outline | WallSpace | Segment
"""A segment is a wall without thickness."""


@dataclass(frozen=True, init=False)
class Space:
    """A plane with obstacles, within borders or, without them, endless."""

    obstacles: tuple[Obstacle, ...]
    bounds: Bounds | None
    lines: Segments = field(repr=False, compare=False)

    def __init__(self, obstacles: Iterable[Obstacle] = (), bounds: Bounds | None = None) -> None:
        things = as_several(obstacles, "obstacles")
        for thing in things:
            if not isinstance(thing, Circle | Outline | WallSpace | Segment):
                raise TypeError(f"an obstacle is a Circle, an Outline, a Wall or a Segment, not {thing!r}")
        object.__setattr__(self, "obstacles", things)
        object.__setattr__(self, "bounds", _as_bounds(bounds))
        object.__setattr__(self, "lines", _lines(things))

    def clearance(self, place: PointLike) -> float:
        """Return how far a place is from the nearest obstacle or border; below 0 within one."""
        point = as_point(place, "a place")
        return float(self.clearances(np.array([[point.x, point.y]]))[0])

    def clearances(self, places: Numbers, limit: float = np.inf) -> Numbers:
        """Return how far places, one row each, are from what is nearest to them; below 0 within it.

        What is farther than the limit may be reported as infinitely far, or deep.
        """
        within = insides(places, self.lines)
        found = nearest_lines(places, self.lines, limit)[0]
        found = np.where(within, -np.abs(found), found)
        return np.minimum(found, self._from_borders(places))

    def clearance_between(self, start: PointLike, end: PointLike) -> float:
        """Return the least distance from obstacles and borders on a straight way; at most 0 if one is met."""
        one, other = as_point(start, "the start of a way"), as_point(end, "the end of a way")
        return float(self.clearances_between(np.array([tuple(one)]), np.array([tuple(other)]))[0])

    def clearances_between(self, starts: Numbers, ends: Numbers) -> Numbers:
        """Return the least distance from what is nearest, for straight ways, one row each."""
        found = from_ways(starts, ends, self.lines)
        within = insides(starts, self.lines)
        found = np.where(within, -np.abs(found), found)
        # The borders are convex, so a way is nearest to them at one of its ends.
        return np.minimum(found, np.minimum(self._from_borders(starts), self._from_borders(ends)))

    def clearances_within(self, starts: Numbers, ends: Numbers, limit: float) -> Numbers:
        """Return what `clearances_between` does for ways outside all obstacles, if it is within a limit.

        What is farther may be reported as infinitely far; a way that goes into an outline has at most 0, one
        that is wholly inside is taken for one outside.
        """
        found = from_ways(starts, ends, self.lines, limit)
        return np.minimum(found, np.minimum(self._from_borders(starts), self._from_borders(ends)))

    def sees(self, starts: Numbers, ends: Numbers, clearance: float) -> NDArray[np.bool_]:
        """Tell for straight ways between free places whether each is free all along."""
        found: NDArray[np.bool_] = self.clearances_within(starts, ends, clearance) > clearance
        return found

    def is_free(self, place: PointLike, clearance: float = 0.0) -> bool:
        """Tell whether a place is farther than the clearance from all obstacles and borders."""
        return self.clearance(place) > clearance

    def is_clear(self, start: PointLike, end: PointLike, clearance: float = 0.0) -> bool:
        """Tell whether all places of a straight way are free."""
        return self.clearance_between(start, end) > clearance

    def window(self, places: Sequence[Point], room: float) -> Bounds:
        """Return the borders, or without them a rectangle around obstacles and places with room on all sides."""
        if self.bounds is not None:
            return self.bounds
        boxes = [thing.bounds for thing in self.obstacles] + [Bounds(*p, *p) for p in places]
        lefts, bottoms, rights, tops = zip(*boxes, strict=True)
        return Bounds(min(lefts) - room, min(bottoms) - room, max(rights) + room, max(tops) + room)

    def _from_borders(self, places: Numbers) -> Numbers:
        if self.bounds is None:
            return np.full(len(places), np.inf)
        left, bottom, right, top = self.bounds
        x, y = places[:, 0], places[:, 1]
        sides: Numbers = np.minimum.reduce([x - left, right - x, y - bottom, top - y])
        return sides


def check_ends(space: Space, start: PointLike, goal: PointLike, clearance: float) -> tuple[Point, Point]:
    """Return the start and the goal, or say which of them is outside or blocked, and by how much."""
    if as_number(clearance, "the clearance of a route") < 0:
        raise PlanError(f"the clearance of a route is a finite number >= 0, not {clearance!r}")
    ends = as_point(start, "the start"), as_point(goal, "the goal")
    for name, place in zip(("start", "goal"), ends, strict=True):
        box = space.bounds
        if box and not (box.left <= place.x <= box.right and box.bottom <= place.y <= box.top):
            raise PlanError(
                f"the {name} ({place.x:g}, {place.y:g}) is outside the space from ({box.left:g}, {box.bottom:g}) "
                f"to ({box.right:g}, {box.top:g})"
            )
        found = space.clearance(place)
        if not found > clearance:
            raise PlanError(
                f"the {name} ({place.x:g}, {place.y:g}) is blocked: it is {_near(found)} an obstacle or a border, "
                f"and a clearance of {clearance:g} m takes more than that"
            )
    return ends


def _near(found: float) -> str:
    """Say how far a place is from what is nearest, which may be so little that it is rounding."""
    if abs(found) < 1e-9:
        return "at the edge of"
    return f"{found:g} m from" if found > 0 else f"{-found:g} m within"


def _as_bounds(bounds: Bounds | None) -> Bounds | None:
    if bounds is None:
        return None
    sides = as_several(bounds, "the borders of a space")
    if len(sides) != 4:
        raise ValueError(f"the borders of a space are left, bottom, right and top, not {shown(bounds)}")
    left, bottom, right, top = (as_number(side, "a border of a space") for side in sides)
    if not (left < right and bottom < top):
        raise ValueError(f"the borders of a space are left < right and bottom < top, not {tuple(bounds)}")
    return Bounds(left, bottom, right, top)


def _lines(things: Iterable[Obstacle]) -> Segments:
    """Return all obstacles as lines with a radius; those of outlines with the number of their outline."""
    rows: list[tuple[float, float, float, float, float, int]] = []
    outlines = 0
    for thing in things:
        match thing:
            case Circle(centre, radius):
                rows.append((*centre, *centre, radius, -1))
            case WallSpace(start, end, thickness):
                rows.append((*start, *end, thickness / 2, -1))
            case Segment(start, end):
                rows.append((*start, *end, 0.0, -1))
            case Outline(corners):
                following = (*corners[1:], corners[0])
                rows += [(*one, *other, 0.0, outlines) for one, other in zip(corners, following, strict=True)]
                outlines += 1
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)
    return Segments(table[:, 0:2], table[:, 2:4], table[:, 4], table[:, 5].astype(np.int64))

"""What of the plane never changes: its size, the obstacles on it, and the ground?

A map is a value. Without a size the plane has no end. An obstacle may stick out of a finite plane, but not
lie wholly outside it; obstacles may overlap. Each has a name that no other has: those that were given none
are counted, "wall 1", "wall 2".
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from kumi.geometry import Bounds, Point, PointLike, as_point
from kumi.geometry.points import as_size
from kumi.teaching import taught
from kumi.world.map_error import MapError
from kumi.world.obstacles import (
    Block,
    Forbidden,
    Hole,
    Obstacle,
    Pillar,
    Slow,
    Terrain,
    Wall,
    as_name,
    scaled_obstacle,
    scaled_terrain,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T", Obstacle, Terrain)


@dataclass(frozen=True, slots=True, init=False)
class Map:
    """A plane with all that stands and lies on it.

    `width` and `height` are given together, or not at all for an infinite plane; `origin` is the lower left
    corner.
    """

    width: float | None
    height: float | None
    origin: Point
    obstacles: tuple[Obstacle, ...]
    terrain: tuple[Terrain, ...]
    name: str

    @taught
    def __init__(
        self,
        width: float | None = None,
        height: float | None = None,
        origin: PointLike = (0.0, 0.0),
        obstacles: Iterable[Obstacle] = (),
        terrain: Iterable[Terrain] = (),
        name: str = "",
    ) -> None:
        obstacles = _listed(obstacles, "the obstacles of a map")
        terrain = _listed(terrain, "the terrain of a map")
        _check_kinds(obstacles, (Wall, Pillar, Block), "an obstacle is a wall, a pillar or a block")
        _check_kinds(terrain, (Slow, Hole, Forbidden), "terrain is slow ground, a hole or forbidden ground")
        taken = _names((*obstacles, *terrain))
        for field, value in {
            "width": None if width is None else as_size(width, "the width of a map"),
            "height": None if height is None else as_size(height, "the height of a map"),
            "origin": as_point(origin, "the origin of a map"),
            "obstacles": _named(obstacles, taken),
            "terrain": _named(terrain, taken),
            "name": as_name(name),
        }.items():
            object.__setattr__(self, field, value)
        if (width is None) != (height is None):
            raise MapError(f"a plane has a width and a height, or neither, not {width} and {height}")
        self._check_places()

    @property
    def is_finite(self) -> bool:
        """Tells whether the plane has an end."""
        return self.width is not None

    @property
    def bounds(self) -> Bounds:
        """The borders of the plane; infinite ones if it has no end."""
        if self.width is None or self.height is None:
            return Bounds(-math.inf, -math.inf, math.inf, math.inf)
        left, bottom = self.origin
        return Bounds(left, bottom, left + self.width, bottom + self.height)

    @property
    def content_bounds(self) -> Bounds | None:
        """The least upright rectangle around all obstacles and terrain, or None if there are none."""
        boxes = [thing.bounds for thing in (*self.obstacles, *self.terrain)]
        if not boxes:
            return None
        lefts, bottoms, rights, tops = zip(*boxes, strict=True)
        return Bounds(min(lefts), min(bottoms), max(rights), max(tops))

    def contains(self, point: PointLike) -> bool:
        """Tell whether a point is on the plane, its border included."""
        place = as_point(point)
        left, bottom, right, top = self.bounds
        return left <= place.x <= right and bottom <= place.y <= top

    def scaled(self, factor: float) -> Map:
        """Return the map with all lengths multiplied, as seen from (0, 0)."""
        by = as_size(factor, "the factor of a map")
        return Map(
            None if self.width is None else self.width * by,
            None if self.height is None else self.height * by,
            self.origin * by,
            [scaled_obstacle(thing, by) for thing in self.obstacles],
            [scaled_terrain(thing, by) for thing in self.terrain],
            self.name,
        )

    def with_(
        self,
        *,
        obstacles: Iterable[Obstacle] | None = None,
        terrain: Iterable[Terrain] | None = None,
        name: str | None = None,
    ) -> Map:
        """Return the map with other obstacles, other terrain or another name."""
        return Map(
            self.width,
            self.height,
            self.origin,
            self.obstacles if obstacles is None else obstacles,
            self.terrain if terrain is None else terrain,
            self.name if name is None else name,
        )

    def piece(self, center: PointLike, reach: float) -> Map:
        """Return the same plane with only what meets the square of this half side around a place."""
        x, y = as_point(center, "the centre of a piece")
        half = as_size(reach, "the reach of a piece")
        square = Bounds(x - half, y - half, x + half, y + half)
        return self.with_(
            obstacles=[thing for thing in self.obstacles if _meet(thing.bounds, square)],
            terrain=[thing for thing in self.terrain if _meet(thing.bounds, square)],
        )

    def _check_places(self) -> None:
        plane = self.bounds
        for thing in (*self.obstacles, *self.terrain):
            if not _meet(plane, thing.bounds):
                left, bottom, right, top = thing.bounds
                raise MapError(
                    f"{thing.name} reaches from ({left:g}, {bottom:g}) to ({right:g}, {top:g}), which is wholly "
                    f"outside the plane from ({plane.left:g}, {plane.bottom:g}) to ({plane.right:g}, {plane.top:g})"
                )


def kind_of(thing: Obstacle | Terrain) -> str:
    """Return the word for what something is: wall, pillar, block, slow, hole or forbidden."""
    return type(thing).__name__.lower()


def _listed(things: Iterable[T], name: str) -> tuple[T, ...]:
    """Return things as a tuple, or say that they are given in a list."""
    if not hasattr(things, "__iter__"):
        raise TypeError(f"{name} are given in a list, as in [{type(things).__name__}(...)], not alone")
    return tuple(things)


def _check_kinds(things: tuple[object, ...], kinds: tuple[type, ...], rule: str) -> None:
    for thing in things:
        if not isinstance(thing, kinds):
            raise TypeError(f"{rule}, not {thing!r}")


def _names(things: tuple[Obstacle | Terrain, ...]) -> set[str]:
    """Return the names that were given."""
    names = Counter(thing.name for thing in things if thing.name)
    for name, count in names.items():
        if count > 1:
            raise MapError(f"{count} things on a map are named {name!r}; each has a name of its own")
    return set(names)


def _named(things: tuple[T, ...], taken: set[str]) -> tuple[T, ...]:
    """Give those without a name the name of their kind and their number, or the next that is not taken."""
    counts: Counter[str] = Counter()
    named = []
    for thing in things:
        kind = kind_of(thing)
        counts[kind] += 1
        if thing.name:
            named.append(thing)
            continue
        while f"{kind} {counts[kind]}" in taken:
            counts[kind] += 1
        named.append(replace(thing, name=f"{kind} {counts[kind]}"))
    return tuple(named)


def _meet(one: Bounds, other: Bounds) -> bool:
    """Tell whether two rectangles have a point in common, be it on their sides."""
    return (
        one.left <= other.right
        and other.left <= one.right
        and one.bottom <= other.top
        and other.bottom <= one.top
    )

"""The simulated plane with everything in it.

A world is a model like any other: put it into a `Simulation`, alone or with others. What never changes is
its map. Bodies can be added, moved and removed at any time. Programs never hold a world; sensors do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from math import inf
from typing import Literal, NamedTuple, TypeAlias

from kumi._core import Plane
from kumi.contract import Contact
from kumi.geometry import BodyShape, Circle, Disc, Point, PointLike, Pose, as_point
from kumi.motion import Drive
from kumi.world.body import SimulatedBody
from kumi.world.errors import Overlap
from kumi.world.map import Map
from kumi.world.obstacles import Block, Forbidden, Hole, Obstacle, Pillar, Slow, Terrain, Wall

BORDER = "border"
"""What stands for the edge of a finite world."""

PolicyName: TypeAlias = Literal["stop", "slide", "pass"]
Policy: TypeAlias = PolicyName | Callable[[SimulatedBody, Contact], PolicyName]
Thing: TypeAlias = SimulatedBody | Obstacle | Terrain | str


class Hit(NamedTuple):
    """What a ray met, where, and how far away."""

    distance: float
    point: Point
    what: Thing


class World(Plane):
    """A plane with obstacles, terrain and bodies.

    `on_contact` says what happens to a moving body at a contact: it stops where it touches, slides on
    along the surface, passes as if nothing were there, or does what a function of the body and the contact
    says. In ghost mode there are no contacts at all.
    """

    def __init__(
        self,
        map: Map | None = None,  # noqa: A002
        *,
        width: float | None = None,
        height: float | None = None,
        ghost: bool = False,
        on_contact: Policy = "stop",
        name: str = "world",
    ) -> None:
        if map is not None and (width is not None or height is not None):
            raise ValueError("a world takes a map, or a width and a height, not both")
        self.map = Map(width, height) if map is None else map
        bounds = self.map.bounds
        super().__init__(name, tuple(bounds) if self.map.is_finite else None)
        self.is_ghost = ghost or on_contact == "pass"
        self.set_policy("pass" if ghost else on_contact)
        self._things: list[Obstacle | Terrain] = []
        self._numbers = count()
        for thing in (*self.map.obstacles, *self.map.terrain):
            self._put(thing)
        self.set_names([thing.name for thing in self._things])

    def _put(self, thing: Obstacle | Terrain) -> None:
        match thing:
            case Wall(start, end, thickness):
                self.add_wall(start, end, thickness)
            case Pillar(centre, radius):
                self.add_pillar(centre, radius)
            case Block(outline):
                self.add_block(outline.corners, True)
            case Forbidden(Circle(centre, radius)):
                self.add_pillar(centre, radius)
            case Forbidden(area):
                self.add_block(area.corners, False)
            case Slow(Circle(centre, radius), factor):
                self.add_region(centre, radius, factor)
            case Slow(area, factor):
                self.add_region(area.corners, 0.0, factor)
            case Hole(Circle(centre, radius)):
                self.add_region(centre, radius, 0.0)
            case Hole(area):
                self.add_region(area.corners, 0.0, 0.0)
        self._things.append(thing)

    @property
    def bodies(self) -> tuple[SimulatedBody, ...]:
        """All bodies in the world now, by number."""
        return self.held

    def add_body(
        self,
        at: PointLike,
        *,
        heading: float = 0.0,
        shape: BodyShape | None = None,
        drive: Drive | None = None,
        name: str | None = None,
    ) -> SimulatedBody:
        """Put a body into the world, before or during a run; what it would overlap raises Overlap."""
        pose = Pose(as_point(at, "where a body is put"), heading)
        number = next(self._numbers)
        name = f"robot {number}" if name is None else name
        if not name or "." in name:
            raise ValueError(f"a body's name has no dot and is not empty, but it is {name!r}")
        form = Disc(0.1) if shape is None else shape
        self.check_free(name, form, pose)
        return SimulatedBody(self, name, form, pose, drive)

    def check_free(
        self, name: str, shape: BodyShape, pose: Pose, *, ignoring: SimulatedBody | None = None
    ) -> None:
        """Raise Overlap where a body would stand in something."""
        found = self.what_is_in_the_way(shape.core, pose.position, pose.heading, ignoring)
        place = f"'{name}' cannot be at ({pose.position.x:g}, {pose.position.y:g})"
        if found is not None:
            overlap, body, obstacle = found
            if body is None and self.thing(obstacle) == BORDER:
                left, bottom, right, top = self.map.bounds
                raise Overlap(
                    f"{place}: it would reach over the border of the world, which goes from "
                    f"({left:g}, {bottom:g}) to ({right:g}, {top:g})"
                )
            what = f"'{body.name}'" if body is not None else _name(self.thing(obstacle))
            raise Overlap(f"{place}: it would overlap {what} by {-overlap:.3g} m")
        if self.ground_factor(pose.position) == 0.0:
            raise Overlap(f"{place}: there is a hole")

    def thing(self, number: int) -> Obstacle | Terrain | str:
        """Return the obstacle or terrain of a number; below 0 it is the border."""
        return BORDER if number < 0 else self._things[number]

    def first_hit(
        self,
        origin: PointLike,
        direction: float,
        reach: float = inf,
        *,
        ignoring: SimulatedBody | None = None,
        bodies: bool = True,
        obstacles: bool = True,
    ) -> Hit | None:
        """Return what a ray meets first within reach, or None."""
        start = as_point(origin)
        found = self.hit(start, direction, min(reach, 1e300), ignoring, bodies, obstacles)
        if found is None:
            return None
        distance, body, obstacle = found
        what = self.thing(obstacle) if body is None else body
        return Hit(distance, start + Point.polar(distance, direction), what)

    def near(self, centre: PointLike, within: float) -> list[SimulatedBody]:
        """Return the bodies whose surface is within that distance of a point, by number."""
        return self.near_bodies(centre, within)

    def near_obstacles(self, centre: PointLike, within: float) -> list[tuple[Thing, float]]:
        """Return the obstacles within that distance of a point, the nearest first, with their distances."""
        return [(self.thing(number), distance) for number, distance in self.obstacles_near(centre, within)]

    def sees(
        self, start: PointLike, end: PointLike, *, ignoring: Sequence[SimulatedBody] = ()
    ) -> bool:
        """Tell whether nothing stands between two points."""
        here, there = as_point(start), as_point(end)
        step = there - here
        distance = abs(step)
        if distance == 0.0:
            return True
        if self.hit(here, step.direction, distance, None, False, True) is not None:
            return False
        hidden = {body.number for body in ignoring}
        return not any(
            body.number not in hidden and self._is_between(body, here, step, distance)
            for body in self.near(here + step / 2, distance / 2)
        )

    def _is_between(self, body: SimulatedBody, here: Point, step: Point, distance: float) -> bool:
        along = (body.position - here).dot(step) / distance
        return 0.0 < along < distance and abs((body.position - here).cross(step)) / distance < body.shape.reach

    def ground(self, at: PointLike) -> str:
        """Return what is underfoot: floor, slow, hole, or outside."""
        if not self.map.contains(at):
            return "outside"
        factor = self.ground_factor(at)
        return "floor" if factor == 1.0 else "slow" if factor > 0.0 else "hole"


def _name(thing: Obstacle | Terrain | str) -> str:
    return thing if isinstance(thing, str) else thing.name

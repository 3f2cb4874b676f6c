"""The simulated plane with everything in it.

A world is a model like any other: put it into a `Simulation`, alone or with others. Bodies can be added, moved
and removed at any time, and so can obstacles; `map` is what stands there now. Programs never hold a world;
sensors do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from math import inf, tau
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, Union, get_args
from weakref import WeakValueDictionary

from kumi._core import (
    ECHOES_LIGHT,
    ECHOES_SOUND,
    STANDS,
    STOPS_BODIES,
    STOPS_LIGHT,
    Plane,
    PlaneBody,
    Signal,
    ray_hit,
)
from kumi.contract import Asked, Contact, Pushed
from kumi.devs.errors import KumiError
from kumi.geometry import BodyShape, Circle, Disc, Outline, Point, PointLike, Pose, as_point
from kumi.geometry.headings import warn_of_degrees
from kumi.motion import Drive
from kumi.teaching import taught
from kumi.world.map import Map
from kumi.world.map_toml import thing_to_table
from kumi.world.materials import Material, Modality
from kumi.world.obstacles import Block, Forbidden, Hole, Obstacle, Pillar, Slow, Terrain, Wall

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

BORDER = "border"
"""What stands for the edge of a finite world."""

WALKER = "walker"
"""What stands for a body without a program, which only the core knows."""

RAYS = {
    Modality.LIGHT: (STOPS_LIGHT, ECHOES_LIGHT),
    Modality.SOUND: (ECHOES_SOUND, ECHOES_SOUND),
    Modality.TOUCH: (STOPS_BODIES, STOPS_BODIES),
}
"""Which trait of an obstacle ends a ray of a modality, and which sends it back."""

FARTHEST = 1e300
"""Metres of a ray without a reach."""

PolicyName: TypeAlias = Literal["stop", "slide", "pass"]
Policy: TypeAlias = PolicyName | Callable[["SimulatedBody", Contact], PolicyName]
Thing: TypeAlias = Union["SimulatedBody", Obstacle, Terrain, str]


class Hit(NamedTuple):
    """What a ray met, where, and how far away."""

    distance: float
    point: Point
    what: Thing

    def echoes(self, modality: Modality = Modality.LIGHT) -> bool:
        """Tell whether the ray comes back from there, or is swallowed."""
        return not isinstance(self.what, Obstacle) or self.what.material.echoes(modality)


class World(Plane):
    """A plane with obstacles, terrain and bodies.

    `on_contact` says what happens to a moving body at a contact: it stops where it touches, slides on
    along the surface, passes through what it touches, or does what a function of the body and the contact
    says. In ghost mode there are no contacts at all.
    """

    @taught
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
        if not isinstance(self.map, Map):
            raise TypeError(f"a world takes a Map, not {map!r}")
        bounds = self.map.bounds
        super().__init__(name, bounds if self.map.is_finite else None)
        if not callable(on_contact) and on_contact not in get_args(PolicyName):
            raise ValueError(f'on_contact is "stop", "slide", "pass" or a function, not {on_contact!r}')
        self.set_policy("ghost" if ghost else on_contact)
        self._things: list[Obstacle | Terrain] = []
        self._known: WeakValueDictionary[str, SimulatedBody] = WeakValueDictionary()
        self._at_obstacle: list[Callable[[], object]] = []
        for thing in (*self.map.obstacles, *self.map.terrain):
            self._put(thing)
        self._numbers = {thing.name: number for number, thing in enumerate(self.map.obstacles)}
        self.set_names([thing.name for thing in self._things])

    def _put(self, thing: Obstacle | Terrain) -> None:
        match thing:
            case Wall(start, end, thickness):
                self.add_wall(start, end, thickness, traits_of(thing.material))
            case Pillar(centre, radius):
                self.add_pillar(centre, radius, traits_of(thing.material))
            case Block(outline):
                self.add_block(outline.corners, traits_of(thing.material))
            case Forbidden(Circle(centre, radius)):
                self.add_pillar(centre, radius, STOPS_BODIES)
            case Forbidden(Outline(corners)):
                self.add_block(corners, STOPS_BODIES)
            case Slow(Circle(centre, radius), factor):
                self.add_region(centre, radius, factor)
            case Slow(Outline(corners), factor):
                self.add_region(corners, 0.0, factor)
            case Hole(Circle(centre, radius)):
                self.add_region(centre, radius, 0.0)
            case Hole(Outline(corners)):
                self.add_region(corners, 0.0, 0.0)
        self._things.append(thing)

    def add_obstacle(self, thing: Obstacle) -> Obstacle:
        """Let something stand in the world from now on, before or during a run, and return it with its name.

        Overlap where a body is in its place. Programs that looked at the map before keep what they saw.
        """
        changed = self.map.with_(obstacles=[*self.map.obstacles, thing])
        stands = changed.obstacles[-1]
        number = len(self._things)
        self._put(stands)
        if (inside := self.body_in(number)) is not None:
            self.take_away(number)
            raise Overlap(f"{stands.name} cannot stand there: robot {inside} is in its place")
        self.map = changed
        self._numbers[stands.name] = number
        self.set_names([one.name for one in self._things])
        self.tell_obstacle(number, json.dumps(thing_to_table(stands)))
        self._tell_of_obstacle()
        return stands

    def remove_obstacle(self, name: str) -> None:
        """Take the obstacle of a name out of the world, before or during a run."""
        rest = [thing for thing in self.map.obstacles if thing.name != name]
        if len(rest) == len(self.map.obstacles):
            raise ValueError(f"there is no obstacle named {name!r} in the world")
        self.map = self.map.with_(obstacles=rest)
        number = self._numbers.pop(name)
        self.take_away(number)
        self.tell_obstacle(number, None)
        self._tell_of_obstacle()

    def on_obstacle(self, told: Callable[[], object]) -> None:
        """Call a function whenever an obstacle has come or gone, at that instant."""
        self._at_obstacle.append(told)

    def _tell_of_obstacle(self) -> None:
        for told in self._at_obstacle:
            told()

    def number_of(self, name: str) -> int:
        """Return the number by which contacts and the journal know an obstacle."""
        return self._numbers[name]

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
        name = self._free_name() if name is None else name
        if not name or "." in str(name) or name != str(name):
            raise ValueError(f"a body's name is a text without a dot that is not empty, but it is {name!r}")
        if (known := self._known.get(name)) is not None and not known.is_gone:
            raise ValueError(f"there is a body named {name!r} in the world already; names are unique")
        form = Disc(0.1) if shape is None else shape
        check_shape(form)
        self.check_free(name, form, pose)
        self._known[name] = body = SimulatedBody(self, name, form, pose, drive)
        return body

    def body_of(self, name: str) -> SimulatedBody | None:
        """Return the body of that name, or None."""
        return self._known.get(name)

    def _free_name(self) -> str:
        """Count up from the number that the next body gets, to a name that nobody has."""
        names = (f"robot {number}" for number in count(self.added))
        return next(name for name in names if name not in self._known)

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
            depth = f"lie within {what}" if overlap == -inf else f"overlap {what} by {-overlap:.3g} m"
            raise Overlap(f"{place}: it would {depth}")
        if self.ground_factor(pose.position) == 0.0:
            raise Overlap(f"{place}: there is a hole")

    def thing(self, number: int) -> Obstacle | Terrain | str:
        """Return the obstacle or terrain of a number; -2 is the border, -1 one of the native walkers."""
        return self._things[number] if number >= 0 else WALKER if number == -1 else BORDER

    def first_hit(
        self,
        origin: PointLike,
        direction: float,
        reach: float = inf,
        *,
        ignoring: SimulatedBody | None = None,
        bodies: bool = True,
        obstacles: bool = True,
        modality: Modality = Modality.LIGHT,
    ) -> Hit | None:
        """Return what a ray of light, or of another modality, meets first within reach, or None."""
        start = as_point(origin)
        stops = RAYS[modality][0] if obstacles else 0
        found = self.hit(start, direction, min(reach, FARTHEST), ignoring, bodies, stops)
        if found is None:
            return None
        distance, body, obstacle = found
        what = self.thing(obstacle) if body is None else body
        return Hit(distance, start + Point.polar(distance, direction), what)

    def echo(
        self,
        origin: PointLike,
        direction: float,
        reach: float = inf,
        *,
        ignoring: SimulatedBody | None = None,
        modality: Modality = Modality.LIGHT,
    ) -> float | None:
        """Return from how far away a ray comes back, or None where nothing is in reach or what is swallows it."""
        hit = self.first_hit(origin, direction, reach, ignoring=ignoring, modality=modality)
        return hit.distance if hit is not None and hit.echoes(modality) else None

    def rays(
        self,
        origin: PointLike,
        directions: ArrayLike,
        reach: float = inf,
        *,
        ignoring: SimulatedBody | None = None,
        bodies: bool = True,
        obstacles: bool = True,
        modality: Modality = Modality.LIGHT,
    ) -> NDArray[np.float64]:
        """Return from how far away each of many rays from one place comes back; inf where none does within reach.

        The directions are angles in radians, in an array of any shape. Many at once are much faster than one by one
        where they turn on evenly to the left, as those of a lidar do.
        """
        import numpy as np  # Late: a run without sensors of many rays does not need it.

        angles = np.ascontiguousarray(directions, np.float64)
        stops, echoes = RAYS[modality]
        found = self.echoes(
            as_point(origin),
            angles,
            min(reach, FARTHEST),
            ignoring,
            bodies,
            stops if obstacles else 0,
            echoes,
        )
        return np.frombuffer(found, np.float64).reshape(angles.shape)

    def visible(
        self,
        body: SimulatedBody,
        reach: float = inf,
        *,
        view: float = tau,
        bearing: float = 0.0,
        occlusion: bool = True,
    ) -> list[tuple[SimulatedBody, float, float]]:
        """Return who is in sight of a body, by number: the other body, how far its surface is, and its bearing.

        Another is in range where its surface is within `reach` of the body's centre, and in the field of view, `view` wide
        about `bearing`, where its own centre is. With occlusion what stops light hides who is behind it.
        """
        return self.in_sight(body, reach, view, bearing, occlusion)

    def near(self, centre: PointLike, within: float) -> list[SimulatedBody]:
        """Return the bodies whose surface is within that distance of a point, by number."""
        return self.near_bodies(centre, within)

    def near_obstacles(self, centre: PointLike, within: float) -> list[tuple[Thing, float]]:
        """Return the obstacles of any material within that distance of a point, the nearest first, with distances."""
        return [(self.thing(number), distance) for number, distance in self.obstacles_near(centre, within)]

    def obstacles_beside(self, start: PointLike, end: PointLike, within: float) -> list[Thing]:
        """Return the obstacles of any material within that distance of a straight way, those nearest to its middle first."""
        return [self.thing(number) for number in self.obstacles_along(start, end, within)]

    def sees(self, start: PointLike, end: PointLike, *, ignoring: Sequence[SimulatedBody] = ()) -> bool:
        """Tell whether light goes from one point to another."""
        here, there = as_point(start), as_point(end)
        step = there - here
        distance = abs(step)
        if distance == 0.0:
            return True
        if self.hit(here, step.direction, distance, None, False, STOPS_LIGHT) is not None:
            return False
        hidden = {body.number for body in ignoring}
        return not any(
            body.number not in hidden and self._way_to(body, here, step / distance) < distance
            for body in self.near(here + step / 2, distance / 2)
        )

    def _way_to(self, body: SimulatedBody, start: Point, along: Point) -> float:
        at = body.position
        return ray_hit(body.shape.core, at.x, at.y, body.heading, start.x, start.y, along.x, along.y)

    def ground(self, at: PointLike) -> str:
        """Return what is underfoot: floor, slow, hole, or outside."""
        if not self.map.contains(at):
            return "outside"
        factor = self.ground_factor(at)
        return "floor" if factor == 1.0 else "slow" if factor > 0.0 else "hole"


class SimulatedBody(PlaneBody):
    """A body in a world; made by `World.add_body`."""

    def __init__(self, world: World, name: str, shape: BodyShape, pose: Pose, drive: Drive | None) -> None:
        super().__init__(world, name, shape.core, pose.position.x, pose.position.y, pose.heading, drive)
        self.world = world
        self.shape = shape
        self.sensors: Mapping[str, Asked[Any] | Pushed[Any]] = {}

    @property
    def pose(self) -> Pose:
        """Where it is and looks now."""
        return Pose(self.position, self.heading)

    @property
    def speed(self) -> float:
        """Metres a second now."""
        return abs(self.velocity)

    def teleport(self, at: PointLike, heading: float | None = None) -> None:
        """Put the body elsewhere, at rest; what is in the way there raises Overlap."""
        pose = Pose(as_point(at), self.heading if heading is None else heading)
        self.world.check_free(self.name, self.shape, pose, ignoring=self)
        self.put(pose.position.x, pose.position.y, pose.heading)

    def resize(self, shape: BodyShape) -> None:
        """Give the body another shape; what it would then overlap raises Overlap."""
        check_shape(shape)
        self.world.check_free(self.name, shape, self.pose, ignoring=self)
        self.reshape(shape.core)
        self.shape = shape

    def watch(
        self,
        within: float,
        told: Callable[[bool, Any], object],
        *,
        view: float = tau,
        bearing: float = 0.0,
        to_centres: bool = False,
    ) -> BodyWatch:
        """Tell who comes within range, and who leaves it, at the exact instant.

        The range is measured from this body's centre to the other's surface (of a body that is no disc,
        the circle around it), or to its centre. Those who are there already are not told; see `BodyWatch.inside`.
        """
        warn_of_degrees(bearing, "the bearing of watch()")
        return BodyWatch(self, self.open_watch(within, view, bearing, to_centres, told))


class BodyWatch:
    """A watch that is kept; see `SimulatedBody.watch`."""

    def __init__(self, body: SimulatedBody, number: int) -> None:
        self._body = body
        self._number: int | None = number

    @property
    def inside(self) -> list[SimulatedBody]:
        """The bodies within range now."""
        return [] if self._number is None else self._body.watched(self._number)

    def fire(self, reports: Signal[Any], entered: Signal[Any], left: Signal[Any]) -> None:
        """Let it fire signals from now on, in place of calling: the first each time, then one of the others."""
        if self._number is not None:
            self._body.fire_watch(self._number, reports, entered, left)

    def close(self) -> None:
        """End it."""
        if self._number is not None:
            self._body.close_watch(self._number)
            self._number = None  # another watch may get it


def traits_of(material: Material) -> int:
    """Return what the core knows of a material, one bit each."""
    return (
        STANDS
        | material.stops_bodies * STOPS_BODIES
        | material.stops_light * STOPS_LIGHT
        | material.echoes_light * ECHOES_LIGHT
        | material.echoes_sound * ECHOES_SOUND
    )


def check_shape(shape: BodyShape) -> None:
    """Refuse what is no shape of a body."""
    if not isinstance(shape, BodyShape):
        raise TypeError(f"a body's shape is a Disc, a Polygon or an Ellipse, not {shape!r}")


def _name(thing: Obstacle | Terrain | str) -> str:
    return thing if isinstance(thing, str) else thing.name


class Overlap(KumiError, ValueError):
    """A body would stand in another, in an obstacle or outside the world."""

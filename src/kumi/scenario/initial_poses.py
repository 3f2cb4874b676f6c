"""On which ground does a scenario take place, and where and how does each robot begin?

Listed points are taken as they are: the world refuses those that overlap. Random ones then fill what is
left, the larger robots first. All chance comes from the seed, with sequences for each group of robots:
another group does not change the headings of the first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

from kumi.devs.chance import stream
from kumi.geometry import BodyShape, Circle, Disc, Outline, Point, Pose, Segment, as_point
from kumi.scenario.placing import Box, NoRoom, Pair, PlacedCircles, draw_points
from kumi.world import Hole, Map, MapError, World, map_from_table

if TYPE_CHECKING:
    from kumi.scenario.document import Place
    from kumi.scenario.scenario import Scenario
    from kumi.scenario.schema import RobotsTable


def map_of(scenario: Scenario) -> Map:
    """Return the map of a scenario; what is wrong with it is named with its line."""
    given, name = scenario.settings.map, scenario.document.name
    place = scenario.document.place("map")
    try:
        return map_from_table({"file": given} if isinstance(given, str) else given, name, scenario.folder)
    except MapError as error:
        if error.where != name:
            raise place.error(str(error)) from error
        keys = () if isinstance(given, str) else error.keys
        raise place.at(*keys).error(f"map: {error.reason}") from error


class EmptyWorld:
    """A world before any robot is in it, and the question where one would have room."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._has_things = bool(world.map.obstacles or world.map.terrain)
        self._holes = [thing.area for thing in world.map.terrain if isinstance(thing, Hole)]
        self._circle = cache(Disc)

    @property
    def box(self) -> Box | None:
        """The plane's borders; None if it has no end."""
        return Box(*self._world.map.bounds) if self._world.map.is_finite else None

    def is_free(self, point: Pair, reach: float, /) -> bool:
        """Tell whether a circle touches no obstacle, no hole and no border."""
        (x, y), (left, bottom, right, top) = point, self._world.map.bounds
        if not (left + reach <= x <= right - reach and bottom + reach <= y <= top - reach):
            return False
        if not self._has_things:
            return True
        if self._world.what_is_in_the_way(self._circle(reach).core, point, 0.0, None) is not None:
            return False
        return not any(_meets(area, point, reach) for area in self._holes)


def _meets(area: Circle | Outline, point: Pair, reach: float) -> bool:
    """Tell whether a circle and an area have a point in common."""
    if isinstance(area, Circle):
        return area.centre.distance_to(point) <= area.radius + reach
    return area.contains(point) or any(_distance(side, Point(*point)) <= reach for side in area.sides)


def _distance(side: Segment, point: Point) -> float:
    way = side.end - side.start
    share = (point - side.start).dot(way) / way.dot(way)
    return point.distance_to(side.start + way * min(max(share, 0.0), 1.0))


class PlacingGround(Protocol):
    """What robots are put on."""

    @property
    def box(self) -> Box | None:
        """The plane's borders; None if it has no end."""

    def is_free(self, point: Pair, reach: float, /) -> bool:
        """Tell whether a circle touches no obstacle, no hole and no border."""


@dataclass(frozen=True)
class Group:
    """Robots that are alike: their place in the scenario, what it says of them, and their shape."""

    place: Place
    robots: RobotsTable
    shape: BodyShape

    @property
    def count(self) -> int:
        """How many robots there are."""
        return self.robots.count or len(self.robots.born)


def initial_poses(groups: Sequence[Group], seed: int, ground: PlacingGround) -> list[list[Pose]]:
    """Return where each robot of each group begins."""
    crowd = PlacedCircles()
    points: dict[int, Sequence[Pair]] = {}
    for number, group in enumerate(groups):
        if group.robots.born != "random":
            points[number] = group.robots.born
            for x, y in points[number]:
                crowd.add(x, y, group.shape.reach)
    rest = [number for number in range(len(groups)) if number not in points]
    for number in sorted(rest, key=lambda number: -groups[number].shape.reach):
        points[number] = _random(groups[number], seed, number, crowd, ground)
    return [
        [
            Pose(as_point(point), heading)
            for point, heading in zip(points[number], _headings(group, seed, number), strict=True)
        ]
        for number, group in enumerate(groups)
    ]


def _headings(group: Group, seed: int, number: int) -> Iterator[float]:
    robots = group.robots
    if robots.heading == "random":
        chance = stream(seed, f":heading {number}")
        for _ in range(group.count):
            yield chance.uniform(-math.pi, math.pi)
        return
    fixed = math.radians(robots.heading_deg) if robots.heading_deg is not None else robots.heading or 0.0
    for _ in range(group.count):
        yield fixed


def _random(group: Group, seed: int, number: int, crowd: PlacedCircles, ground: PlacingGround) -> list[Pair]:
    box, within = ground.box, group.robots.within
    if within is not None:
        box = Box(within.x, within.y, within.x + within.width, within.y + within.height)
        if ground.box is not None and ground.box.is_apart(box):
            raise group.place.at("within").error(
                f"{group.place.title}.within goes {box.span}: that is outside the world, which goes {ground.box.span}"
            )
    if box is None:
        raise group.place.error(
            f"{group.place.title}.within is missing; random born points in an infinite world need an area"
        )
    chance = stream(seed, f":born {number}")
    reach = group.shape.reach
    try:
        return draw_points(group.count, reach, box, crowd=crowd, is_free=ground.is_free, chance=chance)
    except NoRoom as error:
        raise group.place.at("count").error(f"{group.place.title}: {error}") from error

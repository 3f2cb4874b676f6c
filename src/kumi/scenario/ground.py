"""On which ground does a scenario take place, and where on it is room for a robot?"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from kumi.geometry import Circle, Disc, Outline, Point, Segment
from kumi.scenario.placing import Box, Pair
from kumi.world import Hole, Map, MapError, World, map_from_table

if TYPE_CHECKING:
    from kumi.scenario.scenario import Scenario


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

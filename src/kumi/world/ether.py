"""Where radios are, and what stands between them: a world as an ether.

A robot's number is its address. Distances go from centre to centre. Who is near comes from the core, which
knows it by cells; the length of a line inside each obstacle is computed here. Obstacles of the map shadow,
robots do not.

A range is watched in the core, which measures it to a body's surface. So there is one watch for each radius
that bodies have when the watch begins; bodies that get another radius later are not told of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import hypot

from kumi.geometry import Point
from kumi.world.shadows import thickness_along
from kumi.world.world import SimulatedBody, World


class WorldEther:
    """The ether of a world; `materials` says what obstacles are made of, by name, the others are of `material`."""

    def __init__(
        self, world: World, *, material: str = "concrete", materials: Mapping[str, str] | None = None
    ) -> None:
        self.world = world
        self.material = material
        self.materials = dict(materials or {})
        names = {obstacle.name for obstacle in world.map.obstacles}
        for name in self.materials:
            if name not in names:
                raise ValueError(f"there is no obstacle named {name!r} on the map to be of a material")
        self._bodies: dict[int, SimulatedBody] = {}
        self._added = 0  # how many bodies the world had ever had when they were last looked up
        self._has_obstacles = bool(world.map.obstacles)

    def body(self, address: int) -> SimulatedBody | None:
        """Return the body of an address, or None if there is none any more."""
        body = self._bodies.get(address)
        if body is None and self._added != self.world.added:
            self._bodies = {one.number: one for one in self.world.bodies}
            self._added = self.world.added
            body = self._bodies.get(address)
        if body is None or not body.is_gone:
            return body
        del self._bodies[address]
        return None

    def near(self, address: int, within: float) -> list[tuple[int, float]]:
        """Return all others whose centres are within a distance of a body's centre, by number."""
        body = self.body(address)
        if body is None:
            return []
        x, y = here = body.position
        found = []
        for other in self.world.near_bodies(here, within):
            there = other.position
            away = hypot(there.x - x, there.y - y)
            if away <= within and other is not body:
                found.append((other.number, away))
        return found

    def distance(self, one: int, other: int) -> float | None:
        """Return the metres between two centres."""
        here, there = self.body(one), self.body(other)
        return None if here is None or there is None else abs(there.position - here.position)

    def obstacles_between(self, one: int, other: int) -> Sequence[tuple[float, str]]:
        """Return how many metres of which material the line between two centres goes through."""
        if not self._has_obstacles:
            return ()
        here, there = self.body(one), self.body(other)
        if here is None or there is None:
            return ()
        return self.obstacles_on(here.position, there.position)

    def obstacles_on(self, start: Point, end: Point) -> list[tuple[float, str]]:
        """Return how many metres of which material a line goes through."""
        step = end - start
        found = []
        for thing, _ in self.world.near_obstacles(start + step / 2, abs(step) / 2):
            thickness = thickness_along(thing, start, end)
            if thickness > 0.0:
                name = thing if isinstance(thing, str) else thing.name
                found.append((thickness, self.materials.get(name, self.material)))
        return found

    def watch(self, address: int, within: float, told: Callable[[bool, int], object]) -> Callable[[], None]:
        """Tell who comes within a distance of a body, or leaves it, at the exact instant."""
        body = self.body(address)
        if body is None:
            return _nothing
        watches = []
        for radius in sorted({one.shape.core.reach for one in self.world.bodies}):
            if within <= radius:
                continue

            def passed(has_entered: bool, other: SimulatedBody, own: float = radius) -> None:
                if other.shape.core.reach == own:
                    told(has_entered, other.number)

            watches.append(body.watch(within - radius, passed))

        def close() -> None:
            for watch in watches:
                watch.close()

        return close


def _nothing() -> None:
    """Nothing was watched, so nothing ends."""

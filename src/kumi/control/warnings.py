"""Who will hit whom, or which wall, if the present commands go on, and how soon?

The plans of all robots are played ahead in a world of their own: the same map, the same bodies, the same
exact contacts as in a simulation, from where the robots are believed to be now. What touches there first is a
warning with the time left. A plan is a list of legs, so waits and turns to come are seen, too. A robot that
has touched something stays where it touched; later contacts of others with it count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from kumi.contract import Contact
from kumi.devs import Simulation
from kumi.geometry import BodyShape, Point, Pose
from kumi.motion import Leg
from kumi.world import Map, SimulatedBody, World

HORIZON = 10.0
"""Seconds that are looked ahead."""


@dataclass(frozen=True)
class Outlook:
    """Where a robot is, and what it will do if nobody tells it otherwise."""

    pose: Pose
    legs: Sequence[Leg] = ()


@dataclass(frozen=True)
class Danger:
    """A contact to come: who, with whom or what, in how many seconds, and where."""

    robot: str
    other: str
    seconds: float
    at: Point

    def __str__(self) -> str:
        return f"{self.robot} will hit {self.other} in {self.seconds:.1f} s at ({self.at.x:.2f}, {self.at.y:.2f})"


class Foresight:
    """Plays plans ahead on a map, for robots with these names and shapes. Close it at the end."""

    def __init__(self, map_: Map, shapes: Mapping[str, BodyShape], *, horizon: float = HORIZON) -> None:
        self.horizon = horizon
        self._world = World(map_)
        self._simulation = Simulation(self._world, hashed=False)
        self._shapes = shapes
        self._bodies: dict[str, SimulatedBody] = {}
        self._dangers: list[Danger] = []
        self._begun = 0.0

    def dangers(self, outlooks: Mapping[str, Outlook]) -> list[Danger]:
        """Return what will touch within the horizon, the soonest first; each robot once for each other."""
        self._dangers = []
        self._begun = self._simulation.now
        for name in self._bodies.keys() - outlooks.keys():
            self._bodies.pop(name).remove()
        for name, outlook in outlooks.items():
            self._put(name, outlook.pose)
        for name, outlook in outlooks.items():
            if outlook.legs:
                self._bodies[name].start(list(outlook.legs))
        self._simulation.run(self._begun + self.horizon)
        return sorted(self._first_ones(), key=lambda danger: danger.seconds)

    def is_touching(self, danger: Danger, outlooks: Mapping[str, Outlook]) -> bool:
        """Tell whether two that are to touch do so already, by where they are believed to be."""
        for name, outlook in outlooks.items():
            self._put(name, outlook.pose)
        body = self._bodies[danger.robot]
        pose = outlooks[danger.robot].pose
        found = self._world.what_is_in_the_way(body.shape.core, pose.position, pose.heading, body)
        if found is None:
            return False
        _, other, obstacle = found
        thing = other if other is not None else self._world.thing(obstacle)
        return (thing if isinstance(thing, str) else thing.name) == danger.other

    def _put(self, name: str, pose: Pose) -> None:
        """Let a body rest where it is believed to be, even where that is inside something."""
        body = self._bodies.get(name)
        if body is not None:
            body.put(pose.position.x, pose.position.y, pose.heading)
            return
        self._bodies[name] = body = SimulatedBody(self._world, name, self._shapes[name], pose, None)
        body.on_contact(lambda contact: self._touched(name, contact))

    def _touched(self, name: str, contact: Contact) -> None:
        self._dangers.append(Danger(name, contact.by, contact.time - self._begun, contact.at))

    def _first_ones(self) -> list[Danger]:
        """Return each pair once: two robots that hit each other both touch."""
        first: dict[frozenset[str], Danger] = {}
        for danger in self._dangers:
            first.setdefault(frozenset((danger.robot, danger.other)), danger)
        return list(first.values())

    def close(self) -> None:
        """Let the world go."""
        self._simulation.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

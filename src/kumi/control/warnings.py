"""Who will hit whom, or which wall, if the present commands or motions go on, and how soon?

The plans of all robots are played ahead in a world of their own: the same map, the same bodies, the same
exact contacts as in a simulation, from where the robots are believed to be now. What touches there first is a
warning with the time left. A plan is a list of legs, so waits and turns to come are seen, too. A robot that
has touched something stays where it touched; later contacts of others with it count.

In a simulation the present motions are played ahead by the same engine. What a program will command
next is not known, so a motion is played to the end of its present piece. It costs some hundredths of a millisecond for
each robot; with so many that the run would be held up, no warnings are made, and that is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import copysign, pi
from types import TracebackType
from typing import Self

from kumi.contract import Contact
from kumi.devs import Simulation
from kumi.geometry import BodyShape, Disc, Ellipse, Point, Polygon, Pose
from kumi.maths import cos
from kumi.motion import Leg
from kumi.world import Map, SimulatedBody, World

HORIZON = 10.0
"""Seconds that are looked ahead."""


@dataclass(frozen=True)
class PredictedMotion:
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


class CollisionForecast:
    """Plays plans ahead on a map, for robots with these names and shapes. Close it at the end."""

    def __init__(self, map_: Map, shapes: Mapping[str, BodyShape], *, horizon: float = HORIZON) -> None:
        self.horizon = horizon
        self._world = World(map_)
        self._simulation = Simulation(self._world, hashed=False)
        self._shapes = shapes
        self._bodies: dict[str, SimulatedBody] = {}
        self._dangers: list[Danger] = []
        self._begun = 0.0

    def dangers(self, outlooks: Mapping[str, PredictedMotion]) -> list[Danger]:
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

    def is_touching(self, danger: Danger, outlooks: Mapping[str, PredictedMotion]) -> bool:
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

    def close(self) -> None:
        """Let the world go."""
        self._simulation.close()

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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def grown(shape: BodyShape, by: float) -> BodyShape:
    """Return a shape that reaches farther to all sides; each corner of a polygon is cut off there."""
    match shape:
        case Disc(radius):
            return Disc(radius + by)
        case Ellipse(length, width):
            return Ellipse(length + 2 * by, width + 2 * by)
    corners = shape.corners
    outward = [
        (after - one).direction - pi / 2
        for one, after in zip(corners, (*corners[1:], corners[0]), strict=True)
    ]
    sides = zip(corners, (outward[-1], *outward), outward, strict=False)
    return Polygon([corner + Point.polar(by, normal) for corner, *normals in sides for normal in normals])


MOST_ROBOTS = 3000
"""With so many, one look takes about a tenth of a second."""
FORECAST_HORIZON = 5.0
"""Seconds of the run that are looked ahead."""
LEAST_MOTION = 1e-9
"""Metres, or radians, that are no motion."""
LEAST_ALIGNMENT = 0.999
"""The cosine from which on a body goes where it looks, or straight back."""


class CollisionWatch:
    """Looks ahead in a world again and again. Close it at the end."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._forecast: CollisionForecast | None = None
        self._known: tuple[Map, dict[str, BodyShape]] | None = None

    @property
    def why_off(self) -> str:
        """Why nobody is warned; empty where they are."""
        count = self._world.count
        if count <= MOST_ROBOTS:
            return ""
        return f"Warnings are off: there are {count:,} robots, and contacts are foreseen for up to {MOST_ROBOTS:,}."

    def dangers(self) -> list[Danger]:
        """Return the contacts to come, the soonest first; none where warnings are off."""
        if self.why_off:
            return []
        bodies = [body for body in self._world.bodies if not body.is_gone]
        foresight = self._forecast_for(bodies)
        now = self._world.now
        outlooks = {body.name: predicted_motion(body, now) for body in bodies}
        return foresight.dangers(outlooks)

    def close(self) -> None:
        """Let the world that is played ahead go."""
        if self._forecast is not None:
            self._forecast.close()
            self._forecast = None

    def _forecast_for(self, bodies: Iterable[SimulatedBody]) -> CollisionForecast:
        present = self._world.map, {body.name: body.shape for body in bodies}
        if self._forecast is None or present != self._known:
            self.close()
            self._known = present
            self._forecast = CollisionForecast(*present, horizon=FORECAST_HORIZON)
        return self._forecast


def predicted_motion(body: SimulatedBody, now: float) -> PredictedMotion:
    """Return where a body is, and the rest of the present piece of its motion, as far as one looks ahead.

    A disc may go to any side; it is played as if it looked where it goes. Another shape that goes sideways is played
    as if it stood.
    """
    left = min(body.piece_end - now, FORECAST_HORIZON)
    speed, turning = body.speed, body.turn_rate
    if not body.is_moving or left <= 0.0 or speed * left < LEAST_MOTION:
        return PredictedMotion(body.pose)
    side = cos(body.velocity.direction - body.heading)
    if isinstance(body.shape, Disc):
        pose, side = Pose(body.position, body.velocity.direction), 1.0
    elif abs(side) < LEAST_ALIGNMENT:
        return PredictedMotion(body.pose)
    else:
        pose = body.pose
    if abs(turning) * left < LEAST_MOTION:
        return PredictedMotion(pose, [Leg.forward(copysign(speed * left, side), speed)])
    return PredictedMotion(pose, [Leg.arc(copysign(speed / turning, turning * side), turning * left, speed)])

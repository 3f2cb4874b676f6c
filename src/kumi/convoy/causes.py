"""Why did a convoy break up?

By what came between one robot and the one in front of it. A robot that ends its routine takes what its beam meets for the
robot in front; if it is, all that was before is forgotten. The first thing that happens to it after that is noted, with
its instant and its place: a motion is cut short by a wall or by another robot, the beam meets a wall or another robot in
place of the one in front, or a scan finds nobody. When this robot is too far from its place, the note is the cause. A
message that is lost is one by itself, since who waits for it waits for good.

What a beam meets and what a robot touches is asked of the world: robots do not know it. Motions that are cut short are told
by who measures where they end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from kumi.convoy.program import ConvoyFollower
from kumi.convoy.setup import Setup
from kumi.convoy.team import Convoy, Waiting
from kumi.geometry import Point
from kumi.sensing import RangeFinder
from kumi.world import SimulatedBody


class Cause(StrEnum):
    """What a break-up is counted under."""

    WALL = "wall"
    CONTACT = "contact"
    LOST_SIGHT = "lost sight"
    LOST_MESSAGE = "lost message"


def metric_of(cause: Cause) -> str:
    """Return the name of the metric that tells whether a convoy broke up by a cause."""
    return f"by_{cause.replace(' ', '_')}"


class Obstruction(StrEnum):
    """What came between a robot and the one in front of it; the order is that of the twin."""

    NONE = "the robot in front went out of its sight"
    TOUCHED_WALL = "it touched a wall"
    TOUCHED_ROBOT = "it touched robot {other}"
    TOOK_WALL = "it took a wall for robot {front}"
    TOOK_ROBOT = "it took robot {other} for robot {front}"
    FOUND_NOBODY = "its scan found nobody"
    LOST_MESSAGE = "a message to it from robot {other} was lost"

    @property
    def cause(self) -> Cause:
        """What it is counted under."""
        match self:
            case Obstruction.TOUCHED_WALL | Obstruction.TOOK_WALL:
                return Cause.WALL
            case Obstruction.TOUCHED_ROBOT:
                return Cause.CONTACT
            case Obstruction.LOST_MESSAGE:
                return Cause.LOST_MESSAGE
        return Cause.LOST_SIGHT


@dataclass(frozen=True)
class BreakUp:
    """By which robot a convoy broke up, and what had happened to it: when, in seconds, and where, in metres.

    Robots are numbered from 1, the leader. `at` is the instant of the cause, not of the break-up that came of it.
    """

    cause: Cause
    robot: int
    at: float
    x: float
    y: float
    event: str

    @classmethod
    def of(
        cls, robot: int, trouble: Obstruction, other: int, at: float, place: tuple[float, float]
    ) -> BreakUp:
        """Return what there is to tell of two robots, which are numbered from 0 here."""
        event = trouble.value.format(other=other + 1, front=robot)
        return cls(trouble.cause, robot + 1, at, *place, event)

    def __str__(self) -> str:
        """Return it as a sentence."""
        return f"{self.cause}: robot {self.robot} at ({self.x:.2f}, {self.y:.2f}) m, t = {self.at:.2f} s: {self.event}"


@dataclass(frozen=True)
class Mishap:
    """What happened to a robot since it last saw the one in front; `other` is numbered from 0."""

    trouble: Obstruction
    other: int
    time: float
    place: Point


class Mishaps:
    """Watches the robots of a convoy, and keeps for each the first mishap since it last saw the one in front."""

    def __init__(self, convoy: Convoy) -> None:
        self._convoy = convoy
        self._first: list[Mishap | None] = [None] * len(convoy.robots)
        for number, robot in enumerate(convoy.robots):
            if isinstance(robot, ConvoyFollower):
                eye = robot.eyes[len(robot.eyes) // 2]
                simulated = eye if isinstance(eye, RangeFinder) else None
                robot.to_front.watch(partial(self._on_caught, number, robot, simulated))

    def break_up(self, number: int, now: float) -> BreakUp:
        """Return why a robot, numbered from 0, is not in its place."""
        first = self._first[number] or Mishap(Obstruction.NONE, -1, now, self._convoy.bodies[number].position)
        return BreakUp.of(number, first.trouble, first.other, first.time, (first.place.x, first.place.y))

    def message_lost(self, waiting: Waiting, now: float) -> BreakUp:
        """Return why a robot waits for good."""
        place = self._convoy.bodies[waiting.robot].position
        return BreakUp.of(waiting.robot, Obstruction.LOST_MESSAGE, waiting.sender, now, (place.x, place.y))

    def write_down(self, why: BreakUp) -> None:
        """Write a break-up into the journal of the world, which logs and run files are made of."""
        self._convoy.world.write_note(self._convoy.bodies[why.robot - 1], f"the convoy broke up: {why}")

    def _note(self, number: int, time: float, trouble: Obstruction, other: int = -1) -> None:
        if self._first[number] is None:
            self._first[number] = Mishap(trouble, other, time, self._convoy.bodies[number].position)

    def on_cut(self, number: int) -> None:
        """See what cut a motion short."""
        if number > 0:
            other = nearest(number, self._convoy.bodies, self._convoy.setup)
            touched = Obstruction.TOUCHED_WALL if other < 0 else Obstruction.TOUCHED_ROBOT
            self._note(number, self._convoy.world.now, touched, other)

    def _on_caught(self, number: int, robot: ConvoyFollower, eye: RangeFinder | None, *_: object) -> None:
        """See what the robot took for the one in front."""
        bodies, world = self._convoy.bodies, self._convoy.world
        if robot.lost_in_a_row:
            self._note(number, world.now, Obstruction.FOUND_NOBODY)
            return
        met: object
        if eye is not None:
            met = eye.met
        else:  # of a real robot the beam is known by its counterpart
            hit = world.first_hit(bodies[number].position, bodies[number].heading, ignoring=bodies[number])
            met = hit.what if hit is not None else None
        if met is bodies[number - 1]:
            self._first[number] = None
        elif isinstance(met, SimulatedBody):
            self._note(number, world.now, Obstruction.TOOK_ROBOT, bodies.index(met))
        else:
            self._note(number, world.now, Obstruction.TOOK_WALL)


def nearest(number: int, bodies: Sequence[SimulatedBody], setup: Setup) -> int:
    """Return what is nearest to a robot and its whiskers: the number of another robot, or -1 for a wall."""
    at, heading = bodies[number].position, bodies[number].heading
    radius, bearing, side = setup.rules.diameter / 2, setup.side_bearing, setup.side
    length = radius + setup.whisker_length if setup.whisker_length > 0.0 else 0.0
    tips = [at + Point.polar(length, heading + turn) for turn in (-bearing, bearing)]
    walls = [min(tip.x, tip.y, side - tip.x, side - tip.y) for tip in (at, *tips)]
    least, found = min(walls[0] - radius, *walls[1:]), -1
    for other, body in enumerate(bodies):
        there = body.position
        away = min(there.distance_to(at) - radius, *(_from_line(there, at, tip) for tip in tips)) - radius
        if other != number and away < least:
            least, found = away, other
    return found


def _from_line(point: Point, begin: Point, end: Point) -> float:
    along = end - begin
    whole = along.dot(along)
    share = min(max((point - begin).dot(along) / whole, 0.0), 1.0) if whole > 0.0 else 0.0
    return point.distance_to(begin + along * share)

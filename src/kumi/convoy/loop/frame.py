"""What is measured of a convoy with real robots, the same in all stages of a study?

Where a robot truly is: a virtual one where its body is, a real one where it stands on the floor. From these come the
errors of the convoy, as in the study of the virtual one. A `Logbook` hears the commands to each motor and what each
motor and each pair of eyes tells, and writes down motions and looks with the truth beside them: how long a motion took,
how far it led, by how much it bent, and what a beam should have read. By these a model is held against the real robot,
device by device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import remainder, sqrt, tau
from typing import Any, TypeVar, cast

from kumi.contract import Command, Forward
from kumi.contract.devices import Moved, Seen
from kumi.convoy.causes import Mishaps
from kumi.convoy.frame import Acceptor, Errors
from kumi.convoy.framed import couple_losses
from kumi.convoy.loop.plan import LoopSetup
from kumi.convoy.loop.team import LoopConvoy
from kumi.convoy.program import ConvoyRobot, Informed, Rules
from kumi.devs import Atomic, Coupled, OutPort
from kumi.geometry import Point, Pose
from kumi.maths import hypot
from kumi.world import SimulatedBody

T = TypeVar("T")


class Frame(Coupled):
    """A team with its transducers and its acceptor."""

    def __init__(self, plan: LoopSetup, convoy: LoopConvoy, placed: Sequence[Placed]) -> None:
        super().__init__("frame")
        setup, rules = plan.convoy, plan.convoy.rules
        # All that is asked of these bodies is where they are.
        bodies = cast("list[SimulatedBody]", list(placed))
        self.errors = self.add(Errors("errors", bodies, rules.desired, setup.break_up))
        self.acceptor = self.add(Acceptor("acceptor", setup, self.errors, Mishaps(convoy)))
        self.logbook = self.add(Logbook("logbook", placed, rules, setup.infrared_reach))
        self.add(convoy)
        for number, robot in enumerate(convoy.robots):
            moved = self._tell(convoy, robot, robot.motor.moved, f"moved {number}", Moved)
            self.couple(moved, self.errors.ended[number])
            self.couple(moved, self.logbook.moved[number])
            commands = self._tell(convoy, robot, robot.avoid.commands, f"commands {number}", Command)
            self.couple(commands, self.logbook.commanded[number])
            seen = self._tell(convoy, robot, robot.eyes.seen, f"seen {number}", Seen)
            self.couple(seen, self.logbook.seen[number])
        stepped = convoy.add_output("stepped", Informed)
        convoy.couple(convoy.robots[0].back_out, stepped)
        self.couple(stepped, self.acceptor.stepped)
        self.couple(self.errors.broke_up, self.acceptor.broke_up)
        couple_losses(self, convoy, self.acceptor)

    def _tell(
        self, convoy: LoopConvoy, robot: ConvoyRobot, port: OutPort[T], name: str, kind: Any
    ) -> OutPort[T]:
        """Lead what comes out of a part of a robot out of the team."""
        told: OutPort[T] = robot.add_output(f"told {name}", kind)
        out: OutPort[T] = convoy.add_output(f"told {name}", kind)
        robot.couple(port, told)
        convoy.couple(told, out)
        return out


class Placed:
    """A robot by where it truly is; what the environment model believes where nobody knows the truth."""

    def __init__(self, body: SimulatedBody, truth: Callable[[], Pose | None] | None = None) -> None:
        self._body, self._truth = body, truth

    @property
    def pose(self) -> Pose:
        """Where it is and looks."""
        found = None if self._truth is None else self._truth()
        return self._body.pose if found is None else found

    @property
    def position(self) -> Point:
        """Where it is."""
        return self.pose.position

    @property
    def heading(self) -> float:
        """Where it looks."""
        return self.pose.heading


@dataclass(frozen=True)
class Motion:
    """A motion that is over: of which robot (from 0), what was commanded, and what came of it in truth.

    `way` is along the heading at the beginning, in metres; `turn` is in radians.
    """

    robot: int
    command: Command
    begin: float
    end: float
    way: float
    turn: float
    is_complete: bool

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.end - self.begin


@dataclass(frozen=True)
class Glance:
    """What the beam straight ahead of a robot read, and what it should have read of the robot in front; None: nothing.

    `error` is how far the robot is from its place behind the one in front. All are metres.
    """

    robot: int
    time: float
    read: float | None
    true: float | None
    error: float


class Logbook(Atomic):
    """Writes down motions and looks of all robots of a convoy."""

    def __init__(self, name: str, placed: Sequence[Placed], rules: Rules, reach: float) -> None:
        super().__init__(name)
        self._placed = placed
        self._radius, self._desired, self._reach = rules.diameter / 2, rules.desired, reach
        count = range(len(placed))
        self.commanded = [self.add_input(f"commands {number}", Command) for number in count]
        self.moved = [self.add_input(f"moved {number}", Moved) for number in count]
        self.seen = [self.add_input(f"seen {number}", Seen) for number in count]
        self.motions: list[Motion] = []
        self.glances: list[Glance] = []
        self.last_moved = 0.0
        self._begun: dict[int, tuple[Command, float, Pose]] = {}

    def external(self) -> None:
        """Write down what begins and what is over."""
        for number, placed in enumerate(self._placed):
            for moved in self.moved[number]:
                self._end(number, placed.pose, moved)
            for command in self.commanded[number]:
                self._begun[number] = command, self.now, placed.pose
            for seen in self.seen[number]:
                self._glance(number, placed.pose, seen)

    def _end(self, number: int, pose: Pose, moved: Moved) -> None:
        self.last_moved = self.now
        if number in self._begun:
            command, begin, before = self._begun.pop(number)
            way = (pose.position - before.position).dot(Point.polar(1.0, before.heading))
            turn = remainder(pose.heading - before.heading, tau)
            if isinstance(command, Forward):
                # Along the arc: a bend makes the chord shorter than the way.
                way = _along(pose.position - before.position, way)
            self.motions.append(Motion(number, command, begin, self.now, way, turn, moved.is_complete))

    def _glance(self, number: int, pose: Pose, seen: Seen) -> None:
        ahead = seen.ranges[len(seen.ranges) // 2]
        true, error = None, 0.0
        if number > 0:
            front = self._placed[number - 1].pose
            true = beam(pose, self._radius, front.position, self._reach)
            error = pose.position.distance_to(front.position - Point.polar(self._desired, front.heading))
        read = ahead.distance if ahead.is_hit else None
        self.glances.append(Glance(number, self.now, read, true, error))


def _along(step: Point, ahead: float) -> float:
    length = hypot(step.x, step.y)
    return length if ahead >= 0.0 else -length


def beam(pose: Pose, radius: float, other: Point, reach: float) -> float | None:
    """Return how far it is from the edge of a disc, straight ahead, to another disc of that size; None: it is missed."""
    step = (other - pose.position).turned(-pose.heading)
    if abs(step.y) >= radius or step.x <= 0.0:
        return None
    distance = step.x - sqrt(radius * radius - step.y * step.y) - radius
    return distance if distance <= reach else None

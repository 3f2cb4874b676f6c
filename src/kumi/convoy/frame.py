"""What is measured of a convoy, and when is a run over?

The frame is made of models coupled to the team. The transducer hears when a motion is over and then knows where the
robot is; the error of that robot and of the one behind it are computed anew, and stand until the next such event.
So positions change at the ends of motions, as in the paper, and the mean over time is exact. The acceptor ends the
run after the last step of the leader, or when the convoy breaks up, and has it from those who watch why it did.

The error of robot i is its distance from the place that is the desired distance behind robot i - 1, against the
heading of that robot: formulas (4) to (6). The mean over the team, (7), divides by all robots, the leader included,
who has no error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum
from operator import attrgetter

from kumi.contract import Body
from kumi.contract.devices import Moved
from kumi.convoy.causes import BreakUp, Mishaps
from kumi.convoy.program import Informed
from kumi.convoy.setup import CENTIMETRES, Setup
from kumi.convoy.team import Convoy, Waiting
from kumi.devs import Atomic, Coupled
from kumi.geometry import Pose
from kumi.maths import cos, hypot, sin
from kumi.stage.seen import Publisher
from kumi.world import SimulatedBody


class PositionErrors(Atomic):
    """Keeps the position errors, and their mean over the team and over time.

    With a list as `history` it also writes down each (instant, mean error of the team in metres).
    """

    def __init__(
        self, name: str, places: Sequence[Callable[[], Pose]], desired: float, limit: float, begin: float
    ) -> None:
        super().__init__(name)
        self._places = places
        self._desired = desired
        self._limit = limit
        self.ended = [self.add_input(f"moved {number}", Moved) for number in range(len(places))]
        self.errors = [0.0] * len(places)
        self.largest = 0.0
        self.broke_up = self.add_output("broke_up", int)
        self.integral = 0.0
        self.history: list[tuple[float, float]] | None = None
        self.shows: list[Callable[[str, float | str], object]] = []
        """What shows values of each robot, where somebody looks at the run."""
        self._since = begin
        self._broken: int | None = None

    @property
    def mean(self) -> float:
        """The mean error of the team now, in metres."""
        return fsum(self.errors) / len(self.errors)

    def advance(self, now: float) -> None:
        """Count the time until now."""
        self.integral += self.mean * (now - self._since)
        self._since = now

    def external(self) -> None:
        """Compute the errors of those who moved, and of those behind them."""
        self.advance(self.now)
        for number, port in enumerate(self.ended):
            if len(port):
                self._update(number)
                self._update(number + 1)
        if self.history is not None:
            self.history.append((self.now, self.mean))

    def _update(self, number: int) -> None:
        if not 0 < number < len(self._places):
            return
        front, back = self._places[number - 1](), self._places[number]()
        error = error_of(front, back, self._desired)
        self.errors[number] = error
        if self.shows:
            gap = front.position.distance_to(back.position)
            self.shows[number]("gap (m)", gap)
            self.shows[number]("metres off its place", error)
        self.largest = max(self.largest, error)
        if error > self._limit and self._broken is None:
            self._broken = number
            self.hold(0.0)

    def output(self) -> None:
        """Tell who broke the convoy up."""
        assert self._broken is not None
        self.broke_up.send(self._broken)


class ConvoyAcceptor(Atomic):
    """Ends the run when the leader has made its steps, or when the convoy breaks up."""

    def __init__(self, name: str, setup: Setup, errors: PositionErrors, mishaps: Mishaps) -> None:
        super().__init__(name)
        self.stepped = self.add_input("stepped", Informed)
        self.broke_up = self.add_input("broke_up", int)
        self.lost = self.add_input("lost", Waiting)
        self.broke_up_at: float | None = None
        self.break_up: BreakUp | None = None
        self.warm_at: float | None = None
        self.integral_when_warm = 0.0
        self.way = 0.0
        self._steps_left = setup.steps
        self._warm_left = setup.robots
        self._errors = errors
        self._mishaps = mishaps
        self.end: Callable[[str], object] = lambda _why: None
        """What ends the run under way, and is told why; set by the one who runs it."""

    @property
    def is_over(self) -> bool:
        """Whether the run has come to its end."""
        return self._steps_left <= 0 or self.broke_up_at is not None

    def external(self) -> None:
        """Count steps."""
        for informed in self.stepped:
            self.way += informed.distance
            self._steps_left -= 1
            self._warm_left -= 1
            if self._warm_left == 0:
                self._errors.advance(self.now)
                self.warm_at, self.integral_when_warm = self.now, self._errors.integral
        for number in self.broke_up:
            self._break_up(self._mishaps.break_up(number, self.now))
        for waiting in self.lost:
            self._break_up(self._mishaps.message_lost(waiting, self.now))
        if self.is_over:
            self.end(
                "the leader has made its steps"
                if self.break_up is None
                else f"the convoy broke up: {self.break_up}"
            )

    def _break_up(self, why: BreakUp) -> None:
        if self.broke_up_at is None:
            self.broke_up_at = self.now
            self.break_up = why
            self._mishaps.write_down(why)


def error_of(front: Pose, back: Pose, desired: float) -> float:
    """Return how far a robot is from its place behind the one in front, in metres."""
    at, place, heading = back.position, front.position, front.heading
    return hypot(at.x - place.x + desired * cos(heading), at.y - place.y + desired * sin(heading))


@dataclass(frozen=True)
class Measured:
    """What a run showed: errors in centimetres as in the paper, the rest in metres and seconds.

    `error` is the mean over time after the leader's first `robots` steps, in which the motion spreads through the
    line, and `whole_error` from the beginning. `speed` is the leader's way over the time. `adjustments` are those of
    a follower in a step, on the mean. A convoy that did not break up has None for when and why.
    """

    error: float | None
    whole_error: float
    largest_error: float
    speed: float
    adjustments: float
    times_lost: int
    avoided: int
    steps: int
    time: float
    broke_up_at: float | None
    break_up: BreakUp | None
    trace_hash: str


class FramedConvoy(Coupled):
    """A convoy with transducer and acceptor, once `line_up` has made its robots."""

    errors: PositionErrors
    acceptor: ConvoyAcceptor

    def __init__(self, setup: Setup) -> None:
        super().__init__("study")
        self.convoy = self.add(Convoy(setup))
        self.begin = 0.0

    def line_up(
        self,
        between: Callable[[SimulatedBody], Body] | None = None,
        pose_of: Callable[[SimulatedBody], Pose] = attrgetter("pose"),
        begin: float = 0.0,
    ) -> None:
        """Make the robots and what measures them, which begin at an instant.

        Where something is `between` robots and their bodies in the world, they drive and sense by that; `pose_of` tells
        where a robot is.
        """
        setup = self.convoy.setup
        self.begin = begin
        self.convoy.line_up(between)
        places = [partial(pose_of, body) for body in self.convoy.bodies]
        self.errors = self.add(PositionErrors("errors", places, setup.rules.desired, setup.break_up, begin))
        self.acceptor = self.add(ConvoyAcceptor("acceptor", setup, self.errors, Mishaps(self.convoy)))
        for number, (robot, ended) in enumerate(zip(self.convoy.robots, self.errors.ended, strict=True)):
            out = self.convoy.add_output(f"moved {number}", Moved)
            told = robot.add_output("moved", Moved)
            robot.couple(robot.motor.moved, told)
            self.convoy.couple(told, out)
            self.couple(out, ended)
        stepped = self.convoy.add_output("stepped", Informed)
        self.convoy.couple(self.convoy.robots[0].back_out, stepped)
        self.couple(stepped, self.acceptor.stepped)
        self.couple(self.errors.broke_up, self.acceptor.broke_up)
        for number, link in enumerate(self.convoy.links):
            lost = self.convoy.add_output(f"lost {number}", Waiting)
            self.convoy.couple(link.lost, lost)
            self.couple(lost, self.acceptor.lost)

    def show_gaps(self) -> None:
        """Show who leads, the gap before each robot, and how far it is off its place, to those who look at the run."""
        world = self.convoy.world
        self.errors.shows = [Publisher(world, body.number).show for body in self.convoy.bodies]
        for number, show in enumerate(self.errors.shows):
            show("state", "follows" if number else "leads")

    def measured(self, time: float, trace_hash: str) -> Measured:
        """Return what there is to tell at an instant: at the end of the run, or before it."""
        errors, over, followers = self.errors, self.acceptor, self.convoy.followers
        errors.advance(time)
        passed = time - self.begin
        follower_steps = max(1, sum(one.steps for one in followers))
        error = None
        if over.warm_at is not None and time > over.warm_at:
            error = CENTIMETRES * (errors.integral - over.integral_when_warm) / (time - over.warm_at)
        return Measured(
            error=error,
            whole_error=CENTIMETRES * errors.integral / passed if passed > 0.0 else 0.0,
            largest_error=CENTIMETRES * errors.largest,
            speed=over.way / passed if passed > 0.0 else 0.0,
            adjustments=sum(one.adjustments for one in followers) / follower_steps,
            times_lost=sum(one.times_lost for one in followers),
            avoided=sum(one.avoid.avoided for one in self.convoy.robots),
            steps=self.convoy.leader.steps,
            time=time,
            broke_up_at=over.broke_up_at,
            break_up=over.break_up,
            trace_hash=trace_hash,
        )

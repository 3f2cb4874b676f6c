"""What is measured of a convoy, and when is a run over?

The transducer hears when a motion is over and then knows where the robot is; the error of that robot and of the one behind
it are computed anew, and stand until the next such event. So positions change at the ends of motions, as in the paper, and
the mean over time is exact. The acceptor, a model coupled to the team, ends the run after the last step of the leader, or when
the convoy breaks up, and has it from those who watch why it did.

The error of robot i is its distance from the place that is the desired distance behind robot i - 1, against the
heading of that robot: formulas (4) to (6). The mean over the team, (7), divides by all robots, the leader included,
who has no error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from kumi._core import PlaceErrors
from kumi.contract import Blocked, Body, BodyAround, Command
from kumi.convoy.causes import BreakUp, Mishaps
from kumi.convoy.program import Informed
from kumi.convoy.setup import CENTIMETRES, Setup
from kumi.convoy.team import Convoy, Waiting
from kumi.devs import Atomic, Coupled
from kumi.geometry import Point, Pose
from kumi.stage.seen import Publisher
from kumi.world import SimulatedBody


class ConvoyAcceptor(Atomic):
    """Ends the run when the leader has made its steps, or when the convoy breaks up."""

    def __init__(self, name: str, setup: Setup, errors: PlaceErrors, mishaps: Mishaps) -> None:
        super().__init__(name)
        self.stepped = self.add_input("stepped", Informed)
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
        errors.over = self._on_over
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
        for waiting in self.lost:
            self._break_up(self._mishaps.message_lost(waiting, self.now))
        if self.is_over and self.break_up is None:
            self.end("the leader has made its steps")

    def _on_over(self, number: int) -> None:
        self._break_up(self._mishaps.break_up(number, self.now))

    def _break_up(self, why: BreakUp) -> None:
        if self.broke_up_at is None:
            self.broke_up_at = self.now
            self.break_up = why
            self._mishaps.write_down(why)
            self.end(f"the convoy broke up: {why}")


class Heard(BodyAround[Body]):
    """A body that is no plain one of the world: the end of each of its motions is told."""

    def __init__(self, body: Body, told: Callable[[bool], object]) -> None:
        super().__init__(body)
        self._told = told
        self._is_stopped = False

    async def carry_out(self, command: Command) -> Point:
        """Make the motion, and tell whether all of it was done."""
        self._is_stopped = False
        try:
            place = await self.body.carry_out(command)
        except Blocked:
            self._told(False)
            raise
        self._told(not self._is_stopped)
        return place

    def stop(self) -> None:
        """End the motion under way."""
        self._is_stopped = True
        self.body.stop()


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

    errors: PlaceErrors
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
        convoy, setup = self.convoy, self.convoy.setup
        self.begin = begin
        places = [None, *((number, -setup.rules.desired, 0.0) for number in range(setup.robots - 1))]
        self.errors = PlaceErrors(places, setup.break_up, begin)
        if between is None:
            convoy.line_up()
            self.errors.follow(convoy.bodies)
        else:
            convoy.line_up(partial(self._heard, between))
            self.errors.pose_of = lambda number: _numbers(pose_of(convoy.bodies[number]))
        mishaps = Mishaps(convoy)
        self.errors.cut = mishaps.on_cut
        self.acceptor = self.add(ConvoyAcceptor("acceptor", setup, self.errors, mishaps))
        stepped = convoy.add_output("stepped", Informed)
        convoy.couple(convoy.robots[0].to_back, stepped)
        self.couple(stepped, self.acceptor.stepped)
        for number, link in enumerate(convoy.links):
            lost = convoy.add_output(f"lost {number}", Waiting)
            convoy.couple(link.lost, lost)
            self.couple(lost, self.acceptor.lost)

    def _heard(self, between: Callable[[SimulatedBody], Body], body: SimulatedBody) -> Body:
        number, world = body.number, self.convoy.world
        return Heard(between(body), lambda is_complete: self.errors.ended(number, world.now, is_complete))

    def show_gaps(self) -> None:
        """Show who leads, the gap before each robot, and how far it is off its place, to those who look at the run."""
        world, bodies = self.convoy.world, self.convoy.bodies
        shows = [Publisher(world, body.number).show for body in bodies]
        for number, show in enumerate(shows):
            show("state", "follows" if number else "leads")

        def changed(number: int) -> None:
            shows[number]("gap (m)", bodies[number - 1].position.distance_to(bodies[number].position))
            shows[number]("metres off its place", self.errors.errors[number])

        self.errors.changed = changed

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


def _numbers(pose: Pose) -> tuple[float, float, float]:
    return pose.position.x, pose.position.y, pose.heading

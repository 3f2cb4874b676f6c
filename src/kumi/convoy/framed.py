"""The team and the frame around it, as one model, and what they showed when it is over."""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.devices import Moved
from kumi.convoy.causes import BreakUp, Mishaps
from kumi.convoy.frame import Acceptor, Errors
from kumi.convoy.links import Waiting
from kumi.convoy.program import Informed
from kumi.convoy.setup import CENTIMETRES, Setup
from kumi.convoy.team import Convoy
from kumi.devs import Coupled
from kumi.stage.publishing import Publisher


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
    """A convoy with transducer and acceptor."""

    def __init__(self, setup: Setup) -> None:
        super().__init__("study")
        self.convoy = self.add(Convoy(setup))
        self.errors = self.add(Errors("errors", self.convoy.bodies, setup.rules.desired, setup.break_up))
        self.acceptor = self.add(Acceptor("acceptor", setup, self.errors, Mishaps(self.convoy)))
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
        couple_losses(self, self.convoy, self.acceptor)

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
        follower_steps = max(1, sum(one.steps for one in followers))
        error = None
        if over.warm_at is not None and time > over.warm_at:
            error = CENTIMETRES * (errors.integral - over.integral_when_warm) / (time - over.warm_at)
        return Measured(
            error=error,
            whole_error=CENTIMETRES * errors.integral / time if time > 0.0 else 0.0,
            largest_error=CENTIMETRES * errors.largest,
            speed=over.way / time if time > 0.0 else 0.0,
            adjustments=sum(one.adjustments for one in followers) / follower_steps,
            times_lost=sum(one.times_lost for one in followers),
            avoided=sum(one.avoid.avoided for one in self.convoy.robots),
            steps=self.convoy.leader.steps,
            time=time,
            broke_up_at=over.broke_up_at,
            break_up=over.break_up,
            trace_hash=trace_hash,
        )


def couple_losses(frame: Coupled, convoy: Convoy, acceptor: Acceptor) -> None:
    """Let an acceptor hear of each message that a link of the convoy loses."""
    for number, link in enumerate(convoy.links):
        out = convoy.add_output(f"lost {number}", Waiting)
        convoy.couple(link.lost, out)
        frame.couple(out, acceptor.lost)

"""A convoy in its frame: made, run, and told in numbers."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from math import inf
from pathlib import Path

from kumi.contract.devices import Moved
from kumi.experiment.convoy.frame import Acceptor, Errors
from kumi.experiment.convoy.setup import CENTIMETRES, Setup
from kumi.experiment.convoy.team import Convoy
from kumi.experiment.files import Files
from kumi.kernel import Coupled, Simulation
from kumi.programs.convoy import Informed
from kumi.recording import RunMeta
from kumi.world import map_to_table

SLICE = 10.0
"""Simulated seconds between two times that the journal is handed to a run file."""


@dataclass(frozen=True)
class Measured:
    """What a run showed: errors in centimetres as in the paper, the rest in metres and seconds.

    `error` is the mean over time after the leader's first `robots` steps, in which the motion spreads through the
    line, and `whole_error` from the beginning. `speed` is the leader's way over the time. `adjustments` are those of
    a follower in a step, on the mean. A convoy that did not break up has None for when.
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
    trace_hash: str


class ConvoyRun:
    """A convoy in its frame, ready to run; `simulation` may be traced and stepped before."""

    def __init__(self, setup: Setup, seed: int = 0, *, hashed: bool = True) -> None:
        self.setup = setup
        whole = Coupled("study")
        self.convoy = whole.add(Convoy(setup))
        self.errors = Errors("errors", self.convoy.bodies, setup.rules.desired, setup.break_up)
        self.acceptor = Acceptor("acceptor", setup.steps, setup.robots, self.errors, self._end)
        whole.add(self.errors)
        whole.add(self.acceptor)
        for number, (robot, ended) in enumerate(zip(self.convoy.robots, self.errors.ended, strict=True)):
            out = self.convoy.add_output(f"moved {number}", Moved)
            told = robot.add_output("moved", Moved)
            robot.couple(robot.motor.moved, told)
            self.convoy.couple(told, out)
            whole.couple(out, ended)
        stepped = self.convoy.add_output("stepped", Informed)
        self.convoy.couple(self.convoy.robots[0].back_out, stepped)
        whole.couple(stepped, self.acceptor.stepped)
        whole.couple(self.errors.broke_up, self.acceptor.broke_up)
        self.simulation = Simulation(whole, seed=seed, hashed=hashed)

    def _end(self) -> None:
        self.simulation.stop()

    def run(self, record: str | Path | None = None) -> Measured:
        """Run until it is over; `record` names a run file to write."""
        with self.simulation as simulation:
            if record is None:
                simulation.run()
            else:
                self._run_recorded(simulation, record)
            self.errors.advance(simulation.now)
            return self._measured(simulation)

    def _run_recorded(self, simulation: Simulation, record: str | Path) -> None:
        """Hand the journal on in slices, so that the run file gets its keyframes."""
        world = self.convoy.world
        meta = RunMeta(
            seed=simulation.seed,
            map=map_to_table(world.map),
            robots={body.number: body.name for body in self.convoy.bodies},
        )
        world.keep_journal(True)
        with closing(Files(world, meta, record, None)) as files:
            while not self.acceptor.is_over and simulation.next_time < inf:
                simulation.run(until=simulation.now + SLICE)
                files.write(world.take_journal())

    def _measured(self, simulation: Simulation) -> Measured:
        time, errors, over = simulation.now, self.errors, self.acceptor
        followers = self.convoy.followers
        follower_steps = max(1, sum(one.steps for one in followers))
        error = None
        if over.warm_at is not None and time > over.warm_at:
            error = CENTIMETRES * (errors.integral - over.integral_when_warm) / (time - over.warm_at)
        return Measured(
            error=error,
            whole_error=CENTIMETRES * errors.integral / time,
            largest_error=CENTIMETRES * errors.largest,
            speed=over.way / time,
            adjustments=sum(one.adjustments for one in followers) / follower_steps,
            times_lost=sum(one.times_lost for one in followers),
            avoided=sum(one.avoid.avoided for one in self.convoy.robots),
            steps=self.convoy.leader.steps,
            time=time,
            broke_up_at=over.broke_up_at,
            trace_hash=simulation.trace_hash,
        )


def run_convoy(setup: Setup, seed: int = 0, *, record: str | Path | None = None) -> Measured:
    """Run a convoy once, and return what it showed; `record` names a run file to write."""
    return ConvoyRun(setup, seed).run(record)

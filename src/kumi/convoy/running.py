"""A convoy in its frame: made, run, and told in numbers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from math import inf
from pathlib import Path

from kumi.convoy.frame import FramedConvoy, Measured
from kumi.convoy.setup import Setup
from kumi.devs import Simulation
from kumi.recording import RunMeta
from kumi.stage.files import Files
from kumi.world import map_to_table

SLICE = 10.0
"""Simulated seconds between two times that the journal is handed to a run file."""


class ConvoyRun:
    """A convoy in its frame, ready to run; `simulation` may be traced and stepped before."""

    def __init__(self, setup: Setup, seed: int = 0, *, hashed: bool = True) -> None:
        self.setup = setup
        self.whole = FramedConvoy(setup)
        self.whole.line_up()
        self.convoy = self.whole.convoy
        self.errors = self.whole.errors
        self.acceptor = self.whole.acceptor
        self.simulation = Simulation(self.whole, seed=seed, hashed=hashed)
        self.acceptor.end = lambda _why: self.simulation.stop()

    def run(self, record: str | Path | None = None, told: Callable[[float], None] | None = None) -> Measured:
        """Run until it is over; `record` names a run file to write, and `told` hears how far that has got."""
        with self.simulation as simulation:
            if record is None:
                simulation.run()
            else:
                self._run_recorded(simulation, record, told)
            return self.whole.measured(simulation.now, simulation.trace_hash)

    def _run_recorded(
        self, simulation: Simulation, record: str | Path, told: Callable[[float], None] | None
    ) -> None:
        """Hand the journal on in slices, so that the run file gets its keyframes."""
        world = self.convoy.world
        meta = RunMeta(
            seed=simulation.seed,
            map=map_to_table(world.map),
            robots={body.number: body.name for body in self.convoy.bodies},
        )
        world.keep_journal(True)
        self.whole.show_gaps()
        with closing(Files(world, meta, record, None)) as files:
            while not self.acceptor.is_over and simulation.next_time < inf:
                simulation.run(until=simulation.now + SLICE)
                files.write(world.take_journal())
                if told is not None:
                    told(simulation.now)


def run_convoy(setup: Setup, seed: int = 0, *, record: str | Path | None = None) -> Measured:
    """Run a convoy once, and return what it showed; `record` names a run file to write."""
    return ConvoyRun(setup, seed).run(record)

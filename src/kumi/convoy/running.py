"""A convoy on a stage: made, run, and told in numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kumi.convoy.frame import Measured
from kumi.convoy.setup import Setup
from kumi.convoy.staging import ConvoyTeam
from kumi.stage.stage import Stage


class ConvoyRun:
    """A convoy in its frame, ready to run; `simulation` may be traced and stepped before. `record` names a run file."""

    def __init__(self, setup: Setup, seed: int = 0, *, record: str | Path | None = None) -> None:
        self.setup = setup
        self.team = ConvoyTeam(**vars(setup)) if type(setup) is Setup else setup
        assert isinstance(self.team, ConvoyTeam)
        self.team.assemble(None)
        self.whole = self.team.whole
        self.convoy = self.whole.convoy
        self.errors = self.whole.errors
        self.acceptor = self.whole.acceptor
        self.stage = Stage(self.team.world, seed=seed, within=self.whole, record=record)
        self.simulation = self.stage.simulation
        self.team.join(self.stage)

    def run(self, told: Callable[[float], None] | None = None) -> Measured:
        """Run until it is over; `told` hears how far that has got, in simulated seconds."""
        with self.stage as stage:
            outcome = stage.run(
                on_progress=None if told is None else lambda progress: told(progress.simulated_seconds)
            )
            return self.whole.measured(outcome.simulated_seconds, outcome.trace_hash)


def run_convoy(setup: Setup, seed: int = 0, *, record: str | Path | None = None) -> Measured:
    """Run a convoy once, and return what it showed; `record` names a run file to write."""
    return ConvoyRun(setup, seed, record=record).run()

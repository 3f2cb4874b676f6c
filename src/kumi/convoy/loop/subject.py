"""A convoy with real robots, as something to compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kumi.convoy.loop.running import LoopRun
from kumi.convoy.loop.scenario import LoopScenario, load_loop
from kumi.loop.comparing.evidence import Ran, ran
from kumi.loop.comparing.subject import Say, Watch
from kumi.loop.real import Real
from kumi.scenario.overrides import Override
from kumi.world import Map


@dataclass(frozen=True)
class ConvoySubject:
    """A scenario whose robots are a convoy."""

    which: str
    changes: tuple[str | Override, ...] = ()

    @property
    def _scenario(self) -> LoopScenario:
        return load_loop(self.which, self.changes)

    @property
    def title(self) -> str:
        """What it is called."""
        scenario = self._scenario
        return scenario.title or scenario.name

    @property
    def seed(self) -> int:
        """The seed that the scenario states."""
        return self._scenario.seed

    @property
    def robots(self) -> tuple[Real, ...]:
        """Its real robots."""
        return self._scenario.plan.robots

    def run(self, seed: int, robots: Sequence[Real], *, is_paced: bool, say: Say) -> Ran:
        """Run once with these robots, and return what that showed of them."""
        plan = self._scenario.plan
        watch = Watch(robots, plan.robots)
        run = LoopRun(replace(plan, robots=tuple(robots)), seed, is_paced=is_paced, say=say)
        run.crew.on_start = watch
        outcome = run.run()
        assert watch.witnesses is not None
        side = plan.convoy.side
        found = watch.witnesses.accounts()
        return ran(seed, outcome.end, outcome.time, found, Map(side, side), outcome.lateness)

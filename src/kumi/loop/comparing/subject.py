"""What is compared: a scenario with real robots, whatever its team.

A `Subject` knows its real robots, and runs once with a seed and with robots that may have errors planted in them. The
scenario with programs is here; a team of another kind brings its own (see `kumi.loop.subjects`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Protocol

from kumi.loop.comparing.evidence import Ran, ran
from kumi.loop.comparing.witness import Witnesses
from kumi.loop.real import Real
from kumi.loop.real_robots import Crew
from kumi.loop.scenario import real_team
from kumi.loop.staged import StagedLoop
from kumi.scenario.overrides import Override
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging

Say = Callable[[str], object]


class Subject(Protocol):
    """A scenario with real robots."""

    @property
    def title(self) -> str:
        """What it is called."""

    @property
    def seed(self) -> int:
        """The seed that the scenario states."""

    @property
    def robots(self) -> tuple[Real, ...]:
        """Its real robots."""

    def run(self, seed: int, robots: Sequence[Real], *, is_paced: bool, say: Say) -> Ran:
        """Run once with these robots, and return what that showed of them."""


class Watch:
    """Lets witnesses hear the links of a crew once it is started."""

    def __init__(self, robots: Sequence[Real], declared: Sequence[Real]) -> None:
        self._robots = {one.number: one for one in robots}
        self._declared = {one.number: one.emulated for one in declared}
        self.witnesses: Witnesses | None = None

    def __call__(self, crew: Crew) -> None:
        """Begin to watch."""
        self.witnesses = Witnesses(crew, self._robots, self._declared)


@dataclass(frozen=True)
class StagedSubject:
    """A scenario whose robots have programs."""

    which: str
    changes: tuple[str | Override, ...] = ()

    def _staging(self, *more: Override) -> Staging:
        return Staging(load_scenario(self.which, [*self.changes, *more]))

    @property
    def title(self) -> str:
        """What it is called."""
        scenario = load_scenario(self.which, self.changes)
        return scenario.settings.title or scenario.name

    @property
    def seed(self) -> int:
        """The seed that the scenario states."""
        return load_scenario(self.which, self.changes).settings.seed

    @property
    def robots(self) -> tuple[Real, ...]:
        """Its real robots."""
        team = real_team(self._staging())
        return () if team is None else team.robots

    def run(self, seed: int, robots: Sequence[Real], *, is_paced: bool, say: Say) -> Ran:
        """Run once with these robots, and return what that showed of them."""
        staging = self._staging(Override("seed", seed, f"--seed {seed}"))
        team = real_team(staging)
        assert team is not None
        watch = Watch(robots, team.robots)
        team = replace(team, robots=tuple(robots))
        with StagedLoop(staging, team, say, is_paced=is_paced, on_start=watch) as loop:
            stage = staging.stage(real=loop)
            with closing(stage):
                loop.open(None)
                outcome = stage.run(staging.scenario.settings.until)
                assert watch.witnesses is not None
                found = watch.witnesses.accounts()
                return ran(
                    seed,
                    loop.end,
                    outcome.simulated_seconds,
                    found,
                    staging.map,
                    stage.simulation.lateness,
                    outcome.errors,
                )

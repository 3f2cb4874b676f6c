"""Which scenario is compared, and which of its robots are real?

One that states its real robots is taken as it is. Of another, robots become real for the comparison: each an emulated
robot made to measure, with the size, the speed and the rangers that the scenario says, and every device of it that such a
robot can have is real. A subject runs once with a seed and with robots that may have errors planted in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kumi.loop.comparing.evidence import RunEvidence, ran
from kumi.loop.comparing.made_real import tables_of_team
from kumi.loop.comparing.witness import Witnesses
from kumi.loop.real import Real
from kumi.loop.real_robots import LinkedRobots
from kumi.scenario.document import ScenarioError
from kumi.scenario.overrides import Override
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging

Say = Callable[[str], object]


class LinkWatch:
    """Lets witnesses hear the links of a real_robots once it is started."""

    def __init__(self, robots: Sequence[Real], declared: Sequence[Real]) -> None:
        self._robots = {one.number: one for one in robots}
        self._declared = {one.number: one.emulated for one in declared}
        self.witnesses: Witnesses | None = None

    def __call__(self, real_robots: LinkedRobots) -> None:
        """Begin to watch."""
        self.witnesses = Witnesses(real_robots, self._robots, self._declared)


@dataclass(frozen=True)
class ComparedSubject:
    """A scenario with real robots."""

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
        real = self._staging().real
        return () if real is None else real.robots

    def run(self, seed: int, robots: Sequence[Real], *, is_paced: bool, say: Say) -> RunEvidence:
        """Run once with these robots, and return what that showed of them."""
        staging = self._staging(Override("seed", seed, f"--seed {seed}"))
        assert staging.real is not None
        watch = LinkWatch(robots, staging.real.robots)
        real = staging.real_side(say, robots=robots, is_paced=is_paced, on_start=watch)
        with staging.stage(real=real) as stage:
            outcome = stage.run(staging.scenario.settings.until)
            assert watch.witnesses is not None
            return ran(
                seed,
                outcome.end,
                outcome.simulated_seconds,
                watch.witnesses.accounts(),
                staging.map,
                stage.simulation.lateness,
                outcome.errors,
            )


def subject_of(
    which: str, changes: Sequence[str | Override], chosen: Sequence[str], folder: Path
) -> ComparedSubject:
    """Return what is to be compared; raises ScenarioError.

    `chosen` names robots of a scenario that states no real ones; without names all become real, or as many as a link has
    addresses. The calibrations of those are written into the folder.
    """
    given = tuple(changes)
    scenario = load_scenario(which, given)
    if scenario.settings.real:
        subject = ComparedSubject(which, given)
        if chosen:
            names = ", ".join(one.name for one in subject.robots)
            raise ScenarioError(f"--real {chosen[0]}: the scenario states its real robots, {names}")
        return subject
    given += (Override("real", tables_of_team(Staging(scenario), chosen, folder), "--real"),)
    if scenario.settings.tracking is None:
        given += (Override("tracking", {}, "--real"),)
    return ComparedSubject(which, given)

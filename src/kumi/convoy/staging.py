"""How does a scenario with a table `[convoy]` become a stage?

The table takes what a `Setup` takes, by the same names, and `[convoy.rules]` what `Rules` take. Its robots are models
and not programs; they run on the same stage as others, so that logs, run files, pictures and films are made as ever.
The run is over when the leader has made its steps, when the convoy breaks up, or at `until`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from kumi.convoy.framed import FramedConvoy, Measured
from kumi.convoy.program import Rules
from kumi.convoy.setup import Setup
from kumi.scenario.parts import fit
from kumi.world import World

if TYPE_CHECKING:
    from kumi.scenario.document import Place
    from kumi.scenario.scenario import Scenario
    from kumi.stage.stage import Stage

T = TypeVar("T")


class ConvoyTeam:
    """A convoy in its frame, to be put on a stage."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.whole = FramedConvoy(setup, self._end)
        self._stage: Stage | None = None

    @classmethod
    def of(cls, scenario: Scenario) -> Self | None:
        """Return the convoy of a scenario, if it has one."""
        table = scenario.settings.convoy
        return None if table is None else cls(setup_of(table, scenario.document.place("convoy")))

    @property
    def world(self) -> World:
        """The field with the robots on it."""
        return self.whole.convoy.world

    @property
    def names(self) -> list[str]:
        """The names of the robots, the leader first."""
        return [body.name for body in self.whole.convoy.bodies]

    @property
    def radius(self) -> float:
        """That of all robots."""
        return self.setup.rules.diameter / 2

    def end_with(self, stage: Stage) -> None:
        """Let a stage end when the convoy's run is over, and show the gaps between robots to those who look."""
        self._stage = stage
        if stage.is_recorded:
            self.whole.show_gaps()

    def _end(self) -> None:
        assert self._stage is not None
        self._stage.end()

    def measured(self, time: float, trace_hash: str) -> Measured:
        """Return what there is to tell at the end of a run."""
        return self.whole.measured(time, trace_hash)


def setup_of(table: Mapping[str, Any], place: Place) -> Setup:
    """Return the setup that a table describes, or say what is wrong with it, and where."""
    plain = {key: value for key, value in table.items() if key != "rules"}
    given = table.get("rules", {})
    if not isinstance(given, dict):
        raise place.at("rules").error(f"{place.at('rules').title} is {given!r}; it takes a table")
    rules = _made(Rules, given, place.at("rules"), {})
    return _made(Setup, plain, place, {"rules": rules})


def _made(kind: Callable[..., T], table: Mapping[str, Any], place: Place, also: Mapping[str, Any]) -> T:
    arguments = fit(kind, table, place, also=also)
    try:
        return kind(**arguments, **also)
    except (ValueError, TypeError) as error:
        raise place.error(f"{place.title}: {error}") from error

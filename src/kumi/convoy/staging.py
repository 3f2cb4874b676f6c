"""The convoy as models of a scenario: `[models]` with `kind = "kumi.convoy:ConvoyTeam"`.

The table takes what a `Setup` takes, by the same names, and `[models.rules]` what `Rules` take. The run is over when the
leader has made its steps, when the convoy breaks up, or at `until`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kumi.convoy.framed import FramedConvoy, Measured
from kumi.convoy.setup import CENTIMETRES, Setup
from kumi.world import World

if TYPE_CHECKING:
    from kumi.stage.outcome import Outcome
    from kumi.stage.stage import Stage


@dataclass(frozen=True)
class ConvoyTeam(Setup):
    """A convoy in its frame, to be put on a stage."""

    @cached_property
    def whole(self) -> FramedConvoy:
        """The convoy and what measures it."""
        return FramedConvoy(self)

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
        return self.rules.diameter / 2

    def join(self, stage: Stage) -> None:
        """Let a stage end when the convoy's run is over, and show the gaps between robots to those who look."""
        self.whole.acceptor.end = stage.end
        if stage.is_recorded:
            self.whole.show_gaps()

    def measured(self, outcome: Outcome) -> Mapping[str, Any]:
        """Return what the convoy showed, but for what every run tells."""
        found = asdict(self._measured(outcome))
        return {name: value for name, value in found.items() if name not in {"time", "trace_hash"}}

    def rows(self, outcome: Outcome) -> list[tuple[str, str]]:
        """Say what the convoy showed."""
        found = self._measured(outcome)
        error = found.whole_error if found.error is None else found.error
        ended = "no" if found.broke_up_at is None else f"at {found.broke_up_at:,.1f} s\n{found.break_up}"
        return [
            ("steps of the leader", f"{found.steps:,}, {CENTIMETRES * found.speed:.1f} cm/s"),
            ("mean error", f"{error:.1f} cm" + (", from the first step on" if found.error is None else "")),
            ("adjustments", f"{found.adjustments:.2f} a step, lost {found.times_lost} times"),
            ("went back", f"{found.avoided} times"),
            ("broke up", ended),
        ]

    def _measured(self, outcome: Outcome) -> Measured:
        return self.whole.measured(outcome.simulated_seconds, outcome.trace_hash)

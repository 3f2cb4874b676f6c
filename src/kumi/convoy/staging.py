"""The convoy as models of a scenario: `[models]` with `kind = "kumi.convoy:ConvoyTeam"`.

The table takes what a `Setup` takes, by the same names, and `[models.rules]` what `Rules` take. The run is over when the
leader has made its steps, when the convoy breaks up, or at `until`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

from kumi.contract import Command, Turn
from kumi.convoy.frame import FramedConvoy, Measured
from kumi.convoy.setup import CENTIMETRES, Setup
from kumi.motion import Leg, Wheel
from kumi.motion.drives import Legs, Moving
from kumi.world import World

if TYPE_CHECKING:
    from kumi.scenario.models import RealRobots
    from kumi.sensing import Sensor
    from kumi.stage.outcome import Outcome
    from kumi.stage.stage import Stage


class SettingOff(Wheel):
    """A drive that takes some seconds for each motion in which it does not move, and more where its wheel is turned.

    The wheel of a real robot is turned across between a straight way and a turn on the spot.
    """

    def __init__(self, wheel: Wheel, seconds: float, turning: float) -> None:
        super().__init__(wheel.speed, wheel.turn_speed, noise=wheel.noise)
        self._seconds, self._turning = seconds, turning
        self._is_across = False

    def plan(self, command: Command, body: Moving, /) -> Legs:
        """Give the legs that carry the command out."""
        legs = super().plan(command, body)
        before, self._is_across = self._is_across, isinstance(command, Turn)
        seconds = self._seconds + (self._turning if before != self._is_across else 0.0)
        return [Leg.rest(seconds), *(legs if isinstance(legs, Sequence) else [legs])]


@dataclass(frozen=True)
class ConvoyTeam(Setup):
    """A convoy in its frame, to be put on a stage.

    `setting_off` is how many seconds a virtual motion takes beyond those of its way, as a real one does, and
    `turning_wheel` how many more where a turn follows a straight way, or the other way round.
    """

    setting_off: float = 0.0
    turning_wheel: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("setting_off", "turning_wheel"):
            if not 0.0 <= getattr(self, name) < inf:
                raise ValueError(f"{name} is a number of seconds >= 0, not {getattr(self, name)!r}")

    def drive(self) -> Wheel:
        """Return the drive of a robot, with what a motion of it takes beyond its way."""
        wheel = super().drive()
        if self.setting_off == self.turning_wheel == 0.0:
            return wheel
        return SettingOff(wheel, self.setting_off, self.turning_wheel)

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

    def sensors_of(self, number: int) -> Mapping[str, Sensor]:
        """Return the sensors of a robot by name."""
        return self.whole.convoy.sensors_of(number)

    def assemble(self, real: RealRobots | None) -> None:
        """Make the robots in their line, and what measures them by where they truly are."""
        if real is None:
            self.whole.line_up()
        else:
            truth = real.truth
            self.whole.line_up(real.between, lambda body: truth(body.number) or body.pose, self.world.now)

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

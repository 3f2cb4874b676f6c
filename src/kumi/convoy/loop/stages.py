"""The same convoy in the same frame, at the three stages of a study: virtual, in the loop, and all real.

What decides, the frame and its metrics are the same. In the loop the leader is virtual and the others are real: robot 2
looks with virtual infrared, those behind it with their own. All real, nothing is virtual but the couplings between the
robots. Real robots are emulated ones, each a process with a clock and errors of its own; `motor` times the speed of
their calibration is what their motors do, so 0.9 plants an error that the model knows nothing of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from kumi.convoy import Setup
from kumi.convoy.loop.outcome import LoopOutcome
from kumi.convoy.loop.plan import LoopSetup
from kumi.convoy.loop.running import LoopRun
from kumi.link.car_maneuvers import SPIN
from kumi.loop.choices import Choices
from kumi.loop.real import Emulated, Real
from kumi.loop.tracking import Tracking
from kumi.study import Experiment
from kumi.study.run import Measure, Ran

Where = Literal["virtual", "loop", "real"]
WHERES: tuple[Where, ...] = get_args(Where)

SETTING_OFF = 0.72
TURNING_WHEEL = 0.33
"""Seconds that a motion of these robots takes beyond its way, as measured; and more where the wheel is turned."""

MEASURES = {
    "error": Measure("cm", "position error, mean of team and time"),
    "largest_error": Measure("cm", "largest position error of a robot"),
    "speed": Measure("m/s", "the leader's way over the time"),
    "adjustments": Measure("", "scans of a follower for each of its steps"),
    "times_lost": Measure("", "scans that found nobody"),
    "time": Measure("s", "how long the run took"),
    "drift": Measure("cm", "how far counterparts were from their real robots", may_be_missing=True),
    "reckoned_drift": Measure("cm", "how far real robots were from where they believed", may_be_missing=True),
    "missed_deadlines": Measure("", "instants that came later than the tolerance"),
}

WHEELBASE = 0.09
"""Metres, of these robots: what turns the play of the wheel into drift."""


@dataclass(frozen=True, kw_only=True)
class ConvoyStage(Experiment):
    """A convoy at one of the stages of a study."""

    where: Where = "virtual"
    robots: int = 3
    steps: int = 8
    dnf: float = 0.05
    anf: float = 0.04
    motor: float = 1.0
    pace: float = 2.0
    deadline: float = 300.0

    def __post_init__(self) -> None:
        if self.where not in WHERES:
            raise ValueError(f'a convoy is studied "virtual", in the "loop" or "real", not {self.where!r}')

    @property
    def plan(self) -> LoopSetup:
        """The run that this asks for."""
        setup = Setup(
            robots=self.robots,
            steps=self.steps,
            dnf=self.dnf,
            anf=self.anf,
            speed=0.3,
            turn_speed=SPIN,
            whisker_length=0.0,
            field_side=max(8.0, 0.5 * self.robots + 2.0),
        )
        return LoopSetup(
            convoy=setup,
            robots=self._real(),
            tracking=Tracking() if self.where == "loop" else None,
            setting_off=SETTING_OFF,
            turning_wheel=TURNING_WHEEL,
            pace=self.pace,
            until=self.deadline,
        )

    def _real(self) -> tuple[Real, ...]:
        """Return the real robots of this stage; no two clocks agree."""
        if self.where == "virtual":
            return ()
        first = 1 if self.where == "real" else 2
        motor: Literal["real", "hil"] = "real" if self.where == "real" else "hil"
        found = []
        for number in range(first, self.robots + 1):
            sees_virtual = self.where == "loop" and number == first
            choices = Choices(motor, infrared="virtual" if sees_virtual else "real", whiskers="real")
            rate = 1.0 + 0.0003 * (number - 2)
            found.append(Real(number, choices, emulated=self._emulated(rate, float(7 * number))))
        return tuple(found)

    def _emulated(self, rate: float, offset: float) -> Emulated:
        """Return a robot whose errors are those that the model's noise factors stand for."""
        return Emulated(
            clock_rate=rate,
            clock_offset=offset,
            sensor_noise="gaussian:1",
            skid=f"uniform:{self.dnf}",
            play=f"uniform:{100.0 * self.anf * WHEELBASE}",
            motor=self.motor,
        )

    def outcome(self, seed: int) -> LoopOutcome:
        """Run once."""
        return LoopRun(self.plan, seed).run()

    def run(self, seed: int) -> Ran:
        """Run once, and return the metrics of the convoy."""
        found = self.outcome(seed)
        late = found.lateness
        return Ran(
            {
                "error": found.error,
                "largest_error": found.largest_error,
                "speed": found.speed,
                "adjustments": found.adjustments,
                "times_lost": found.times_lost,
                "time": found.time,
                "drift": _mean([one.drift for one in found.real]),
                "reckoned_drift": _mean([one.reckoned_drift for one in found.real]),
                "missed_deadlines": late.misses.count,
            },
            found.trace_hash,
            measures=MEASURES,
        )


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None

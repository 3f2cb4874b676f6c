"""The same convoy in the same frame, at the three stages of a study: virtual, in the loop, and all real.

What decides, the frame and its metrics are the same. In the loop the leader is virtual and the others are real: robot 2
looks with virtual infrared, those behind it with their own. All real, nothing is virtual but the couplings between the
robots. Real robots are emulated ones, each a process with a clock and errors of its own; `motor` times the speed of
their calibration is what their motors do, so 0.9 plants an error that the model knows nothing of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from kumi.convoy.staging import ConvoyTeam
from kumi.convoy.team import FOLLOWER_RANGERS, LEADER_RANGERS
from kumi.link.car_maneuvers import SPIN
from kumi.scenario.overrides import Override
from kumi.scenario.scenario import Scenario, load_scenario
from kumi.scenario.staging import Staging
from kumi.study import Experiment
from kumi.study.run import MetricColumn, Ran

Where = Literal["virtual", "loop", "real"]
WHERES: tuple[Where, ...] = get_args(Where)

SETTING_OFF = 0.72
TURNING_WHEEL = 0.33
"""Seconds that a motion of these robots takes beyond its way, as measured; and more where the wheel is turned."""

MEASURES = {
    "error": MetricColumn("cm", "position error, mean of team and time"),
    "largest_error": MetricColumn("cm", "largest position error of a robot"),
    "speed": MetricColumn("m/s", "the leader's way over the time"),
    "adjustments": MetricColumn("", "scans of a follower for each of its steps"),
    "times_lost": MetricColumn("", "scans that found nobody"),
    "time": MetricColumn("s", "how long the run took"),
    "drift": MetricColumn("cm", "how far counterparts were from their real robots", may_be_missing=True),
    "reckoned_drift": MetricColumn(
        "cm", "how far real robots were from where they believed", may_be_missing=True
    ),
    "missed_deadlines": MetricColumn("", "instants that came later than the tolerance"),
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

    def scenario(self, seed: int) -> Scenario:
        """Return what is run, as a scenario."""
        convoy = {
            "kind": "kumi.convoy:ConvoyTeam",
            "robots": self.robots,
            "steps": self.steps,
            "dnf": self.dnf,
            "anf": self.anf,
            "speed": 0.3,
            "turn_speed": SPIN,
            "whisker_length": 0.0,
            "field_side": max(8.0, 0.5 * self.robots + 2.0),
            "setting_off": SETTING_OFF,
            "turning_wheel": TURNING_WHEEL,
        }
        said: dict[str, Any] = {"models": convoy, "seed": seed, "until": self.deadline}
        if self.where != "virtual":
            said |= {"real": self._real(), "pace": self.pace}
        if self.where == "loop":
            said["tracking"] = {}
        where = f"{type(self).__name__}(where={self.where!r})"
        return load_scenario("convoy", [Override(key, value, where) for key, value in said.items()])

    def _real(self) -> list[dict[str, Any]]:
        """Return the real robots of this stage, by number from 0; no two clocks agree."""
        first = 0 if self.where == "real" else 1
        found = []
        for number in range(first, self.robots):
            sees_virtual = self.where == "loop" and number == first
            eyes = dict.fromkeys(
                FOLLOWER_RANGERS if number else LEADER_RANGERS, "virtual" if sees_virtual else "real"
            )
            motor = "real" if self.where == "real" else "hil"
            rate, offset = 1.0 + 0.0003 * (number - 1), 7.0 * (number + 1)
            emulated = self._emulated(rate, offset)
            found.append({"robot": number, "motor": motor, "contacts": "real", **eyes, "emulated": emulated})
        return found

    def _emulated(self, rate: float, offset: float) -> dict[str, Any]:
        """Return a robot whose errors are those that the model's noise factors stand for."""
        return {
            "clock_rate": rate,
            "clock_offset": offset,
            "sensor_noise": "gaussian:1",
            "skid": f"uniform:{self.dnf}",
            "play": f"uniform:{100.0 * self.anf * WHEELBASE}",
            "motor": self.motor,
        }

    def run(self, seed: int) -> Ran:
        """Run once, and return the metrics of the convoy."""
        staging = Staging(self.scenario(seed))
        real = staging.real_side()
        with staging.stage(real=real) as stage:
            outcome = stage.run(self.deadline)
        team = staging.models
        assert isinstance(team, ConvoyTeam)
        found = team.whole.measured(outcome.simulated_seconds, outcome.trace_hash)
        seen = () if real is None else real.outcomes
        return Ran(
            {
                "error": found.whole_error,
                "largest_error": found.largest_error,
                "speed": found.speed,
                "adjustments": found.adjustments,
                "times_lost": found.times_lost,
                "time": found.time - team.whole.begin,
                "drift": _mean([one.drift for one in seen]),
                "reckoned_drift": _mean([one.reckoned_drift for one in seen]),
                "missed_deadlines": 0 if outcome.lateness is None else outcome.lateness.misses.count,
            },
            found.trace_hash,
            measures=MEASURES,
        )


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None

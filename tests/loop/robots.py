"""Convoys some of whose robots are emulated ones in processes of their own, and what became of those."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kumi.convoy import ConvoyTeam
from kumi.geometry import Pose
from kumi.scenario.output import RunOutput
from kumi.scenario.overrides import Override
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging
from kumi.stage import Outcome, Progress, Stage

ROBOT_2: Mapping[str, Any] = {
    "robot": "robot 2",
    "motor": "hil",
    "contacts": "real",
    "emulated": {"clock_rate": 1.002, "clock_offset": 3.0},
}
ROBOT_3: Mapping[str, Any] = {
    "robot": "robot 3",
    "motor": "hil",
    "contacts": "real",
    "front": "real",
    "emulated": {"line": "tcp", "clock_rate": 0.999, "clock_offset": 20.0, "skid": "uniform:0.05"},
}


class LoopedConvoy:
    """A convoy without whiskers and noise, whose real robots are started when it is run."""

    def __init__(
        self,
        *real: Mapping[str, Any],
        robots: int = 3,
        steps: int = 4,
        is_tracked: bool = True,
        record: Path | None = None,
        say: Callable[[str], object] = lambda _words: None,
        **settings: Any,
    ) -> None:
        convoy = {
            "kind": "kumi.convoy:ConvoyTeam",
            "robots": robots,
            "steps": steps,
            "dnf": 0.0,
            "anf": 0.0,
            "speed": 0.3,
            "turn_speed": 2 / 3,
            "whisker_length": 0.0,
        }
        said = {
            "models": convoy,
            "until": 600.0,
            "pace": 2.0,
            "real": [dict(one) for one in real],
            **settings,
        }
        if is_tracked:
            said["tracking"] = {}
        if record is not None:
            said["output"] = {"record": str(record)}
        scenario = load_scenario("convoy", [Override(key, value, "a test") for key, value in said.items()])
        self.staging = Staging(scenario)
        side = self.staging.real_side(say)
        assert side is not None
        self.real = side

    @property
    def team(self) -> ConvoyTeam:
        assert isinstance(self.staging.models, ConvoyTeam)
        return self.staging.models

    def run(self, look: Callable[[Stage], object] = lambda _stage: None) -> Outcome:
        """Run to the end; `look` is called ten times a second."""
        with RunOutput(self.staging.scenario) as output:
            with self.staging.stage(None if output.is_empty else output, real=self.real) as stage:
                output.open(stage.world, self.staging.names)

                def told(_progress: Progress) -> None:
                    look(stage)

                outcome = stage.run(self.staging.scenario.settings.until, on_progress=told)
            output.finish(outcome)
        return outcome

    def truth(self, number: int) -> Pose:
        """Return where a real robot truly is."""
        pose = self.real.truth(number)
        assert pose is not None
        return pose

    @property
    def pids(self) -> list[int]:
        """The processes of the real robots."""
        assert self.real.real_robots.fleet is not None
        return [one.process.pid for one in self.real.real_robots.fleet.processes.values()]


def is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True

"""How is a scenario studied?

Any field of it can vary, by the same dotted name as in `kumi run --set`. What is measured is chosen from what every
run of a scenario shows. The whole text of the scenario travels with the study, so a later change of the file changes
no study that has begun; maps and programs that it names are still found by their paths.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kumi.scenario.complaints import listed
from kumi.scenario.document import parse_document
from kumi.scenario.output import Output
from kumi.scenario.overrides import Override, override
from kumi.scenario.scenario import Scenario, check, load_scenario
from kumi.scenario.staging import Staging
from kumi.stage.outcome import Messages, Outcome
from kumi.stage.stage import Stage
from kumi.study.errors import StudyError
from kumi.study.metrics import Measured
from kumi.study.run import MetricColumn, Ran, Told
from kumi.study.statistics import Censored

if TYPE_CHECKING:
    from kumi.study.results import Results


def _messages(outcome: Outcome) -> Messages:
    return outcome.messages or Messages(0, 0, {})


METRICS: dict[str, tuple[MetricColumn, Callable[[Stage, Outcome], Measured]]] = {
    "end_time": (
        MetricColumn("s", "simulated seconds until the run was over"),
        lambda _, outcome: outcome.simulated_seconds,
    ),
    "still_since": (
        MetricColumn("s", "from when on nobody moved any more", is_event_time=True),
        lambda _, outcome: (
            Censored(outcome.simulated_seconds) if outcome.still_since is None else outcome.still_since
        ),
    ),
    "contacts": (MetricColumn("", "contacts"), lambda _, outcome: outcome.contacts),
    "events": (MetricColumn("", "events of the run"), lambda _, outcome: outcome.events),
    "lost": (MetricColumn("", "robots that fell into a hole"), lambda _, outcome: len(outcome.lost)),
    "failed": (MetricColumn("", "robots whose program failed"), lambda _, outcome: len(outcome.errors)),
    "way": (
        MetricColumn("m", "metres that the robots went, all together"),
        lambda stage, _: math.fsum(body.odometer for body in stage.world.bodies),
    ),
    "messages_sent": (MetricColumn("", "messages sent"), lambda _, outcome: _messages(outcome).sent),
    "messages_arrived": (
        MetricColumn("", "arrivals of messages"),
        lambda _, outcome: _messages(outcome).arrived,
    ),
    "messages_dropped": (
        MetricColumn("", "messages dropped"),
        lambda _, outcome: sum(_messages(outcome).dropped.values()),
    ),
}


@dataclass(frozen=True)
class ScenarioSubject:
    """A scenario, by its text, with the values that all runs have in common, and the metrics that are wanted."""

    name: str
    text: str
    folder: str
    base: dict[str, Any] = field(default_factory=dict)
    metrics: tuple[str, ...] = ("end_time", "contacts")

    @property
    def reference(self) -> str:
        """The word scenario and a hash of the text."""
        return f"scenario:{hashlib.blake2b(self.text.encode(), digest_size=8).hexdigest()}"

    @property
    def configuration(self) -> dict[str, Any]:
        """The text, and what is set in it."""
        return {"scenario": self.text, "file": self.name, "set": self.base, "metrics": list(self.metrics)}

    @property
    def code(self) -> str:
        """The text is all there is."""
        return self.reference.partition(":")[2]

    def check(self, parameters: Mapping[str, Any], *, staged: bool = False) -> None:
        """Refuse unknown fields, values that do not fit, and a run that would not end."""
        for name in self.metrics:
            if name not in METRICS:
                near = get_close_matches(name, METRICS, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {listed(METRICS)}"
                raise StudyError(f"{name!r} is no metric of a scenario; {hint}")
        scenario = self._scenario(parameters, 0)
        if "seed" in {*parameters, *self.base}:
            raise StudyError(
                "the seed of a scenario comes from `seeds` of the study; it is neither set nor varied"
            )
        settings = scenario.settings
        if settings.pace is not None or settings.real or settings.network.kind in {"udp", "tcp"}:
            raise StudyError(
                f"{self.name} follows the wall clock, so its runs differ; a study takes a simulated one"
            )
        if scenario.settings.until == math.inf and "end_time" not in self.metrics:
            raise StudyError(f"{self.name} has no end; set `until`, or measure end_time if its programs end")
        if staged:
            Staging(scenario)  # finds programs, sensors and maps, and refuses what is wrong with them

    def _scenario(self, parameters: Mapping[str, Any], seed: int) -> Scenario:
        document = parse_document(self.text, Path(self.folder, self.name))
        override(document, [Override(name, value, f"set.{name}") for name, value in self.base.items()])
        override(document, [Override(name, value, f"vary.{name}") for name, value in parameters.items()])
        override(document, [Override("seed", seed, "seeds"), Override("on_error", "robot", "a study")])
        return Scenario(Path(self.name).stem, document, check(document))

    def pictures(self, results: Results, folder: Path) -> Sequence[Path]:
        """Draw nothing: a report draws what any study has."""
        return ()

    def run(self, parameters: Mapping[str, Any], seed: int) -> Ran:
        """Stage the scenario and run it once, without its files and films."""
        scenario = self._scenario(parameters, seed)
        with Staging(scenario).stage() as stage:
            return self._ran(stage, stage.run(scenario.settings.until))

    def record(self, parameters: Mapping[str, Any], seed: int, path: Path, told: Told | None = None) -> Ran:
        """Run once, and write a run file instead of the scenario's own files and films."""
        staging = Staging(self._scenario(parameters, seed))
        with Output(staging.scenario, only=path) as output, staging.stage(output) as stage:
            output.open(stage.world, staging.names)
            outcome = stage.run(
                staging.scenario.settings.until,
                on_progress=None if told is None else lambda progress: told(progress.simulated_seconds),
            )
            output.finish(outcome)
            return self._ran(stage, outcome)

    def _ran(self, stage: Stage, outcome: Outcome) -> Ran:
        if outcome.is_interrupted:
            raise KeyboardInterrupt
        found = {name: METRICS[name][1](stage, outcome) for name in self.metrics}
        measures = {name: METRICS[name][0] for name in self.metrics}
        return Ran(found, outcome.trace_hash, measures=measures)


def find_scenario_subject(
    which: str, base: Mapping[str, Any], metrics: tuple[str, ...], beside: Path
) -> ScenarioSubject:
    """Return the scenario that a text names: a file, looked for beside the study, too, or one that ships."""
    near = beside / which
    scenario = load_scenario(near if near.is_file() and not Path(which).is_file() else which)
    document = scenario.document
    return ScenarioSubject(document.name, document.text, str(document.folder.resolve()), dict(base), metrics)

"""Which formation keeps together best, by which reference, and on which course?

Each march is a run of the shipped scenario `formation`, and what it shows is measured from its run file: from the
instant at which the last robot set off to the one at which the first arrived.

The criteria are those of kumi's plan for formations, in spacings of the formation.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kumi.devs.errors import KumiError
from kumi.planning.formation_task import FormationMetrics, FormationTask, as_formation_task, measure
from kumi.planning.formations import FORMATIONS, Reference
from kumi.programs.formation import ARRIVED, SETS_OFF
from kumi.recording import BodyNote, Commanded, RunFile
from kumi.scenario.output import RunOutput
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging

TOLERANCE = 0.1
"""Spacings from its place within which a robot is in it."""
MOST_RATIO = 1.06
MOST_ERROR = {Reference.UNIT_CENTRE: 0.2, Reference.LEADER: 0.4, Reference.NEIGHBOUR: 0.4}
MOST_ERROR_STRAIGHT = 0.02
STRAIGHT = "straight"
COURSES = (STRAIGHT, "turn", "obstacles")


class NotDriven(KumiError):
    """A run file shows no march in formation from its beginning to its end."""


@dataclass(frozen=True)
class MarchResult:
    """One march: what was asked for, its metrics, the spacing in metres, and how many contacts there were."""

    formation: str
    reference: Reference
    course: str
    metrics: FormationMetrics
    spacing: float
    contacts: int

    @property
    def error(self) -> float:
        """The position error in spacings."""
        return self.metrics.error / self.spacing

    @property
    def broken(self) -> tuple[str, ...]:
        """The criteria that were not met."""
        most = MOST_ERROR_STRAIGHT if self.course == STRAIGHT else MOST_ERROR[self.reference]
        checks = {
            f"path ratio above {MOST_RATIO:g}": self.metrics.path_ratio > MOST_RATIO,
            f"error above {most:g} spacings": self.error > most,
            "contact": self.contacts > 0,
            "not in formation at the end": self.metrics.end_error > TOLERANCE * self.spacing,
        }
        return tuple(name for name, is_broken in checks.items() if is_broken)


def study(
    formations: Sequence[str] = tuple(FORMATIONS),
    references: Sequence[Reference] = tuple(Reference),
    courses: Sequence[str] = COURSES,
    *overrides: str,
) -> Iterator[MarchResult]:
    """FormationTask every formation by every reference along every course, one after the other."""
    for course, formation, reference in product(courses, formations, references):
        yield driven(formation, reference, course, *overrides)


def driven(formation: str, reference: Reference, course: str, *overrides: str) -> MarchResult:
    """FormationTask one formation along one course of the shipped scenario; overrides are as on the command line."""
    with TemporaryDirectory(prefix="kumi-") as folder:
        path = Path(folder, "drive.kumi")
        chosen = {"formation": formation, "reference": reference.value, "course": course}
        settings = [f"robots.parameters.{key}={value}" for key, value in chosen.items()]
        scenario = load_scenario("formation", [*settings, *overrides, f"output.record={path}"])
        staging, output = Staging(scenario), RunOutput(scenario)
        with output, staging.stage(output) as stage:
            output.open(stage.world, staging.names)
            outcome = stage.run(scenario.settings.until)
            output.finish(outcome)
        if outcome.is_interrupted:
            raise KeyboardInterrupt
        for failed in outcome.errors:
            raise failed.error
        run = RunFile(path)
        march = formation_task_of(run)
        return MarchResult(formation, reference, course, measure_run(run), march.spacing, outcome.contacts)


def table(drives: Iterable[MarchResult]) -> Iterator[str]:
    """Give the lines of a table of marches, each as soon as it is done."""
    yield f"{'course':10} {'formation':9} {'reference':11}  path ratio  error / spacing  in formation  criteria"
    for one in drives:
        metrics = one.metrics
        yield (
            f"{one.course:10} {one.formation:9} {one.reference.value:11}  {metrics.path_ratio:10.3f}  {one.error:15.3f}"
            f"  {metrics.in_formation:12.0%}  {', '.join(one.broken) or 'met'}"
        )


def measure_run(run: RunFile | str | Path) -> FormationMetrics:
    """Return the metrics of a run of the scenario `formation`, or of one like it, from its run file."""
    run = run if isinstance(run, RunFile) else RunFile(run)
    march = formation_task_of(run)
    notes: dict[str, list[float]] = {SETS_OFF: [], ARRIVED: []}
    changes = []
    for record in run.records():
        if isinstance(record, Commanded):
            changes.append(record.time)
        elif isinstance(record, BodyNote) and record.text in notes:
            notes[record.text].append(record.time)
    begin, end = _window(run, len(march.formation), notes[SETS_OFF], notes[ARRIVED])
    times = sorted({begin, end, *(time for time in changes if begin < time < end)})
    poses = [[state.pose for state in run.state_at(time)] for time in times]
    return measure(march.formation, march.reference, march.course, TOLERANCE * march.spacing, times, poses)


def formation_task_of(run: RunFile) -> FormationTask:
    """Return what the robots of a recorded scenario were to do."""
    robots: Any = tomllib.loads(run.meta.scenario).get("robots", {})
    group = robots[0] if isinstance(robots, list) else robots
    words = signature(as_formation_task).parameters
    given = {key: value for key, value in group.get("parameters", {}).items() if key in words}
    if "formation" not in given:
        raise NotDriven(f"{run.path} is no run of robots with the program 'formation'")
    return as_formation_task(len(run.state_at(run.start)), **given)


def _window(
    run: RunFile, count: int, began: Sequence[float], arrived: Sequence[float]
) -> tuple[float, float]:
    """Return when the last robot set off, and when the first arrived."""
    if len(began) < count or not arrived:
        raise NotDriven(f"of {count} robots in {run.path}, {len(began)} set off and {len(arrived)} arrived")
    return max(began), min(arrived)

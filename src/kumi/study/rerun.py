"""Does a run come out the same again?  One row of a results folder, run anew and compared by the hash of its trace."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kumi.study.design import Design, Row
from kumi.study.errors import FolderError
from kumi.study.record import code_of_kumi, versions
from kumi.study.results import Results
from kumi.study.run import Told
from kumi.study.scenarios import ScenarioSubject
from kumi.study.stopping import StopRule
from kumi.study.study import Study
from kumi.study.subjects import Subject, found_again
from kumi.study.tasks import do

COMPARED = ("trace_hash", "metrics", "censored", "outcome")


@dataclass(frozen=True)
class Again:
    """A run as it was, and as it is now; `changed` names the versions that are others now."""

    before: dict[str, Any]
    now: dict[str, Any]
    changed: dict[str, tuple[str | None, str | None]]

    @property
    def is_same(self) -> bool:
        """Whether the trace, the metrics and the outcome are the same."""
        return all(json.dumps(self.before.get(key)) == json.dumps(self.now.get(key)) for key in COMPARED)


def study_again(results: Results) -> Study:
    """Return the study of a results folder, from what is written there."""
    study = results.study
    stop = study.get("stop")
    stopping = StopRule(**stop) if stop else None
    return Study(
        study["name"],
        subject_again(study),
        design_again(study),
        stopping,
        study.get("sensitivity"),
        study.get("units", {}),
    )


def design_again(study: dict[str, Any]) -> Design:
    """Return which runs a study is made of, from what is written of it."""
    return Design(study["vary"], tuple(study["seeds"]), study.get("rows"))


def subject_again(study: dict[str, Any]) -> Subject:
    """Return what a study runs, from what is written of it."""
    configuration = study["configuration"]
    if study["experiment"].startswith("scenario:"):
        return ScenarioSubject(
            configuration["file"],
            configuration["scenario"],
            study["folder"],
            configuration["set"],
            tuple(configuration["metrics"]),
        )
    return found_again(study["experiment"], study["folder"], configuration)


def run_again(results: Results, number: int, record: Path | None = None, told: Told | None = None) -> Again:
    """Run one row anew, in this process; `record` names a run file to write, `told` hears how far the run has got."""
    rows = {run["row"]: run for run in results.runs}
    if number not in rows:
        last = max(rows, default=None)
        there = "it has none yet" if last is None else f"it has {len(rows)}, from {min(rows)} to {last}"
        raise FolderError(f"{results.folder} has no row {number}; {there}")
    before = rows[number]
    points = len(design_again(results.study).points)
    row = Row(number, number % points, before["parameters"], before["seed"])
    subject = subject_again(results.study)
    recorded = None if record is None else partial(subject.record, path=record, told=told)
    now = do(subject, row, code_of_kumi(), recorded)
    then = results.study["versions"]
    present = versions()
    changed = {
        name: (then.get(name), present.get(name))
        for name in {**then, **present}
        if then.get(name) != present.get(name)
    }
    return Again(before, now, changed)

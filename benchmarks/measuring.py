"""Who measures? A fresh process for each sample, the engines of a row in turn."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.rows import KUMI
from benchmarks.tasks import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.rows import Row, Run
    from benchmarks.tasks import Sample

ROOT = Path(__file__).parent.parent
LIMIT_SECONDS = 300.0
MISSING = "not installed"
SKIPPED = "skipped: "


@dataclass
class Outcome:
    """All samples of one engine in one row, or why there are none."""

    samples: list[Sample] = field(default_factory=list)
    problem: str = ""


Key = tuple[str, str, str]
Outcomes = dict[Key, Outcome]


def key_of(row: Row, run: Run, *, quick: bool) -> Key:
    """Name a measurement, so that rows that look at the same one share it."""
    params, _ = run.ordered(quick=quick)
    return row.task, run.engine, json.dumps(params, sort_keys=True)


def total(rows: Iterable[Row], *, quick: bool) -> int:
    """Count the samples that will be taken; of rows that share a measurement the first says how many."""
    wanted: dict[Key, int] = {}
    for row in rows:
        for run in row.runs:
            wanted.setdefault(key_of(row, run, quick=quick), run.ordered(quick=quick)[1])
    return sum(wanted.values())


def measure(rows: Iterable[Row], *, quick: bool, tell: Callable[[str], None]) -> Outcomes:
    """Take all samples; `tell` hears before each what comes next."""
    outcomes: Outcomes = {}
    for row in rows:
        runs = [run for run in row.runs if key_of(row, run, quick=quick) not in outcomes]
        for turn in range(max((run.ordered(quick=quick)[1] for run in runs), default=0)):
            for run in runs:
                params, repeats = run.ordered(quick=quick)
                if turn >= repeats:
                    continue
                tell(f"{row.name}: {run.engine}")
                outcome = outcomes.setdefault(key_of(row, run, quick=quick), Outcome())
                if not outcome.problem:
                    take(outcome, run, row.task, params)
    return outcomes


def take(outcome: Outcome, run: Run, task: str, params: dict[str, Any]) -> None:
    """Take one sample in a process of its own."""
    order = json.dumps({"module": run.place, "task": task, "params": params})
    command = [sys.executable, "-m", "benchmarks.worker", order]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        outcome.problem = f"took more than {LIMIT_SECONDS:g} s"
        return
    if done.returncode == 0:
        outcome.samples.append(json.loads(done.stdout.splitlines()[-1]))
        return
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    outcome.problem = problem_of(last, is_ours=run.engine == KUMI)


def problem_of(last: str, *, is_ours: bool) -> str:
    """Say why there is no sample, from the last line of the worker's complaint."""
    kind, _, reason = last.partition(": ")
    if kind == f"{Skipped.__module__}.{Skipped.__name__}":
        return SKIPPED + reason
    return MISSING if kind == "ModuleNotFoundError" and not is_ours else last


def is_failure(problem: str) -> bool:
    """Whether a problem should not be; an engine may be missing, or left out for a reason."""
    return problem != MISSING and not problem.startswith(SKIPPED)

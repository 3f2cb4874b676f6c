"""What do the runs of a study say, combination by combination?  The mean of each metric with its interval."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kumi.experiment.statistics import Interval, interval
from kumi.experiment.study.results import FINISHED, Results
from kumi.experiment.study.stopping import numbers


@dataclass(frozen=True)
class Mean:
    """The mean of a metric in so many runs; those in which it was missing do not count."""

    interval: Interval
    count: int


@dataclass(frozen=True)
class Combination:
    """What the runs of one combination of values came to."""

    parameters: dict[str, Any]
    runs: int
    failed: int
    means: dict[str, Mean]


def summary(results: Results, level: float = 0.95) -> list[Combination]:
    """Return the means of each combination, in the order of the design; metrics that are texts are left out."""
    found: dict[str, list[dict[str, Any]]] = {}
    for run in results.runs:
        found.setdefault(json.dumps(run["parameters"]), []).append(run)
    first = sorted(found.values(), key=lambda runs: min(run["row"] for run in runs))
    return [_combination(runs, results.metrics, level) for runs in first]


def _combination(runs: Sequence[dict[str, Any]], metrics: Sequence[str], level: float) -> Combination:
    finished = [run for run in runs if run["outcome"] == FINISHED]
    means = {}
    for name in metrics:
        values = numbers(run["metrics"].get(name) for run in finished)
        if values:
            means[name] = Mean(interval(values, level), len(values))
    return Combination(runs[0]["parameters"], len(runs), len(runs) - len(finished), means)

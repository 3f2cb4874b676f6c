"""What do the runs of a study say, combination by combination?  The mean of each metric with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kumi.experiment.statistics import Interval
from kumi.experiment.study.results import Results


@dataclass(frozen=True)
class Combination:
    """What the runs of one combination of values came to; runs in which a metric was missing do not count in its mean."""

    parameters: dict[str, Any]
    runs: int
    failed: int
    means: dict[str, Interval]


def summary(results: Results, level: float = 0.95) -> list[Combination]:
    """Return the means of each combination, in the order of the design; metrics that are texts are left out."""
    from kumi.experiment.statistics.tables import estimate, finished, groups, has_numbers

    if not results.runs:
        return []
    given = {run["row"]: run["parameters"] for run in results.runs}
    numbered = [name for name in results.metrics if has_numbers(finished(results.table), name)]
    found = []
    for part in groups(results.table, results.varied).values():
        done = finished(part)
        means = {name: estimate(done[name], level) for name in numbered}
        there = {name: mean for name, mean in means.items() if mean is not None}
        found.append(Combination(given[part["row"][0]], len(part), len(part) - len(done), there))
    return found

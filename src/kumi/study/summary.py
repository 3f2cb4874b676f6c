"""What do the runs of a study say, combination by combination?

The mean of each metric with its interval; of a time that may not come, its Kaplan–Meier curve, and the restricted mean
up to a horizon that all combinations share.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kumi.study.results import Results
from kumi.study.statistics import Interval, Survival


@dataclass(frozen=True)
class Combination:
    """What the runs of one combination of values came to; runs in which a metric was missing do not count in its mean.

    `times` has the metrics that are times of something that need not happen; they are in `means`, too, as restricted
    means up to `up_to` seconds.
    """

    parameters: dict[str, Any]
    runs: int
    failed: int
    means: dict[str, Interval]
    times: dict[str, Survival] = field(default_factory=dict)
    up_to: dict[str, float] = field(default_factory=dict)


def summary(results: Results, level: float = 0.95) -> list[Combination]:
    """Return the means of each combination, in the order of the design; metrics that are texts are left out."""
    from kumi.study.statistics.tables import (
        estimate,
        finished,
        groups,
        has_numbers,
        horizon_of,
        is_event_time,
        survival,
    )

    if not results.runs:
        return []
    given, table = {run["row"]: run["parameters"] for run in results.runs}, results.table
    events = [name for name in results.metrics if is_event_time(table, name)]
    numbered = [name for name in results.metrics if name not in events and has_numbers(finished(table), name)]
    horizons = {name: horizon_of(table, results.varied, name) for name in events}
    up_to = {name: one for name, one in horizons.items() if one is not None}
    found = []
    for part in groups(table, results.varied).values():
        done = finished(part)
        curves = {name: survival(done, name, level) for name in up_to}
        times = {name: one for name, one in curves.items() if one is not None}
        means = {name: estimate(done[name], level) for name in numbered}
        means |= {name: one.restricted_mean(up_to[name]) for name, one in times.items()}
        there = {name: mean for name, mean in means.items() if mean is not None}
        found.append(
            Combination(given[part["row"][0]], len(part), len(part) - len(done), there, times, up_to)
        )
    return found

"""Of which metrics and parameters does a report speak?"""

from __future__ import annotations

from kumi.experiment.statistics.report.stored import Stored
from kumi.experiment.statistics.tables import finished, has_numbers, present


def measured(results: Stored) -> list[str]:
    """Return the metrics that have a mean."""
    return [name for name in results.metrics if has_numbers(finished(results.table), name)]


def varying(results: Stored) -> list[str]:
    """Return those of them that are not the same in every run."""
    counted = finished(results.table)
    return [name for name in measured(results) if len(set(present(counted[name]))) > 1]


def several(results: Stored) -> list[str]:
    """Return the varied parameters that have several values among the finished runs."""
    counted = finished(results.table)
    return [name for name in results.varied if counted[name].n_unique() > 1]

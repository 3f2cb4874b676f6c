"""Of which metrics and parameters does a report speak?"""

from __future__ import annotations

from kumi.study.statistics.report.stored import Stored
from kumi.study.statistics.tables import has_numbers, present


def measured(results: Stored) -> list[str]:
    """Return the metrics that have a mean; of times that may not come it is restricted."""
    return [name for name in results.metrics if has_numbers(results.numbers, name)]


def varying(results: Stored) -> list[str]:
    """Return those of them that are not the same in every run."""
    return [name for name in measured(results) if len(set(present(results.numbers[name]))) > 1]


def several(results: Stored) -> list[str]:
    """Return the varied parameters of which several values were asked for."""
    return [name for name in results.varied if len(results.levels(name)) > 1]

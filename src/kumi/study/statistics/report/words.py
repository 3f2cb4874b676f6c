"""How are values, parameters and p written in a report, and of which metrics does it speak?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kumi.study.statistics.intervals import Interval
from kumi.study.statistics.report.stored import SERIES, StoredStudy, written
from kumi.study.statistics.tables import has_numbers, is_claim, present

SHOWN_VALUES = 12
JOINED = "\u00a0"
"""A space at which no line ends."""
value = written


def values(many: Iterable[Any]) -> str:
    """Write several values, the first and the last ones where there are very many."""
    said = [value(one) for one in many]
    if len(said) > SHOWN_VALUES:
        said = [*said[: SHOWN_VALUES - 2], "…", said[-1]]
    return ", ".join(said)


def titled(results: StoredStudy, metric: str) -> str:
    """Write the name of a metric or a series with its unit; a time that may not come stands for its restricted mean."""
    unit = results.unit(metric)
    if not unit and metric in results.table.columns and is_claim(results.table[metric]):
        unit = "share of runs"
    name = metric.removeprefix(SERIES)
    if metric in results.up_to:
        return f"{event(results, metric)} (mean up to {results.up_to[metric]:g}{f'{JOINED}{unit}' if unit else ''})"
    return f"{name}, {unit}" if unit else name


def event(results: StoredStudy, metric: str) -> str:
    """Write the name of a time that may not come, with its unit."""
    unit = results.unit(metric)
    return f"{metric}, {unit}" if unit else metric


def p(one: float) -> str:
    """Write a probability."""
    return "< 0.001" if one < 0.001 else f"{one:.3f}"


def mean(found: Interval | None, of: int) -> str:
    """Write a mean with its interval, and from how many values where it is not all."""
    if found is None:
        return "–"
    return str(found) if found.count == of else f"{found} ({found.count} of {of})"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Write a number of things."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def percent(level: float) -> str:
    """Write a level of confidence."""
    return f"{100 * level:g} %"


def measured(results: StoredStudy) -> list[str]:
    """Return the metrics that have a mean; of times that may not come it is restricted."""
    return [name for name in results.metrics if has_numbers(results.numbers, name)]


def varying(results: StoredStudy) -> list[str]:
    """Return those of them that are not the same in every run."""
    return [name for name in measured(results) if len(set(present(results.numbers[name]))) > 1]


def several(results: StoredStudy) -> list[str]:
    """Return the varied parameters of which several values were asked for."""
    return [name for name in results.varied if len(results.levels(name)) > 1]

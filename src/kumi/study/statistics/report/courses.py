"""How did things go in time? The series of the runs, as bands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from math import isfinite
from typing import Any

import polars as pl

from kumi.study.statistics.report import words
from kumi.study.statistics.report.charts import in_time
from kumi.study.statistics.report.chosen import several
from kumi.study.statistics.report.contents import Figure, Section, file_name
from kumi.study.statistics.report.stored import SERIES, Stored
from kumi.study.statistics.series import band
from kumi.study.statistics.tables import FINISHED

MOST_BANDS = 6


def courses(results: Stored, level: float) -> Section | None:
    """Draw each series in time, with one band for each value of a varied parameter.

    Of many values some are shown, evenly chosen; the other parameters stay at their first value.
    """
    figures = tuple(
        figure
        for name in results.series
        for parameter in (*several(results),) or (None,)
        if (figure := _figure(results, name, parameter, level)) is not None
    )
    if not figures:
        return None
    said = (
        "Lines are means over the runs with the same parameters, bands their "
        f"{words.percent(level)} confidence intervals, at each time on its own. A run counts as long as it "
        "lasts, and a line ends where half of its runs have ended."
    )
    return Section("In time", paragraphs=(said, *_unsound(results)), figures=figures)


def _figure(results: Stored, name: str, parameter: str | None, level: float) -> Figure | None:
    base = {other: results.table[other][0] for other in results.varied if other != parameter}
    runs: dict[Any, list[list[tuple[float, float]]]] = {}
    keys = _keys(results, parameter)
    rows = results.table.iter_rows(named=True)
    for row, key, series in zip(rows, keys, results.series[name], strict=True):
        if series and _is_sound(series) and _counts(row, base):
            runs.setdefault(key, []).append(series)
    order = [] if parameter is None else [one for one in results.levels(parameter) if one in runs]
    shown = _some(order or list(runs))
    bands = [_band(runs[key], parameter, key, level) for key in shown if _has_course(runs[key])]
    parts = [part for part in bands if len(part)]
    if not parts:
        return None
    said = None if parameter is None else results.named(parameter)
    levels = [] if parameter is None else _among(results.levels(parameter), runs, shown)
    drawn = partial(in_time, pl.concat(parts), words.titled(results, name), said, groups=levels)
    label = name.removeprefix(SERIES)
    some = f" (some values of {parameter})" if len(shown) < len(runs) else ""
    caption = f"{label} in time" + (f", by {parameter}{some}" if parameter else "")
    kept = ", ".join(f"{other} = {words.value(one)}" for other, one in base.items())
    return Figure(
        file_name(f"{label}-in-time" + (f"-by-{parameter}" if parameter else "")),
        f"{caption}{f'; {kept}' if kept else ''}.",
        lambda paper: drawn(paper=paper),
    )


def _among(levels: list[Any], runs: dict[Any, Any], shown: list[Any]) -> list[Any]:
    """Return the levels that were asked for, but those that have runs and are not shown."""
    return [one for one in levels if one in shown or one not in runs]


def _is_sound(series: Sequence[Any]) -> bool:
    """Tell whether times never go back, and all is finite."""
    points = [number for point in series for number in point]
    return all(isinstance(one, int | float) and isfinite(one) for one in points) and all(
        one <= other for (one, _), (other, _) in pairwise(series)
    )


def _unsound(results: Stored) -> list[str]:
    """Say how many series could not be used."""
    counts = {name: sum(not _is_sound(one or ()) for one in many) for name, many in results.series.items()}
    return [
        f"`{name.removeprefix(SERIES)}` is left out of {words.plural(count, 'run')}, where its times go back or "
        "something in it is not a finite number."
        for name, count in counts.items()
        if count
    ]


def _keys(results: Stored, parameter: str | None) -> list[Any]:
    """Return the value of a parameter in each row: numbers, or the words for what is something else."""
    if parameter is None:
        return [None] * len(results.table)
    return [results.level(parameter, one) for one in results.table[parameter].to_list()]


def _counts(row: dict[str, Any], base: dict[str, Any]) -> bool:
    return row.get("outcome", FINISHED) == FINISHED and all(row[name] == one for name, one in base.items())


def _has_course(runs: list[list[tuple[float, float]]]) -> bool:
    return max(run[-1][0] for run in runs) > max(run[0][0] for run in runs)


def _some(keys: list[Any]) -> list[Any]:
    """Return a few of many, evenly chosen, with the first and the last."""
    if len(keys) <= MOST_BANDS:
        return keys
    return [keys[round(place * (len(keys) - 1) / (MOST_BANDS - 1))] for place in range(MOST_BANDS)]


def _band(
    runs: list[list[tuple[float, float]]], parameter: str | None, key: Any, level: float
) -> pl.DataFrame:
    found = band(runs, level=level)
    columns = {"time": found.times, "mean": found.mean, "low": found.low, "high": found.high}
    table = pl.DataFrame(columns).with_columns(pl.col("low", "high").fill_nan(None))
    table = table.filter(pl.Series([2 * count >= len(runs) for count in found.count]))
    if parameter is None:
        return table
    return table.with_columns(pl.Series("group", [key] * len(table)))

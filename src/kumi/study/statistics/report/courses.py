"""How did things go in time, and when did things happen that need not happen? Bands, curves, shares and medians."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from math import isfinite
from typing import Any

import polars as pl

from kumi.study.statistics.report import words
from kumi.study.statistics.report.charts import curves, in_time
from kumi.study.statistics.report.contents import Figure, ReportSection, ReportTable, file_name
from kumi.study.statistics.report.stored import SERIES, StoredStudy
from kumi.study.statistics.report.words import several
from kumi.study.statistics.series import band
from kumi.study.statistics.survival import Censored, Survival
from kumi.study.statistics.tables import FINISHED, finished, groups, survival

MOST_BANDS = 6


def courses(results: StoredStudy, level: float) -> ReportSection | None:
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
    return ReportSection("In time", paragraphs=(said, *_unsound(results)), figures=figures)


def _figure(results: StoredStudy, name: str, parameter: str | None, level: float) -> Figure | None:
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


def _unsound(results: StoredStudy) -> list[str]:
    """Say how many series could not be used."""
    counts = {name: sum(not _is_sound(one or ()) for one in many) for name, many in results.series.items()}
    return [
        f"`{name.removeprefix(SERIES)}` is left out of {words.plural(count, 'run')}, where its times go back or "
        "something in it is not a finite number."
        for name, count in counts.items()
        if count
    ]


def _keys(results: StoredStudy, parameter: str | None) -> list[Any]:
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


SHOWN_COMBINATIONS = 200
MOST_CURVES = 7


def times(results: StoredStudy, level: float) -> ReportSection | None:
    """Tabulate and draw each time of something that did not happen in every run, or need not have."""
    if not results.up_to:
        return None
    share = words.percent(level)
    said = (
        "A run that ended without it says only that the time is longer than the run: it is censored there. So no mean "
        "of the runs in which it happened is given, which would leave out the slow ones. `happened` is in how many "
        f"runs it did, with Wilson's {share} bounds of that share; the median is by Kaplan and Meier, with the bounds "
        "of Brookmeyer and Crowley, where – is an open end; the restricted mean is that of the time or the horizon, "
        "whichever comes first. It is no mean of the time itself where runs are censored."
    )
    sheets = tuple(_sheet(results, metric, level) for metric in results.up_to)
    figures = tuple(
        figure
        for metric in results.up_to
        for parameter in (*several(results),) or (None,)
        if (figure := _figure_of_times(results, metric, parameter, level)) is not None
    )
    return ReportSection("Times that may not come", (said,), sheets, figures)


def _sheet(results: StoredStudy, metric: str, level: float) -> ReportTable:
    parts = groups(finished(results.table), results.varied)
    rows = []
    for key, part in list(parts.items())[:SHOWN_COMBINATIONS]:
        found = survival(part, metric, level)
        given = tuple(words.value(one) for one in key)
        rows.append((*given, *(_cells(found, results.up_to[metric]) if found else ("–",) * 4)))
    head = (*results.varied, "happened", "share", "median", f"mean up to {results.up_to[metric]:g}")
    more = len(parts) - len(rows)
    note = f"And {words.plural(more, 'more combination')}, which the results hold." if more > 0 else ""
    first = len(results.varied)
    return ReportTable(head, tuple(rows), range(first, first + 4), note, words.event(results, metric))


def _cells(found: Survival, until: float) -> tuple[str, str, str, str]:
    happened = f"{found.happened} of {found.count}"
    return happened, str(found.share), str(found.median), str(found.restricted_mean(until))


def _figure_of_times(results: StoredStudy, metric: str, parameter: str | None, level: float) -> Figure | None:
    base = {other: results.table[other][0] for other in results.varied if other != parameter}
    levels = [] if parameter is None else results.levels(parameter)
    drawn: dict[Any, pl.DataFrame] = {}
    for key, part in groups(finished(results.table), results.varied).items():
        given = dict(zip(results.varied, key, strict=True))
        found = survival(part, metric, level)
        if found is not None and all(given[name] == one for name, one in base.items()):
            value = None if parameter is None else results.level(parameter, given[parameter])
            drawn[value] = _steps(found, None if parameter is None else value)
    if len(levels) > MOST_CURVES:
        levels = [levels[round(n * (len(levels) - 1) / (MOST_CURVES - 1))] for n in range(MOST_CURVES)]
        drawn = {value: one for value, one in drawn.items() if value in levels}
    if not drawn:
        return None
    said = None if parameter is None else results.named(parameter)
    table = pl.concat(list(drawn.values()))
    chart = partial(curves, table, words.event(results, metric), said, groups=levels)
    some = (
        f" (some values of {parameter})" if parameter and len(levels) < len(results.levels(parameter)) else ""
    )
    kept = "".join(f"; {other} = {words.value(one)}" for other, one in base.items())
    by = f", by {parameter}{some}" if parameter else ""
    caption = (
        f"Kaplan–Meier curves of {metric}{by}{kept}. Bands are {words.percent(level)} intervals, short lines runs that "
        "ended without it."
    )
    name = file_name(f"{metric}-curve" + (f"-by-{parameter}" if parameter else ""))
    return Figure(name, caption, lambda paper: chart(paper=paper))


def _steps(found: Survival, group: Any) -> pl.DataFrame:
    """Return the corners of a curve from zero to the end of the longest run, and where runs were censored."""
    ended = sorted({one.at for one in found.times if isinstance(one, Censored)})
    at = sorted({0.0, *(step.time for step in found.steps), *ended})
    rows = [
        {"time": time, "share": share, "low": low, "high": high, "is_censored": time in ended}
        for time in at
        for share, low, high in [found.at(time)]
    ]
    table = pl.DataFrame(rows)
    return table if group is None else table.with_columns(pl.Series("group", [group] * len(table)))

"""When did things happen that need not happen? Curves, shares and medians, as a section of a report."""

from __future__ import annotations

from functools import partial
from typing import Any

import polars as pl

from kumi.study.statistics.report import words
from kumi.study.statistics.report.charts import curves
from kumi.study.statistics.report.chosen import several
from kumi.study.statistics.report.contents import Figure, Section, Sheet, file_name
from kumi.study.statistics.report.stored import Stored
from kumi.study.statistics.survival import Censored, Survival
from kumi.study.statistics.tables import finished, groups, survival

SHOWN_COMBINATIONS = 200
MOST_CURVES = 7


def times(results: Stored, level: float) -> Section | None:
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
        if (figure := _figure(results, metric, parameter, level)) is not None
    )
    return Section("Times that may not come", (said,), sheets, figures)


def _sheet(results: Stored, metric: str, level: float) -> Sheet:
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
    return Sheet(head, tuple(rows), range(first, first + 4), note, words.event(results, metric))


def _cells(found: Survival, until: float) -> tuple[str, str, str, str]:
    happened = f"{found.happened} of {found.count}"
    return happened, str(found.share), str(found.median), str(found.restricted_mean(until))


def _figure(results: Stored, metric: str, parameter: str | None, level: float) -> Figure | None:
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

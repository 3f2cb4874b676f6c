"""How does each metric depend on each parameter, or on two of them at once? A plot for each, and the same as a table.

Another parameter gives the colours. Those that remain are averaged over, seed by seed, and the caption says so.

Drawn for each two varied parameters that have three values or more, all of them numbers. Parameters that remain are
averaged over, seed by seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

import polars as pl

from kumi.study.statistics.intervals import LEVEL, Interval
from kumi.study.statistics.report import words
from kumi.study.statistics.report.charts import against_parameter, heat_map
from kumi.study.statistics.report.contents import Figure, ReportSection, ReportTable, file_name
from kumi.study.statistics.report.stored import StoredStudy
from kumi.study.statistics.report.words import several, varying
from kumi.study.statistics.tables import Key, by_seed, estimate, finished, groups, is_claim, survival

COLOURED = 7
"""Values of a parameter that colours can still tell apart."""


def plots(results: StoredStudy, level: float) -> ReportSection | None:
    """Draw each metric against each varied parameter."""
    figures = tuple(
        figure
        for parameter in several(results)
        for metric in varying(results)
        if (figure := _plot(results, parameter, metric, level)) is not None
    )
    if not figures:
        return None
    said = f"Bars and bands are {words.percent(level)} confidence intervals of the mean."
    return ReportSection("Plots", paragraphs=(said,), figures=figures)


def _plot(results: StoredStudy, parameter: str, metric: str, level: float) -> Figure | None:
    others = [name for name in several(results) if name != parameter]
    colour = next((name for name in others if len(results.levels(name)) <= COLOURED), None)
    rest = [name for name in others if name != colour]
    by = [parameter] if colour is None else [parameter, colour]
    means = _means(results, by, rest, metric, level)
    if means.is_empty():
        return None
    drawn = partial(
        against_parameter,
        means,
        words.titled(results, metric),
        results.named(parameter),
        None if colour is None else results.named(colour),
        levels=results.levels(parameter),
        groups=[] if colour is None else results.levels(colour),
    )
    over = f" Means over all values of {' and '.join(rest)}." if rest else ""
    lines = f", by {colour}" if colour else ""
    return Figure(
        file_name(f"{metric}-against-{parameter}"),
        f"{metric} against {parameter}{lines}.{over}",
        lambda paper: drawn(paper=paper),
    )


def _means(
    results: StoredStudy, by: Sequence[str], rest: Sequence[str], metric: str, level: float
) -> pl.DataFrame:
    """Return the means to draw: `x`, `group` where there are two parameters, `mean`, `low`, `high`.

    There are none where no seed has the metric in every combination of the rest.
    """
    table = results.numbers
    shown = by_seed(table, by, rest, metric) if rest else table
    rows: list[dict[str, Any]] = []
    times = groups(finished(results.table), by) if metric in results.up_to and not rest else {}
    for key, part in groups(shown, by).items():
        curve = survival(times[key], metric, level) if key in times else None
        found = curve.restricted_mean(results.up_to[metric]) if curve else estimate(part[metric], level)
        if found is not None:
            low, high = (found.low, found.high) if found.is_known else (None, None)
            if low is not None and high is not None and is_claim(table[metric]):
                low, high = max(low, 0.0), min(high, 1.0)
            values = [results.level(name, value) for name, value in zip(by, key, strict=True)]
            named = dict(zip(("x", "group"), values, strict=False))
            rows.append({**named, "mean": found.mean, "low": low, "high": high})
    return pl.DataFrame(rows, infer_schema_length=None)


LEAST_MAP_VALUES = 3
"""Values of a parameter from which on a map shows more than lines do."""


def maps(results: StoredStudy, level: float) -> ReportSection | None:
    """Draw each metric over each two parameters, and tabulate the same means."""
    counted = results.numbers
    wide = [
        name
        for name in several(results)
        if counted[name].dtype.is_numeric() and counted[name].n_unique() >= LEAST_MAP_VALUES
    ]
    found = [
        part
        for across, up in combinations(wide, 2)
        for metric in varying(results)
        if (part := _map(results, across, up, metric, level)) is not None
    ]
    if not found:
        return None
    figures, sheets = zip(*found, strict=True)
    said = f"Each cell has the mean of its runs; tables have the {words.percent(level)} confidence intervals."
    return ReportSection("Maps", paragraphs=(said,), sheets=sheets, figures=figures)


def _map(
    results: StoredStudy, across: str, up: str, metric: str, level: float
) -> tuple[Figure, ReportTable] | None:
    counted = results.numbers
    rest = [name for name in several(results) if name not in (across, up)]
    cells = _cells(
        by_seed(counted, [across, up], rest, metric) if rest else counted, across, up, metric, level
    )
    if not cells:
        return None
    title, name = words.titled(results, metric), f"{metric} over {across} and {up}"
    chart = partial(
        heat_map,
        _drawn(cells),
        title,
        results.named(across),
        results.named(up),
        is_share=is_claim(counted[metric]),
    )
    over = f" Means over all values of {' and '.join(rest)}." if rest else ""
    figure = Figure(file_name(name.replace(" ", "-")), f"{name}.{over}", lambda paper: chart(paper=paper))
    return figure, _sheet(cells, title, across, up)


def means_over(table: pl.DataFrame, across: str, up: str, metric: str) -> pl.DataFrame:
    """Return the mean of a metric for each two values of parameters: `x`, `y`, `mean`."""
    return _drawn(_cells(table, across, up, metric))


def _cells(
    table: pl.DataFrame, across: str, up: str, metric: str, level: float = LEVEL
) -> dict[Key, tuple[Interval, int]]:
    """Return the mean of a metric and the number of runs for each two values of parameters."""
    return {
        key: (found, len(part))
        for key, part in groups(table, [across, up]).items()
        if (found := estimate(part[metric], level)) is not None
    }


def _drawn(cells: dict[Key, tuple[Interval, int]]) -> pl.DataFrame:
    rows = [{"x": x, "y": y, "mean": found.mean} for (x, y), (found, _) in cells.items()]
    return pl.DataFrame(rows, infer_schema_length=None)


def _sheet(cells: dict[Key, tuple[Interval, int]], title: str, across: str, up: str) -> ReportTable:
    columns, rows = (sorted({key[place] for key in cells}) for place in (0, 1))
    return ReportTable(
        (f"{up} \\ {across}", *map(words.value, columns)),
        tuple((words.value(y), *(words.mean(*cells.get((x, y), (None, 0))) for x in columns)) for y in rows),
        range(len(columns) + 1),
        title=title,
        is_folded=True,
    )

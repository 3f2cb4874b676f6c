"""How does each metric depend on each parameter? One plot for each pair.

Another parameter gives the colours. Those that remain are averaged over, seed by seed, and the caption says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from kumi.experiment.statistics.report import words
from kumi.experiment.statistics.report.charts import against_parameter
from kumi.experiment.statistics.report.chosen import several, varying
from kumi.experiment.statistics.report.contents import Figure, Section, file_name
from kumi.experiment.statistics.report.stored import Stored
from kumi.experiment.statistics.tables import by_seed, estimate, finished, groups, is_claim

COLOURED = 7
"""Values of a parameter that colours can still tell apart."""


def plots(results: Stored, level: float) -> Section | None:
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
    return Section("Plots", paragraphs=(said,), figures=figures)


def _plot(results: Stored, parameter: str, metric: str, level: float) -> Figure | None:
    counted = finished(results.table)
    others = [name for name in several(results) if name != parameter]
    colour = next((name for name in others if counted[name].n_unique() <= COLOURED), None)
    rest = [name for name in others if name != colour]
    by = [parameter] if colour is None else [parameter, colour]
    drawn = _drawn(counted, by, rest, metric, level)
    if drawn.is_empty():
        return None
    chart = against_parameter(drawn, words.titled(results, metric), parameter, colour)
    over = f" Means over all values of {' and '.join(rest)}." if rest else ""
    lines = f", by {colour}" if colour else ""
    return Figure(
        file_name(f"{metric}-against-{parameter}"), f"{metric} against {parameter}{lines}.{over}", chart
    )


def _drawn(
    table: pl.DataFrame, by: Sequence[str], rest: Sequence[str], metric: str, level: float
) -> pl.DataFrame:
    """Return the means to draw: `x`, `group` where there are two parameters, `mean`, `low`, `high`.

    There are none where no seed has the metric in every combination of the rest.
    """
    shown = by_seed(table, by, rest, metric) if rest else table
    rows: list[dict[str, Any]] = []
    for key, part in groups(shown, by).items():
        found = estimate(part[metric], level)
        if found is not None:
            low, high = (found.low, found.high) if found.is_known else (None, None)
            if low is not None and high is not None and is_claim(table[metric]):
                low, high = max(low, 0.0), min(high, 1.0)
            named = dict(zip(("x", "group"), key, strict=False))
            rows.append({**named, "mean": found.mean, "low": low, "high": high})
    drawn = pl.DataFrame(rows, infer_schema_length=None)
    if drawn.is_empty():
        return drawn
    return drawn.with_columns(
        pl.Series(name, [words.value(one) for one in drawn[name].to_list()])
        for name in ("x", "group")[: len(by)]
        if not drawn[name].dtype.is_numeric() or drawn[name].null_count()
    )

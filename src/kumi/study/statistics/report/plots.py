"""How does each metric depend on each parameter? One plot for each pair.

Another parameter gives the colours. Those that remain are averaged over, seed by seed, and the caption says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import polars as pl

from kumi.study.statistics.report import words
from kumi.study.statistics.report.charts import against_parameter
from kumi.study.statistics.report.chosen import several, varying
from kumi.study.statistics.report.contents import Figure, Section, file_name
from kumi.study.statistics.report.stored import Stored
from kumi.study.statistics.tables import by_seed, estimate, finished, groups, is_claim, survival

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
    results: Stored, by: Sequence[str], rest: Sequence[str], metric: str, level: float
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

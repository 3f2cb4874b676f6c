"""What came out, and which parameters matter? Means, comparisons, laws of growth and indices, as sections of a report."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import polars as pl

from kumi.study.statistics.effects import effects
from kumi.study.statistics.fits import power_law, scaling
from kumi.study.statistics.report import words
from kumi.study.statistics.report.charts import against_parameter
from kumi.study.statistics.report.contents import Figure, ReportSection, ReportTable, file_name
from kumi.study.statistics.report.stored import StoredStudy
from kumi.study.statistics.report.words import measured, several, varying
from kumi.study.statistics.sensitivity import MorrisIndex, SobolIndex, design_from
from kumi.study.statistics.tables import by_seed, estimate, finished, groups, present
from kumi.study.statistics.values import StatisticsError

SHOWN_COMBINATIONS = 200
LOG_RANK = (
    " Of a time that may not come the difference is that of restricted means, p is by the log-rank test, and flips "
    "and signs are of the log-rank scores of each seed."
)


def _same(results: StoredStudy) -> list[str]:
    """Say which metrics are the same in every run."""
    counted = finished(results.table)
    plain = [name for name in measured(results) if name not in results.up_to]
    same = [name for name in plain if name not in varying(results) and len(counted) > 1]
    return [
        f"`{name}` is {words.value(present(counted[name])[0])} wherever it has a value; it is neither drawn "
        "nor compared."
        for name in same
        if present(counted[name])
    ]


def means(results: StoredStudy, level: float) -> ReportSection:
    """Tabulate the mean of each metric with its interval, for each combination."""
    metrics = [name for name in measured(results) if name not in results.up_to]
    varied = results.varied
    parts = groups(finished(results.table), varied)
    rows = [
        (
            *(words.value(one) for one in key),
            f"{len(part):,}",
            *(words.mean(estimate(part[metric], level), len(part)) for metric in metrics),
        )
        for key, part in list(parts.items())[:SHOWN_COMBINATIONS]
    ]
    more = len(parts) - len(rows)
    numbers = {len(varied) + place for place in range(len(metrics) + 1)}
    numbers |= {place for place, name in enumerate(varied) if results.table[name].dtype.is_numeric()}
    head = (*varied, "runs", *(words.titled(results, metric) for metric in metrics))
    note = f"And {words.plural(more, 'more combination')}, which the results hold." if more > 0 else ""
    said = (
        f"Each mean stands with the half width of its {words.percent(level)} confidence interval, by Student's "
        "t; or with both bounds where the values are skewed, of which that on the side of the long tail is by a "
        "bootstrap. A metric that is true or false has its share of true ones, with Wilson's bounds. Runs with "
        "different seeds are independent."
    )
    return ReportSection(
        "Means",
        paragraphs=(said, *_same(results)),
        sheets=(ReportTable(head, tuple(rows), numbers, note=note),),
    )


def comparisons(results: StoredStudy, level: float) -> ReportSection | None:
    """Compare each value of each varied parameter with the first, seed by seed."""
    varied = several(results)
    if not varied or not varying(results):
        return None
    found = effects(results.table, varied, varying(results), level)
    if not found:
        return ReportSection(
            "Comparisons",
            ("No two values of a parameter share two seeds or more, so nothing is compared in pairs.",),
        )
    rows = tuple(
        (
            one.parameter,
            f"{words.value(one.base)} → {words.value(one.value)}",
            words.titled(results, one.metric) + (" (log-rank)" if one.up_to is not None else ""),
            str(one.paired.difference),
            str(one.paired.difference.count),
            words.p(one.p),
            words.p(one.paired.p_flips),
            words.p(one.paired.p_signs),
            "yes" if one.p <= 1 - level else "not found",
        )
        for one in found
    )
    said = (
        "Runs with the same seed share their chance, so they are compared in pairs: the change of a metric "
        "when a parameter goes from its first value to another, as the mean over all combinations of the "
        "others. p is by the paired t test, corrected by Holm's method for all "
        f"{words.plural(len(rows), 'row')}; the two columns after it, by flipping and by counting signs, are "
        "not corrected. "
        "Where no difference is found, the interval tells how large one may still be."
        + (LOG_RANK if any(one.up_to is not None for one in found) else "")
    )
    head = ("parameter", "change", "metric", "difference", "pairs", "p", "by flips", "by signs", "differs")
    return ReportSection("Comparisons", paragraphs=(said,), sheets=(ReportTable(head, rows, range(3, 8)),))


def growth(results: StoredStudy, level: float) -> ReportSection | None:
    """Fit laws of growth to each metric against each varied parameter that may be a size."""
    counted, rows = finished(results.table), []
    for parameter in several(results):
        if not _is_size(counted[parameter]):
            continue
        others = [name for name in several(results) if name != parameter]
        for metric in varying(results):
            if counted[metric].dtype != pl.Boolean and metric not in results.up_to:
                rows += _law(results, parameter, others, metric, level)
    if not rows:
        return None
    said = (
        "N is the parameter, y the metric, by seed and over all combinations of other parameters. Four laws "
        "were fitted (constant, logarithmic, linear, power); the one shown is best by AICc, with its weight "
        "among the four. The exponent is that of the power law, "
        f"with its {words.percent(level)} interval: 0 is no growth, 1 proportional, 2 quadratic."
    )
    head = ("parameter", "metric", "best law", "weight", "exponent of the power law")
    return ReportSection("Growth", paragraphs=(said,), sheets=(ReportTable(head, tuple(rows), range(3, 5)),))


def _is_size(column: pl.Series) -> bool:
    """Tell whether a column has three sizes or more, all above zero."""
    return (
        column.dtype.is_numeric()
        and not column.null_count()
        and column.n_unique() >= 3
        and bool((column > 0).all())
    )


def _law(
    results: StoredStudy, parameter: str, others: Sequence[str], metric: str, level: float
) -> list[tuple[str, ...]]:
    seen = by_seed(results.table, [parameter], others, metric)
    sizes, values = seen[parameter].to_list(), seen[metric].to_list()
    if len(values) < 6 or len(set(sizes)) < 3:
        return []
    best = scaling(sizes, values)[0]
    exponent = str(power_law(sizes, values, level).exponent) if min(values) > 0 else "– (not above zero)"
    return [
        (
            parameter,
            words.titled(results, metric),
            f"{best.formula} ({best.name})",
            f"{best.weight:.2f}",
            exponent,
        )
    ]


SOBOL = (
    "Each index is a share of the variance of a metric over the ranges: what a parameter explains `alone`, and what it "
    "explains together `with others`. What is between the two comes from acting together. With several seeds the mean "
    "is analysed; chance that is left in it counts as acting together."
)
MORRIS = (
    "The `effect` of a parameter is the mean size of the change of a metric over the parameter's whole range, and "
    "`direction` the same with its sign. The `spread` tells how much it depends on the others, or on where one stands."
)


def sensitivity(results: StoredStudy, level: float) -> ReportSection:
    """Tabulate and draw the indices of each metric that is not the same in every run."""
    record = results.study["sensitivity"]
    design = design_from(record)
    ranges = "; ".join(f"`{name}` from {low:g} to {high:g}" for name, (low, high) in record["ranges"].items())
    drawn = f"{words.plural(record[design.counted], design.counted[:-1])} by the method of {design.method.title()}"
    said = [f"Drawn were {drawn}, over {ranges}. Bounds are {words.percent(level)} intervals."]
    said.append(SOBOL if design.method == "sobol" else MORRIS)
    sheets, figures = [], []
    for metric in varying(results):
        try:
            found = design.indices(results.table, metric, level)
        except StatisticsError as error:
            said.append(f"`{metric}` has no indices: {error}")
            continue
        sheets.append(_sheet(results, metric, found))
        figures.append(_figure(results, metric, found))
    return ReportSection("Which parameters matter", tuple(said), tuple(sheets), tuple(figures))


def _sheet(
    results: StoredStudy, metric: str, found: tuple[MorrisIndex, ...] | tuple[SobolIndex, ...]
) -> ReportTable:
    values = present(results.numbers[metric])
    mean = sum(values) / len(values)
    note = f"Over all runs: {min(values):.4g} to {max(values):.4g}, with a mean of {mean:.4g}."
    head: tuple[str, ...] = ("parameter", "alone", "with others")
    if isinstance(found[0], MorrisIndex):
        head = ("parameter", "effect", "direction", "spread")
    rows = tuple(_row(one) for one in found)
    return ReportTable(head, rows, range(1, len(head)), note, words.titled(results, metric))


def _row(one: MorrisIndex | SobolIndex) -> tuple[str, ...]:
    if isinstance(one, SobolIndex):
        return one.parameter, str(one.first), str(one.total)
    return one.parameter, str(one.effect), f"{one.direction:.4g}", f"{one.spread:.4g}"


def _figure(
    results: StoredStudy, metric: str, found: tuple[MorrisIndex, ...] | tuple[SobolIndex, ...]
) -> Figure:
    rows: list[dict[str, Any]] = []
    for one in found:
        parts = {"effect": one.effect} if isinstance(one, MorrisIndex) else _shares(one)
        rows += [
            {"x": one.parameter, "group": name, "mean": part.mean, "low": part.low, "high": part.high}
            for name, part in parts.items()
        ]
    is_share = isinstance(found[0], SobolIndex)
    title = f"share of the variance of {metric}" if is_share else f"change of {words.titled(results, metric)}"
    drawn = partial(
        against_parameter,
        pl.DataFrame(rows),
        title,
        "parameter",
        "explained" if is_share else None,
        levels=[one.parameter for one in found],
        groups=list(_shares(found[0])) if isinstance(found[0], SobolIndex) else [],
    )
    caption = f"{title[0].upper()}{title[1:]}, by parameter."
    return Figure(file_name(f"{metric}-sensitivity"), caption, lambda paper: drawn(paper=paper))


def _shares(one: SobolIndex) -> dict[str, Any]:
    return {"alone": one.first, "with others": one.total}

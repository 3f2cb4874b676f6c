"""Which parameters matter? The indices of a study whose combinations were drawn for that, as a section of a report."""

from __future__ import annotations

from functools import partial
from typing import Any

import polars as pl

from kumi.study.statistics.errors import StatisticsError
from kumi.study.statistics.report import words
from kumi.study.statistics.report.charts import against_parameter
from kumi.study.statistics.report.chosen import varying
from kumi.study.statistics.report.contents import Figure, Section, Sheet, file_name
from kumi.study.statistics.report.stored import Stored
from kumi.study.statistics.sensitivity import MorrisIndex, SobolIndex, design_from
from kumi.study.statistics.tables import present

SOBOL = (
    "Each index is a share of the variance of a metric over the ranges: what a parameter explains `alone`, and what it "
    "explains together `with others`. What is between the two comes from acting together. With several seeds the mean "
    "is analysed; chance that is left in it counts as acting together."
)
MORRIS = (
    "The `effect` of a parameter is the mean size of the change of a metric over the parameter's whole range, and "
    "`direction` the same with its sign. The `spread` tells how much it depends on the others, or on where one stands."
)


def sensitivity(results: Stored, level: float) -> Section:
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
    return Section("Which parameters matter", tuple(said), tuple(sheets), tuple(figures))


def _sheet(results: Stored, metric: str, found: tuple[MorrisIndex, ...] | tuple[SobolIndex, ...]) -> Sheet:
    values = present(results.numbers[metric])
    mean = sum(values) / len(values)
    note = f"Over all runs: {min(values):.4g} to {max(values):.4g}, with a mean of {mean:.4g}."
    head: tuple[str, ...] = ("parameter", "alone", "with others")
    if isinstance(found[0], MorrisIndex):
        head = ("parameter", "effect", "direction", "spread")
    rows = tuple(_row(one) for one in found)
    return Sheet(head, rows, range(1, len(head)), note, words.titled(results, metric))


def _row(one: MorrisIndex | SobolIndex) -> tuple[str, ...]:
    if isinstance(one, SobolIndex):
        return one.parameter, str(one.first), str(one.total)
    return one.parameter, str(one.effect), f"{one.direction:.4g}", f"{one.spread:.4g}"


def _figure(results: Stored, metric: str, found: tuple[MorrisIndex, ...] | tuple[SobolIndex, ...]) -> Figure:
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

"""What does a table of results say, combination by combination?

A table has one row a run: parameters, `seed`, metrics, and `outcome`, which is "finished" or why the run
failed. `summary` gives the mean of each metric with its interval for each combination of parameters, as a
table again. A metric of numbers gets a t interval; one of claims (true or false) a share, with Wilson's.

Failed runs do not count. Neither does a run in which the metric is missing (none, or not a finite number);
how many these are is said for each mean. A metric that nowhere has a number, such as a text, is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, TypeAlias

import polars as pl

from kumi.experiment.statistics.errors import StatisticsError
from kumi.experiment.statistics.intervals import LEVEL, Interval, interval, proportion

FINISHED = "finished"
COMBINATIONS = "\0"
"""A column that no table has: a name without letters."""
Key: TypeAlias = tuple[Any, ...]


def finished(table: pl.DataFrame) -> pl.DataFrame:
    """Return the runs that came to their end."""
    return table.filter(pl.col("outcome") == FINISHED) if "outcome" in table.columns else table


def is_claim(column: pl.Series) -> bool:
    """Tell whether a column says true or false."""
    return column.dtype == pl.Boolean


def has_numbers(table: pl.DataFrame, metric: str) -> bool:
    """Tell whether a metric has a mean: it is there, of numbers or claims, and not missing in every run."""
    if metric not in table.columns:
        return False
    column = table[metric]
    return (column.dtype.is_numeric() or is_claim(column)) and column.null_count() < len(column)


def present(column: pl.Series) -> list[Any]:
    """Return what is there in a column: neither missing, nor infinite, nor no number."""
    return [value for value in column.to_list() if value is not None and isfinite(value)]


def estimate(column: pl.Series, level: float = LEVEL) -> Interval | None:
    """Return the mean of a column with its interval, or None where nothing is there."""
    found = present(column)
    if not found:
        return None
    return proportion(sum(found), len(found), level) if is_claim(column) else interval(found, level)


def groups(table: pl.DataFrame, by: Sequence[str]) -> dict[Key, pl.DataFrame]:
    """Split a table by the values of some columns, in the order in which they first appear."""
    need_columns(table, by)
    if not by:
        return {(): table}
    parts = table.partition_by(by, maintain_order=True)
    return {tuple(part[name][0] for name in by): part for part in parts}


def need_columns(table: pl.DataFrame, names: Iterable[str]) -> None:
    """Say which column is missing, if one is."""
    for name in names:
        if name not in table.columns:
            raise StatisticsError(f"the table has no column {name!r}; it has {', '.join(table.columns)}.")


def summary(
    table: pl.DataFrame, by: Sequence[str], metrics: Sequence[str], level: float = LEVEL
) -> pl.DataFrame:
    """Return one row for each combination of `by` and each metric: count, missing, mean, low, high, error.

    `low`, `high` and `error` are null where one run alone is there.
    """
    need_columns(table, metrics)
    taken = [name for name in by if name in COLUMNS]
    if taken:
        raise StatisticsError(f"{taken[0]!r} is a column of a summary; give that parameter another name.")
    counted = finished(table)
    rows: list[dict[str, Any]] = []
    for key, part in groups(counted, by).items():
        for metric in metrics:
            if has_numbers(counted, metric):
                given = dict(zip(by, key, strict=True))
                rows.append({**given, "metric": metric, **_row(part[metric], level)})
    kinds = {name: table.schema[name] for name in by}
    return pl.DataFrame(rows, schema={**kinds, **COLUMNS})


COLUMNS: Mapping[str, Any] = {
    "metric": pl.String,
    "count": pl.Int64,
    "missing": pl.Int64,
    "mean": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "error": pl.Float64,
}


def _row(column: pl.Series, level: float) -> dict[str, Any]:
    found = estimate(column, level)
    if found is None:
        return {"count": 0, "missing": len(column), "mean": None, "low": None, "high": None, "error": None}
    bounds = (found.low, found.high, found.error) if found.is_known else (None, None, None)
    return {
        "count": found.count,
        "missing": len(column) - found.count,
        "mean": found.mean,
        **dict(zip(("low", "high", "error"), bounds, strict=True)),
    }


def by_seed(table: pl.DataFrame, by: Sequence[str], others: Sequence[str], metric: str) -> pl.DataFrame:
    """Return a metric for each combination of `by` and each seed, as its mean over the other parameters.

    A seed counts where the metric is there for every combination of the others that the table has; so means
    over seeds compare like with like. Claims become shares.
    """
    counted = finished(table)
    need_columns(counted, [*by, *others, "seed", metric])
    wanted = counted.select(others).n_unique() if others else 1
    number = pl.col(metric).cast(pl.Float64)
    there = counted.with_columns(number).filter(pl.col(metric).is_not_null() & pl.col(metric).is_finite())
    means = there.group_by([*by, "seed"], maintain_order=True).agg(
        pl.col(metric).mean(), (pl.struct(others).n_unique() if others else pl.lit(1)).alias(COMBINATIONS)
    )
    return means.filter(pl.col(COMBINATIONS) == wanted).drop(COMBINATIONS)

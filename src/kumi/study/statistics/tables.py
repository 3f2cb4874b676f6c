"""What does a table of results say, combination by combination?

A table has one row a run: parameters, `seed`, metrics, and `outcome`, which is "finished" or why the run
failed. `summary` gives the mean of each metric with its interval for each combination of parameters, as a
table again. A metric of numbers gets an interval; one of claims (true or false) a share, with Wilson's.

A metric that is a time of something that need not happen has a second column, `censored_` and its name: there stands
when the run ended, where it did not happen. Its mean is the restricted mean, up to a horizon that all combinations
share; `restricted` puts the numbers of that mean in place of the times.

Failed runs do not count. Neither does a run in which the metric is missing (none, or not a finite number);
how many these are is said for each mean. A metric that nowhere has a number, such as a text, is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, TypeAlias

import polars as pl

from kumi.study.statistics.intervals import LEVEL, Interval, interval, proportion
from kumi.study.statistics.survival import (
    CENSORED,
    Censored,
    EventTime,
    Survival,
    horizon,
    is_time,
    kaplan_meier,
    restricted_values,
)
from kumi.study.statistics.values import StatisticsError

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


def is_event_time(table: pl.DataFrame, metric: str) -> bool:
    """Tell whether a metric is a time of something that need not happen."""
    if metric not in table.columns or CENSORED + metric not in table.columns:
        return False
    kinds = {table[metric].dtype, table[CENSORED + metric].dtype}
    return all(kind.is_numeric() or kind == pl.Null for kind in kinds)


def times_of(table: pl.DataFrame, metric: str) -> list[EventTime | None]:
    """Return the time of an event in each run, or when it was censored; None where it is missing."""
    pairs = zip(table[metric].to_list(), table[CENSORED + metric].to_list(), strict=True)
    return [
        float(time) if is_time(time) else Censored(float(at)) if time is None and is_time(at) else None
        for time, at in pairs
    ]


def horizon_of(table: pl.DataFrame, by: Sequence[str], metric: str) -> float | None:
    """Return up to when the times of an event are known in all combinations; None where no run tells of it."""
    parts = [
        [time for time in times_of(part, metric) if time is not None]
        for part in groups(finished(table), by).values()
    ]
    return horizon(parts) if any(parts) else None


def restricted(table: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Return the finished runs, with the numbers of the restricted mean in place of times that may not come."""
    counted = finished(table)
    for metric in [name for name in counted.columns if is_event_time(counted, name)]:
        until = horizon_of(counted, by, metric)
        found: list[float | None] = [None] * len(counted)
        numbered = counted.with_row_index(COMBINATIONS)
        for part in groups(numbered, by).values() if until is not None else ():
            known = [
                (place, time)
                for place, time in zip(part[COMBINATIONS].to_list(), times_of(part, metric), strict=True)
                if time is not None
            ]
            values = restricted_values([time for _, time in known], until or 0.0)
            for (place, _), value in zip(known, values, strict=True):
                found[place] = value
        counted = counted.with_columns(pl.Series(metric, found, dtype=pl.Float64)).drop(CENSORED + metric)
    return counted


def survival(table: pl.DataFrame, metric: str, level: float = LEVEL) -> Survival | None:
    """Return the curve of the times of an event in some finished runs; None where no run tells of it."""
    known = [time for time in times_of(table, metric) if time is not None]
    return kaplan_meier(known, level) if known else None


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

    `low`, `high` and `error` are null where one run alone is there. Of a time that may not come, `happened` is the
    number of runs in which it did, and the mean is restricted to `up_to` seconds; of others both are null.
    """
    need_columns(table, metrics)
    taken = [name for name in by if name in COLUMNS]
    if taken:
        raise StatisticsError(f"{taken[0]!r} is a column of a summary; give that parameter another name.")
    whole, counted = finished(table), restricted(table, by)
    events = {name: horizon_of(whole, by, name) for name in metrics if is_event_time(whole, name)}
    raw = groups(whole, by)
    rows: list[dict[str, Any]] = []
    for key, part in groups(counted, by).items():
        for metric in metrics:
            if has_numbers(counted, metric):
                given = dict(zip(by, key, strict=True))
                happened = len(present(raw[key][metric])) if metric in events else None
                more = {"happened": happened, "up_to": events.get(metric)}
                rows.append({**given, "metric": metric, **_row(part[metric], level), **more})
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
    "happened": pl.Int64,
    "up_to": pl.Float64,
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

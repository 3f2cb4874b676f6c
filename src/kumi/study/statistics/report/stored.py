"""What does a folder of results hold?

`study.json` tells what was asked, `runs.jsonl` holds one line a run and is the truth, `results.parquet` the
same as a table. The lines are read where they are there, so a study that was killed is reported as far as it
came; a last line that was cut off is left out. Otherwise the table is read.

This is the one place that knows the files; all else works on tables.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from kumi.study.statistics.survival import CENSORED
from kumi.study.statistics.tables import horizon_of, is_event_time, restricted
from kumi.study.statistics.values import StatisticsError

FORMAT = 1
SERIES = "series_"
FIXED_COLUMNS = ("row", "seed", "trace_hash", "wall_seconds", "outcome")
"""Columns that every table has."""


@dataclass(frozen=True)
class StoredStudy:
    """The results of a study: what was asked, a table of one row a run, and the series of each run by name.

    `series` has, for each name, one entry a row of the table: pairs of time and value, or None.
    """

    folder: Path
    study: dict[str, Any]
    table: pl.DataFrame
    series: dict[str, list[list[tuple[float, float]] | None]]

    @property
    def varied(self) -> list[str]:
        """The parameters of which there are several values."""
        return [name for name in self.study.get("vary", {}) if name in self.table.columns]

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics, as the study lists them."""
        return list(self.study.get("metrics", {}))

    @cached_property
    def numbers(self) -> pl.DataFrame:
        """The finished runs, with the numbers of restricted means in place of times that may not come."""
        return restricted(self.table, self.varied)

    @cached_property
    def up_to(self) -> dict[str, float]:
        """The times that may not come, each with the horizon of its restricted mean."""
        names = [name for name in self.metrics if is_event_time(self.table, name)]
        horizons = {name: horizon_of(self.table, self.varied, name) for name in names}
        return {name: one for name, one in horizons.items() if one is not None}

    def levels(self, parameter: str) -> list[Any]:
        """Return the values of a parameter that were asked for, in their order, and others that runs have.

        They are numbers, or the words for what is something else.
        """
        return self._levels[parameter]

    @cached_property
    def _levels(self) -> dict[str, list[Any]]:
        return {name: self._asked(name) for name in self.varied}

    def _asked(self, parameter: str) -> list[Any]:
        column = self.table[parameter]
        asked = [_plain(one) for one in self.study.get("vary", {}).get(parameter, [])]
        many = [*asked, *column.to_list()]
        is_number = column.dtype.is_numeric() and not column.null_count()
        if is_number and all(isinstance(one, int | float) and not isinstance(one, bool) for one in many):
            return list(dict.fromkeys(many))
        return list(dict.fromkeys(written(one) for one in many))

    def named(self, parameter: str) -> str:
        """Return the name of a parameter with its unit, if one is known."""
        unit = self.study.get("units", {}).get(parameter)
        return f"{parameter}, {unit}" if unit else parameter

    def level(self, parameter: str, value: Any) -> Any:
        """Return a value of a parameter as `levels` has it."""
        return value if isinstance(self.levels(parameter)[0], int | float) else written(value)

    def unit(self, metric: str) -> str:
        """Return the unit of a metric or a series; empty if it has none."""
        metrics = self.study.get("metrics", {})
        return str(metrics.get(metric, metrics.get(metric.removeprefix(SERIES), {})).get("unit") or "")

    def about(self, metric: str) -> str:
        """Return the sentence that explains a metric; empty if there is none."""
        return str(self.study.get("metrics", {}).get(metric, {}).get("about") or "")


def read_results(folder: Path) -> StoredStudy:
    """Read a folder of results, or say why it is none."""
    study = _study(folder)
    rows = _rows(folder)
    rows = sorted({row["row"]: row for row in rows}.values(), key=lambda row: row["row"])
    names = dict.fromkeys(name for row in rows for name in row)
    series = {name: [_pairs(row.get(name)) for row in rows] for name in names if name.startswith(SERIES)}
    times = [name for name, one in study["metrics"].items() if one and one.get("is_event_time")]
    names |= dict.fromkeys(CENSORED + name for name in times)
    plain = {name: [_plain(row.get(name)) for row in rows] for name in names if name not in series}
    table = pl.DataFrame(
        {name: pl.Series(name, _alike(column), strict=False) for name, column in plain.items()}
    )
    return StoredStudy(folder, study, table, series)


def _study(folder: Path) -> dict[str, Any]:
    path = folder / "study.json"
    if not path.is_file():
        raise StatisticsError(f"{folder} holds no results: a folder of results has a file study.json.")
    try:
        study = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise StatisticsError(f"{path} is no JSON: {error}.") from None
    found = study.get("format") if isinstance(study, dict) else None
    if found != FORMAT:
        raise StatisticsError(f"{path} is of format {found!r}; this kumi reads format {FORMAT}.")
    for name in ("vary", "metrics", "configuration", "versions"):
        if not isinstance(study.setdefault(name, {}), dict):
            raise StatisticsError(f"{path}: {name!r} must be a table of names, not {study[name]!r}.")
    return dict(study)


def _rows(folder: Path) -> list[dict[str, Any]]:
    lines, parquet = folder / "runs.jsonl", folder / "results.parquet"
    if lines.is_file():
        return _read_lines(lines)
    if parquet.is_file():
        try:
            table = pl.read_parquet(parquet)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise StatisticsError(f"{parquet} cannot be read as Parquet: {error}.") from None
        if "row" not in table.columns:
            raise StatisticsError(f"{parquet} is no table of runs: it has no column 'row'.")
        return table.to_dicts()
    raise StatisticsError(f"{folder} holds neither runs.jsonl nor results.parquet: no run was finished.")


def _read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the runs; a last line without an end was being written when the study was killed."""
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    rows = []
    for number, line in enumerate(whole.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise StatisticsError(f"{path}, line {number}, is no JSON: {error}.") from None
        if not isinstance(row, dict) or "row" not in row:
            raise StatisticsError(f"{path}, line {number}, is no run: it must be an object with a row.")
        rows.append(_flat(row))
    return rows


def _flat(run: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a table from a line, which has parameters, metrics and series apart."""
    series = {f"{SERIES}{name}": points for name, points in run.get("series", {}).items()}
    censored = {f"{CENSORED}{name}": at for name, at in run.get("censored", {}).items()}
    own = {name: run.get(name) for name in FIXED_COLUMNS}
    return {**run.get("parameters", {}), **run.get("metrics", {}), **censored, **series, **own}


def written(one: Any) -> str:
    """Write a value of a parameter: a number with up to six digits, a text as it is."""
    if isinstance(one, bool):
        return str(one).lower()
    if isinstance(one, float):
        return f"{one:.6g}"
    return "none" if one is None else str(one)


def _plain(value: Any) -> Any:
    """Return a value for a table: a list or an object is kept as its text."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _alike(column: list[Any]) -> list[Any]:
    """Return a column whose values are of one kind; where texts or claims and numbers meet, all are texts."""
    kinds = {
        "claim" if isinstance(value, bool) else "number" if isinstance(value, int | float) else "text"
        for value in column
        if value is not None
    }
    if kinds == {"number"} and any(isinstance(value, float) for value in column):
        return [None if value is None else float(value) for value in column]
    return column if len(kinds) <= 1 else [None if value is None else str(value) for value in column]


def _pairs(series: Any) -> list[tuple[float, float]] | None:
    """Return a series as pairs, however it was stored."""
    if not series:
        return None
    if isinstance(series[0], dict):
        return [(point["t"], point["value"]) for point in series]
    return [(point[0], point[1]) for point in series]

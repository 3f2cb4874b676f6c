"""What came out of a study as a table, and how are finished runs kept, whatever happens to the process?

One row a run: the parameters, the seed, the metrics, the hash of the trace, how long it took on the wall, and whether
it finished. The journal is the truth; the table is made from it and written beside it as Parquet.

`runs.jsonl` has one line for each finished run, and is only ever appended to. A line is written at once, and `sync` has
all of them on the disk: a run counts as finished after that. A process that is killed while it writes leaves a torn last
line, which is dropped when the file is opened again; all lines before it are whole.

One process at a time writes: it holds a lock, which the system takes back when the process ends in any way.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kumi.devs.extras import need
from kumi.study.errors import FolderError, Stopped
from kumi.study.record import read_record, write_whole
from kumi.study.statistics.survival import CENSORED

if TYPE_CHECKING:
    import polars as pl


TABLE_FILE = "results.parquet"
REPLAYS = "replays"
"""The folder within for run files of rows that were looked at."""
FINISHED = "finished"
FIXED_COLUMNS = ("row", "seed", "trace_hash", "wall_seconds", "outcome")
"""Columns that every table has."""


@dataclass(frozen=True)
class Results:
    """The study, as `study.json` has it, and its runs; `folder` is None where nothing was written."""

    study: dict[str, Any]
    runs: Sequence[dict[str, Any]]
    folder: Path | None = None

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a results folder."""
        folder = Path(folder)
        return cls(read_record(folder), in_order(read_runs(folder)), folder)

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters with the values that runs have unless they vary."""
        found: dict[str, Any] = self.study["configuration"]
        return dict(found["set"]) if "scenario" in found else dict(found)

    @property
    def varied(self) -> list[str]:
        """The parameters that vary."""
        return list(self.study["vary"])

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return list(self.study["metrics"])

    @property
    def event_times(self) -> list[str]:
        """The metrics that are times of something that need not happen."""
        return [name for name, one in self.study["metrics"].items() if one.get("is_event_time")]

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row a run, in the order of the design; a time that did not come is null, and censored in a column after it."""
        need("study", "polars")
        import polars as pl

        rows = [self._row(run) for run in self.runs]
        names = dict.fromkeys([*self._columns(), *(name for row in rows for name in row)])
        columns = {name: [row.get(name) for row in rows] for name in names}
        return pl.DataFrame([as_series(name, values) for name, values in columns.items()])

    def _columns(self) -> list[str]:
        fixed = [name for name in self.parameters if name not in {*self.metrics, *self.varied}]
        times = set(self.event_times)
        measured = [
            column
            for name in self.metrics
            for column in ([name, CENSORED + name] if name in times else [name])
        ]
        return ["row", *self.varied, *fixed, "seed", *measured, *FIXED_COLUMNS[2:]]

    def _row(self, run: dict[str, Any]) -> dict[str, Any]:
        series = {f"series_{name}": points for name, points in run.get("series", {}).items()}
        censored = {f"{CENSORED}{name}": at for name, at in run.get("censored", {}).items()}
        own = {name: run.get(name) for name in FIXED_COLUMNS}
        return {**self.parameters, **run["parameters"], **run["metrics"], **censored, **series, **own}

    def write_table(self) -> Path:
        """Write the table into the folder, whole or not at all."""
        assert self.folder is not None
        buffer = io.BytesIO()
        self.table.write_parquet(buffer)
        path = self.folder / TABLE_FILE
        write_whole(path, buffer.getvalue())
        return path

    def __repr__(self) -> str:
        return f"<Results of '{self.study['name']}': {len(self.runs)} runs>\n{self.table}"


def in_order(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return runs by their rows; of a row that was done again, the last."""
    found = {run["row"]: run for run in runs}
    return [found[row] for row in sorted(found)]


def as_series(name: str, values: list[Any]) -> pl.Series:
    """Return a column: of whole and other numbers, numbers; of lists and tables that are no series, their text."""
    import polars as pl

    if name.startswith("series_"):
        points = [None if one is None else [{"t": t, "value": v} for t, v in one] for one in values]
        return pl.Series(name, points, dtype=pl.List(pl.Struct({"t": pl.Float64, "value": pl.Float64})))
    kinds = {type(value) for value in values} - {type(None)}
    if name.startswith(CENSORED) and kinds <= {int, float}:
        return pl.Series(name, values, dtype=pl.Float64, strict=False)
    if kinds == {int, float}:
        return pl.Series(name, values, dtype=pl.Float64, strict=False)
    if kinds <= {int} or kinds <= {float} or kinds <= {bool} or kinds <= {str}:
        return pl.Series(name, values, strict=False)
    return pl.Series(
        name, [None if value is None else json.dumps(value) for value in values], dtype=pl.String
    )


RUNS_FILE = "runs.jsonl"


class Journal:
    """The file of finished runs, open for more; `runs` are those that were there."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / RUNS_FILE
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise FolderError(f"{folder} is in use: another study writes its runs there now") from error
        self.runs, self._size = whole_lines(read_all(self._file), self.path)
        os.ftruncate(self._file, self._size)

    def write(self, run: dict[str, Any]) -> int:
        """Write a run; return the bytes it took. A disk that is full raises Stopped, and leaves the file whole."""
        line = json.dumps(run, separators=(",", ":")).encode() + b"\n"
        try:
            written = os.pwrite(self._file, line, self._size)
            if written < len(line):
                written += os.pwrite(self._file, line[written:], self._size + written)
        except OSError as error:
            os.ftruncate(self._file, self._size)
            raise self._full(error) from error
        if written < len(line):
            os.ftruncate(self._file, self._size)
            raise Stopped(f"a run cannot be kept in {self.path}: only a part of it was written")
        self._size += written
        return written

    def sync(self) -> None:
        """Have all that was written on the disk."""
        try:
            os.fsync(self._file)
        except OSError as error:
            raise self._full(error) from error

    def _full(self, error: OSError) -> Stopped:
        reason = (error.strerror or str(error)).lower()
        return Stopped(
            f"a run cannot be kept in {self.path}: {reason}; those before it are kept, and the same command goes on "
            "when there is room"
        )

    def close(self) -> None:
        """Let others write."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def read_all(file: int) -> bytes:
    """Read an open file; by its own number, since to close a second one would give the lock back."""
    parts = []
    at = 0
    while part := os.pread(file, 1 << 20, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def whole_lines(data: bytes, path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the runs of a journal, and up to which byte it is whole; a torn last line is left out."""
    runs: list[dict[str, Any]] = []
    size = 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1], 1):
        try:
            run = json.loads(line)
            if not isinstance(run, dict) or "row" not in run:
                raise ValueError("no run")
        except ValueError as error:
            if number == len(lines) - 1:  # a torn line, and what a file system filled its block with
                break
            raise FolderError(
                f"{path}, line {number} is no run, so the file was changed or is damaged"
            ) from error
        runs.append(run)
        size += len(line) + 1
    return runs, size


def read_runs(folder: Path) -> list[dict[str, Any]]:
    """Return the finished runs of a folder."""
    path = folder / RUNS_FILE
    return whole_lines(path.read_bytes(), path)[0] if path.exists() else []

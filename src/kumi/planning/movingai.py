"""What do the maps and scenarios of the Moving AI benchmarks ask?

A cell of a `.map` file can be entered unless it is blocked; swamp can be. A `.scen` file has one query a line:
bucket, map, width, height, start x and y, goal x and y, and the length of a shortest way with 8 neighbours,
where x is the column and y the row.

The world reads the same maps as obstacles with a size in metres; here they are cells and nothing else.
Source: Sturtevant, Benchmarks for grid-based pathfinding, 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kumi.geometry.movingai import BLOCKED, CellsError, cells_of
from kumi.planning.grid import MOST_CELLS
from kumi.planning.grid_error import GridError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kumi.planning.grid import Cell


FIELDS = 9


@dataclass(frozen=True, slots=True)
class Query:
    """One line of a scenario: from where to where, and how long a shortest way is said to be."""

    start: Cell
    goal: Cell
    expected: float
    size: tuple[int, int]
    """Rows and columns of the map it is for."""
    line: int


def read_map(path: Path) -> NDArray[np.bool_]:
    """Return the cells of a `.map` file, True where blocked."""
    try:
        kinds = cells_of(contents(path), MOST_CELLS)
    except CellsError as error:
        line = f", line {error.line}" if error.line else ""
        raise GridError(f"{path}{line}: {error.reason}") from None
    return np.asarray(kinds == BLOCKED)


def read_scen(path: Path) -> list[Query]:
    """Return the queries of a `.scen` file."""
    lines = contents(path).decode("latin-1").splitlines()
    if not lines or not lines[0].lower().startswith("version"):
        raise GridError(f"{path}, line 1: a scenario begins with 'version 1'")
    return list(queries(lines[1:], path))


def queries(lines: list[str], path: Path) -> Iterator[Query]:
    """Return the query of each line that is not empty."""
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        fields = line.split("\t") if "\t" in line else line.split()
        try:
            if len(fields) != FIELDS:
                raise ValueError
            width, height, x, y, to_x, to_y = (int(field) for field in fields[2:8])
            expected = float(fields[8])
            if not isfinite(expected):
                raise ValueError
        except ValueError:
            raise GridError(
                f"{path}, line {number}: a query is bucket, map, width, height, start x, start y, goal x, "
                f"goal y and length, but it is {line[:60]!r}"
            ) from None
        yield Query((y, x), (to_y, to_x), expected, (height, width), number)


def check_queries(asked: list[Query], blocked: NDArray[np.bool_], path: Path) -> None:
    """Refuse queries that are for another map, or that lie outside of this one."""
    rows, columns = blocked.shape
    for query in asked:
        where = f"{path}, line {query.line}"
        if query.size != (rows, columns):
            height, width = query.size
            raise GridError(
                f"{where}: it is for a map of width {width} and height {height}, but this one has "
                f"width {columns} and height {rows}"
            )
        for row, column in (query.start, query.goal):
            if not (0 <= row < rows and 0 <= column < columns):
                raise GridError(f"{where}: ({column}, {row}) lies outside of the map")


def first_agents(asked: list[Query], count: int, path: Path) -> tuple[list[Cell], list[Cell]]:
    """Return the starts and the goals of the first queries, one for each of so many robots."""
    if not 1 <= count <= len(asked):
        raise GridError(
            f"{path}: it has {len(asked)} queries, one for each robot, so that {count} robots cannot be"
        )
    return [query.start for query in asked[:count]], [query.goal for query in asked[:count]]


def contents(path: Path) -> bytes:
    """Return what a file holds, or say why that cannot be done."""
    if not isinstance(path, str | PathLike):
        raise TypeError(f"a file is named by a path, not by {path!r}")
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise GridError(f"{path}: there is no such file") from None
    except OSError as error:
        raise GridError(f"{path}: it cannot be read: {(error.strerror or str(error)).lower()}") from error

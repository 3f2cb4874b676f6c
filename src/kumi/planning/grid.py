"""What is the shortest way over a grid of cells?

`grid_path` answers for one pair of cells; a `Grid` keeps a map ready for many. The way is the shortest there is,
or None says that there is none. With 4 neighbours a move goes to the next cell of the row or column; with 8 also
diagonally, √2 long, where both cells beside the move are free.

A grid is a two-dimensional array. Of booleans: True is blocked. Of whole numbers: 0 is free, 1 is blocked. Of
floats: the cost of entering a cell, more than 0, infinite where it is blocked; a move then costs its length times
the cost of the cell it enters. A cell is (row, column), counted from 0 as in the array.

Without costs, maps are searched as rows of bits (Harabor & Grastien's jump point search, 2011 and 2014) where
obstacles are large, and by A* on a few stacks where they are small and many; with costs by A* and a heap.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from kumi._core import CellGrid, cost_path, cost_range
from kumi.maths import total
from kumi.planning.grid_error import GridError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Cell: TypeAlias = tuple[int, int]
"""A row and a column, counted from 0."""

MOST_CELLS = 2**31 - 2**16
MOST_COST_RATIO = 1e9
"""How many times the least cost the greatest may be, so that no sum swallows a small cost."""

ROOT = sqrt(2.0)


@dataclass(frozen=True, slots=True, eq=False)
class GridPath:
    """A way over a grid: its cells from start to goal, one (row, column) a line, and what it costs.

    Of a way at any angle, the places where it begins, bends and ends; a corner lies half-way between the centres.
    """

    cells: NDArray[Any]
    cost: float

    def __len__(self) -> int:
        return len(self.cells)


class Grid:
    """A map of free and blocked cells, kept ready for many searches.

    It is a copy, so that later changes to the array do not count.
    """

    def __init__(self, blocked: ArrayLike) -> None:
        array = table(blocked)
        if array.dtype.kind == "f":
            array = costs_of(array) == np.inf
        self._core = CellGrid(as_bytes(array))
        if self._core.beyond_one:
            raise GridError(
                f"a grid of whole numbers holds 0 (free) and 1 (blocked), but {array.max()} is in it; "
                "costs are given as floats, or as costs="
            )

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return self._core.rows, self._core.columns

    def is_blocked(self, cell: Cell) -> bool:
        """Tell whether a cell is blocked."""
        return self._core.blocked(*place(cell, self.shape, "the cell"))

    def path(self, start: Cell, goal: Cell, *, moves: int = 8) -> GridPath | None:
        """Return a shortest way, or None when there is none."""
        check_moves(moves)
        shape = self.shape
        found = self._core.path(*place(start, shape, "the start"), *place(goal, shape, "the goal"), moves)
        if found is None:
            return None
        cells, straight, diagonal = found
        return GridPath(cells, straight + diagonal * ROOT)

    def sees(self, one: Cell, other: Cell) -> bool:
        """Tell whether the segment between two centres stays in free cells.

        It may pass through the point where four cells meet only if all four are free.
        """
        return self._core.sees(*place(one, self.shape, "the cell"), *place(other, self.shape, "the cell"))


def grid_path(
    grid: ArrayLike, start: Cell, goal: Cell, *, moves: int = 8, costs: ArrayLike | None = None
) -> GridPath | None:
    """Return a way of least cost from one cell to another, or None when there is none.

    There is none, too, when the start or the goal is blocked. `costs` gives the cost of entering each cell beside
    a grid that says which are blocked; a grid of floats is both.
    """
    array = table(grid)
    if costs is None and array.dtype.kind != "f":
        return Grid(array).path(start, goal, moves=moves)
    check_moves(moves)
    prices, least, greatest = ranged(array) if costs is None else costs_beside(array, costs)
    here, there = place(start, prices.shape, "the start"), place(goal, prices.shape, "the goal")
    if prices[here] == np.inf or prices[there] == np.inf:
        return None
    cells = cost_path(prices, *here, *there, moves, least, greatest)
    return None if cells is None else GridPath(cells, cost_of(cells, prices))


def cost_of(cells: NDArray[np.int32], costs: NDArray[Any]) -> float:
    """Return what a way costs: for each move its length times the cost of the cell it enters."""
    steps = np.abs(np.diff(cells, axis=0)).sum(axis=1)
    entered = costs[cells[1:, 0], cells[1:, 1]].astype(np.float64)
    return float(total(entered[steps == 1]) + total(entered[steps == 2]) * ROOT)


def table(grid: ArrayLike) -> NDArray[Any]:
    """Return a grid as an array of booleans, whole numbers or floats with two dimensions, or say what it is."""
    if np.ma.is_masked(grid):
        raise GridError("a grid has no mask; fill what is masked first, such as with grid.filled(True)")
    try:
        array = np.asarray(grid)
    except ValueError:
        raise GridError("the rows of a grid are of one length, but these are not") from None
    if array.dtype.kind not in "biuf":
        raise GridError(f"a grid holds booleans or numbers, not {array.dtype}")
    if array.ndim != 2 or not array.size:
        raise GridError(
            f"a grid has two dimensions, at least one row and one column, but its shape is {array.shape}"
        )
    if array.size > MOST_CELLS:
        raise GridError(f"a grid has at most {MOST_CELLS:,} cells, but this one has {array.size:,}")
    return array


def costs_of(array: NDArray[Any]) -> NDArray[Any]:
    """Return costs as 32- or 64-bit floats, after looking at them all."""
    return ranged(array)[0]


def ranged(array: NDArray[Any]) -> tuple[NDArray[Any], float, float]:
    """Return costs as 32- or 64-bit floats with the least and the greatest finite one."""
    if array.dtype not in {np.dtype(np.float32), np.dtype(np.float64)}:
        array = array.astype(np.float64)
    costs = np.ascontiguousarray(array)
    least, greatest, wrong = cost_range(costs)
    if wrong >= 0:
        row, column = divmod(wrong, costs.shape[1])
        raise GridError(
            f"a cost is greater than 0, or infinite where a cell is blocked, but row {row}, "
            f"column {column} has {costs[row, column]}"
        )
    check_range(least, greatest)
    return costs, least, greatest


def check_range(least: float, greatest: float) -> None:
    """Refuse costs that a sum could swallow, or that are beyond what is counted with."""
    if least < 1 / MOST_COST_RATIO or MOST_COST_RATIO < greatest < np.inf:
        raise GridError(
            f"finite costs lie between {1 / MOST_COST_RATIO:g} and {MOST_COST_RATIO:g}, not from {least} to {greatest}"
        )
    if greatest > MOST_COST_RATIO * least:
        raise GridError(
            f"the greatest finite cost is at most {MOST_COST_RATIO:,.0f} times the least, but they are {greatest} and {least}"
        )


def costs_beside(blocked: NDArray[Any], costs: ArrayLike) -> tuple[NDArray[Any], float, float]:
    """Return costs that are infinite where a grid is blocked, with a range that holds them."""
    given, least, greatest = ranged(table(costs))
    if given.shape != blocked.shape:
        raise GridError(f"costs have the shape of the grid, {blocked.shape}, but theirs is {given.shape}")
    if blocked.dtype.kind == "f":
        raise GridError("a grid of floats has its costs already; with costs= it says which cells are blocked")
    # The look that refuses other numbers than 0 and 1.
    Grid(blocked)
    wide = given.astype(given.dtype, copy=True)
    wide[blocked.astype(bool)] = np.inf
    return wide, least, greatest


def as_bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return one byte a cell: 0 and 1, and 2 for a number that is neither."""
    array = np.ascontiguousarray(array)
    if array.dtype.itemsize == 1:
        return array.view(np.uint8)
    return np.where((array == 0) | (array == 1), array, 2).astype(np.uint8)


def place(cell: Cell, shape: tuple[int, ...], name: str) -> Cell:
    """Return a cell as two whole numbers within a grid, or say what is wrong with it."""
    try:
        row, column = cell
        row, column = index(row), index(column)
    except (TypeError, ValueError):
        raise GridError(f"{name} is a row and a column, two whole numbers, not {cell!r}") from None
    if not (0 <= row < shape[0] and 0 <= column < shape[1]):
        raise GridError(
            f"{name} is (row {row}, column {column}), but the grid has {shape[0]} rows and {shape[1]} columns"
        )
    return row, column


def check_moves(moves: int) -> None:
    """Refuse other neighbourhoods than those of 4 and 8 cells."""
    if type(moves) is not int or moves not in (4, 8):
        raise GridError(f"a cell has 4 or 8 neighbours to move to, not {moves!r}")

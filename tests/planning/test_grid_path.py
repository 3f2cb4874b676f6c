"""Shortest ways over grids whose length one can see, and what is said about grids that make no sense."""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import Any

import numpy as np
import pytest

from benchmarks.grid_maps import thesis
from kumi.planning.grid import Grid, grid_path
from kumi.planning.grid_error import GridError
from tests.planning.grid_oracle import walked

WALL = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]], dtype=bool)


@pytest.mark.parametrize("reading", [1, 2])
@pytest.mark.parametrize("side", [10, 11, 100, 700, 2000, 5000])
def test_the_five_maps_of_skadsem_2006(side: int, reading: int) -> None:
    """From corner to corner there are 2 (n - 1) moves to the four neighbours; map 2 has no way."""
    for number in range(1, 6):
        path = grid_path(thesis(side, number, reading), (0, 0), (side - 1, side - 1), moves=4)

        if number == 2:
            assert path is None
        else:
            assert path is not None
            assert path.cost == 2 * (side - 1)
            assert len(path) == 2 * side - 1


@pytest.mark.parametrize("side", [10, 11, 100, 700])
def test_a_way_leads_through_the_opening_of_the_wall(side: int) -> None:
    for number in (3, 4, 5):
        blocked = thesis(side, number)
        path = grid_path(blocked, (0, 0), (side - 1, side - 1), moves=4)

        assert path is not None
        assert walked(blocked, path.cells, 4) == path.cost


@pytest.mark.parametrize("side", [10, 700])
def test_an_anti_diagonal_wall_does_not_leak(side: int) -> None:
    """Its cells touch in corners only, and no diagonal move passes between two of them."""
    assert grid_path(thesis(side, 2), (0, 0), (side - 1, side - 1), moves=8) is None


def test_around_one_cell() -> None:
    """Four moves along rows and columns; with diagonals, too, as each of them would cut the corner."""
    path = grid_path(WALL, (0, 1), (2, 1), moves=4)
    assert path is not None
    assert path.cost == 4

    path = grid_path(WALL, (0, 1), (2, 1), moves=8)
    assert path is not None
    assert path.cost == 4


def test_a_free_square_is_crossed_diagonally() -> None:
    path = grid_path(np.zeros((4, 6), dtype=bool), (0, 0), (3, 5))

    assert path is not None
    assert path.cost == pytest.approx(2 + 3 * sqrt(2), abs=1e-15)
    assert path.cells.tolist() == [[0, 0], [1, 1], [2, 2], [3, 3], [3, 4], [3, 5]]


@pytest.mark.parametrize("moves", [4, 8])
def test_where_one_is_already(moves: int) -> None:
    path = grid_path(WALL, (2, 2), (2, 2), moves=moves)

    assert path is not None
    assert path.cost == 0
    assert path.cells.tolist() == [[2, 2]]


@pytest.mark.parametrize("moves", [4, 8])
@pytest.mark.parametrize("grid", [WALL, np.where(WALL, inf, 1.0)])
def test_from_or_to_a_blocked_cell_there_is_no_way(grid: Any, moves: int) -> None:
    assert grid_path(grid, (1, 1), (0, 0), moves=moves) is None
    assert grid_path(grid, (0, 0), (1, 1), moves=moves) is None
    assert grid_path(grid, (1, 1), (1, 1), moves=moves) is None


def test_a_grid_may_be_of_many_kinds() -> None:
    """Lists, whole numbers, a part of an array, one in the order of Fortran: the same map, the same way."""
    wide = np.zeros((6, 6), dtype=np.int64)
    wide[::2, ::2] = WALL
    for grid in (
        WALL.tolist(),
        WALL.astype(np.uint8),
        WALL.astype(np.int64),
        wide[::2, ::2],
        np.asfortranarray(WALL),
    ):
        path = grid_path(grid, (0, 1), (2, 1), moves=4)

        assert path is not None
        assert path.cost == 4


def test_costs_lead_around() -> None:
    """Through the middle 1 + 10, around it 4."""
    costs = np.ones((3, 3))
    costs[1, 1] = 10.0
    path = grid_path(costs, (0, 1), (2, 1), moves=4)

    assert path is not None
    assert path.cost == 4
    assert [1, 1] not in path.cells.tolist()


def test_costs_beside_a_grid() -> None:
    """Row 0 costs 3 a cell but is the only one that is free."""
    grid = np.array([[0, 0, 0], [0, 1, 0]])
    path = grid_path(grid, (0, 0), (0, 2), costs=[[3, 3, 3], [1, 1, 1]])

    assert path is not None
    assert path.cost == 6


def test_rows_of_any_width_are_searched_to_their_end() -> None:
    """Rows are words of 64 cells: walls stand at, before and behind their borders."""
    for width in (63, 64, 65, 127, 128, 129, 200):
        grid = np.zeros((3, width), dtype=bool)
        grid[1, :-1] = True
        for moves in (4, 8):
            path = grid_path(grid, (0, 0), (2, 0), moves=moves)

            assert path is not None
            assert path.cost == 2 * width


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ([], "at least one row and one column, but its shape is (0,)"),
        (np.zeros((0, 5)), "at least one row and one column, but its shape is (0, 5)"),
        (np.zeros((2, 2, 2)), "its shape is (2, 2, 2)"),
        ([[0, 0], [0]], "the rows of a grid are of one length"),
        ([["a"]], "holds booleans or numbers"),
        ([[1.0, nan]], "row 0, column 1 has nan"),
        ([[1.0, 1.0], [0.0, 1.0]], "row 1, column 0 has 0.0"),
        ([[1.0, -2.0]], "row 0, column 1 has -2.0"),
        ([[1e6, 1e-6]], "at most 1,000,000,000 times the least, but they are 1000000.0 and 1e-06"),
        ([[1.0, 1e-10]], "finite costs lie between 1e-09 and 1e+09, not from 1e-10 to 1.0"),
        ([[1.0, 1e50]], "finite costs lie between 1e-09 and 1e+09, not from 1.0 to 1e+50"),
        ([[0, 7]], "0 (free) and 1 (blocked), but 7 is in it"),
        (np.array([[0, 255]], dtype=np.uint8), "0 (free) and 1 (blocked), but 255 is in it"),
    ],
)
def test_a_grid_that_makes_no_sense(grid: Any, words: str) -> None:
    with pytest.raises(GridError) as caught:
        grid_path(grid, (0, 0), (0, 0))
    assert words in str(caught.value)


@pytest.mark.parametrize("cell", [(-1, 0), (3, 0), (0, 3), (0, -1)])
def test_a_cell_outside(cell: tuple[int, int]) -> None:
    with pytest.raises(GridError, match=r"the start is .* but the grid has 3 rows and 3 columns"):
        grid_path(WALL, cell, (0, 0))
    with pytest.raises(GridError, match=r"the goal is .* but the grid has 3 rows and 3 columns"):
        grid_path(np.where(WALL, inf, 1.0), (0, 0), cell)


@pytest.mark.parametrize("cell", [(0.5, 0), (0, 0, 0), 3, None, "ab", (nan, 0)])
def test_what_is_no_cell(cell: Any) -> None:
    with pytest.raises(GridError, match="two whole numbers"):
        grid_path(WALL, cell, (0, 0))


@pytest.mark.parametrize("moves", [0, 6, "8", None])
def test_other_numbers_of_neighbours(moves: Any) -> None:
    with pytest.raises(GridError, match="4 or 8 neighbours"):
        grid_path(WALL, (0, 0), (0, 0), moves=moves)


def test_costs_of_another_shape() -> None:
    with pytest.raises(GridError, match="the shape of the grid"):
        grid_path(WALL, (0, 0), (0, 0), costs=np.ones((2, 2)))


def test_a_grid_is_a_copy() -> None:
    cells = WALL.copy()
    grid = Grid(cells)
    cells[:] = True

    assert grid.path((0, 0), (2, 2), moves=4) is not None
    assert grid.is_blocked((1, 1))
    assert not grid.is_blocked((0, 0))


def test_a_mask_is_not_silently_dropped() -> None:
    with pytest.raises(GridError, match="a grid has no mask"):
        grid_path(np.ma.masked_equal(np.eye(3, dtype=int), 1), (0, 1), (2, 1))

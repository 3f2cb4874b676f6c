"""What cells near obstacles cost, and where the centre of a robot can be."""

from __future__ import annotations

from collections.abc import Callable
from math import hypot, inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.planning.costs import clearances, distance_costs, inflate, near_costs
from kumi.planning.grid import grid_path
from kumi.planning.grid_error import GridError

ONE = np.zeros((5, 5), dtype=bool)
ONE[2, 2] = True


def test_the_cells_around_an_obstacle_cost_ten() -> None:
    costs = near_costs(ONE)

    assert costs[2, 2] == inf
    assert (costs == 10).sum() == 8
    assert (costs == 1).sum() == 16


def test_a_way_keeps_off_an_obstacle_if_it_can() -> None:
    """Of the ways around, the one along the border has 8 cells at 1 each."""
    path = grid_path(near_costs(ONE), (2, 0), (2, 4), moves=4)

    assert path is not None
    assert path.cost == 8


def test_where_no_obstacle_is_all_cells_cost_one() -> None:
    free = np.zeros((3, 70), dtype=bool)

    assert (near_costs(free) == 1).all()
    assert (distance_costs(free) == 1).all()
    assert (clearances(free) == inf).all()


def test_costs_fall_evenly_with_the_distance() -> None:
    """From 10 at one cell to 1 at four: 7 at two, 4 at three."""
    row = np.zeros((1, 7), dtype=bool)
    row[0, 0] = True

    assert distance_costs(row, reach=4.0, most=10.0).tolist() == [[inf, 10, 7, 4, 1, 1, 1]]


@given(
    rows=st.integers(1, 12),
    columns=st.one_of(st.integers(1, 12), st.integers(62, 67)),
    seed=st.integers(0, 999),
)
@settings(max_examples=60, deadline=None)
def test_clearances_are_those_of_all_pairs(rows: int, columns: int, seed: int) -> None:
    blocked = np.random.default_rng(seed).random((rows, columns)) < 0.1
    walls = np.argwhere(blocked)
    expected = [
        [min((hypot(r - a, c - b) for a, b in walls.tolist()), default=inf) for c in range(columns)]
        for r in range(rows)
    ]

    assert clearances(blocked) == pytest.approx(np.array(expected))


def overlaps(row: int, column: int, wall: list[int], radius: float) -> bool:
    """Tell whether a disc about the centre of a cell reaches into the square of another."""
    down, right = max(abs(row - wall[0]) - 0.5, 0.0), max(abs(column - wall[1]) - 0.5, 0.0)
    return hypot(down, right) < radius


@given(
    rows=st.integers(1, 10),
    columns=st.one_of(st.integers(1, 10), st.integers(62, 67)),
    radius=st.one_of(st.sampled_from([0.0, 0.5, 0.71, 1.0, 1.5, 2.5, 100.0]), st.floats(0.0, 8.0)),
    edges=st.booleans(),
    seed=st.integers(0, 999),
)
@settings(max_examples=80, deadline=None)
def test_a_robot_of_any_radius_fits_where_its_disc_overlaps_nothing(
    rows: int, columns: int, radius: float, edges: bool, seed: int
) -> None:
    blocked = np.random.default_rng(seed).random((rows, columns)) < 0.08
    walls = np.argwhere(blocked).tolist()
    if edges:
        walls += [[r, c] for r in (-1, rows) for c in range(-1, columns + 1)]
        walls += [[r, c] for r in range(rows) for c in (-1, columns)]
    expected = [
        [bool(blocked[r, c]) or any(overlaps(r, c, wall, radius) for wall in walls) for c in range(columns)]
        for r in range(rows)
    ]

    assert inflate(blocked, radius, edges=edges).tolist() == expected


def test_a_robot_half_a_cell_wide_goes_everywhere() -> None:
    assert (inflate(ONE, 0.5) == ONE).all()
    assert inflate(ONE, 0.6).sum() == 5
    assert inflate(ONE, 0.8).sum() == 9
    assert inflate(ONE, 1e200).all()


@pytest.mark.parametrize("radius", [-1.0, nan, inf])
def test_a_radius_that_makes_no_sense(radius: float) -> None:
    with pytest.raises(GridError, match="a radius is a finite number of cells"):
        inflate(ONE, radius)


def test_costs_that_make_no_sense() -> None:
    with pytest.raises(GridError, match=r"from 1 to 1e\+09, not 0\.5"):
        near_costs(ONE, beside=0.5)
    with pytest.raises(GridError, match=r"from 1 to 1e\+09, not nan"):
        distance_costs(ONE, most=nan)
    with pytest.raises(GridError, match=r"greater than 1, up to 1e\+09, not 1\.0"):
        distance_costs(ONE, reach=1.0)


def test_the_bounds_themselves_are_allowed() -> None:
    assert near_costs(ONE, beside=1.0)[2].tolist() == [1, 1, inf, 1, 1]
    assert near_costs(ONE, beside=1e9)[2].tolist() == [1, 1e9, inf, 1e9, 1]
    assert distance_costs(ONE, reach=1e9, most=1.0)[2].tolist() == [1, 1, inf, 1, 1]
    assert distance_costs(ONE, most=1e9)[2, 1] == 1e9
    assert (inflate(ONE, 0.0) == ONE).all()


@pytest.mark.parametrize(
    "costs", [lambda beyond: near_costs(ONE, beside=beyond), lambda beyond: distance_costs(ONE, most=beyond)]
)
@pytest.mark.parametrize("beyond", [np.nextafter(1.0, 0.0), np.nextafter(1e9, inf)])
def test_nothing_beyond_the_bounds_is_allowed(costs: Callable[[float], object], beyond: float) -> None:
    with pytest.raises(GridError, match=r"from 1 to 1e\+09"):
        costs(beyond)

"""Sub-goals of ways at any angle see each other, and the way is no longer than one over 8 neighbours."""

from __future__ import annotations

import itertools
from math import dist, hypot, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.grid_maps import KINDS, pairs, scattered
from kumi.planning.anyangle import any_angle_path
from kumi.planning.grid import Grid, grid_path


def test_over_free_ground_it_goes_straight() -> None:
    path = any_angle_path(np.zeros((4, 5), dtype=bool), (0, 0), (3, 4))

    assert path is not None
    assert path.cells.tolist() == [[0, 0], [3, 4]]
    assert path.cost == 5


def test_around_a_corner_it_turns_once() -> None:
    """A wall reaches from the left to column 2; around its end lead two lines over 1 row and 3 columns."""
    grid = np.zeros((3, 5), dtype=bool)
    grid[1, :3] = True
    path = any_angle_path(grid, (0, 0), (2, 0))

    assert path is not None
    assert path.cells.tolist() == [[0, 0], [0, 3], [2, 3], [2, 0]]
    assert path.cost == 8


def test_sight_passes_between_four_free_cells_only() -> None:
    grid = Grid([[0, 0], [0, 1]])

    assert grid.sees((0, 1), (0, 0))
    assert not grid.sees((1, 0), (0, 1))
    assert not grid.sees((0, 0), (1, 1))
    assert Grid(np.zeros((2, 2), dtype=bool)).sees((1, 0), (0, 1))


@given(
    seed=st.integers(0, 9999), share=st.sampled_from([0.0, 0.1, 0.3]), columns=st.sampled_from([9, 30, 70])
)
@settings(max_examples=80, deadline=None)
def test_sight_is_that_of_many_points_on_the_line(seed: int, share: float, columns: int) -> None:
    """Where a point of the line lies within a blocked cell there is no sight, and sight is mutual."""
    blocked = np.random.default_rng(seed).random((9, columns)) < share
    if blocked.all():
        return
    (one, other), *_ = pairs(blocked, 1, seed)
    grid = Grid(blocked)
    at = np.linspace(one, other, 997)
    inside = np.abs(at - np.round(at)).max(axis=1) < 0.499
    rows, columns_ = np.round(at[inside]).astype(int).T

    assert grid.sees(one, other) == grid.sees(other, one)
    if blocked[rows, columns_].any():
        assert not grid.sees(one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_sub_goals_see_each_other(kind: str) -> None:
    """The way is at least as long as the line and at most as long as the shortest of 8 neighbours."""
    blocked = KINDS[kind](80, 3)
    grid = Grid(blocked)
    for start, goal in pairs(blocked, 8, 4):
        path, stepped = any_angle_path(grid, start, goal), grid_path(blocked, start, goal)

        assert (path is None) == (stepped is None)
        if path is None or stepped is None:
            continue
        cells = [tuple(cell) for cell in path.cells.tolist()]
        assert (cells[0], cells[-1]) == (start, goal)
        assert all(grid.sees(a, b) for a, b in itertools.pairwise(cells))
        assert dist(start, goal) - 1e-9 <= path.cost <= stepped.cost + 1e-9
        lengths = [hypot(a[0] - b[0], a[1] - b[1]) for a, b in itertools.pairwise(cells)]
        assert path.cost == pytest.approx(sum(lengths))


def test_in_scattered_cells_it_is_shorter_than_8_neighbours() -> None:
    """The mean gain over free ground is a few percent; no way may lose."""
    blocked = scattered(100, 1, 0.1)
    gains = []
    for start, goal in pairs(blocked, 30, 2):
        path, stepped = any_angle_path(blocked, start, goal), grid_path(blocked, start, goal)
        if path is not None and stepped is not None and stepped.cost:
            gains.append(1 - path.cost / stepped.cost)

    assert min(gains) >= -1e-12
    assert 0.01 < sum(gains) / len(gains) < 1 - 1 / sqrt(1.17)


def test_no_way_and_no_move() -> None:
    split = [[0, 1, 0]]

    assert any_angle_path(split, (0, 0), (0, 2)) is None
    assert any_angle_path(split, (0, 1), (0, 2)) is None
    path = any_angle_path(split, (0, 2), (0, 2))
    assert path is not None
    assert path.cost == 0

"""Ways at any angle are the shortest that enter no blocked cell, by the judgement of exhaustive visibility."""

from __future__ import annotations

from math import dist, hypot, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.grid_maps import KINDS, pairs, scattered
from kumi.planning.anyangle import any_angle_path
from kumi.planning.grid import Cell, Grid, grid_path
from tests.planning.any_angle_oracle import length_of, shortest

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def small_map(seed: int) -> np.ndarray:
    """Return a map of chance: square, long or thin, of single cells or of coarse blocks, from sparse to dense."""
    chance = np.random.default_rng([seed, 7])
    rows, columns = ((9, 9), (6, 12), (12, 5), (3, 20), (8, 8), (1, 9))[seed % 6]
    block = 2 if seed % 4 == 3 else 1
    coarse = chance.random((-(-rows // block), -(-columns // block))) < SHARES[seed // 6 % len(SHARES)]
    return np.kron(coarse, np.ones((block, block), dtype=bool)).astype(bool)[:rows, :columns]


def check_against_the_judge(seed: int) -> None:
    blocked = small_map(seed)
    if blocked.all():
        return
    check(blocked, *pairs(blocked, 1, seed)[0], seed)


def check(blocked: np.ndarray, start: Cell, goal: Cell, seed: int) -> None:
    path, expected = any_angle_path(blocked, start, goal), shortest(blocked, start, goal)

    assert (path is None) == (expected is None), seed
    if path is None or expected is None:
        return
    assert (tuple(path.cells[0]), tuple(path.cells[-1])) == (start, goal)
    assert path.cost == pytest.approx(expected, abs=1e-9), seed
    assert length_of(blocked, path.cells) == pytest.approx(expected, abs=1e-9), seed


@pytest.mark.parametrize("part", range(6))
def test_a_way_is_as_short_as_exhaustive_visibility_has_it(part: int) -> None:
    for seed in range(10 * part, 10 * part + 10):
        check_against_the_judge(seed)


def shelves(seed: int) -> np.ndarray:
    """Return long aisles between shelves of chance sizes, some of them taken away, along rows or columns."""
    chance = np.random.default_rng([seed, 11])
    (high, wide), (aisle, gap) = chance.integers((1, 3), (3, 9)), chance.integers(1, 4, size=2)
    blocked = np.zeros((6, 20), dtype=bool)
    for row in range(int(chance.integers(3)), 6, high + aisle):
        for column in range(int(chance.integers(4)), 20, wide + gap):
            blocked[row : row + high, column : column + wide] = chance.random() < 0.9
    return blocked if seed % 2 else blocked.T


@pytest.mark.parametrize("seed", range(4))
def test_along_aisles_a_way_is_as_short_as_exhaustive_visibility_has_it(seed: int) -> None:
    """Beams along aisles are cut short where another corner overtakes them; the shortest way is not."""
    blocked = shelves(seed)
    check(blocked, *pairs(blocked, 1, seed)[0], seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_along_many_aisles_a_way_is_as_short_as_exhaustive_visibility_has_it(part: int) -> None:
    for seed in range(100 + 10 * part, 110 + 10 * part):
        blocked = shelves(seed)
        check(blocked, *pairs(blocked, 1, seed)[0], seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_a_thousand_ways_are_as_short_as_exhaustive_visibility_has_them(part: int) -> None:
    for seed in range(1000 + 250 * part, 1250 + 250 * part):
        check_against_the_judge(seed)


def test_over_free_ground_it_goes_straight() -> None:
    path = any_angle_path(np.zeros((4, 5), dtype=bool), (0, 0), (3, 4))

    assert path is not None
    assert path.cells.tolist() == [[0, 0], [3, 4]]
    assert path.cost == 5


def test_around_a_wall_it_bends_at_the_corners_of_its_end() -> None:
    """A wall reaches from the left to column 2, so its end lies at 2.5: two lines over 0.5 and 2.5, and 1 between."""
    grid = np.zeros((3, 5), dtype=bool)
    grid[1, :3] = True
    path = any_angle_path(grid, (0, 0), (2, 0))

    assert path is not None
    assert path.cells.tolist() == [[0, 0], [0.5, 2.5], [1.5, 2.5], [2, 0]]
    assert path.cost == pytest.approx(1 + 2 * hypot(0.5, 2.5))


def test_it_touches_one_corner_but_does_not_pass_between_two() -> None:
    beside_one = any_angle_path([[0, 0], [0, 1]], (1, 0), (0, 1))

    assert beside_one is not None
    assert beside_one.cells.tolist() == [[1, 0], [0, 1]]
    assert beside_one.cost == pytest.approx(sqrt(2))
    assert any_angle_path([[0, 1], [1, 0]], (0, 0), (1, 1)) is None


def test_it_runs_along_a_wall_and_not_between_two() -> None:
    """Above the wall of row 1 the way is straight at its height; a second wall beside the first shuts the gap."""
    grid = np.zeros((3, 6), dtype=bool)
    grid[1, 1:5] = True
    path = any_angle_path(grid, (1, 0), (1, 5))

    assert path is not None
    assert path.cost == pytest.approx(4 + 2 * hypot(0.5, 0.5))
    grid[0, 1:5] = grid[2, 1:5] = True
    assert any_angle_path(grid, (1, 0), (1, 5)) is None


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


@given(
    seed=st.integers(0, 9999),
    share=st.sampled_from([0.02, 0.1, 0.3]),
    columns=st.sampled_from([9, 64, 150]),
)
@settings(max_examples=100, deadline=None)
def test_two_cells_that_see_each_other_get_the_straight_line(seed: int, share: float, columns: int) -> None:
    blocked = np.random.default_rng(seed).random((20, columns)) < share
    grid = Grid(blocked)
    for one, other in pairs(blocked, 30, seed):
        if one == other or not grid.sees(one, other):
            continue
        path = any_angle_path(grid, one, other)
        assert path is not None
        assert path.cells.tolist() == [list(one), list(other)]
        assert path.cost == pytest.approx(dist(one, other))


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_no_longer_than_over_8_neighbours_and_no_longer_back(kind: str) -> None:
    """The way is at least as long as the line, and its lines enter no blocked cell."""
    blocked = KINDS[kind](80, 3)
    grid = Grid(blocked)
    for start, goal in pairs(blocked, 8, 4):
        path, back = any_angle_path(grid, start, goal), any_angle_path(grid, goal, start)
        stepped = grid_path(blocked, start, goal)

        assert (path is None) == (back is None) == (stepped is None)
        if path is None or back is None or stepped is None:
            continue
        assert back.cost == pytest.approx(path.cost)
        assert dist(start, goal) - 1e-9 <= path.cost <= stepped.cost + 1e-9


def test_in_scattered_cells_it_is_shorter_than_8_neighbours() -> None:
    """The mean gain over free ground is some 5 %, and no way is 1 / cos(22.5°) as short."""
    blocked = scattered(100, 1, 0.1)
    gains = []
    for start, goal in pairs(blocked, 30, 2):
        path, stepped = any_angle_path(blocked, start, goal), grid_path(blocked, start, goal)
        if path is not None and stepped is not None and stepped.cost:
            gains.append(1 - path.cost / stepped.cost)

    assert min(gains) >= -1e-12
    assert 0.03 < sum(gains) / len(gains) < 0.15


def test_no_way_and_no_move() -> None:
    split = [[0, 1, 0]]

    assert any_angle_path(split, (0, 0), (0, 2)) is None
    assert any_angle_path(split, (0, 1), (0, 2)) is None
    path = any_angle_path(split, (0, 2), (0, 2))
    assert path is not None
    assert path.cost == 0

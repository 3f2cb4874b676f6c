"""After each change of the map, a way that is found again is as short as one that is searched for anew."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.grid_maps import scattered
from kumi.planning.grid import GridPath, grid_path
from kumi.planning.grid_error import GridError
from kumi.planning.replanning import Replanner
from tests.planning.grid_oracle import least_cost, walked


def cost(path: GridPath | None) -> float | None:
    return None if path is None else path.cost


def test_a_door_is_shut_and_opened() -> None:
    """Along the corridor 4 moves; with the door shut there is no way; then 4 again."""
    planner = Replanner(np.zeros((1, 5), dtype=bool), (0, 4), moves=4)

    assert cost(planner.path((0, 0))) == 4
    planner.block((0, 2))
    assert cost(planner.path((0, 0))) is None
    planner.free((0, 2))
    assert cost(planner.path((0, 0))) == 4


@given(
    seed=st.integers(0, 2**32),
    moves=st.sampled_from([4, 8]),
    rows=st.integers(1, 12),
    columns=st.integers(1, 12),
    dear=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_each_way_is_as_cheap_as_dijkstras(
    seed: int, moves: int, rows: int, columns: int, dear: bool
) -> None:
    """Cells change at random while the robot walks about; cheaper ground than there ever was, too."""
    chance = np.random.default_rng(seed)
    costs = np.where(chance.random((rows, columns)) < 0.25, inf, 1.0)
    goal = (int(chance.integers(rows)), int(chance.integers(columns)))
    planner = Replanner(costs, goal, moves=moves)
    for _ in range(12):
        start = (int(chance.integers(rows)), int(chance.integers(columns)))
        path, expected = planner.path(start), least_cost(costs, start, goal, moves)

        assert cost(path) == pytest.approx(expected, abs=1e-9)
        if path is not None:
            assert walked(costs, path.cells, moves) == pytest.approx(expected, abs=1e-9)
        for _ in range(chance.integers(4)):
            cell = (int(chance.integers(rows)), int(chance.integers(columns)))
            costs[cell] = chance.choice([inf, 0.25, 1.0, 4.0]) if dear else chance.choice([inf, 1.0])
            if costs[cell] == inf:
                planner.block(cell)
            else:
                planner.free(cell, cost=float(costs[cell]))


def test_a_small_change_takes_little_work() -> None:
    """A cell beside the robot is blocked, with the goal far away: few of the cells are computed again."""
    blocked = scattered(200, 1, 0.1)
    blocked[:12, :12] = False
    blocked[-1, -1] = False
    planner = Replanner(blocked, (199, 199))
    assert planner.path((0, 0)) is not None
    all_at_first = planner.expanded
    path = planner.path((0, 0))
    assert path is not None
    assert planner.expanded == 0
    first = (int(path.cells[1, 0]), int(path.cells[1, 1]))
    planner.block(first)
    blocked[first] = True

    assert cost(planner.path((0, 0))) == pytest.approx(cost(grid_path(blocked, (0, 0), (199, 199))), abs=1e-9)
    assert planner.expanded * 5 < all_at_first


def test_a_mistake_changes_nothing() -> None:
    planner = Replanner([[0, 0, 0]], (0, 2), moves=4)
    with pytest.raises(GridError, match="the cell is"):
        planner.block((0, 1), (0, 3))
    with pytest.raises(GridError, match="greater than 0"):
        planner.free((0, 1), cost=0.0)
    with pytest.raises(GridError, match="greater than 0"):
        planner.free((0, 1), cost=nan)
    with pytest.raises(GridError, match="finite costs lie between"):
        planner.free((0, 1), cost=1e-10)

    assert cost(planner.path((0, 0))) == 2


def test_a_blocked_start_or_goal_has_no_way_until_it_is_free() -> None:
    planner = Replanner([[0, 0, 1]], (0, 2), moves=4)
    assert planner.path((0, 0)) is None
    planner.free((0, 2))
    assert cost(planner.path((0, 0))) == 2
    planner.block((0, 0))
    assert planner.path((0, 0)) is None
    assert cost(planner.path((0, 1))) == 1

"""Every search finds a way of least cost, or that there is none, on maps of every character.

The judge is Dijkstra's algorithm in plain Python.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.grid_maps import KINDS, pairs, scattered
from kumi.planning.grid import ROOT, Grid, grid_path
from tests.planning.grid_oracle import least_cost, walked
from tests.waiting import interrupted_within_a_call

BY_MAP, JUMPS, STACKS = range(3)


@st.composite
def maps(draw: st.DrawFn) -> np.ndarray:
    """Draw maps from empty to nearly full, some of coarse blocks, some wider than a word."""
    rows, columns = draw(st.integers(1, 20)), draw(st.one_of(st.integers(1, 20), st.integers(60, 70)))
    share = draw(st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.4, 0.5]))
    block = draw(st.sampled_from([1, 1, 2, 3]))
    coarse = np.random.default_rng(draw(st.integers(0, 2**32))).random((rows, columns)) < share
    return np.kron(coarse, np.ones((block, block), dtype=bool)).astype(bool)[:, :150]


@given(blocked=maps(), seed=st.integers(0, 1000), moves=st.sampled_from([4, 8]))
@settings(max_examples=150, deadline=None)
def test_a_way_is_as_short_as_dijkstras(blocked: np.ndarray, seed: int, moves: int) -> None:
    if blocked.all():
        return
    (start, goal), *_ = pairs(blocked, 1, seed)
    expected = least_cost(blocked, start, goal, moves)
    grid = Grid(blocked)
    for engine in (BY_MAP, JUMPS, STACKS):
        found = grid._core.path(*start, *goal, moves, engine)

        assert (found is None) == (expected is None)
        if found is not None:
            cells, straight, diagonal = found
            assert tuple(cells[0]) == start
            assert tuple(cells[-1]) == goal
            assert straight + diagonal * ROOT == pytest.approx(expected, abs=1e-9)
            assert walked(blocked, cells, moves) == pytest.approx(expected, abs=1e-9)


@given(blocked=maps(), seed=st.integers(0, 1000), moves=st.sampled_from([4, 8]), narrow=st.booleans())
@settings(max_examples=100, deadline=None)
def test_a_way_is_as_cheap_as_dijkstras(blocked: np.ndarray, seed: int, moves: int, narrow: bool) -> None:
    if blocked.all():
        return
    (start, goal), *_ = pairs(blocked, 1, seed)
    costs = np.random.default_rng(seed).choice([1.0, 2.5, 10.0], size=blocked.shape)
    costs[blocked] = np.inf
    expected = least_cost(costs, start, goal, moves)
    path = grid_path(costs.astype(np.float32) if narrow else costs, start, goal, moves=moves)

    assert (path is None) == (expected is None)
    if path is not None:
        assert path.cost == pytest.approx(expected, abs=1e-9)
        assert walked(costs, path.cells, moves) == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moves", [4, 8])
def test_maps_of_the_character_of_the_benchmarks(kind: str, moves: int) -> None:
    """The same map answers many queries, each as if it were the first."""
    blocked = KINDS[kind](96, 7)
    grid = Grid(blocked)
    for start, goal in pairs(blocked, 4, 8):
        expected = least_cost(blocked, start, goal, moves)
        for path in (grid.path(start, goal, moves=moves), grid_path(blocked, start, goal, moves=moves)):
            assert (None if path is None else path.cost) == pytest.approx(expected, abs=1e-9)


def test_the_same_input_gives_the_same_way() -> None:
    """Also from a map that has answered others before."""
    blocked = scattered(128, 3, 0.3)
    used = Grid(blocked)
    for start, goal in pairs(blocked, 20, 4):
        for moves in (4, 8):
            fresh, again = Grid(blocked).path(start, goal, moves=moves), used.path(start, goal, moves=moves)

            assert (fresh is None) == (again is None)
            if fresh is not None and again is not None:
                assert np.array_equal(fresh.cells, again.cells)


@pytest.mark.slow
@pytest.mark.parametrize("with_costs", [False, True])
def test_a_signal_ends_a_long_search_and_leaves_the_map_whole(with_costs: bool) -> None:
    blocked = scattered(2500, 5, 0.25)
    blocked[:9, :9] = blocked[-1, -1] = False
    blocked[-200:, -200] = blocked[-200, -200:] = True
    grid = Grid(blocked)
    costs = np.where(blocked, np.inf, 1.0)

    with pytest.raises(KeyboardInterrupt), interrupted_within_a_call(every=0.01):
        grid_path(costs, (0, 0), (2499, 2499)) if with_costs else grid.path((0, 0), (2499, 2499))

    near = grid.path((0, 0), (0, 0))
    assert near is not None
    assert len(near) == 1


@pytest.mark.parametrize("share", [0.05, 0.2, 0.35])
def test_in_clutter_stacks_and_jumps_find_ways_of_one_length(share: float) -> None:
    """On maps too large for the judge: 300 × 400 cells, one search after the other on one map."""
    blocked = np.random.default_rng(5).random((300, 400)) < share
    grid = Grid(blocked)
    for start, goal in pairs(blocked, 12, 6):
        jumped, stacked = (grid._core.path(*start, *goal, 8, engine) for engine in (JUMPS, STACKS))
        assert (jumped is None) == (stacked is None)
        if jumped is not None and stacked is not None:
            assert jumped[1:] == stacked[1:]
            assert walked(blocked, stacked[0], 8) == pytest.approx(stacked[1] + stacked[2] * ROOT)


def test_a_goal_in_a_pocket_has_no_way_to_it() -> None:
    """More cells are free around the start than the search takes up before it looks around the goal.

    With a hole at the end of row 390: 389 diagonal moves and 10 straight ones to it, 2 through it, 4 diagonal ones.
    """
    blocked = np.zeros((400, 400), dtype=bool)
    blocked[390:, 380] = blocked[390, 380:] = True
    grid = Grid(blocked)

    assert grid._core.path(0, 0, 395, 395, 8, STACKS) is None
    blocked[390, 399] = False
    found = Grid(blocked)._core.path(0, 0, 395, 395, 8, STACKS)
    assert found is not None
    assert found[1:] == (12, 393)

"""Where there is little room, plans made by looking ahead are far cheaper than the first one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks.mapf_maps import connected, maze, robots, rooms
from kumi.planning.mapf import check_mapf, solve_mapf

if TYPE_CHECKING:
    from benchmarks.grid_maps import Blocked, Cell


def ratio(blocked: Blocked, agents: int, seed: int, rounds: int) -> float:
    """Return how many times the lower bound a plan costs after some rounds, after checking it."""
    starts, goals = robots(blocked, agents, seed)
    plan = solve_mapf(blocked, starts, goals, rounds=rounds, seconds=300.0)
    assert plan is not None
    assert check_mapf(blocked, starts, goals, plan.paths) == []
    return plan.sum_of_costs / plan.lower_bound


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_looking_ahead_saves_a_quarter_in_nine_rooms(seed: int) -> None:
    """A third of the cells hold a robot; one round is made after all new starts of the search."""
    blocked = rooms(seed, count=3)

    assert ratio(blocked, 130, seed, 4000) < 0.75 * ratio(blocked, 130, seed, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("map_seed", "seed"), [(5, 0), (8, 0), (10, 0), (10, 1)])
def test_mazes_in_which_the_search_goes_round_in_circles_are_solved_by_looking_ahead(
    map_seed: int, seed: int
) -> None:
    """Half of the cells hold a robot. Without looking ahead these take from ten thousands of configurations on."""
    blocked = maze(map_seed)
    starts, goals = robots(blocked, 333, map_seed)
    plan = solve_mapf(blocked, starts, goals, rounds=0, seed=seed, seconds=300.0)
    assert plan is not None

    assert check_mapf(blocked, starts, goals, plan.paths) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("blocked", "agents", "seed", "rounds", "most"),
    [
        (rooms(2), 1000, 2, 15_000, 3.0),
        (rooms(3), 1000, 3, 15_000, 2.9),
        (maze(3), 333, 3, 50_000, 2.5),
        (rooms(2, count=4), 250, 2, 30_000, 2.1),
    ],
    ids=["rooms-64-2", "rooms-64-3", "maze-32-3", "rooms-32-2"],
)
def test_dense_rooms_and_mazes_get_near_the_lower_bound(
    blocked: Blocked, agents: int, seed: int, rounds: int, most: float
) -> None:
    assert ratio(blocked, agents, seed, rounds) < most


@pytest.mark.parametrize("columns", [1, 2, 31, 62, 63, 64, 65, 126, 127, 128])
@pytest.mark.parametrize("is_turned", [False, True])
def test_plans_hold_wherever_a_row_ends_within_a_word(columns: int, is_turned: bool) -> None:
    """Floods keep the cells in words of 64 bits, row after row, with one between that is blocked."""
    blocked = np.zeros((columns, 5) if is_turned else (5, columns), dtype=bool)
    starts, goals = robots(blocked, 2 * columns, columns)
    plan = solve_mapf(blocked, starts, goals, rounds=300, seconds=300.0)

    assert plan is not None
    assert check_mapf(blocked, starts, goals, plan.paths) == []
    assert plan.sum_of_costs < cost_at_first(blocked, starts, goals)


def cost_at_first(blocked: Blocked, starts: list[Cell], goals: list[Cell]) -> float:
    """Return what the first plan costs, or a little more where that is optimal."""
    first = solve_mapf(blocked, starts, goals, rounds=0, seconds=300.0)
    assert first is not None
    return first.sum_of_costs + 0.5 * first.is_optimal


# The maps themselves.


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_maze_has_one_way_between_any_two_places(seed: int) -> None:
    """All free cells are connected, and a tree of 11 × 11 places has 120 corridors: no more free cells than those."""
    blocked = maze(seed)
    places = ~blocked[1::3, 1::3]
    corridors = int((~blocked[1::3, 3::3]).sum() + (~blocked[3::3, 1::3]).sum())

    assert len(connected(blocked)) == (~blocked).sum()
    assert places.shape == (11, 11)
    assert places.all()
    assert corridors == 120


def test_rooms_have_doors_in_three_quarters_of_their_walls() -> None:
    """64 rooms of 49 cells, and 96 doors in 128 walls."""
    blocked = rooms(1)

    assert (~blocked).sum() == 64 * 49 + 96
    assert not np.array_equal(blocked, rooms(2))

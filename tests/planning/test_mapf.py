"""Many robots on one grid: what a plan is, when there is none, and what is refused."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kumi.planning.grid_error import GridError
from kumi.planning.mapf import Improvement, Mapf, NotSolved, check_mapf, solve_mapf
from tests.waiting import interrupted_within_a_call

if TYPE_CHECKING:
    from kumi.planning.grid import Cell


def cells(*rows: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return a grid from its rows, `@` where it is blocked."""
    return np.array([[sign == "@" for sign in row] for row in rows])


def solved(grid: Any, starts: list[Cell], goals: list[Cell], **limits: Any) -> Mapf:
    """Return a plan, after checking it."""
    plan = solve_mapf(grid, starts, goals, **limits)
    assert plan is not None
    assert check_mapf(grid, starts, goals, plan.paths) == []
    assert plan.costs.sum() == plan.sum_of_costs
    assert plan.lower_bound <= plan.sum_of_costs
    return plan


def crowd(side: int, number: int) -> tuple[Any, list[Cell], list[Cell]]:
    """Return an empty grid whose first robots all go to the place opposite."""
    grid = np.zeros((side, side), dtype=bool)
    starts = [(i // side, i % side) for i in range(number)]
    return grid, starts, [(side - 1 - row, side - 1 - column) for row, column in starts]


# What a plan is.


def test_one_robot_goes_the_shortest_way() -> None:
    plan = solved(cells("...", ".@.", "..."), [(0, 1)], [(2, 1)])

    assert (plan.sum_of_costs, plan.lower_bound, plan.makespan, plan.is_optimal) == (4, 4, 4, True)
    assert plan.paths.shape == (1, 5, 2)


def test_a_robot_at_its_goal_costs_nothing() -> None:
    plan = solved(cells(".."), [(0, 1)], [(0, 1)])

    assert (plan.sum_of_costs, plan.makespan) == (0, 0)
    assert plan.paths.tolist() == [[[0, 1]]]


def test_robots_follow_each_other_closely() -> None:
    """In a row of three, two move on by one cell at once."""
    assert solved(cells("..."), [(0, 0), (0, 1)], [(0, 1), (0, 2)]).sum_of_costs == 2


def test_four_robots_turn_in_a_ring_at_once() -> None:
    ring = [(0, 0), (0, 1), (1, 1), (1, 0)]
    plan = solved(cells("..", ".."), ring, [*ring[1:], ring[0]])

    assert (plan.sum_of_costs, plan.makespan) == (4, 1)


def test_two_robots_cannot_change_places_in_one_step() -> None:
    """In a square of four both go round: two steps each."""
    assert solved(cells("..", ".."), [(0, 0), (0, 1)], [(0, 1), (0, 0)], rounds=50).sum_of_costs == 4


def test_two_pass_each_other_at_a_bay() -> None:
    """The bay is in the middle of a corridor of five: one goes aside, 4 + 2 steps; the other waits once, 4 + 1."""
    plan = solved(cells(".....", "@@.@@"), [(0, 0), (0, 4)], [(0, 4), (0, 0)], rounds=200)

    assert (plan.sum_of_costs, plan.lower_bound, plan.is_optimal) == (11, 11, True)


def test_the_cost_counts_until_a_robot_stays_for_good() -> None:
    """Robot 1 is at its goal in the corridor from the start, but must go out of the way and come back."""
    plan = solved(cells("....", "@.@@"), [(0, 0), (0, 2)], [(0, 3), (0, 2)], rounds=300)

    assert plan.costs[1] > 0
    assert (plan.paths[1, 0] == plan.paths[1, -1]).all()


# When there is none.


def test_two_cannot_pass_each_other_in_a_corridor() -> None:
    assert solve_mapf(cells("....."), [(0, 0), (0, 4)], [(0, 4), (0, 0)]) is None


def test_a_goal_behind_a_wall_cannot_be_reached() -> None:
    grid, starts, goals = cells("..@."), [(0, 0), (0, 3)], [(0, 3), (0, 0)]

    assert solve_mapf(grid, starts, goals) is None


def test_a_full_grid_without_a_ring_cannot_move() -> None:
    assert solve_mapf(cells("..."), [(0, 0), (0, 1), (0, 2)], [(0, 1), (0, 2), (0, 0)]) is None


def test_time_that_runs_out_is_told() -> None:
    """Twelve in a corridor of thirty, in the wrong order: there is no plan, but far too much to look at."""
    starts = [(0, column) for column in range(12)]
    with pytest.raises(
        NotSolved, match=r"^no ways for all robots were found within 0.05 s; there may still be some$"
    ):
        solve_mapf(cells("." * 30), starts, starts[::-1], seconds=0.05)


def test_memory_that_runs_out_is_told() -> None:
    starts = [(0, column) for column in range(12)]
    with pytest.raises(NotSolved, match="in the memory given"):
        solve_mapf(cells("." * 30), starts, starts[::-1], seconds=60.0, memory=2_000_000)
    with pytest.raises(NotSolved, match="a grid of 1,000,000 cells does not fit into 1,000 bytes"):
        solve_mapf(np.zeros((1000, 1000), dtype=bool), [(0, 0)], [(0, 1)], memory=1000)


def test_a_solution_is_kept_when_memory_runs_out() -> None:
    grid, starts, goals = crowd(12, 40)
    first = solved(grid, starts, goals, rounds=0)
    plan = solved(grid, starts, goals, rounds=200, memory=150_000)

    assert plan.sum_of_costs <= first.sum_of_costs


# Limits, seeds and progress.


def test_the_same_seed_and_rounds_give_the_same_ways() -> None:
    grid, starts, goals = crowd(12, 40)
    one, two = (solved(grid, starts, goals, seed=7, rounds=100, seconds=60.0) for _ in range(2))
    other = solved(grid, starts, goals, seed=8, rounds=100, seconds=60.0)

    assert np.array_equal(one.paths, two.paths)
    assert one.rounds == two.rounds == 100
    assert not np.array_equal(one.paths, other.paths)


def test_more_rounds_are_never_worse() -> None:
    grid, starts, goals = crowd(12, 40)
    costs = [
        solved(grid, starts, goals, rounds=rounds, seconds=60.0).sum_of_costs
        for rounds in (0, 1, 10, 100, 1000)
    ]

    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < 0.8 * costs[0]


def test_where_memory_is_short_plans_are_improved_without_tables_of_who_is_where() -> None:
    grid, starts, goals = crowd(12, 40)
    first = solved(grid, starts, goals, rounds=0, seconds=60.0, memory=2**19)
    later = solved(grid, starts, goals, rounds=300, seconds=60.0, memory=2**19)

    assert check_mapf(grid, starts, goals, later.paths) == []
    assert later.sum_of_costs < first.sum_of_costs


def test_improvements_are_told_and_kept() -> None:
    grid, starts, goals = crowd(12, 40)
    told: list[Improvement] = []
    plan = solved(grid, starts, goals, rounds=300, seconds=60.0, tell=told.append)

    assert plan.history == tuple(told)
    assert told[-1].sum_of_costs == plan.sum_of_costs < told[0].sum_of_costs
    assert all(a.seconds <= b.seconds for a, b in pairwise(told))


def test_ctrl_c_ends_a_search() -> None:
    starts = [(0, column) for column in range(12)]

    with pytest.raises(KeyboardInterrupt), interrupted_within_a_call(every=0.02):
        solve_mapf(cells("." * 30), starts, starts[::-1], seconds=600.0)


# Wrong input.


@pytest.mark.parametrize(
    ("starts", "goals", "words"),
    [
        ([], [], "there is at least one robot, but the list of starts is empty"),
        ([(0, 0)], [(0, 1), (0, 2)], "there are 1 starts and 2 goals"),
        (
            [(0, 0), (0, 0)],
            [(0, 1), (0, 2)],
            r"no two robots have one start, but robots 0 and 1 have \(row 0, col",
        ),
        (
            [(0, 0), (0, 1)],
            [(0, 2), (0, 2)],
            r"no two robots have one goal, but robots 0 and 1 have \(row 0, col",
        ),
        ([(1, 1)], [(0, 0)], r"the start of robot 0, \(row 1, column 1\), is blocked"),
        ([(0, 0), (0, 1)], [(0, 1), (1, 1)], r"the goal of robot 1, \(row 1, column 1\), is blocked"),
        (
            [(0, 0)],
            [(0, 3)],
            r"the goal of robot 0 is \(row 0, column 3\), but the grid has 2 rows and 3 columns",
        ),
        ([(0, 0)], [(-1, 0)], r"the goal of robot 0 is \(row -1, column 0\)"),
        ([(0, 0.5)], [(0, 1)], "the start of robot 0 is a row and a column, two whole numbers"),
    ],
)
def test_wrong_robots_are_refused(starts: Any, goals: Any, words: str) -> None:
    with pytest.raises(GridError, match=words):
        solve_mapf(cells("...", ".@."), starts, goals)


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ([[0, 0], [0]], "the rows of a grid are of one length"),
        ([], "a grid has two dimensions, at least one row and one column"),
        ([[0, 2]], "0 .free. and 1 .blocked., but 2 is in it"),
        ([[1.0, 1.0]], "their grid says which cells are blocked, and has no costs"),
    ],
)
def test_wrong_grids_are_refused(grid: Any, words: str) -> None:
    with pytest.raises(GridError, match=words):
        solve_mapf(grid, [(0, 0)], [(0, 1)])


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"seconds": 0.0}, "^seconds is a number greater than 0, not 0.0$"),
        ({"seconds": float("nan")}, "^seconds is a number greater than 0, not nan$"),
        ({"rounds": -1}, "^rounds is a whole number of at least 0, not -1$"),
        ({"rounds": 1.5}, "^rounds is a whole number of at least 0, not 1.5$"),
        ({"memory": 0}, "^memory is a whole number of at least 1, not 0$"),
        ({"seed": "x"}, "^seed is a whole number, not 'x'$"),
    ],
)
def test_wrong_limits_are_refused(limits: Any, words: str) -> None:
    with pytest.raises(GridError, match=words):
        solve_mapf(cells(".."), [(0, 0)], [(0, 1)], **limits)

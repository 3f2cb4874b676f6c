"""On tiny grids brute force tells whether there is a plan, and what the best one costs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.planning.mapf import check_mapf, solve_mapf
from tests.planning.mapf_oracle import Joint, least


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[str], Joint, Joint]:
    """Draw a grid of up to four by four, and up to three robots on it."""
    height, width = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    sign = st.sampled_from("...@")
    rows = ["".join(draw(st.lists(sign, min_size=width, max_size=width))) for _ in range(height)]
    free = [(row, column) for row in range(height) for column in range(width) if rows[row][column] == "."]
    if not free:
        rows[0] = "." + rows[0][1:]
        free = [(0, 0)]
    number = draw(st.integers(1, min(3, len(free))))
    starts, goals = (tuple(draw(st.permutations(free))[:number]) for _ in range(2))
    return rows, starts, goals


@given(problems(), st.integers(0, 2**63))
@settings(max_examples=150, deadline=None)
def test_plans_are_sound_bounded_and_there_when_brute_force_finds_one(
    problem: tuple[list[str], Joint, Joint], seed: int
) -> None:
    rows, starts, goals = problem
    grid = np.array([[sign == "@" for sign in row] for row in rows])
    best = least(rows, starts, goals, parks=True)
    plan = solve_mapf(grid, starts, goals, rounds=100, seed=seed, seconds=60.0)

    if plan is None or best is None:
        assert (plan, best) == (None, None)
        return
    assert check_mapf(grid, starts, goals, plan.paths) == []
    loss = least(rows, starts, goals, parks=False)
    assert loss is not None
    assert plan.lower_bound <= loss <= best <= plan.sum_of_costs
    if plan.is_optimal:
        assert plan.sum_of_costs == best


@given(problems())
@settings(max_examples=40, deadline=None)
def test_with_enough_rounds_the_plan_is_the_best_there_is(problem: tuple[list[str], Joint, Joint]) -> None:
    """The search over all configurations ends, so that the bound is the least sum of loss."""
    rows, starts, goals = problem
    grid = np.array([[sign == "@" for sign in row] for row in rows])
    plan = solve_mapf(grid, starts, goals, rounds=20_000, seconds=60.0)

    if plan is not None:
        assert plan.sum_of_costs == least(rows, starts, goals, parks=True)
        assert plan.is_optimal or plan.lower_bound == least(rows, starts, goals, parks=False)

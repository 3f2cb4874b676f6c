"""The instances that ship are solved, and the plans get as near to the lower bound as they are said to."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumi.planning.grid_error import GridError
from kumi.planning.mapf import Mapf, check_mapf, solve_mapf
from kumi.planning.movingai import check_queries, first_agents, read_map, read_scen

GRIDS = Path(__file__).parents[2] / "examples" / "grids"


def solved(name: str, agents: int, rounds: int) -> Mapf:
    """Return a plan for the first robots of an instance, after checking it."""
    blocked, asked = read_map(GRIDS / f"{name}.map"), read_scen(GRIDS / f"{name}.scen")
    check_queries(asked, blocked, GRIDS / f"{name}.scen")
    starts, goals = first_agents(asked, agents, GRIDS / f"{name}.scen")
    plan = solve_mapf(blocked, starts, goals, rounds=rounds, seconds=300.0)
    assert plan is not None
    assert check_mapf(blocked, starts, goals, plan.paths) == []
    return plan


def ratio(plan: Mapf) -> float:
    """Return how many times the lower bound the plan costs."""
    return plan.sum_of_costs / plan.lower_bound


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "agents", "first", "rounds", "later"),
    [
        ("scattered-32", 100, 1.6, 1500, 1.09),
        ("scattered-32", 400, 4.0, 300, 2.8),
        ("shelves-161", 100, 1.5, 300, 1.01),
        ("shelves-161", 1000, 3.5, 10, 2.0),
    ],
)
def test_instances_are_solved_and_improved(
    name: str, agents: int, first: float, rounds: int, later: float
) -> None:
    """Shares of the lower bound at the first solution, and after some rounds."""
    assert ratio(solved(name, agents, 0)) < first
    assert ratio(solved(name, agents, rounds)) < later


def test_few_robots_get_an_optimal_plan() -> None:
    plan = solved("scattered-32", 12, 2000)

    assert plan.is_optimal


@pytest.mark.parametrize("agents", [0, 401])
def test_no_more_robots_than_the_file_has(agents: int) -> None:
    with pytest.raises(
        GridError, match=f"it has 400 queries, one for each robot, so that {agents} robots cannot be"
    ):
        first_agents(read_scen(GRIDS / "scattered-32.scen"), agents, GRIDS / "scattered-32.scen")

"""Many robots on one grid by kumi."""

from __future__ import annotations

from benchmarks.grid_maps import Blocked, Cell
from benchmarks.mapf_maps import MAPS, SEED, robots
from benchmarks.mapf_tasks import Paths, measure_first, ratio
from benchmarks.tasks import Sample
from kumi.planning.mapf import solve_mapf


def solve(blocked: Blocked, starts: list[Cell], goals: list[Cell]) -> Paths | None:
    plan = solve_mapf(blocked, starts, goals, rounds=0, seconds=60.0)
    return None if plan is None else plan.paths


def mapf_first(name: str, agents: int) -> Sample:
    return measure_first(solve, name, agents, times=5)


def mapf_several(name: str, agents: int, seconds: float, instances: int) -> Sample:
    """Tell what solutions of several maps and robots cost after some seconds each: the mean, the least and the most."""
    ratios = [mapf_later(name, agents, seconds, seed)["figure"] for seed in range(1, instances + 1)]
    return {"figure": sum(ratios) / instances, "least": min(ratios), "most": max(ratios)}


def mapf_later(name: str, agents: int, seconds: float, seed: int = SEED) -> Sample:
    """Tell what the solution costs after some seconds, and what it cost at first."""
    blocked = MAPS[name](seed)
    starts, goals = robots(blocked, agents, seed)
    plan = solve_mapf(blocked, starts, goals, seconds=seconds)
    if plan is None:
        raise ValueError("there is a plan, but kumi says that there is none")
    return {
        "figure": ratio(blocked, starts, goals, plan.paths),
        "first": plan.history[0].sum_of_costs / plan.lower_bound,
        "first_ms": 1e3 * plan.history[0].seconds,
        "rounds": float(plan.rounds),
    }

"""Many robots on one grid by kumi."""

from __future__ import annotations

from time import process_time

import numpy as np

from benchmarks.grid_maps import Blocked, Cell
from benchmarks.mapf_maps import MAPS, SEED, robots
from benchmarks.mapf_tasks import Paths, measure_first, ratio
from benchmarks.tasks import Sample
from kumi._core import MapfSearch
from kumi.planning.mapf import MOST_ROUNDS, REPORT_PERIOD, cells_of, ends, solve_mapf


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
    """Tell what the solution costs after so many seconds of one core, and what it cost at first.

    The search itself is driven here, and not `solve_mapf`, whose seconds are those of the wall: what else runs on the
    machine is not to count.
    """
    blocked = MAPS[name](seed)
    starts, goals = robots(blocked, agents, seed)
    cells = cells_of(blocked)
    search = MapfSearch(cells, ends(starts, cells, "start"), ends(goals, cells, "goal"), 0, 2**30)
    began, first, first_ms = process_time(), -1, 0.0
    state = "searching"
    while state in {"searching", "solved"} and (passed := process_time() - began) < seconds:
        state = search.advance(min(seconds - passed, REPORT_PERIOD), MOST_ROUNDS)
        if first < 0:
            first, first_ms = search.cost, 1e3 * (process_time() - began)
    if search.cost < 0:
        raise ValueError(f"no plan within {seconds:g} s")
    paths = np.stack(np.divmod(search.paths(), blocked.shape[1]), axis=-1).astype(np.int32)
    return {
        "figure": ratio(blocked, starts, goals, paths),
        "first": first / search.bound,
        "first_ms": first_ms,
        "rounds": float(search.rounds),
    }

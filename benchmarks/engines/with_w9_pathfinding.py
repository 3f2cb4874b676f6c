"""Many robots on one grid by w9-pathfinding: HCA*, in C++, one robot after the other."""

from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.grid_maps import Blocked, Cell
from benchmarks.mapf_tasks import Paths, measure_first
from benchmarks.tasks import Sample

Grid: Any = import_module("w9_pathfinding.envs").Grid
HCAStar: Any = import_module("w9_pathfinding.mapf").HCAStar

LONGEST = 1000
"""Steps within which it looks for a way."""


def solve(blocked: Blocked, starts: list[Cell], goals: list[Cell]) -> Paths | None:
    """Plan with places as (x, y); all ways are made as long as the longest."""
    grid = Grid(weights=np.where(blocked, -1, 1).tolist(), edge_collision=True)
    ends = ([cell[::-1] for cell in cells] for cells in (starts, goals))
    ways = HCAStar(grid).mapf(*ends, max_length=LONGEST)
    if not ways or not all(ways):
        return None
    longest = max(len(way) for way in ways)
    padded = [way + [way[-1]] * (longest - len(way)) for way in ways]
    return np.array(padded, dtype=np.int32)[:, :, ::-1]


def mapf_first(name: str, agents: int) -> Sample:
    return measure_first(solve, name, agents, times=1)

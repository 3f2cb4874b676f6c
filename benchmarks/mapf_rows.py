"""The table of many robots on one grid: the first solution, and what it becomes in some seconds.

The maps have the character of random-32-32-20, warehouse-10-20-10-2-1, room-64-64-8 and maze-32-32-2; see `mapf_maps.py`. A plan that a checker
finds a flaw in has no speed. The one package beside kumi that plans for many robots in native code is w9-pathfinding,
whose fastest way is a search for one robot after the other (HCA*): it finds no plan where those who come first shut
others in, which is said in its place. PyPI has no LaCAM.
"""

from __future__ import annotations

from typing import Any

from benchmarks.rows import KUMI, Row, Run

W9 = "w9_pathfinding"

PART = "Many robots"
MODULE = "mapf_kumi"


def peers(params: dict[str, Any]) -> tuple[Run, ...]:
    """Return the runs of peers; a thousand robots take w9-pathfinding minutes."""
    return (Run(W9, params, repeats=1, quick=None),) if params["agents"] < 1000 else ()


def first(name: str, title: str, agents: int, target: float | None) -> Row:
    """Describe a row of the time to the first solution, from the array of cells."""
    params = {"name": name, "agents": agents}
    return Row(
        name=f"mapf-{name}-{agents}-first",
        title=f"{title}, {agents:,} robots: first solution",
        unit="ms",
        task="mapf_first",
        runs=(Run(KUMI, params, module=MODULE), *peers(params)),
        target=target,
        part=PART,
    )


def first_cost(name: str, title: str, agents: int) -> Row:
    """Describe a row of what that first solution costs."""
    params = {"name": name, "agents": agents}
    return Row(
        name=f"mapf-{name}-{agents}-first-cost",
        title=f"{title}, {agents:,} robots: its sum of costs",
        unit="× lower bound",
        task="mapf_first",
        runs=(Run(KUMI, params, module=MODULE), *peers(params)),
        key="ratio",
        part=PART,
    )


def later(name: str, title: str, agents: int, seconds: float, target: float | None = None) -> Row:
    """Describe a row of what the solution costs after some seconds."""
    params = {"name": name, "agents": agents, "seconds": seconds}
    return Row(
        name=f"mapf-{name}-{agents}-later",
        title=f"{title}, {agents:,} robots: sum of costs after {seconds:g} s",
        unit="× lower bound",
        task="mapf_later",
        runs=(Run(KUMI, params, repeats=1, quick={"seconds": 1.0}, module=MODULE),),
        target=target,
        part=PART,
    )


def several(name: str, title: str, agents: int, seconds: float, instances: int, target: float) -> Row:
    """Describe a row of what solutions of several instances cost after some seconds, in the mean."""
    params = {"name": name, "agents": agents, "seconds": seconds, "instances": instances}
    quick = {"seconds": 1.0, "instances": 1}
    return Row(
        name=f"mapf-{name}-{agents}-several",
        title=f"{title}, {agents:,} robots: sum of costs after {seconds:g} s, mean of {instances} instances",
        unit="× lower bound",
        task="mapf_several",
        runs=(Run(KUMI, params, repeats=1, quick=quick, module=MODULE),),
        target=target,
        part=PART,
    )


SCATTERED = ("scattered-32", "32 × 32, a fifth blocked")
SHELVES = ("shelves-161", "Warehouse of 161 × 63")

ROWS: tuple[Row, ...] = (
    *(
        row
        for (name, title), agents, target, least in (
            (SCATTERED, 100, 50.0, None),
            (SCATTERED, 400, None, None),
            (SHELVES, 100, None, 1.01),
            (SHELVES, 1000, 2000.0, None),
        )
        for row in (
            first(name, title, agents, target),
            first_cost(name, title, agents),
            later(name, title, agents, 10.0, least),
        )
    ),
    several("rooms-64", "64 rooms of 7 × 7, doors of one cell", 1000, 10.0, 5, 2.5),
    several("maze-32", "Maze of 32 × 32, corridors of two cells", 333, 10.0, 5, 2.5),
)

"""`kumi plan --agents`: how do many robots get to their goals over one map?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from kumi.cli.plan_picture import write_ways
from kumi.cli.terminal import RunBar
from kumi.planning.grid import GridPath
from kumi.planning.mapf import Improvement, Mapf, solve_mapf
from kumi.planning.movingai import check_queries, first_agents, read_map, read_scen

if TYPE_CHECKING:
    from pathlib import Path


def plan_agents(
    map_: Path, scen: Path, agents: int, seconds: float, seed: int, as_json: bool, output: Path | None
) -> None:
    """Read, plan, tell, draw."""
    blocked, asked = read_map(map_), read_scen(scen)
    starts, goals = first_agents(asked, agents, scen)
    check_queries(asked[:agents], blocked, scen)
    with RunBar(seconds) as bar:
        bar.show(0.0, "looking for a first plan")

        def tell(better: Improvement) -> None:
            said = f"after {better.seconds:.1f} of {seconds:g} s"
            bar.show(better.seconds, f"sum of costs {better.sum_of_costs:,}", said)

        plan = solve_mapf(blocked, starts, goals, seconds=seconds, seed=seed, tell=tell)
    click.echo(json.dumps(record(plan, agents)) if as_json else words(plan, agents))
    if output and plan:
        ways = [
            GridPath(path[: cost + 1], float(cost)) for path, cost in zip(plan.paths, plan.costs, strict=True)
        ]
        write_ways(blocked, ways, output)
        click.echo(f"picture: {output}", err=as_json)


def record(plan: Mapf | None, agents: int) -> dict[str, object]:
    """Return what `--json` prints."""
    return {
        "agents": agents,
        "sum_of_costs": plan and plan.sum_of_costs,
        "lower_bound": plan and plan.lower_bound,
        "makespan": plan and plan.makespan,
        "is_optimal": plan and plan.is_optimal,
        "seconds": plan and plan.history[-1].seconds,
        "first": plan and {"sum_of_costs": plan.history[0].sum_of_costs, "seconds": plan.history[0].seconds},
    }


def words(plan: Mapf | None, agents: int) -> str:
    """Say what was found."""
    who = f"{agents} robots" if agents > 1 else "1 robot"
    if plan is None:
        return f"{who}: there is no plan that takes all to their goals"
    first, share = plan.history[0], plan.sum_of_costs / max(plan.lower_bound, 1)
    quality = (
        "the least there is"
        if plan.is_optimal
        else f"{share:.3f} times the lower bound, {plan.lower_bound:,}"
    )
    return (
        f"{who}, all at their goals after {plan.makespan} steps\n"
        f"sum of costs {plan.sum_of_costs:,}, {quality}\n"
        f"first plan {first.sum_of_costs:,} after {first.seconds * 1e3:.3g} ms, this one after "
        f"{plan.history[-1].seconds:.3g} s"
    )

"""`kumi plan`: ways over the cells of a map, of one robot or of many, or a drive over its plane."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kumi.cli.errors import BadInput
from kumi.cli.options import Coordinate
from kumi.cli.plan_agents import plan_agents
from kumi.cli.plan_cells import Wishes, plan_over_cells
from kumi.cli.plan_drive import plan_drive

HELP = """Find ways on a map.

Over the cells of a Moving AI .map file: the queries of a .scen file, or one from --start to --goal. Places are x
(the column) and y (the row, from the top), both from 0, as in a .scen file. A move goes to one of 8 neighbours,
diagonally only where both cells beside it are free. A query without a way has no cost.

With --agents, for the first so many queries of a .scen file together: robots that move in steps to 4 neighbours, never
two in one cell, and never two changing places.

Over the plane of any map, or of a scenario, in metres: a route of sub-goals that see each other, a smooth path
along it, and the fastest speeds. A .map file is taken as a plane, with cells of 1 m, if --by is given; y then counts upwards, and (0, 0) is its lower left corner.

\b
Try:
  kumi plan arena.map --scen arena.map.scen --json
  kumi plan arena.map --start 1 11 --goal 40 30 -o plan.png
  kumi plan arena.map --scen arena.map.scen --agents 100 --seconds 10
  kumi plan crossing --start 2 2 --goal 18 14 --radius 0.5 -o plan.png
  kumi plan hall.toml --start 1 1 --goal 9 5 --by voronoi --json

For cells --json prints {"queries": [{"start", "goal", "expected", "cost"}, ...], "seconds"}: the places as [x, y], the
length that the .scen file expects, the one that was found, null where there is no way, and the time of all searches.
With --agents it prints {"agents", "sum_of_costs", "lower_bound", "makespan", "is_optimal", "seconds", "first":
{"sum_of_costs", "seconds"}}: the sum of the steps at which each comes to its goal to stay, and what no plan can be
below; null where it is proven that there is no plan. For a plane it prints {"route", "length", "cost_of_bound", "duration",
"states", "seconds"}, where the cost is how much longer --max-curvature-rate makes the path, a state is [x, y, heading,
curvature, s, v, a, t], and all but the seconds is null where there is no route.
"""

ONE_ONLY = ("moves", "costs", "any_angle")
MANY_ONLY = ("agents", "seconds", "seed")
CELLS_ONLY = ("scen", *ONE_ONLY, *MANY_ONLY)
PLANE_ONLY = (
    *("min_radius", "start_heading", "goal_heading", "max_curvature_rate", "bias", "tension", "by"),
    *("top_speed", "acceleration", "lateral", "jerk"),
)


@click.command(help=HELP)
@click.argument("map_", metavar="MAP")
@click.option("--start", type=(Coordinate(), Coordinate()), metavar="X Y", help="Where the way begins.")
@click.option("--goal", type=(Coordinate(), Coordinate()), metavar="X Y", help="Where it ends.")
@click.option("--radius", type=float, help="Radius of the robot.  [default: 0 cells, or 0.1 m]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for a machine to read.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Picture to write: .png, or .svg of a plane."
)
@click.option("--scen", type=click.Path(path_type=Path), help="Cells: queries of the Moving AI benchmarks.")
@click.option("--moves", type=click.Choice(["4", "8"]), help="Cells: how many neighbours.  [default: 8]")
@click.option(
    "--costs",
    type=click.Choice(["even", "near", "distance"]),
    help="Cells: what those near obstacles cost: as others; 10 beside; falling with the distance.  [default: even]",
)
@click.option("--any-angle", is_flag=True, help="Cells: straight lines between those that see each other.")
@click.option("--agents", type=click.IntRange(1), metavar="K", help="Cells: plan for K robots together.")
@click.option("--seconds", type=float, help="With --agents: time for the plan.  [default: 5]")
@click.option("--seed", type=int, help="With --agents: what chance follows from.  [default: 0]")
@click.option(
    "--by",
    type=click.Choice(["visibility", "grid", "voronoi", "cells"]),
    help="Plane: how the route is found.  [default: visibility]",
)
@click.option("--min-radius", type=float, help="Plane: least turning radius, in m.  [default: none]")
@click.option("--start-heading", type=float, help="Plane: at the start, in degrees.  [default: any]")
@click.option("--goal-heading", type=float, help="Plane: at the goal, in degrees.  [default: any]")
@click.option(
    "--max-curvature-rate",
    type=float,
    help="Plane: how fast the curvature may change along the path, in rad/m^2.  [default: any]",
)
@click.option("--bias", type=float, help="Plane: bias of the spline.  [default: 1]")
@click.option("--tension", type=float, help="Plane: tension of the spline.  [default: 0]")
@click.option("--top-speed", type=float, help="Plane: in m/s.  [default: 1]")
@click.option("--acceleration", type=float, help="Plane: along the path, in m/s^2.  [default: 0.5]")
@click.option("--lateral", type=float, help="Plane: across the path, in m/s^2.  [default: none]")
@click.option("--jerk", type=float, help="Plane: in m/s^3.  [default: none]")
def plan(
    map_: str,
    start: tuple[float, float] | None,
    goal: tuple[float, float] | None,
    radius: float | None,
    as_json: bool,
    output: Path | None,
    **options: Any,
) -> None:
    """Find out which of the three is meant, and refuse what is of another."""
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    is_plane = Path(map_).suffix.lower() != ".map" or any(name in given for name in PLANE_ONLY)
    for name in CELLS_ONLY if is_plane else ():
        if name in given:
            raise click.UsageError(
                f"--{name.replace('_', '-')} is for the cells of a .map file, not for a plane in metres."
            )
    endings = (".png", ".svg") if is_plane else (".png",)
    if output is not None and output.suffix.lower() not in endings:
        raise BadInput(f"-o is {str(output)!r}; the name of this picture ends in {' or '.join(endings)}.")
    try:
        if is_plane:
            if start is None or goal is None:
                raise click.UsageError("Give --start and --goal, in metres.")

            plan_drive(map_, start, goal, 0.1 if radius is None else radius, given, as_json, output)
        else:
            plan_cells(map_, start, goal, radius or 0.0, given, as_json, output)
    except ValueError as error:
        raise BadInput(str(error).rstrip(".") + ".") from error


def plan_cells(
    map_: str,
    start: tuple[float, float] | None,
    goal: tuple[float, float] | None,
    radius: float,
    given: dict[str, Any],
    as_json: bool,
    output: Path | None,
) -> None:
    """Plan for many robots, or for one at a time."""
    if any(name in given for name in MANY_ONLY):
        if "agents" not in given:
            raise click.UsageError("--seconds and --seed go with --agents alone.")
        if "scen" not in given or start or goal or radius or any(name in given for name in ONE_ONLY):
            raise click.UsageError("--agents goes with --scen, --seconds, --seed, --json and -o alone.")

        limits = given.get("seconds", 5.0), given.get("seed", 0)
        plan_agents(Path(map_), given["scen"], given["agents"], *limits, as_json, output)
        return

    wishes = Wishes(
        scen=given.get("scen"),
        start=start,
        goal=goal,
        moves=int(given.get("moves", 8)),
        radius=radius,
        costs=given.get("costs", "even"),
        any_angle=given.get("any_angle", False),
    )
    plan_over_cells(Path(map_), wishes, as_json, output)

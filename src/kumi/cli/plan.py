"""`kumi plan`: shortest ways over the cells of a Moving AI map.

Places are written as in a `.scen` file: x is the column and y the row, both from 0, the uppermost row first.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from kumi.planning.anyangle import any_angle_path
from kumi.planning.costs import distance_costs, near_costs
from kumi.planning.grid import Grid, grid_path
from kumi.planning.inflation import inflate
from kumi.planning.movingai import Query, check_queries, read_map, read_scen

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from kumi.planning.grid import Cell, GridPath

    Finder = Callable[[Cell, Cell], GridPath | None]

HELP = """Find shortest ways over the cells of a Moving AI map.

The queries are those of a .scen file, or one from --start to --goal. Places are x (the column) and y (the row, from
the top), both from 0, as in a .scen file. A move goes to one of 8 neighbours, diagonally only where both cells
beside it are free. A query without a way has no cost.

\b
Try:
  kumi plan arena.map --scen arena.map.scen --json
  kumi plan arena.map --start 1 11 --goal 40 30 -o plan.png

--json prints {"queries": [{"start", "goal", "expected", "cost"}, ...], "seconds"}: the places as [x, y], the length
that the .scen file expects, the one that was found, null where there is no way, and the time of all searches.
"""


@dataclass(frozen=True)
class Answer:
    """A query, and the way that was found for it."""

    start: Cell
    goal: Cell
    expected: float | None
    path: GridPath | None

    def record(self) -> dict[str, object]:
        """Return what `--json` prints; a file counts columns first."""
        return {
            "start": self.start[::-1],
            "goal": self.goal[::-1],
            "expected": self.expected,
            "cost": self.path.cost if self.path else None,
        }


@click.command(help=HELP)
@click.argument("map_", metavar="MAP", type=click.Path(path_type=Path))
@click.option("--scen", type=click.Path(path_type=Path), help="Queries of the Moving AI benchmarks.")
@click.option("--start", type=(int, int), metavar="X Y", help="Where the way begins.")
@click.option("--goal", type=(int, int), metavar="X Y", help="Where it ends.")
@click.option("--moves", type=click.Choice(["4", "8"]), default="8", show_default=True, help="Neighbours.")
@click.option("--radius", type=float, default=0.0, show_default=True, help="Radius of the robot in cells.")
@click.option(
    "--costs",
    type=click.Choice(["even", "near", "distance"]),
    default="even",
    show_default=True,
    help="What cells near obstacles cost: as others; 10 beside; falling with the distance.",
)
@click.option("--any-angle", is_flag=True, help="Straight lines between cells that see each other.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for a machine to read.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Picture to write: .png.")
def plan(
    map_: Path,
    scen: Path | None,
    start: Cell | None,
    goal: Cell | None,
    moves: str,
    radius: float,
    costs: str,
    any_angle: bool,
    as_json: bool,
    output: Path | None,
) -> None:
    """Read, search, tell, draw."""
    if any_angle and (moves != "8" or costs != "even"):
        raise click.UsageError("--any-angle goes neither with --moves 4 nor with --costs.")
    blocked = read_map(map_)
    asked = queries(scen, start, goal, blocked)
    find = finder(inflate(blocked, radius) if radius else blocked, int(moves), costs, any_angle)
    began = perf_counter()
    answers = [Answer(start, goal, expected, find(start, goal)) for start, goal, expected in asked]
    seconds = perf_counter() - began
    if as_json:
        click.echo(json.dumps({"queries": [answer.record() for answer in answers], "seconds": seconds}))
    else:
        show(answers, seconds)
    if output:
        from kumi.cli.plan_picture import write_plan

        write_plan(blocked, [answer.path for answer in answers if answer.path], output)
        click.echo(f"picture: {output}", err=as_json)


def queries(
    scen: Path | None, start: Cell | None, goal: Cell | None, blocked: NDArray[np.bool_]
) -> list[tuple[Cell, Cell, float | None]]:
    """Return start, goal and expected length of each query, rows first."""
    if scen and not (start or goal):
        asked: list[Query] = read_scen(scen)
        check_queries(asked, blocked, scen)
        return [(query.start, query.goal, query.expected) for query in asked]
    if start and goal and not scen:
        return [(start[::-1], goal[::-1], None)]
    raise click.UsageError("Give either --scen, or --start and --goal.")


def finder(blocked: NDArray[np.bool_], moves: int, costs: str, any_angle: bool) -> Finder:
    """Return the search that the options ask for, with the map made ready."""
    if costs != "even":
        prices = near_costs(blocked) if costs == "near" else distance_costs(blocked)
        return lambda start, goal: grid_path(prices, start, goal, moves=moves)
    grid = Grid(blocked)
    if any_angle:
        return lambda start, goal: any_angle_path(grid, start, goal)
    return lambda start, goal: grid.path(start, goal, moves=moves)


def show(answers: list[Answer], seconds: float) -> None:
    """Print what was found, in words."""
    if len(answers) == 1:
        (answer,) = answers
        found = f"cost {answer.path.cost:.8g}, {len(answer.path)} cells" if answer.path else "no way"
        click.echo(f"{found}, in {seconds * 1e3:.3g} ms")
        return
    ways = sum(answer.path is not None for answer in answers)
    known = [answer for answer in answers if answer.path and answer.expected is not None]
    worst = max(
        (abs(answer.path.cost - answer.expected) for answer in known if answer.path and answer.expected),
        default=0.0,
    )
    click.echo(f"{len(answers)} queries, {ways} with a way, in {seconds:.3g} s")
    click.echo(f"largest difference from the expected length: {worst:.3g}")

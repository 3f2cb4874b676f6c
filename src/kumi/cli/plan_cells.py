"""`kumi plan` over the cells of a Moving AI map: the shortest ways of queries.

Places are written as in a `.scen` file: x is the column and y the row, both from 0, the uppermost row first.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from kumi.cli.plan_picture import write_plan
from kumi.planning.anyangle import any_angle_path
from kumi.planning.costs import distance_costs, inflate, near_costs
from kumi.planning.grid import Grid, grid_path
from kumi.planning.movingai import Query, check_queries, read_map, read_scen

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from kumi.planning.grid import Cell, GridPath

    Finder = Callable[[Cell, Cell], GridPath | None]


@dataclass(frozen=True)
class FoundWay:
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


@dataclass(frozen=True)
class Wishes:
    """What the command line asks of a search over cells."""

    scen: Path | None
    start: tuple[float, float] | None
    goal: tuple[float, float] | None
    moves: int
    radius: float
    costs: str
    any_angle: bool


def plan_over_cells(map_: Path, wishes: Wishes, as_json: bool, output: Path | None) -> None:
    """Read, search, tell, draw."""
    if wishes.any_angle and (wishes.moves != 8 or wishes.costs != "even"):
        raise click.UsageError("--any-angle goes neither with --moves 4 nor with --costs.")
    blocked = read_map(map_)
    asked = queries(wishes, blocked)
    taken = inflate(blocked, wishes.radius) if wishes.radius else blocked
    find = finder(taken, wishes)
    began = perf_counter()
    answers = [FoundWay(start, goal, expected, find(start, goal)) for start, goal, expected in asked]
    seconds = perf_counter() - began
    if as_json:
        click.echo(json.dumps({"queries": [answer.record() for answer in answers], "seconds": seconds}))
    else:
        show(answers, seconds, taken)
    if output:
        write_plan(blocked, [answer.path for answer in answers if answer.path], output)
        click.echo(f"picture: {output}", err=as_json)


def queries(wishes: Wishes, blocked: NDArray[np.bool_]) -> list[tuple[Cell, Cell, float | None]]:
    """Return start, goal and expected length of each query, rows first."""
    if wishes.scen and not (wishes.start or wishes.goal):
        asked: list[Query] = read_scen(wishes.scen)
        check_queries(asked, blocked, wishes.scen)
        return [(query.start, query.goal, query.expected) for query in asked]
    if wishes.start and wishes.goal and not wishes.scen:
        return [(as_cell(wishes.start, "--start"), as_cell(wishes.goal, "--goal"), None)]
    raise click.UsageError("Give either --scen, or --start and --goal.")


def as_cell(place: tuple[float, float], option: str) -> Cell:
    """Return row and column of a cell that is given as column and row."""
    x, y = place
    if not (x.is_integer() and y.is_integer()):
        raise click.UsageError(
            f"{option} of a .map file is a cell, two whole numbers, not {x:g} {y:g}; places in metres need --by."
        )
    return int(y), int(x)


def finder(blocked: NDArray[np.bool_], wishes: Wishes) -> Finder:
    """Return the search that is asked for, with the map made ready."""
    if wishes.costs != "even":
        prices = near_costs(blocked) if wishes.costs == "near" else distance_costs(blocked)
        return lambda start, goal: grid_path(prices, start, goal, moves=wishes.moves)
    grid = Grid(blocked)
    if wishes.any_angle:
        return lambda start, goal: any_angle_path(grid, start, goal)
    return lambda start, goal: grid.path(start, goal, moves=wishes.moves)


def show(answers: list[FoundWay], seconds: float, blocked: NDArray[np.bool_]) -> None:
    """Print what was found, in words."""
    if len(answers) == 1:
        (answer,) = answers
        ends = [name for name in ("start", "goal") if blocked[getattr(answer, name)]]
        why = f": {' and '.join(f'the {name} is blocked' for name in ends)}" if ends else ""
        found = f"cost {answer.path.cost:.8g}, {len(answer.path)} cells" if answer.path else f"no way{why}"
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

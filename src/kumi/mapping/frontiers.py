"""Where does the known floor end, and who goes there?

A frontier is a run of free cells beside cells that nobody saw. A goal for it is a cell from which it can be looked at
and which the robot can reach over known floor, with room on all sides. Robots get their goals one after the other, and
a frontier near another robot's goal costs more, so that they spread (Burgard, Moors, Stachniss and Schneider 2005).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from kumi._core import Point
from kumi.mapping.occupancy import OccupancyMap
from kumi.planning.costs import clearances
from kumi.planning.grid import grid_path

Cell = tuple[int, int]

LEAST = 6
"""Cells that a frontier has at least; less is a crack between two beams."""

LONG = 20
"""Cells of a frontier that are one goal."""

TIGHT, EASY = 0.19, 0.4
"""Metres from a wall: nearer than the first the middle of the rear axle does not go, from the second on it goes freely."""

NEAR_WALL = 12.0
"""What a cell at TIGHT costs, where a cell from EASY on costs 1."""

BUMP, BUMPED = 0.25, 4.0
"""Metres around a place where a robot touched something within which cells are dearer, and how many times."""

SIGHT = 0.45
"""Metres from a frontier at which a robot sees what is behind it."""

GIVEN_UP = 0.2
"""Metres around a place that was given up within which no goal is chosen."""

SPREAD, TOGETHER = 1.6, 2.5
"""Metres between goals of two robots within which a frontier costs more, and how many metres more at most."""


@dataclass(frozen=True, eq=False)
class Frontier:
    """Cells (row, column) at the end of the known floor that hang together."""

    cells: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.cells)


def frontiers(drawn: OccupancyMap, least: int = LEAST) -> list[Frontier]:
    """Return the frontiers of a map, the largest first."""
    free = np.pad(drawn.free, 1)
    unseen = np.pad(~drawn.known, 1, constant_values=True)
    beside = np.zeros_like(unseen)
    beside[1:-1, 1:-1] = unseen[:-2, 1:-1] | unseen[2:, 1:-1] | unseen[1:-1, :-2] | unseen[1:-1, 2:]
    edge = (free & beside)[1:-1, 1:-1]
    runs = [run for run in _runs(edge) if len(run) >= least]
    found = [Frontier(np.array(part)) for run in runs for part in _parts(run)]
    return sorted(found, key=lambda one: (-len(one), tuple(one.cells[0])))


def _parts(run: list[Cell]) -> Iterable[list[Cell]]:
    """Cut a long frontier into parts of about the same length, each a goal of its own."""
    count = max(1, round(len(run) / LONG))
    ordered = sorted(run)
    by_row = ordered[-1][0] - ordered[0][0] >= max(c for _, c in run) - min(c for _, c in run)
    along = sorted(run, key=lambda cell: cell if by_row else (cell[1], cell[0]))
    return (along[len(run) * part // count : len(run) * (part + 1) // count] for part in range(count))


def _runs(edge: NDArray[np.bool_]) -> Iterable[list[Cell]]:
    """Give the sets of cells that hang together, also across corners."""
    left = {(row, column) for row, column in np.argwhere(edge).tolist()}
    for start in sorted(left):
        if start not in left:
            continue
        left.discard(start)
        run, ahead = [], [start]
        while ahead:
            row, column = ahead.pop()
            run.append((row, column))
            around = [(row + r, column + c) for r in (-1, 0, 1) for c in (-1, 0, 1)]
            for cell in around:
                if cell in left:
                    left.discard(cell)
                    ahead.append(cell)
        yield run


class Ground:
    """What a robot can drive on: known floor, dearer near walls, without the places of other robots.

    Its goals are not near places that were given up, and its ways rather not past places where a robot got stuck.
    """

    def __init__(
        self,
        drawn: OccupancyMap,
        here: Point,
        taken: Sequence[Point] = (),
        room: float = 0.5,
        given_up: Sequence[Point] = (),
        bumps: Sequence[Point] = (),
    ) -> None:
        self.map = drawn
        away = clearances(drawn.occupied) * drawn.cell
        share = np.clip((EASY - away) / (EASY - TIGHT), 0.0, 1.0)
        costs = (1.0 + (NEAR_WALL - 1.0) * share).astype(np.float32)
        costs[~drawn.free | (away < TIGHT)] = np.inf
        rows, columns = np.indices(drawn.shape)
        xs, ys = (columns + drawn.column + 0.5) * drawn.cell, (rows + drawn.row + 0.5) * drawn.cell
        # Where a robot stands there is floor, however near the wall.
        under = (np.hypot(xs - here.x, ys - here.y) < TIGHT) & ~drawn.occupied
        costs[under & ~np.isfinite(costs)] = 2.0 * NEAR_WALL
        bumped = np.zeros(drawn.shape, dtype=np.bool_)
        for place in bumps:
            bumped |= np.hypot(xs - place.x, ys - place.y) < BUMP
        costs[bumped] *= BUMPED
        for place in taken:
            costs[np.hypot(xs - place.x, ys - place.y) < room] = np.inf
        self.costs = costs
        self.start = drawn.cell_at(here)
        self.steps = (
            _steps(np.isfinite(costs), self.start) if drawn.contains(self.start) else np.full(drawn.shape, -1)
        )
        # Where a robot has looked from in vain, no robot looks from again.
        for place in given_up:
            self.steps[np.hypot(xs - place.x, ys - place.y) < GIVEN_UP] = -1

    def goal_for(self, frontier: Frontier) -> tuple[Cell, float] | None:
        """Return a cell from which a frontier is seen, and how many metres away it is, or None."""
        reach = int(np.ceil(SIGHT / self.map.cell))
        best: tuple[float, Cell] | None = None
        for row, column in frontier.cells[:: max(1, len(frontier) // 8)].tolist():
            low_row, low_column = max(0, row - reach), max(0, column - reach)
            part = self.steps[low_row : row + reach + 1, low_column : column + reach + 1]
            rows, columns = np.nonzero(part >= 0)
            if not len(rows):
                continue
            apart = np.hypot(rows + low_row - row, columns + low_column - column)
            # As near the frontier as can be: one step farther to drive is better than one farther to look.
            price = part[rows, columns] + 2.0 * apart
            price[apart > reach] = inf
            index = int(price.argmin())
            if price[index] < inf and (best is None or price[index] < best[0]):
                best = float(price[index]), (int(rows[index]) + low_row, int(columns[index]) + low_column)
        return None if best is None else (best[1], best[0] * self.map.cell)

    def path(self, goal: Cell) -> list[Point] | None:
        """Return the places of the cheapest way to a cell, or None."""
        found = grid_path(self.costs, self.start, goal, moves=8)
        return None if found is None else [self.map.centre(cell) for cell in found.cells.tolist()]


def choose(ground: Ground, found: Sequence[Frontier], others: Sequence[Point]) -> list[Point] | None:
    """Return the way to the best frontier for a robot, the goals of the other robots being known."""
    best: tuple[float, Cell] | None = None
    for frontier in found:
        goal = ground.goal_for(frontier)
        if goal is None:
            continue
        cell, away = goal
        place = ground.map.centre(cell)
        near = min((abs(place - other) for other in others), default=inf)
        price = away + TOGETHER * max(0.0, 1.0 - near / SPREAD) - 0.02 * len(frontier)
        if best is None or price < best[0]:
            best = price, cell
    return None if best is None else ground.path(best[1])


def aside(ground: Ground, passing: Sequence[Point], room: float) -> list[Point] | None:
    """Return the shortest way to a place that leaves so much room to a way on which somebody wants to pass."""
    cells = np.argwhere(ground.steps >= 0)
    if not len(cells) or not passing:
        return None
    order = np.argsort(ground.steps[cells[:, 0], cells[:, 1]], kind="stable")
    drawn = ground.map
    middles = (cells[order][:, ::-1] + np.array([drawn.column + 0.5, drawn.row + 0.5])) * drawn.cell
    is_clear = np.ones(len(middles), dtype=np.bool_)
    for place in passing[::2]:
        is_clear &= np.hypot(middles[:, 0] - place.x, middles[:, 1] - place.y) > room
    if not is_clear.any():
        return None
    row, column = cells[order][int(is_clear.argmax())].tolist()
    return ground.path((row, column))


def _steps(free: NDArray[np.bool_], start: Cell) -> NDArray[np.int32]:
    """Return how many moves along rows and columns each cell is from the start; -1 where none lead to it."""
    steps = np.full(free.shape, -1, dtype=np.int32)
    if not free[start]:
        return steps
    steps[start] = 0
    edge, count = np.array([start[0] * free.shape[1] + start[1]]), 0
    flat, open_cells = steps.reshape(-1), np.pad(free, ((0, 0), (0, 0))).reshape(-1)
    columns = free.shape[1]
    while len(edge):
        count += 1
        column = edge % columns
        nexts = np.concatenate(
            [edge[column > 0] - 1, edge[column < columns - 1] + 1, edge - columns, edge + columns]
        )
        nexts = nexts[(nexts >= 0) & (nexts < len(flat))]
        nexts = np.unique(nexts[open_cells[nexts] & (flat[nexts] < 0)])
        flat[nexts] = count
        edge = nexts
    return steps

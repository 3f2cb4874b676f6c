"""Where does the known floor end, and who goes there?

A frontier is a run of free cells beside cells that nobody saw. A goal for it is a cell from which it can be looked at,
not through a wall, and which the robot can reach over known floor, with room on all sides. Robots get their goals one after the other, and
a frontier near another robot's goal costs more, so that they spread (Burgard, Moors, Stachniss and Schneider 2005).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, pi, remainder, sqrt, tau

import numpy as np
from numpy.typing import NDArray

from kumi._core import Point, count_moves, label
from kumi.geometry import Pose
from kumi.mapping.occupancy import OccupancyMap
from kumi.maths import hypot
from kumi.planning.costs import clearances
from kumi.planning.grid import grid_path

Cell = tuple[int, int]

SQRT_2 = sqrt(2.0)

LEAST_CELLS = 8
"""Cells that a frontier has at least; less is a crack between two beams."""

LONG_FRONTIER = 20
"""Cells of a frontier that are one goal."""

LEAST_CLEARANCE, EASY_CLEARANCE = 0.19, 0.4
"""Metres from a wall: nearer than the first the middle of the rear axle does not go, from the second on it goes freely."""

NEAR_WALL = 12.0
"""What a cell at LEAST_CLEARANCE costs, where a cell from EASY_CLEARANCE on costs 1."""

BUMP, BUMPED = 0.25, 4.0
"""Metres around a place where a robot touched something within which cells are dearer, and how many times."""

SIGHT = 0.45
"""Metres from a frontier at which a robot sees what is behind it."""

GIVEN_UP, LOOKED_AT = 0.2, 0.25
"""Metres around a place that was given up within which no goal is chosen, and no frontier looked at."""

SPREAD, TOGETHER = 3.0, 2.5
"""Metres between goals of two robots within which a frontier costs more, and how many metres more at most."""

CELL_WORTH = 0.06
"""Metres that a robot goes further for each cell of a frontier."""

TAKEN = 1.5
"""Metres that a frontier costs more to which another robot is going."""

THEIRS = 2.0
"""Metres that a frontier costs more at most which is nearer to another robot."""

BEHIND = 1.5
"""Metres that it costs to turn round."""

SAME, GOING = 0.3, 0.3
"""Metres between two goals that count as one, and metres that a robot goes further rather than change its goal."""


@dataclass(frozen=True, eq=False)
class Frontier:
    """Cells (row, column) at the end of the known floor that hang together."""

    cells: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.cells)

    def middle(self, drawn: OccupancyMap) -> Point:
        """Return the place in its midst."""
        row, column = (self.cells.sum(axis=0) / len(self.cells)).tolist()
        return drawn.centre((row, column))

    @property
    def box(self) -> tuple[Cell, Cell]:
        """The least and the greatest row and column."""
        (low_row, low_column), (high_row, high_column) = (
            self.cells.min(axis=0).tolist(),
            self.cells.max(axis=0).tolist(),
        )
        return (low_row, low_column), (high_row, high_column)


@dataclass(frozen=True)
class FrontierGoal:
    """Where a robot goes: its way, and the middle of the frontier that it will look at."""

    way: list[Point]
    middle: Point


def frontiers(drawn: OccupancyMap, least: int = LEAST_CELLS) -> list[Frontier]:
    """Return the frontiers of a map, the largest first."""
    free = np.pad(drawn.free, 1)
    unseen = np.pad(~drawn.known, 1, constant_values=True)
    beside = np.zeros_like(unseen)
    beside[1:-1, 1:-1] = unseen[:-2, 1:-1] | unseen[2:, 1:-1] | unseen[1:-1, :-2] | unseen[1:-1, 2:]
    edge = (free & beside)[1:-1, 1:-1]
    cells = np.argwhere(edge)
    if not len(cells):
        return []
    labels = label(np.ascontiguousarray(edge).view(np.uint8))[cells[:, 0], cells[:, 1]]
    order = np.argsort(labels, kind="stable")
    runs = np.split(cells[order], np.flatnonzero(np.diff(labels[order])) + 1)
    found = [Frontier(part) for run in runs if len(run) >= least for part in _parts(run)]
    return sorted(found, key=lambda one: (-len(one), tuple(one.cells[0].tolist())))


def _parts(run: NDArray[np.int64]) -> Iterable[NDArray[np.int64]]:
    """Cut a long frontier, its cells row by row, into parts of about the same length, each a goal of its own."""
    count = max(1, round(len(run) / LONG_FRONTIER))
    rows, columns = run.T
    by_row = rows[-1] - rows[0] >= columns.max() - columns.min()
    along = run if by_row else run[np.argsort(columns, kind="stable")]
    return (along[len(run) * part // count : len(run) * (part + 1) // count] for part in range(count))


class DrivableGround:
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
        self._solid = drawn.occupied
        away = clearances(self._solid) * drawn.cell
        share = np.clip((EASY_CLEARANCE - away) / (EASY_CLEARANCE - LEAST_CLEARANCE), 0.0, 1.0)
        costs = (1.0 + (NEAR_WALL - 1.0) * share).astype(np.float32)
        costs[~drawn.free | (away < LEAST_CLEARANCE)] = np.inf
        # Where a robot stands there is floor, however near the wall.
        part, is_near = _disc(drawn, here, LEAST_CLEARANCE)
        costs[part][is_near & ~self._solid[part] & ~np.isfinite(costs[part])] = 2.0 * NEAR_WALL
        bumped = np.zeros(drawn.shape, dtype=np.bool_)
        for place in bumps:
            part, is_near = _disc(drawn, place, BUMP)
            bumped[part] |= is_near
        costs[bumped] *= BUMPED
        for place in taken:
            part, is_near = _disc(drawn, place, room)
            costs[part][is_near] = np.inf
        self.costs = costs
        self.start = drawn.cell_at(here)
        self.steps = (
            count_moves(np.isfinite(costs).view(np.uint8), *self.start)
            if drawn.contains(self.start)
            else np.full(drawn.shape, -1)
        )
        # Where a robot has looked from in vain, no robot looks from again.
        self._given_up = given_up
        self._goals = self.steps.copy()
        for place in given_up:
            part, is_near = _disc(drawn, place, GIVEN_UP)
            self._goals[part][is_near] = -1

    def way_to(self, place: Point) -> float:
        """Return about how many metres it is to a place; infinite where it is not known to be reached."""
        cell = self.map.cell_at(place)
        steps = int(self.steps[cell]) if self.map.contains(cell) else -1
        return inf if steps < 0 else steps * self.map.cell

    def least_way(self, frontier: Frontier) -> float:
        """Return metres that it is at least to where a frontier is seen from: moves go along rows and columns."""
        (low_row, low_column), (high_row, high_column) = frontier.box
        row, column = self.start
        moves = max(low_row - row, 0, row - high_row) + max(low_column - column, 0, column - high_column)
        return moves * self.map.cell - SQRT_2 * (SIGHT + self.map.cell)

    def goal_for(self, frontier: Frontier) -> tuple[Cell, float] | None:
        """Return a cell from which a frontier is seen, and how many metres away it is, or None."""
        middle = frontier.middle(self.map)
        if any(abs(place - middle) < LOOKED_AT for place in self._given_up):
            return None
        reach = int(np.ceil(SIGHT / self.map.cell))
        best: tuple[float, Cell] | None = None
        for row, column in frontier.cells[:: max(1, len(frontier) // 5)].tolist():
            low_row, low_column = max(0, row - reach), max(0, column - reach)
            part = self._goals[low_row : row + reach + 1, low_column : column + reach + 1]
            rows, columns = np.nonzero(part >= 0)
            if not len(rows):
                continue
            apart = hypot(rows + low_row - row, columns + low_column - column)
            # As near the frontier as can be: one step farther to drive is better than one farther to look.
            price = part[rows, columns] + 2.0 * apart
            price[apart > reach] = inf
            for index in np.argsort(price, kind="stable").tolist():
                if price[index] == inf or (best is not None and price[index] >= best[0]):
                    break
                cell = int(rows[index]) + low_row, int(columns[index]) + low_column
                if self._sees(cell, (row, column)):
                    best = float(price[index]), cell
                    break
        return None if best is None else (best[1], best[0] * self.map.cell)

    def _sees(self, cell: Cell, other: Cell) -> bool:
        """Tell whether nothing that is known to be solid stands between two cells."""
        count = 2 * max(abs(cell[0] - other[0]), abs(cell[1] - other[1])) + 1
        rows, columns = (np.linspace(cell[axis], other[axis], count).round().astype(int) for axis in (0, 1))
        return not self._solid[rows, columns].any()

    def path(self, goal: Cell) -> list[Point] | None:
        """Return the places of the cheapest way to a cell, or None."""
        found = grid_path(self.costs, self.start, goal, moves=8)
        return None if found is None else [self.map.centre(cell) for cell in found.cells.tolist()]


def choose(
    ground: DrivableGround,
    found: Sequence[Frontier],
    others: Sequence[Point],
    pose: Pose | None = None,
    kept: Point | None = None,
    rivals: Sequence[DrivableGround] = (),
) -> FrontierGoal | None:
    """Return the way to the best frontier for a robot, the goals of the other robots being known.

    What lies behind a robot at a pose costs more, and what lies where it was going, `kept`, less. `rivals` is the
    ground of the other robots.
    """
    best: tuple[float, int, Cell, Frontier] | None = None
    # Those first that may be the cheapest, by the straight way alone: far ones are not looked at.
    for least, number, frontier in sorted(
        (ground.least_way(frontier) - CELL_WORTH * len(frontier) - GOING, number, frontier)
        for number, frontier in enumerate(found)
    ):
        if best is not None and least > best[0] + 1e-9:
            break
        goal = ground.goal_for(frontier)
        if goal is None:
            continue
        cell, away = goal
        place = ground.map.centre(cell)
        near = min((abs(place - other) for other in others), default=inf)
        price = away + TOGETHER * max(0.0, 1.0 - near / SPREAD) - CELL_WORTH * len(frontier)
        price += TAKEN if near < SAME else 0.0
        # What another robot is nearer to is left to it.
        nearest = min((rival.way_to(place) for rival in rivals), default=inf)
        price += min(max(0.0, away - nearest), THEIRS)
        if pose is not None:
            price += BEHIND * abs(remainder((place - pose.position).direction - pose.heading, tau)) / pi
        if kept is not None and abs(place - kept) < SAME:
            price -= GOING
        if best is None or (price, number) < best[:2]:
            best = price, number, cell, frontier
    if best is None:
        return None
    _, _, cell, frontier = best
    way = ground.path(cell)
    return None if way is None else FrontierGoal(way, frontier.middle(ground.map))


def aside(ground: DrivableGround, passing: Sequence[Point], room: float) -> list[Point] | None:
    """Return the shortest way to a place that leaves so much room to a way on which somebody wants to pass."""
    cells = np.argwhere(ground.steps >= 0)
    if not len(cells) or not passing:
        return None
    order = np.argsort(ground.steps[cells[:, 0], cells[:, 1]], kind="stable")
    drawn = ground.map
    middles = (cells[order][:, ::-1] + np.array([drawn.column + 0.5, drawn.row + 0.5])) * drawn.cell
    is_clear = np.ones(len(middles), dtype=np.bool_)
    for place in passing[::2]:
        is_clear &= hypot(middles[:, 0] - place.x, middles[:, 1] - place.y) > room
    if not is_clear.any():
        return None
    row, column = cells[order][int(is_clear.argmax())].tolist()
    return ground.path((row, column))


def _disc(drawn: OccupancyMap, place: Point, radius: float) -> tuple[tuple[slice, slice], NDArray[np.bool_]]:
    """Return a part of a map around a place, and which of its cells have their middles within a radius."""
    (low_row, low_column), (high_row, high_column) = (
        drawn.cell_at(place + Point(sign * radius, sign * radius)) for sign in (-1.0, 1.0)
    )
    rows = slice(max(low_row, 0), max(high_row + 1, 0))
    columns = slice(max(low_column, 0), max(high_column + 1, 0))
    ys = (np.arange(*rows.indices(drawn.shape[0])) + drawn.row + 0.5) * drawn.cell - place.y
    xs = (np.arange(*columns.indices(drawn.shape[1])) + drawn.column + 0.5) * drawn.cell - place.x
    return (rows, columns), hypot(xs[None, :], ys[:, None]) < radius

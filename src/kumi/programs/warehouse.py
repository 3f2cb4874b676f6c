"""Hundreds of robots in a warehouse, each on its errands among the shelves, and not a single contact.

The floor is a grid of cells. Robot 0 keeps the plan: every robot tells it where it stands, and it sends each one its
way for some steps ahead. All move in step, from the middle of a cell to the middle of the next. A robot that has come to its
goal gets a new one with the next plan: places beside shelves first, and its home at last.

A plan takes all robots to their goals without conflicts (`kumi.planning.mapf`), and its first steps are sound by
themselves, so that it may be replaced at any step. Two robots that turn a corner one behind the other come as near as
0.71 of a cell: a robot's radius is less than 0.35 of one. Orders must arrive within `ahead` seconds; who gets none
stands still, which is why the radio here loses none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import floor, inf
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from kumi.contract import Sample
from kumi.contract.messages import Message
from kumi.devs import Chance, note, now, sleep_until, together
from kumi.geometry import Point
from kumi.maths import atan2
from kumi.planning.grid import Grid
from kumi.planning.limits import Impossible
from kumi.planning.mapf import solve_mapf
from kumi.robot import Robot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Paths: TypeAlias = NDArray[np.int32]

Cell: TypeAlias = tuple[int, int]

DISPATCHER = 0
TURNED = 0.3
"""The share of a step within which a robot turns to where it goes."""

ROUNDING = 1e-6
"""Seconds by which a motion may end late because its times are rounded."""

MEMORY = 2**28
"""Bytes for one plan; a bound on the search that, unlike time, is the same on every machine."""


@dataclass(frozen=True, slots=True)
class StandingAt(Message):
    """Where a robot stands."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class StepOrder(Message):
    """Where a robot is to be at each step from an instant on; an order without steps ends its work."""

    begin: float
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    arrival: int | None = None
    """The step at which it comes to its goal, if it does."""


@dataclass(frozen=True, slots=True)
class WarehouseFloor:
    """The cells of a warehouse, with row 0 at the bottom."""

    blocked: NDArray[np.bool_]
    cell: float

    def middle(self, row: int, column: int) -> Point:
        """Return the middle of a cell."""
        return Point((column + 0.5) * self.cell, (row + 0.5) * self.cell)

    def cell_at(self, place: Point) -> Cell:
        """Return the cell of a place, in whose middle it is."""
        row, column = floor(place.y / self.cell), floor(place.x / self.cell)
        if self.middle(row, column).distance_to(place) > 1e-6 * self.cell:
            raise Impossible(f"robots of a warehouse are born in the middle of a cell, not at {place}")
        return row, column

    def beside_shelves(self) -> list[Cell]:
        """Return the free cells above and below shelves."""
        wide = np.pad(self.blocked, 1)
        beside = ~self.blocked & (wide[:-2, 1:-1] | wide[2:, 1:-1])
        return [(int(row), int(column)) for row, column in np.argwhere(beside)]


async def warehouse(
    robot: Robot,
    bounds: list[float],
    obstacles: list[dict[str, Any]],
    errands: int = 2,
    cell: float = 1.0,
    step: float = 1.0,
    ahead: float = 1.0,
    window: int = 10,
    rounds: int = 40,
    shared: bool = True,
) -> None:
    """Go on errands to places beside shelves, so many for each robot, and home.

    A step takes `step` seconds, and a new plan is made every `window` steps and improved for `rounds` rounds. Without
    `shared`, everyone goes the shortest way, whoever may be there.
    """
    plane = floor_of(bounds, obstacles, cell)
    orders = robot.radio.messages(StepOrder).stream()
    async with together() as tasks:
        if robot.number == DISPATCHER:
            plan = partial(planned, plane, rounds, robot.chance) if shared else partial(selfish, plane)
            tasks.start(WarehouseDispatcher(robot, plane, errands, plan).run, step, ahead, window)
        robot.show("state", "waits for orders")
        robot.show("errands done", 0)
        row, column = plane.cell_at(robot.home)
        await robot.radio.send(StandingAt(row, column), DISPATCHER)
        done = 0
        while (order := (await orders.next())[0]).rows:
            robot.show("state", "goes home" if done >= errands else "on an errand")
            done += await carry_out(robot, order, plane, step)
            robot.show("errands done", min(done, errands))
    note("home")
    robot.show("state", "home")


async def carry_out(robot: Robot, order: StepOrder, plane: WarehouseFloor, step: float) -> bool:
    """Follow an order from cell to cell, and note when the goal is reached; tell whether it was."""
    if now() > order.begin + ROUNDING:
        raise Impossible(f"{robot.name} got its order at {now():g} s only, after {order.begin:g} s")
    await sleep_until(max(now(), order.begin))
    cells = list(zip(order.rows, order.columns, strict=True))
    middle = 0 if order.arrival is None else order.arrival
    await robot.track(samples(cells[: middle + 1], plane, robot.heading, order.begin, step))
    if order.arrival is not None:
        note("arrived")
    begin = order.begin + middle * step
    await robot.track(samples(cells[middle:], plane, robot.heading, begin, step))
    return order.arrival is not None


def samples(
    cells: Sequence[Cell], plane: WarehouseFloor, heading: float, begin: float, step: float
) -> list[Sample]:
    """Return the ends of the straight parts of a way; the robot turns while it sets off on one.

    Their times follow from the instant at which the way begins, so that rounding does not add up.
    """
    since = begin - now()
    moves = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(cells)]
    found: list[Sample] = []
    for number, (move, following) in enumerate(zip(moves, [*moves, None][1:], strict=True)):
        if move != (0, 0) and heading != atan2(*move):
            heading = atan2(*move)
            aside = Point(move[1], move[0]) * (TURNED * plane.cell)
            found.append(
                Sample(since + (number + TURNED) * step, plane.middle(*cells[number]) + aside, heading)
            )
        if move != following:
            found.append(Sample(since + (number + 1) * step, plane.middle(*cells[number + 1]), heading))
    return found


class WarehouseDispatcher:
    """Gives goals to all robots, plans their ways, and sends them."""

    def __init__(
        self,
        robot: Robot,
        plane: WarehouseFloor,
        errands: int,
        plan: Callable[[list[Cell], list[Cell]], Paths],
    ) -> None:
        self.robot, self.plane, self.plan = robot, plane, plan
        self.at: list[Cell] = []
        self.goals: list[Cell] = []
        self.left = [errands] * len(robot.radio.group)

    async def run(self, step: float, ahead: float, window: int) -> None:
        """Send orders until everyone has been everywhere and is at home again."""
        self.at = self.goals = homes = await self.standings()
        taken = set(homes)
        places = [cell for cell in self.plane.beside_shelves() if cell not in taken]
        if len(places) < len(homes):
            raise Impossible(f"{len(homes)} robots cannot all have a place of {len(places)} beside shelves")
        self.goals = list(homes)
        for robot in range(len(homes)):
            self.give_goal(robot, homes, places)
        begin = now() + ahead
        while self.at != homes or any(left >= 0 for left in self.left):
            paths = self.plan(self.at, self.goals)
            steps = np.minimum(np.arange(window + 1), paths.shape[1] - 1)
            await self.send(paths[:, steps], begin, homes, places)
            begin += window * step
            await sleep_until(begin - ahead)
        for robot in range(len(homes)):
            await self.robot.radio.send(StepOrder(begin), robot)

    async def standings(self) -> list[Cell]:
        """Hear from everyone where it stands."""
        heard: dict[int, Cell] = {}
        while len(heard) < len(self.left):
            standing, sender = await self.robot.radio.receive(StandingAt)
            heard[sender] = standing.row, standing.column
        return [heard[robot] for robot in range(len(heard))]

    async def send(self, paths: Paths, begin: float, homes: list[Cell], places: list[Cell]) -> None:
        """Send everyone its next steps, and give new goals to those who will have come to theirs."""
        for robot, path in enumerate(paths):
            reached = np.flatnonzero((path == self.goals[robot]).all(axis=1))
            is_errand = self.left[robot] >= 0 and len(reached) > 0
            rows, columns = (tuple(column.tolist()) for column in path.T)
            arrival = int(reached[0]) if is_errand else None
            await self.robot.radio.send(StepOrder(begin, rows, columns, arrival), robot)
            if is_errand:
                self.give_goal(robot, homes, places)
        self.at = [(int(row), int(column)) for row, column in paths[:, -1]]

    def give_goal(self, robot: int, homes: list[Cell], places: list[Cell]) -> None:
        """Give a robot a place that nobody goes to; after its errands its home."""
        self.left[robot] -= 1
        taken = set(self.goals)
        goal = homes[robot]
        while self.left[robot] >= 0 and (goal in taken or goal == homes[robot]):
            goal = self.robot.chance.choice(places)
        self.goals[robot] = goal


def planned(
    plane: WarehouseFloor, rounds: int, chance: Chance, starts: list[Cell], goals: list[Cell]
) -> Paths:
    """Return ways without conflicts, the same on every machine."""
    seed = chance.integer(0, 2**32)
    plan = solve_mapf(plane.blocked, starts, goals, seconds=inf, rounds=rounds, seed=seed, memory=MEMORY)
    if plan is None:
        raise Impossible("the goals of the robots cannot all be reached")
    return plan.paths


def selfish(plane: WarehouseFloor, starts: list[Cell], goals: list[Cell]) -> Paths:
    """Return the shortest way of each robot, whoever may be there."""
    grid = Grid(plane.blocked)
    ways = [grid.path(start, goal, moves=4) for start, goal in zip(starts, goals, strict=True)]
    if any(way is None for way in ways):
        raise Impossible("the goals of the robots cannot all be reached")
    cells = [way.cells for way in ways if way]
    longest = max(len(way) for way in cells)
    return np.stack([way[np.minimum(np.arange(longest), len(way) - 1)] for way in cells])


def floor_of(bounds: list[float], obstacles: list[dict[str, Any]], cell: float) -> WarehouseFloor:
    """Return the cells of a hall with shelves, all of them on the lines between cells."""
    columns, rows = (lines(size, cell, "the size of the hall") for size in bounds)
    blocked = np.zeros((rows, columns), dtype=bool)
    for table in obstacles:
        match table:
            case {"block": [x, y], "size": [width, height]}:
                left, bottom, wide, high = (lines(at, cell, "a shelf") for at in (x, y, width, height))
                blocked[bottom : bottom + high, left : left + wide] = True
            case _:
                raise ValueError(f"the shelves of a warehouse are blocks with a size, not {table!r}")
    return WarehouseFloor(blocked, cell)


def lines(length: float, cell: float, what: str) -> int:
    """Return a length in cells, or say that it does not fit."""
    count = round(length / cell)
    if abs(count * cell - length) > 1e-9 * max(1.0, abs(length)):
        raise ValueError(f"{what} is a whole number of cells of {cell:g} m, but {length:g} m is not")
    return count

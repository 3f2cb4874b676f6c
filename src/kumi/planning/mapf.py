"""How do many robots get to their goals over one grid without being in each other's way, and is a plan of theirs sound?

Time goes in steps. In each one, every robot stays or moves to one of 4 neighbours. No two robots are ever in one cell,
and no two change places in one step; following closely is fine. The cost of a robot is the step at which it comes to
its goal to stay, and the sum of costs is what is made small. It is never less than the sum of the shortest ways.

LaCAM with PIBT finds a first solution within milliseconds, and cheaper ones when robots keep to the traffic and plan some
steps ahead. Then large neighbourhood search makes it cheaper for as long
as it may, while LaCAM* looks for a proof that nothing cheaper exists; with few robots it finds one. What comes out
depends on the seed and on the number of rounds alone, if the time suffices for them.

Edges: None says that it was proven that there is no solution, such as when a goal cannot be reached. `NotSolved` says
that the time or the memory ran out before there was either. The sources are named in `core/mapf/`.

The check knows nothing of how plans are made: it goes through them step by step and lists every flaw. A plan is sound
when each robot goes from its start to its goal over free cells, moves by at most one cell of its row or column in a
step, is never where another one is, and never changes places with another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kumi._core import MapfSearch
from kumi.geometry.points import as_real, as_several
from kumi.planning.grid import Grid, as_bytes, place, table
from kumi.planning.grid_error import GridError
from kumi.planning.type_checks import as_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from kumi.planning.grid import Cell


REPORT_PERIOD = 0.1
"""Seconds between two looks at the clock and two reports."""

MOST_ROUNDS = 2**62
CELL_BYTES = 40
"""What the search holds for each cell, whatever happens."""


class NotSolved(TimeoutError):
    """Neither a solution nor a proof that there is none was found with the time and the memory given."""


class Improvement(NamedTuple):
    """A solution: after how many seconds, and its sum of costs."""

    seconds: float
    sum_of_costs: int


@dataclass(frozen=True, slots=True, eq=False)
class Mapf:
    """The ways of many robots over one grid."""

    paths: NDArray[np.int32]
    """The (row, column) of each robot at each step: an array of robots, steps and 2."""
    sum_of_costs: int
    lower_bound: int
    """What no solution can be below: the sum of the shortest ways, or more where a search has proven it."""
    rounds: int
    """How often robots were taken out of the plan to find better ways."""
    history: tuple[Improvement, ...]
    """The first solution and each better one that was there when it was looked at."""

    @property
    def makespan(self) -> int:
        """The step at which the last robot arrives."""
        return int(self.paths.shape[1]) - 1

    @property
    def costs(self) -> NDArray[np.int64]:
        """The step at which each robot comes to its goal to stay."""
        away = (self.paths != self.paths[:, -1:]).any(axis=2)
        steps = np.arange(1, self.paths.shape[1] + 1)
        return np.asarray((away * steps).max(axis=1))

    @property
    def is_optimal(self) -> bool:
        """Whether it is proven that no solution has a smaller sum of costs."""
        return self.sum_of_costs == self.lower_bound


def solve_mapf(
    grid: ArrayLike,
    starts: Sequence[Cell],
    goals: Sequence[Cell],
    *,
    seconds: float = 5.0,
    rounds: int | None = None,
    seed: int = 0,
    memory: int = 2**30,
    tell: Callable[[Improvement], object] | None = None,
) -> Mapf | None:
    """Return ways for all robots, or None when it is proven that there are none.

    It improves them until they are optimal, `seconds` are over, or `rounds` rounds are done; with 0 rounds it returns
    the first solution. With enough seconds the same seed and rounds give the same ways. `memory` is in bytes. `tell`
    is called with each improvement, ten times a second at the most.
    """
    blocked = cells_of(grid)
    here, there = (ends(cells, blocked, name) for cells, name in ((starts, "start"), (goals, "goal")))
    if len(here) != len(there):
        raise GridError(
            f"each robot has a start and a goal, but there are {len(here)} starts and {len(there)} goals"
        )
    check_limits(seconds, rounds, seed, memory)
    if blocked.size * CELL_BYTES > memory:
        raise NotSolved(f"the search for a grid of {blocked.size:,} cells does not fit into {memory:,} bytes")
    search = MapfSearch(blocked, here, there, seed % 2**64, memory)
    history = advanced(search, seconds, MOST_ROUNDS if rounds is None else rounds, tell)
    if history is None:
        return None
    cells = search.paths()
    paths = np.stack(np.divmod(cells, blocked.shape[1]), axis=-1).astype(np.int32)
    return Mapf(paths, search.cost, search.bound, search.rounds, tuple(history))


def advanced(
    search: MapfSearch, seconds: float, rounds: int, tell: Callable[[Improvement], object] | None
) -> list[Improvement] | None:
    """Let a search go on until its end, and return its solutions, or None when there are none."""
    began = perf_counter()
    history: list[Improvement] = []
    while True:
        left = seconds - (perf_counter() - began)
        state = search.advance(min(left, REPORT_PERIOD), rounds)
        passed = perf_counter() - began
        if state == "unsolvable":
            return None
        if search.cost >= 0 and (not history or search.cost < history[-1].sum_of_costs):
            history.append(Improvement(passed, search.cost))
            if tell:
                tell(history[-1])
        is_over = state in {"optimal", "full"} or passed >= seconds
        if is_over or (state == "solved" and search.rounds >= rounds):
            break
    if not history:
        reason = "in the memory given" if state == "full" else f"within {seconds:g} s"
        raise NotSolved(f"no ways for all robots were found {reason}; there may still be some")
    return history


def cells_of(grid: ArrayLike) -> NDArray[np.uint8]:
    """Return a grid as one byte a cell, 1 where it is blocked."""
    array = table(grid)
    if array.dtype.kind == "f":
        raise GridError(
            "many robots plan in steps: their grid says which cells are blocked, and has no costs"
        )
    Grid(array)  # which refuses other numbers than 0 and 1
    return as_bytes(array)


def ends(cells: Sequence[Cell], blocked: NDArray[np.uint8], name: str) -> NDArray[np.int64]:
    """Return the starts or the goals of all robots as numbers of cells, or say what is wrong with one."""
    cells = as_several(cells, f"the {name}s of robots")
    if len(cells) == 0:
        raise GridError(f"there is at least one robot, but the list of {name}s is empty")
    places = [place(cell, blocked.shape, f"the {name} of robot {robot}") for robot, cell in enumerate(cells)]
    who: dict[Cell, int] = {}
    for robot, (row, column) in enumerate(places):
        if blocked[row, column]:
            raise GridError(f"the {name} of robot {robot}, (row {row}, column {column}), is blocked")
        other = who.setdefault((row, column), robot)
        if other != robot:
            raise GridError(
                f"no two robots have one {name}, but robots {other} and {robot} have (row {row}, column {column})"
            )
    return np.array([row * blocked.shape[1] + column for row, column in places], dtype=np.int64)


def check_limits(seconds: float, rounds: int | None, seed: int, memory: int) -> None:
    """Refuse limits that make no sense."""
    if not as_real(seconds, "seconds") > 0:
        raise GridError(f"seconds is a number greater than 0, not {seconds!r}")
    check_whole("rounds", 0 if rounds is None else rounds, 0)
    check_whole("memory", memory, 1)
    check_whole("seed", seed)


def check_whole(name: str, number: int, least: int | None = None) -> None:
    """Refuse what is no whole number, or less than it may be."""
    try:
        whole = index(number)
    except TypeError:
        whole = None
    if whole is None or (least is not None and whole < least):
        rule = "" if least is None else f" of at least {least}"
        raise GridError(f"{name} is a whole number{rule}, not {number!r}")


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with a plan, at which step, and with whom."""

    step: int
    robots: tuple[int, ...]
    words: str

    def __str__(self) -> str:
        who = " and ".join(str(robot) for robot in self.robots)
        return f"step {self.step}: robot{'s' if len(self.robots) > 1 else ''} {who}: {self.words}"


def check_mapf(
    grid: ArrayLike, starts: Sequence[Cell], goals: Sequence[Cell], paths: NDArray[Any]
) -> list[Flaw]:
    """Return every flaw of a plan, the cells of all robots at all steps; none when it is sound."""
    blocked = table(grid).astype(bool)
    rows = as_row(paths, "the cells of ways")
    if rows.ndim != 3 or rows.shape[2] != 2 or not rows.shape[1] or not np.isfinite(rows).all():
        raise ValueError(
            "ways are the cells (row, column) of each robot at each step, an array of three dimensions"
        )
    paths = rows.astype(int)
    for cells, name in ((starts, "starts"), (goals, "goals")):
        if as_row(as_several(cells, name), name).shape != (len(cells), 2):
            raise ValueError(f"the {name} of robots are cells (row, column)")
    last = paths.shape[1] - 1
    if len(paths) != len(starts):
        return [Flaw(0, (), f"there are {len(starts)} robots, but {len(paths)} ways")]
    flaws = [
        Flaw(step, (robot,), f"it is at {cell}, not at its {name}, {end}")
        for step, name, wanted in ((0, "start", starts), (last, "goal", goals))
        for robot, end in enumerate(plain(wanted))
        if (cell := (int(paths[robot, step, 0]), int(paths[robot, step, 1]))) != end
    ]
    before: list[Cell] = []
    for step in range(last + 1):
        now = plain(paths[:, step].tolist())
        flaws += at_once(now, step, blocked)
        if before:
            flaws += between(before, now, step)
        before = now
    return flaws


def plain(cells: Sequence[Cell]) -> list[Cell]:
    """Return cells as pairs of whole numbers."""
    return [(int(row), int(column)) for row, column in cells]


def at_once(now: list[Cell], step: int, blocked: NDArray[np.bool_]) -> Iterator[Flaw]:
    """Yield who is outside, in a blocked cell, or where another one is."""
    who: dict[Cell, int] = {}
    for robot, (row, column) in enumerate(now):
        if not (0 <= row < blocked.shape[0] and 0 <= column < blocked.shape[1]):
            yield Flaw(step, (robot,), f"{(row, column)} is outside of the grid")
        elif blocked[row, column]:
            yield Flaw(step, (robot,), f"{(row, column)} is blocked")
        other = who.setdefault((row, column), robot)
        if other != robot:
            yield Flaw(step, (other, robot), f"both are at {(row, column)}")


def between(before: list[Cell], now: list[Cell], step: int) -> Iterator[Flaw]:
    """Yield who moves too far, and who change places."""
    moves: dict[tuple[Cell, Cell], int] = {}
    for robot, (old, new) in enumerate(zip(before, now, strict=True)):
        if abs(old[0] - new[0]) + abs(old[1] - new[1]) > 1:
            yield Flaw(step, (robot,), f"it jumps from {old} to {new}")
        if old != new:
            moves[old, new] = robot
            other = moves.get((new, old))
            if other is not None:
                yield Flaw(step, (other, robot), f"they change places, {old} and {new}")

"""Is a plan of many robots sound?

The check knows nothing of how plans are made: it goes through them step by step and lists every flaw. A plan is sound
when each robot goes from its start to its goal over free cells, moves by at most one cell of its row or column in a
step, is never where another one is, and never changes places with another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kumi.geometry.points import as_several
from kumi.planning.grid import table
from kumi.planning.type_checks import as_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from kumi.planning.grid import Cell


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

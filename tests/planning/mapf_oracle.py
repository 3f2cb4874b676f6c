"""All plans of a few robots on a tiny grid, by brute force: the measure for `solve_mapf`.

Joint states are searched by Dijkstra. For the sum of costs a state also says who has parked: who has cannot move any
more, and costs nothing. For the sum of loss a robot that stays at its goal costs nothing, even if it leaves later.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kumi.planning.grid import Cell

Joint = tuple["Cell", ...]


def moves(cell: Cell, rows: Sequence[str]) -> Iterator[Cell]:
    """Yield where a robot can be after a step."""
    row, column = cell
    for a, b in ((row, column), (row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
        if 0 <= a < len(rows) and 0 <= b < len(rows[0]) and rows[a][b] == ".":
            yield a, b


def is_sound(before: Joint, after: Joint) -> bool:
    """Tell whether nobody meets or changes places."""
    if len(set(after)) < len(after):
        return False
    return not any(
        before[i] == after[j] and before[j] == after[i] for i in range(len(after)) for j in range(i)
    )


def least(rows: Sequence[str], starts: Joint, goals: Joint, *, parks: bool) -> int | None:
    """Return the least sum of costs (where robots park) or of loss, or None when there is no solution."""
    nobody = (False,) * len(starts)
    best: dict[tuple[Joint, tuple[bool, ...]], int] = {(starts, nobody): 0}
    heap = [(0, starts, nobody)]
    while heap:
        cost, at, parked = heappop(heap)
        if cost > best[at, parked]:
            continue
        if at == goals:
            return cost
        choices = [
            [cell] if still else list(moves(cell, rows)) for cell, still in zip(at, parked, strict=True)
        ]
        for after in product(*choices):
            if not is_sound(at, after):
                continue
            for following, price in priced(at, after, goals, parked, parks=parks):
                if cost + price < best.get((after, following), 1 << 30):
                    best[after, following] = cost + price
                    heappush(heap, (cost + price, after, following))
    return None


def priced(
    at: Joint, after: Joint, goals: Joint, parked: tuple[bool, ...], *, parks: bool
) -> Iterator[tuple[tuple[bool, ...], int]]:
    """Yield who has parked after a step, in each way that this can be, and what the step costs."""
    if not parks:
        yield parked, sum(not a == b == goal for a, b, goal in zip(at, after, goals, strict=True))
        return
    # Who stays at its goal may have parked before this step, and then has paid nothing for it.
    options = [
        (True,) if still else ((False, True) if a == b == goal else (False,))
        for still, a, b, goal in zip(parked, at, after, goals, strict=True)
    ]
    for following in product(*options):
        yield following, sum(not still for still in following)

"""Maps of cells to plan on: the five of Skadsem (2006), and maps of the character of the Moving AI benchmarks.

The benchmarks' own files are not shipped. Each kind here is made from a seed: random cells, rooms with doors, mazes
with corridors of some width, shelves of a warehouse, and caves such as games have. True is blocked.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Blocked = NDArray[np.bool_]
Cell = tuple[int, int]

ANTI_DIAGONAL, HORIZONTAL = 1, 2


def thesis(side: int, number: int, reading: int = ANTI_DIAGONAL) -> Blocked:
    """Return one of the five maps: empty, a wall, and the wall with an opening right, left, in the middle."""
    blocked = np.zeros((side, side), dtype=bool)
    if number == 1:
        return blocked
    rows = np.arange(side)
    wall = (rows, side - 1 - rows) if reading == ANTI_DIAGONAL else (np.full(side, side // 2), rows)
    blocked[wall] = True
    right, left, middle = (0, -1, side // 2) if reading == ANTI_DIAGONAL else (-1, 0, side // 2)
    opening = {3: right, 4: left, 5: middle}.get(number)
    if opening is not None:
        blocked[wall[0][opening], wall[1][opening]] = False
    return blocked


def scattered(side: int, seed: int, share: float) -> Blocked:
    """Return cells blocked by chance, drawn row by row, so that a large map needs no more memory than its cells."""
    chance = np.random.default_rng(seed)
    blocked = np.empty((side, side), dtype=bool)
    for row in blocked:
        row[:] = chance.random(side) < share
    return blocked


def rooms(side: int, seed: int, room: int = 32) -> Blocked:
    """Return rooms in rows and columns, each wall between two with one door, some doors shut."""
    chance = np.random.default_rng(seed)
    blocked = np.zeros((side, side), dtype=bool)
    blocked[room::room, :] = blocked[:, room::room] = True
    for wall in range(room, side, room):
        for begin in range(0, side, room):
            for is_across in (True, False):
                place = begin + int(chance.integers(1, room - 1))
                if chance.random() < 0.9 and place < side:
                    blocked[(wall, place) if is_across else (place, wall)] = False
    return blocked


def maze(side: int, seed: int, corridor: int = 8) -> Blocked:
    """Return a maze whose corridors are so wide, made by a walk that turns back when it is stuck."""
    chance = np.random.default_rng(seed)
    pitch = corridor + 1
    number = max(1, (side - 1) // pitch)
    blocked = np.ones((side, side), dtype=bool)
    been = np.zeros((number, number), dtype=bool)

    def carve(one: Cell, other: Cell) -> None:
        (r, c), (to_r, to_c) = sorted((one, other))
        blocked[1 + r * pitch : 1 + to_r * pitch + corridor, 1 + c * pitch : 1 + to_c * pitch + corridor] = (
            False
        )

    stack = [(0, 0)]
    been[0, 0] = True
    carve((0, 0), (0, 0))
    while stack:
        r, c = stack[-1]
        near = [
            (a, b)
            for a, b in ((r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c))
            if 0 <= a < number and 0 <= b < number and not been[a, b]
        ]
        if not near:
            stack.pop()
            continue
        following = near[int(chance.integers(len(near)))]
        been[following] = True
        carve((r, c), following)
        stack.append(following)
    return blocked


def warehouse(side: int, seed: int) -> Blocked:
    """Return shelves of 10 by 2 cells with aisles between, some of them taken away."""
    chance = np.random.default_rng(seed)
    blocked = np.zeros((side, side), dtype=bool)
    for row in range(6, side - 8, 4):
        for column in range(6, side - 16, 13):
            blocked[row : row + 2, column : column + 10] = chance.random() < 0.97
    return blocked


def caves(side: int, seed: int) -> Blocked:
    """Return wide halls with ragged walls: chance, smoothed five times by the majority around each cell."""
    coarse = np.random.default_rng(seed).random((side // 4 + 2, side // 4 + 2)) < 0.45
    blocked = np.kron(coarse, np.ones((4, 4), dtype=bool))[:side, :side].astype(bool)
    for _ in range(5):
        wide = np.pad(blocked, 2, constant_values=True).astype(np.int64)
        sums = wide.cumsum(axis=0).cumsum(axis=1)
        sums = np.pad(sums, ((1, 0), (1, 0)))
        around = sums[5:, 5:] - sums[:-5, 5:] - sums[5:, :-5] + sums[:-5, :-5]
        blocked = around > 12
    return blocked


def blocks(side: int, seed: int) -> Blocked:
    """Return squares of 10 by 10 cells, each blocked with a chance of a fifth."""
    coarse = scattered(side // 10 + 1, seed, 0.2)
    return np.kron(coarse, np.ones((10, 10), dtype=bool))[:side, :side].astype(bool)


KINDS: dict[str, Callable[[int, int], Blocked]] = {
    "random-10": lambda side, seed: scattered(side, seed, 0.10),
    "random-20": lambda side, seed: scattered(side, seed, 0.20),
    "random-35": lambda side, seed: scattered(side, seed, 0.35),
    "random-40": lambda side, seed: scattered(side, seed, 0.40),
    "open": lambda side, _seed: np.zeros((side, side), dtype=bool),
    "random-05": lambda side, seed: scattered(side, seed, 0.05),
    "random-30": lambda side, seed: scattered(side, seed, 0.30),
    "blocks": blocks,
    "rooms": rooms,
    "maze-8": maze,
    "maze-1": lambda side, seed: maze(side, seed, 1),
    "warehouse": warehouse,
    "caves": caves,
}


def pairs(blocked: Blocked, number: int, seed: int) -> list[tuple[Cell, Cell]]:
    """Draw pairs of free cells."""
    free = np.argwhere(~blocked)
    chosen = np.random.default_rng(seed).integers(len(free), size=(number, 2))
    return [((int(a[0]), int(a[1])), (int(b[0]), int(b[1]))) for a, b in free[chosen]]


def far_ends(blocked: Blocked, is_joined: Callable[[Cell, Cell], bool]) -> tuple[Cell, Cell]:
    """Return free cells at the first and the last corner, as near to them as a way between lets them be."""
    reach = min(64, *blocked.shape)
    near = sorted(np.argwhere(~blocked[:reach, :reach]).tolist(), key=sum)
    far = sorted((reach - 1 - np.argwhere(~blocked[-reach:, -reach:])).tolist(), key=sum)
    rows, columns = blocked.shape
    for (r, c), (up, left) in zip(near[::5], far[::5], strict=False):
        ends = (r, c), (rows - 1 - up, columns - 1 - left)
        if is_joined(*ends):
            return ends
    raise ValueError("no way leads from corner to corner")

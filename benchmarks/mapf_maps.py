"""Instances for many robots: maps of the character of four of the Moving AI benchmarks.

The benchmarks' own files are not shipped. These have the same sizes and shares of blocked cells. As random-32-32-20:
32 × 32 cells with a fifth of them blocked by chance. As warehouse-10-20-10-2-1: 161 × 63 with a wall around 200 shelves
of 10 × 2, one cell apart (5,699 free cells). As room-64-64-8: 8 × 8 rooms of 7 × 7 cells, where three quarters of the
walls between two have a door of one cell. As maze-32-32-2: corridors two cells wide, one between any two places; those
along the last row and column are cut to one. Starts and goals are drawn from the largest connected part, each cell
once. `examples/grids` has the first two as files:

    python -m benchmarks.mapf_maps examples/grids
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.grid_maps import Blocked, Cell
from kumi.planning.grid import Grid

SEED = 1
SIZES = {"scattered-32": 400, "shelves-161": 1000}
"""How many robots the files have."""


def scattered(seed: int = SEED, side: int = 32, share: float = 0.2) -> Blocked:
    """Return cells blocked by chance, so many of them exactly."""
    order = np.random.default_rng(seed).permutation(side * side)
    return (order < share * side * side).reshape(side, side)


def shelves(_seed: int = SEED) -> Blocked:
    """Return a hall with a wall around it and 10 by 20 shelves of 10 by 2 cells, one cell apart."""
    blocked = np.ones((63, 161), dtype=bool)
    blocked[1:-1, 1:-1] = False
    for row in range(2, 62, 3):
        for column in range(26, 136, 11):
            blocked[row : row + 2, column : column + 10] = True
    return blocked


def rooms(seed: int = SEED, count: int = 8, side: int = 8) -> Blocked:
    """Return a square of rooms with a wall above and left of each, three quarters of the walls with a door."""
    chance = np.random.default_rng(seed)
    blocked = np.zeros((count * side, count * side), dtype=bool)
    blocked[::side] = blocked[:, ::side] = True
    walls = [
        (row, column, is_above) for row in range(count) for column in range(count) for is_above in (0, 1)
    ]
    for i in chance.permutation(len(walls))[: len(walls) * 3 // 4]:
        row, column, is_above = walls[i]
        along = 1 + int(chance.integers(side - 1))
        door = (0, along) if is_above else (along, 0)
        blocked[row * side + door[0], column * side + door[1]] = False
    return blocked


BRANCHING = 0.25
"""How often a maze goes on from any of its places instead of from the last; about a fifth of them are dead ends then."""


def maze(seed: int = SEED, side: int = 32, width: int = 2) -> Blocked:
    """Return a maze that grows from one place: a tree of corridors."""
    chance, pitch = np.random.default_rng(seed), width + 1
    count = -(-(side - 1) // pitch)
    blocked = np.ones((1 + count * pitch, 1 + count * pitch), dtype=bool)

    def clear(one: Cell, other: Cell) -> None:
        (top, bottom), (left, right) = (sorted(ends) for ends in zip(one, other, strict=True))
        rows = slice(1 + top * pitch, 1 + bottom * pitch + width)
        blocked[rows, 1 + left * pitch : 1 + right * pitch + width] = False

    grows = [(int(chance.integers(count)), int(chance.integers(count)))]
    reached = set(grows)
    while grows:
        i = int(chance.integers(len(grows))) if chance.random() < BRANCHING else len(grows) - 1
        row, column = grows[i]
        near = [(row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)]
        fresh = [cell for cell in near if min(cell) >= 0 and max(cell) < count and cell not in reached]
        if not fresh:
            grows.pop(i)
            continue
        drawn = fresh[int(chance.integers(len(fresh)))]
        reached.add(drawn)
        grows.append(drawn)
        clear((row, column), drawn)
    return blocked[:side, :side]


MAPS: dict[str, Callable[[int], Blocked]] = {
    "scattered-32": scattered,
    "shelves-161": shelves,
    "rooms-64": rooms,
    "maze-32": maze,
}


def connected(blocked: Blocked) -> list[Cell]:
    """Return the cells of the largest connected part."""
    left = {(int(row), int(column)) for row, column in np.argwhere(~blocked)}
    best: list[Cell] = []
    while left:
        part = [left.pop()]
        for row, column in part:
            near = {(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)} & left
            part += sorted(near)
            left -= near
        best = max(best, part, key=len)
    return sorted(best)


def robots(blocked: Blocked, number: int, seed: int = SEED) -> tuple[list[Cell], list[Cell]]:
    """Draw starts and goals."""
    cells, chance = connected(blocked), np.random.default_rng(seed)
    starts, goals = ([cells[i] for i in chance.permutation(len(cells))[:number]] for _ in range(2))
    return starts, goals


def write(folder: Path) -> None:
    """Write the instances as files of the Moving AI benchmarks."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, number in SIZES.items():
        blocked = MAPS[name](SEED)
        height, width = blocked.shape
        rows = ["".join("@" if cell else "." for cell in row) for row in blocked]
        head = ["type octile", f"height {height}", f"width {width}", "map"]
        (folder / f"{name}.map").write_text("\n".join([*head, *rows]) + "\n")
        grid, lines = Grid(blocked), ["version 1"]
        for (row, column), (to_row, to_column) in zip(*robots(blocked, number), strict=True):
            path = grid.path((row, column), (to_row, to_column))
            cost = path.cost if path else 0.0
            lines.append(
                f"{int(cost) // 4}\t{name}.map\t{width}\t{height}\t{column}\t{row}\t{to_column}\t{to_row}\t{cost:.8f}"
            )
        (folder / f"{name}.scen").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]))

"""Instances for many robots: maps of the character of random-32-32-20 and warehouse-10-20-10-2-1.

The benchmarks' own files are not shipped. These have the same sizes and shares of blocked cells: 32 × 32 cells with a
fifth of them blocked by chance, and 161 × 63 with a wall around 200 shelves of 10 × 2, one cell apart (5,699 free cells).
Starts and goals are drawn from the largest connected part, each cell once. `examples/grids` has them as files:

    python -m benchmarks.mapf_maps examples/grids
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.grid_maps import Blocked, Cell
from kumi.planning.grid import Grid

SEED = 1
SIZES = {"scattered-32": 400, "shelves-161": 1000}
"""How many robots the files have."""


def scattered(side: int = 32, share: float = 0.2) -> Blocked:
    """Return cells blocked by chance, so many of them exactly."""
    order = np.random.default_rng(SEED).permutation(side * side)
    return (order < share * side * side).reshape(side, side)


def shelves() -> Blocked:
    """Return a hall with a wall around it and 10 by 20 shelves of 10 by 2 cells, one cell apart."""
    blocked = np.ones((63, 161), dtype=bool)
    blocked[1:-1, 1:-1] = False
    for row in range(2, 62, 3):
        for column in range(26, 136, 11):
            blocked[row : row + 2, column : column + 10] = True
    return blocked


MAPS = {"scattered-32": scattered, "shelves-161": shelves}


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
    for name, make in MAPS.items():
        blocked = make()
        height, width = blocked.shape
        rows = ["".join("@" if cell else "." for cell in row) for row in blocked]
        head = ["type octile", f"height {height}", f"width {width}", "map"]
        (folder / f"{name}.map").write_text("\n".join([*head, *rows]) + "\n")
        grid, lines = Grid(blocked), ["version 1"]
        for (row, column), (to_row, to_column) in zip(*robots(blocked, SIZES[name]), strict=True):
            path = grid.path((row, column), (to_row, to_column))
            cost = path.cost if path else 0.0
            lines.append(
                f"{int(cost) // 4}\t{name}.map\t{width}\t{height}\t{column}\t{row}\t{to_column}\t{to_row}\t{cost:.8f}"
            )
        (folder / f"{name}.scen").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]))

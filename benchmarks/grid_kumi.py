"""Grid search by kumi: from the array, with the map kept ready, and with a coarse map first."""

from __future__ import annotations

from resource import RUSAGE_SELF, getrusage

import numpy as np
from numpy.typing import NDArray

from benchmarks.grid_maps import KINDS, Blocked, Cell, far_ends, pairs, thesis
from benchmarks.grid_tasks import SEED, measure_costs, measure_kind, measure_thesis, measure_wide, timed
from benchmarks.process import resident_bytes
from benchmarks.tasks import Sample
from kumi.planning.anyangle import any_angle_path
from kumi.planning.grid import Grid, grid_path

COARSE = 8
"""Cells to a side of a coarse cell."""


def find(blocked: Blocked, start: Cell, goal: Cell, moves: int) -> float | None:
    path = grid_path(blocked, start, goal, moves=moves)
    return None if path is None else path.cost


def find_coarse_first(blocked: Blocked, start: Cell, goal: Cell, moves: int) -> float | None:
    """Search a map in which a cell is free when all cells in it are; the full map where that fails.

    The way through coarse cells is followed on the full map with all other coarse cells blocked. It is not the
    shortest; 'no way' is only ever said by the full map.
    """
    rows, columns = (size // COARSE for size in blocked.shape)
    whole = blocked[: rows * COARSE, : columns * COARSE].reshape(rows, COARSE, columns, COARSE)
    coarse = whole.any(axis=(1, 3))
    ends = [(cell[0] // COARSE, cell[1] // COARSE) for cell in (start, goal)]
    if all(row < rows and column < columns for row, column in ends):
        rough = grid_path(coarse, *ends, moves=4)
        if rough is not None:
            lane = np.ones_like(blocked)
            for row, column in rough.cells.tolist():
                lane[row * COARSE : (row + 1) * COARSE, column * COARSE : (column + 1) * COARSE] = False
            path = grid_path(lane, start, goal, moves=moves)
            if path is not None:
                return path.cost
    return find(blocked, start, goal, moves)


def grid_thesis(side: int, reading: int, number: int) -> Sample:
    return measure_thesis(find, side, reading, number)


def grid_thesis_coarse(side: int, reading: int, number: int) -> Sample:
    return measure_thesis(find_coarse_first, side, reading, number)


def grid_kind(kind: str, side: int, moves: int, queries: int) -> Sample:
    return measure_kind(find, kind, side, moves, queries)


def grid_kind_coarse(kind: str, side: int, moves: int, queries: int) -> Sample:
    return measure_kind(find_coarse_first, kind, side, moves, queries)


def grid_ready(kind: str, side: int, moves: int, queries: int) -> Sample:
    """Measure queries on a map that is kept ready, as `kumi plan --scen` does."""
    grid = Grid(KINDS[kind](side, SEED))

    def ask(_blocked: Blocked, start: Cell, goal: Cell, moves: int) -> float | None:
        path = grid.path(start, goal, moves=moves)
        return None if path is None else path.cost

    blocked = KINDS[kind](side, SEED)
    taken = [timed(ask, blocked, start, goal, moves, 3)[0] for start, goal in pairs(blocked, queries, SEED)]
    return {"figure": float(np.median(taken)), "slowest": max(taken)}


def find_cheapest(costs: NDArray[np.float32], start: Cell, goal: Cell) -> float | None:
    path = grid_path(costs, start, goal, moves=4)
    return None if path is None else path.cost


def grid_costs(kind: str, side: int, queries: int) -> Sample:
    return measure_costs(find_cheapest, kind, side, queries)


def grid_wide(side: int, share: float) -> Sample:
    """Measure the first of all searches, corner to corner, with the most memory that it takes above the array."""
    before = peak_bytes()
    sample = measure_wide(find, side, share)
    array = side * side
    return {**sample, "memory": (peak_bytes() - before - array) / 1e6}


def grid_any_angle(kind: str, side: int) -> Sample:
    """Measure a way at any angle from corner to corner, from the array."""
    blocked = KINDS[kind](side, SEED)
    grid = Grid(blocked)
    start, goal = far_ends(blocked, lambda one, other: grid.path(one, other) is not None)

    def ask(blocked: Blocked, start: Cell, goal: Cell, _moves: int) -> float | None:
        path = any_angle_path(blocked, start, goal)
        return None if path is None else path.cost

    return {"figure": timed(ask, blocked, start, goal, 8, 5)[0]}


def grid_memory(side: int, moves: int) -> Sample:
    """Tell the most memory above the array, in MB, over the five maps in both readings."""
    worst = 0.0
    for reading in (1, 2):
        for number in range(1, 6):
            blocked = thesis(side, number, reading)
            before = max(resident_bytes(), peak_bytes())
            grid_path(blocked, (0, 0), (side - 1, side - 1), moves=moves)
            worst = max(worst, peak_bytes() - before)
    return {"figure": worst / 1e6}


def peak_bytes() -> int:
    """Tell the most memory that this process ever held."""
    return getrusage(RUSAGE_SELF).ru_maxrss * 1024

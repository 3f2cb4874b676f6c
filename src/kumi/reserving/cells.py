"""Which things lie near a rectangle, among many?

Each thing lies in cells that are as large as it is, at most four of them, whatever its size: there is a grid of cells for each
power of two. Who looks goes through the cells of each grid that the rectangle touches, or through all that are in use where
those are fewer. The order of what is found depends on nothing but what was done before.

Every rectangle has its cells, whatever its numbers: cells are no smaller than a thousandth of a millimetre, what lies beyond
2^1000 m counts as lying there, and both keep the order of places, so what touches still shares a cell.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from math import floor, frexp, ldexp
from typing import Generic, TypeVar

from kumi.geometry import Bounds

Thing = TypeVar("Thing", bound=Hashable)
Cell = tuple[int, int]
LEAST = -20
"""The power of two of the smallest cells; all that is smaller lies in cells of this size."""
FARTHEST = ldexp(1.0, 1000)
"""Metres from the origin to the last cells: in the smallest ones, too, they have numbers that are finite."""


class Cells(Generic[Thing]):
    """Things by the upright rectangles around them."""

    def __init__(self) -> None:
        self._grids: dict[int, dict[Cell, dict[Thing, None]]] = {}
        self._places: dict[Thing, tuple[int, list[Cell]]] = {}

    def add(self, thing: Thing, bounds: Bounds) -> None:
        """Put a thing somewhere; it is nowhere yet. What is no rectangle is refused, and nothing has changed."""
        sides = _sides(bounds)
        level = max(LEAST, frexp(max(sides.right - sides.left, sides.top - sides.bottom))[1])
        cells = list(_cells(_numbers(level, sides)))
        grid = self._grids.setdefault(level, {})
        self._places[thing] = level, cells
        for cell in cells:
            grid.setdefault(cell, {})[thing] = None

    def remove(self, thing: Thing) -> None:
        """Take a thing away."""
        level, cells = self._places.pop(thing)
        grid = self._grids[level]
        for cell in cells:
            del grid[cell][thing]
            if not grid[cell]:
                del grid[cell]
        if not grid:
            del self._grids[level]

    def near(self, bounds: Bounds) -> list[Thing]:
        """Return all things whose rectangles touch this one, and some that only come near."""
        found: dict[Thing, None] = {}
        sides = _sides(bounds)
        for level, grid in self._grids.items():
            numbers = left, bottom, right, top = _numbers(level, sides)
            if (right - left + 1) * (top - bottom + 1) > len(grid):
                for things in grid.values():
                    found.update(things)
            else:
                for cell in _cells(numbers):
                    found.update(grid.get(cell, {}))
        return list(found)


def _sides(bounds: Bounds) -> Bounds:
    """Return the part of a rectangle that has cells."""
    if not (bounds.left <= bounds.right and bounds.bottom <= bounds.top):
        raise ValueError(f"a rectangle ends right of where it begins, and above; {bounds} does not")
    return Bounds(*(max(-FARTHEST, min(side, FARTHEST)) for side in bounds))


def _numbers(level: int, sides: Bounds) -> tuple[int, int, int, int]:
    """Return the first column and row of cells of a grid that a rectangle touches, and the last ones."""
    left, bottom, right, top = sides
    return (
        floor(ldexp(left, -level)),
        floor(ldexp(bottom, -level)),
        floor(ldexp(right, -level)),
        floor(ldexp(top, -level)),
    )


def _cells(numbers: tuple[int, int, int, int]) -> Iterator[Cell]:
    """Go through the cells from a first column and row to the last ones."""
    left, bottom, right, top = numbers
    for column in range(left, right + 1):
        for row in range(bottom, top + 1):
            yield column, row

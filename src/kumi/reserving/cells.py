"""Which things lie near a rectangle, among many?

Each thing lies in cells that are as large as it is, at most four of them, whatever its size: there is a grid of cells for each
power of two. Who looks goes through the cells of each grid that the rectangle touches, or through all that are in use where
those are fewer. The order of what is found depends on nothing but what was done before.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from math import floor, frexp, ldexp
from typing import Generic, TypeVar

from kumi.geometry import Bounds

Thing = TypeVar("Thing", bound=Hashable)
Cell = tuple[int, int]


class Cells(Generic[Thing]):
    """Things by the upright rectangles around them."""

    def __init__(self) -> None:
        self._grids: dict[int, dict[Cell, dict[Thing, None]]] = {}
        self._places: dict[Thing, tuple[int, list[Cell]]] = {}

    def add(self, thing: Thing, bounds: Bounds) -> None:
        """Put a thing somewhere; it is nowhere yet."""
        level = frexp(max(bounds.right - bounds.left, bounds.top - bounds.bottom))[1]
        grid = self._grids.setdefault(level, {})
        cells = list(_touched(level, bounds))
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
        for level, grid in self._grids.items():
            if _count(level, bounds) > len(grid):
                for things in grid.values():
                    found.update(things)
            else:
                for cell in _touched(level, bounds):
                    found.update(grid.get(cell, {}))
        return list(found)


def _touched(level: int, bounds: Bounds) -> Iterator[Cell]:
    """Go through the cells of a grid that a rectangle touches."""
    left, bottom, right, top = (floor(ldexp(value, -level)) for value in bounds)
    for column in range(left, right + 1):
        for row in range(bottom, top + 1):
            yield column, row


def _count(level: int, bounds: Bounds) -> int:
    left, bottom, right, top = (floor(ldexp(value, -level)) for value in bounds)
    return (right - left + 1) * (top - bottom + 1)

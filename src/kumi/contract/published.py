"""What may a program publish, for those who look at its run?

Numbers, words and claims under names, and three things that lie on the plane: a map as the robot believes it, a path, and
marked places. They are told, never asked for: nothing in a run depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from kumi.geometry import Point

FREE, TAKEN, UNSEEN = 0, 100, 255
"""What the cells of a map say; between free and taken, how likely a cell is taken, in hundredths."""


@dataclass(frozen=True, slots=True)
class ShownMap:
    """Square cells of `cell` metres, row by row from the lowest, a byte each; `corner` is the lower left one of them all."""

    corner: Point
    cell: float
    rows: int
    columns: int
    cells: bytes = field(repr=False)

    @property
    def seen(self) -> int:
        """How many cells somebody saw."""
        return len(self.cells) - self.cells.count(UNSEEN)

    @property
    def area(self) -> float:
        """The square metres that somebody saw."""
        return self.seen * self.cell * self.cell


@dataclass(frozen=True, slots=True)
class ShownPath:
    """A line from place to place."""

    places: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class ShownMarks:
    """Places that are marked alike."""

    places: tuple[Point, ...]


Value: TypeAlias = bool | float | str
"""What a panel tells of a robot in a word."""

Shown: TypeAlias = Value | ShownMap | ShownPath | ShownMarks | None
"""What stands under a name; None where nothing does any more."""

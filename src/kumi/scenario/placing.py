"""Where are robots born?

Points are drawn at random until one has room: from the border, from obstacles, and from those placed
before. Those placed are kept in cells as large as they are themselves, so that a draw looks at a few
neighbours however many there are. Of several sizes the large ones are placed first, while there is room,
and each size has cells of its own.

A robot counts as the circle around it, so that whatever its shape and heading it overlaps nothing. Chance
fills about half of the plane with equal circles, and no more; who wants them denser lists their points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from kumi.devs.errors import KumiError
from kumi.maths import hypot, log2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kumi.devs import Chance

DRAWS = 10_000
"""How often in a row a point may have no room before the search for one ends."""

CONTACT_MARGIN = 1e-9
"""Share of the size by which those born at random keep apart, so that none begins with a contact."""

LEAST_CELL_POWER, FARTHEST_COORDINATE = -60, 1e200
"""The power of two of the smallest cells, and how far away all are in one: what floats can bear."""

Pair = tuple[float, float]
IsFree = Callable[[Pair, float], bool]
Member = tuple[float, float, float, int]
Cells = dict[tuple[int, int], list[Member]]


class NoRoom(KumiError):
    """Robots do not fit where they are to be born."""


@dataclass(frozen=True)
class Box:
    """A rectangle from (left, bottom) to (right, top)."""

    left: float
    bottom: float
    right: float
    top: float

    def __str__(self) -> str:
        return f"{self.right - self.left:g} m x {self.top - self.bottom:g} m"

    def shrunk(self, by: float) -> Box | None:
        """Return the rectangle without a strip along its edges, or None if nothing is left."""
        inner = Box(self.left + by, self.bottom + by, self.right - by, self.top - by)
        return inner if inner.left <= inner.right and inner.bottom <= inner.top else None

    @property
    def span(self) -> str:
        """From where to where it goes, in words."""
        return f"from ({self.left:g}, {self.bottom:g}) to ({self.right:g}, {self.top:g})"

    def is_apart(self, other: Box) -> bool:
        """Tell whether the other has no inner point in common with this one."""
        is_aside = other.right <= self.left or other.left >= self.right
        return is_aside or other.top <= self.bottom or other.bottom >= self.top

    @property
    def area(self) -> float:
        """The area in square metres."""
        return (self.right - self.left) * (self.top - self.bottom)


class PlacedCircles:
    """Circles in the plane, and the question which of them one more would overlap."""

    def __init__(self) -> None:
        self.count = 0
        self._sizes: dict[int, Cells] = {}

    def add(self, x: float, y: float, reach: float) -> None:
        """Take a circle in, whether it has room or not. The circles are numbered from 0."""
        size = max(math.ceil(log2(reach)), LEAST_CELL_POWER)
        side = math.ldexp(1.0, size + 1)
        cell = _cell(x, side), _cell(y, side)
        self._sizes.setdefault(size, {}).setdefault(cell, []).append((x, y, reach, self.count))
        self.count += 1

    def overlapping(self, x: float, y: float, reach: float) -> Iterator[int]:
        """Yield the number of each circle that this one would overlap."""
        for size, cells in self._sizes.items():
            for other_x, other_y, other_reach, number in _around(cells, math.ldexp(1.0, size), x, y, reach):
                if hypot(x - other_x, y - other_y) < reach + other_reach:
                    yield number

    def has_room(self, x: float, y: float, reach: float) -> bool:
        """Tell whether a circle would overlap none."""
        return next(self.overlapping(x, y, reach), None) is None


def _cell(coordinate: float, side: float) -> int:
    return math.floor(coordinate / side) if abs(coordinate) < FARTHEST_COORDINATE else 0


def _around(cells: Cells, largest: float, x: float, y: float, reach: float) -> Iterator[Member]:
    """Yield the circles, none larger than the largest, in the cells that a circle may concern."""
    side, far = 2.0 * largest, reach + largest
    rows = range(_cell(y - far, side), _cell(y + far, side) + 1)
    columns = range(_cell(x - far, side), _cell(x + far, side) + 1)
    if len(rows) * len(columns) > len(cells):
        yield from chain.from_iterable(cells.values())
        return
    for column in columns:
        for row in rows:
            yield from cells.get((column, row), ())


def draw_points(
    count: int, reach: float, box: Box, *, crowd: PlacedCircles, is_free: IsFree, chance: Chance
) -> list[Pair]:
    """Draw points for circles that lie in the box, overlap none of the crowd, and are free of obstacles.

    Each is added to the crowd. Raises NoRoom with what was reached when no more are found.
    """
    inner, before = box.shrunk(reach), crowd.count
    points: list[Pair] = []
    wide = reach * (1.0 + CONTACT_MARGIN)
    while len(points) < count:
        point = inner and _draw(wide, inner, crowd, is_free, chance)
        if not point:
            raise NoRoom(_too_many(count, reach, box, len(points), before))
        crowd.add(*point, reach)
        points.append(point)
    return points


def _draw(reach: float, box: Box, crowd: PlacedCircles, is_free: IsFree, chance: Chance) -> Pair | None:
    for _ in range(DRAWS):
        point = chance.uniform(box.left, box.right), chance.uniform(box.bottom, box.top)
        if crowd.has_room(*point, reach) and is_free(point, reach):
            return point
    return None


def _too_many(count: int, reach: float, box: Box, placed: int, before: int) -> str:
    share = count * math.pi * reach * reach / box.area
    others = f" beside {before} others" if before else ""
    return (
        f"only {placed} of {count} robots of radius {reach:g} m found room at random in {box}{others}: "
        f"of its {box.area:.9g} m² all {count} would cover {share:.0%}, and chance fills at most half. "
        "Take fewer or smaller robots, a larger world, or list their born points"
    )

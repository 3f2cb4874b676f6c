"""Which floor is a zone, which zones make up a way, and which of many are near a place?

A zone is everything within `radius` of a path: a capsule around each piece of it, a disc where the path is
one point. Zones include their border, since bodies that touch have collided; so two zones overlap when
their paths are no farther apart than the sum of their radii.

The answer is exact for the numbers given. It is first computed in floating point; only when that is too
close to call, in whole numbers: floats are multiples of a power of two, and the square of the distance
between two straight pieces is a ratio of whole numbers.

A way is announced before it is driven, so that the list of bookings can see ahead: it grants a zone only if
all robots can still finish their ways afterwards. A robot that `stays` keeps the end of its way for good;
one that does not will go on or leave, and nobody needs to pass before it comes there.

To find what is near, each thing lies in cells that are as large as it is, at most four of them, whatever its size: there is a grid of cells for each
power of two. A look-up goes through the cells of each grid that the rectangle touches, or through all that are in use where
those are fewer. The order of what is found depends on nothing but what was done before.

Every rectangle has its cells, whatever its numbers: cells are no smaller than a thousandth of a millimetre, what lies beyond
2^1000 m counts as lying there, and both keep the order of places, so what touches still shares a cell.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, frexp, fsum, inf, ldexp, sqrt
from typing import Generic, TypeVar

from kumi.contract.messages import Message
from kumi.geometry import Bounds, Point, PointLike, as_point
from kumi.geometry.points import as_number, as_real, as_several

N = TypeVar("N", float, int)
Corners = tuple[float, float, float, float, float, float, float, float]
"""The ends of two straight pieces: ax, ay, bx, by, and cx, cy, dx, dy."""

ROUNDING_SHARE = 1e-9
"""Floats decide where the squares differ by more than this share of the largest square in sight."""
SMALL, LARGE = 1e-100, 1e100
"""Metres between which the squares, and the products of them, are floats that are neither 0 nor infinite."""


@dataclass(frozen=True, slots=True)
class Zone(Message):
    """All points within `radius` of the path through these points."""

    path: tuple[Point, ...]
    radius: float

    def __post_init__(self) -> None:
        places = as_several(self.path, "the points of a zone's path")
        object.__setattr__(self, "path", tuple(as_point(point, "a point of a path") for point in places))
        if not self.path:
            raise ValueError("the path of a zone has at least one point")
        if as_number(self.radius, "the radius of a zone") < 0.0:
            raise ValueError(f"the radius of a zone is a number of metres from 0 on, not {self.radius!r}")

    @property
    def end(self) -> Zone:
        """The place at the end of the path."""
        return Zone((self.path[-1],), self.radius)

    @property
    def bounds(self) -> Bounds:
        """An upright rectangle around the zone, a little larger than the least one: rounding loses nothing."""
        xs, ys = [point.x for point in self.path], [point.y for point in self.path]
        reach = self.radius + ROUNDING_SHARE * max(self.radius, *map(abs, xs), *map(abs, ys))
        return Bounds(min(xs) - reach, min(ys) - reach, max(xs) + reach, max(ys) + reach)

    def overlaps(self, other: Zone) -> bool:
        """Return whether they share a point."""
        for ours in pieces(self.path):
            for theirs in pieces(other.path):
                if near(ours, theirs, self.radius, other.radius):
                    return True
        return False

    def contains(self, point: PointLike) -> bool:
        """Return whether a point lies in the zone or on its border."""
        return self.overlaps(Zone((as_point(point),), 0.0))

    def gap(self, point: PointLike) -> float:
        """Return the metres from a point to the border of the zone; less than 0 for a point within."""
        x, y = place = as_point(point)
        if len(self.path) == 1:
            return place.distance_to(self.path[0]) - self.radius
        squares = (to_piece(x, y, (*one, *other)) for one, other in pieces(self.path))
        return sqrt(min(squares)) - self.radius

    def covers(self, other: Zone) -> bool:
        """Return whether each piece of the other zone lies in one piece of this one, which is convex."""
        return other.radius <= self.radius and all(
            any(
                all(end in ours or near(ours, (end, end), self.radius, -other.radius) for end in theirs)
                for ours in pieces(self.path)
            )
            for theirs in pieces(other.path)
        )


def pieces(path: tuple[Point, ...]) -> list[tuple[Point, Point]]:
    """Return the straight pieces of a path; a single point is one of length 0."""
    return list(pairwise(path)) or [(path[0], path[0])]


def near(ours: tuple[Point, Point], theirs: tuple[Point, Point], radius: float, other: float) -> bool:
    """Return whether two straight pieces are no farther apart than the sum of two radii."""
    (ax, ay), (bx, by) = ours
    (cx, cy), (dx, dy) = theirs
    reach = radius + other
    size = max(ax, ay, bx, by, cx, cy, dx, dy, reach, -min(ax, ay, bx, by, cx, cy, dx, dy))
    if SMALL < size < LARGE:
        enough, doubt = reach * reach, ROUNDING_SHARE * size * size
        least = inf
        for x, y, piece in (
            (ax, ay, (cx, cy, dx, dy)),
            (bx, by, (cx, cy, dx, dy)),
            (cx, cy, (ax, ay, bx, by)),
            (dx, dy, (ax, ay, bx, by)),
        ):
            far = to_piece(x, y, piece)
            if far < enough - doubt:
                return True
            least = min(least, far)
        if least > enough + doubt and not crosses((ax, ay, bx, by, cx, cy, dx, dy)):
            return False
    return near_exactly((ax, ay, bx, by, cx, cy, dx, dy), radius, other)


def near_exactly(corners: Corners, radius: float, other: float) -> bool:
    """Return the same without rounding: all numbers are whole multiples of one power of two."""
    ratios = [value.as_integer_ratio() for value in (*corners, radius, other)]
    unit = max(below for _, below in ratios)
    ax, ay, bx, by, cx, cy, dx, dy, own, others = (above * (unit // below) for above, below in ratios)
    reach = own + others
    if reach < 0:
        return False
    return (
        crosses((ax, ay, bx, by, cx, cy, dx, dy))
        or is_within(ax, ay, (cx, cy, dx, dy), reach)
        or is_within(bx, by, (cx, cy, dx, dy), reach)
        or is_within(cx, cy, (ax, ay, bx, by), reach)
        or is_within(dx, dy, (ax, ay, bx, by), reach)
    )


def is_within(x: int, y: int, piece: tuple[int, int, int, int], reach: int) -> bool:
    """Return whether a point is no farther than so much from a straight piece, all in whole numbers."""
    ax, ay, bx, by = piece
    along, up, right, above = bx - ax, by - ay, x - ax, y - ay
    length, share = along * along + up * up, right * along + above * up
    if share <= 0:
        return right * right + above * above <= reach * reach
    if share >= length:
        right, above = x - bx, y - by
        return right * right + above * above <= reach * reach
    aside = right * up - above * along
    return aside * aside <= reach * reach * length


def crosses(corners: tuple[N, N, N, N, N, N, N, N]) -> bool:
    """Return whether each piece has its ends on both sides of the other."""
    ax, ay, bx, by, cx, cy, dx, dy = corners
    of_a = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    of_b = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    if (of_a > 0) == (of_b > 0):
        return False
    of_c = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    of_d = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    return (of_c > 0) != (of_d > 0)


def to_piece(x: float, y: float, piece: tuple[float, float, float, float]) -> float:
    """Return the square of the distance of a point from a straight piece."""
    ax, ay, bx, by = piece
    along, up = bx - ax, by - ay
    right, above = x - ax, y - ay
    length = along * along + up * up
    if length > 0.0:
        share = (right * along + above * up) / length
        if share >= 1.0:
            right, above = x - bx, y - by
        elif share > 0.0:
            right, above = right - share * along, above - share * up
    return right * right + above * above


MOST_ZONES = 10_000
"""A way in more pieces is a mistake in a unit, or work for hours."""

GAP = 1e-6
"""Metres between two zones that are none."""


@dataclass(frozen=True, slots=True)
class Way(Message):
    """The zones of a way, in the order of driving, and whether the robot stays at its end."""

    zones: tuple[Zone, ...]
    stays: bool = True

    def __post_init__(self) -> None:
        zones = as_several(self.zones, "the zones of a way")
        object.__setattr__(self, "zones", zones)
        for zone in zones:
            if not isinstance(zone, Zone):
                raise TypeError(f"a way is made of zones, not {zone!r}")
        for one, other in pairwise(zones):
            if one.path[-1].distance_to(other.path[0]) > GAP:
                raise ValueError(
                    f"a way has no gap, but a zone ends at {one.path[-1]} and the next one begins at {other.path[0]}"
                )

    @classmethod
    def along(
        cls, path: Sequence[PointLike], radius: float, chunk: float = inf, *, stays: bool = True
    ) -> Way:
        """Cut the way along a path into zones of so many metres; the last one takes what is left.

        The radius is that of the body with all by which it may err from its path.
        """
        if not as_real(chunk, "a chunk of a way") > 0.0:
            raise ValueError(f"a chunk of a way is a number of metres > 0, not {chunk!r}")
        points = [as_point(point, "a point of a way") for point in as_several(path, "the points of a way")]
        if len(points) < 2:
            raise ValueError(f"a way goes through at least two points, not {len(points)}")
        return cls(tuple(Zone(part, radius) for part in cut(points, chunk)), stays)

    def __len__(self) -> int:
        return len(self.zones)

    @property
    def first(self) -> Zone:
        """The zone to ask for at first."""
        return self.zones[0]

    @property
    def rest(self) -> Way:
        """What comes after the first zone."""
        return Way(self.zones[1:], self.stays)


def cut(points: Sequence[Point], chunk: float) -> list[tuple[Point, ...]]:
    """Cut a path into pieces of a length; the last one is as long as what is left, or shorter."""
    total = fsum(one.distance_to(other) for one, other in pairwise(points))
    if total / chunk > MOST_ZONES:
        raise ValueError(f"a way of {total:g} m in chunks of {chunk:g} m has more than {MOST_ZONES} zones")
    count = max(1, ceil(total / chunk - 1e-9))
    parts: list[tuple[Point, ...]] = []
    part, room = [points[0]], chunk
    for point in points[1:]:
        while len(parts) < count - 1 and (left := part[-1].distance_to(point)) >= room:
            part.append(part[-1] + (point - part[-1]) * (room / left))
            parts.append(tuple(part))
            part, room = [part[-1]], chunk
        room -= part[-1].distance_to(point)
        if point != part[-1]:
            part.append(point)
    return [*parts, tuple(part)] if len(part) > 1 or not parts else parts


Thing = TypeVar("Thing", bound=Hashable)
Cell = tuple[int, int]
LEAST_CELL_POWER = -20
"""The power of two of the smallest cells; all that is smaller lies in cells of this size."""
FARTHEST_CELL = ldexp(1.0, 1000)
"""Metres from the origin to the last cells: in the smallest ones, too, they have numbers that are finite."""


class CellIndex(Generic[Thing]):
    """Things by the upright rectangles around them."""

    def __init__(self) -> None:
        self._grids: dict[int, dict[Cell, dict[Thing, None]]] = {}
        self._places: dict[Thing, tuple[int, list[Cell]]] = {}

    def add(self, thing: Thing, bounds: Bounds) -> None:
        """Put a thing somewhere; it is nowhere yet. What is no rectangle is refused, and nothing has changed."""
        sides = _sides(bounds)
        level = max(LEAST_CELL_POWER, frexp(max(sides.right - sides.left, sides.top - sides.bottom))[1])
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
    return Bounds(*(max(-FARTHEST_CELL, min(side, FARTHEST_CELL)) for side in bounds))


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

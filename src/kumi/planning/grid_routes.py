"""Which route leads through the cells of a configuration space, or along the ridges far from all obstacles?

The window is covered with square cells; a cell is free if a robot at its centre, and on the ways to free
neighbours, keeps the clearance. The grid search finds the cheapest path over these cells, and of its cells
only those stay as sub-goals that are needed to see from each to the next.

The cells decide what is found: a way at least two cells wider than the robot needs. If there is none, cells
of half the size are tried, twice, before it is said that there is no route. The path is optimal on the grid;
the route is shorter than it, but not the shortest.

A chain of many points, such as the cells of a path through a grid, is cut short: from each point to each later
one there may be a straight way, and the cheapest way through a part of the points is found by going through
them once in order. A long chain is cut in windows, which bounds the work.

On the ridges of the distance from obstacles, the Voronoi diagram, a robot is as far from what is on its left
as from what is on its right. Between two neighbouring cells of a grid lies a ridge if their nearest obstacle
points are seen in directions at least 60° apart. A metre off the ridges costs ten times one on them; so the
cheapest path over the cells goes to a ridge, follows ridges, and leaves them for the goal. Sub-goals are left
out only where the straight way stays within two cells of the path.

Ridges between things seen under less than 60°, far from both, are not followed: nothing is narrow there. The
cells decide what is found, as with `grid_routes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kumi.geometry import Point
from kumi.maths import hypot
from kumi.planning.distances import Numbers, Segments
from kumi.planning.field import MOST_CELLS, DistanceField, check_cell, field_of
from kumi.planning.grid import grid_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from kumi.geometry import Bounds
    from kumi.planning.criteria import Criterion
    from kumi.planning.space import Space


HALVINGS = 2


def grid_route(
    space: Space,
    window: Bounds,
    start: Point,
    goal: Point,
    clearance: float,
    criterion: Criterion,
    cell: float,
) -> Numbers | None:
    """Return the centres of the cells of the cheapest path, from the start to the goal, or None."""
    for size in sizes(window, cell):
        field = field_of(space, window, size)
        free = field.free(clearance)
        costs = np.full(free.shape, np.inf)
        costs[free] = criterion.at(field.distance[free])
        found = through_cells(space, field, costs, start, goal, clearance)
        if found is not None:
            return found
    return None


def sizes(window: Bounds, cell: float) -> list[float]:
    """Return the sizes of cells to try one after the other."""
    check_cell(cell)
    area = (window.right - window.left) * (window.top - window.bottom)
    finer = [cell / 2**k for k in range(1, HALVINGS + 1)]
    return [cell, *(size for size in finer if area / (size * size) < MOST_CELLS / 2)]


def through_cells(
    space: Space,
    field: DistanceField,
    costs: NDArray[np.float64],
    start: Point,
    goal: Point,
    clearance: float,
) -> Numbers | None:
    """Return the centres of the cheapest path over cells with costs, with the start and the goal, or None."""
    free = np.isfinite(costs)
    first = field.nearest_free(space, start, clearance, free)
    last = field.nearest_free(space, goal, clearance, free)
    if first is None or last is None:
        return None
    found = grid_path(costs if (costs[free] != 1).any() else ~free, first, last, moves=8)
    if found is None:
        return None
    centres = field.centres(np.asarray(found.cells, dtype=np.int64).reshape(-1, 2))
    return np.vstack([[tuple(start)], centres, [tuple(goal)]])


WINDOW = 96
"""Points looked at together: 4,560 ways."""


def turns(places: Numbers) -> NDArray[np.int64]:
    """Return which points of a chain are not in the middle of a straight part: both ends, and the turns."""
    apart = np.flatnonzero(np.concatenate([[True], (np.diff(places, axis=0) != 0).any(axis=1)]))
    steps = np.diff(places[apart], axis=0)
    cross = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
    dot = (steps[:-1] * steps[1:]).sum(axis=1)
    is_turn = np.abs(cross) > 1e-12 * dot
    kept: NDArray[np.int64] = apart[np.concatenate([[True], is_turn, [True] * (len(apart) > 1)])]
    return kept


def shortened(
    places: Numbers, allowed: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
) -> NDArray[np.int64]:
    """Return the points of the shortest way through a part of a chain.

    `allowed` tells for pairs of points, given by their numbers, whether the straight way between them may be
    taken. Neighbours in the chain are always joined.
    """
    chosen = np.arange(len(places))
    while True:
        parts = [chosen[first : first + WINDOW] for first in range(0, max(len(chosen) - 1, 1), WINDOW - 1)]
        kept = [_shortest(places, part, allowed) for part in parts]
        following = np.concatenate([kept[0], *(part[1:] for part in kept[1:])])
        if len(following) == len(chosen) or len(parts) == 1:
            return following
        chosen = following


def strays(places: Numbers, one: NDArray[np.int64], other: NDArray[np.int64]) -> Numbers:
    """Return for pairs of points of a chain how far those between them lie off the straight way, at most."""
    lines = Segments(places[one], places[other], np.zeros(len(one)), np.full(len(one), -1))
    found = np.zeros(len(one))
    for number in range(int(one.min(initial=0)), int(other.max(initial=0)) + 1):
        between = np.flatnonzero((one < number) & (number < other))
        gaps = lines.only(between).gaps(places[number])
        found[between] = np.maximum(found[between], gaps)
    return found


def _shortest(
    places: Numbers,
    chosen: NDArray[np.int64],
    allowed: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]],
) -> NDArray[np.int64]:
    count = len(chosen)
    one, other = np.triu_indices(count, 1)
    may = np.zeros((count, count), dtype=np.bool_)
    may[one, other] = (other == one + 1) | allowed(chosen[one], chosen[other])
    at = places[chosen]
    costs, before = np.full(count, np.inf), np.zeros(count, dtype=np.int64)
    costs[0] = 0.0
    for here in range(1, count):
        ways = hypot(*(at[:here] - at[here]).T)
        totals = np.where(may[:here, here], costs[:here] + ways, np.inf)
        before[here] = int(totals.argmin())
        costs[here] = totals[before[here]]
    chain = [count - 1]
    while chain[-1] > 0:
        chain.append(int(before[chain[-1]]))
    kept: NDArray[np.int64] = chosen[np.array(chain[::-1])]
    return kept


def as_points(places: Numbers) -> list[Point]:
    """Return places, one row each, as points."""
    return [Point(x, y) for x, y in places.tolist()]


OFF_RIDGE = 10.0
"""What a metre off the ridges costs, on top of the criterion."""

COSINE_60 = 0.5
"""The cosine of 60°."""


def voronoi_route(
    space: Space,
    window: Bounds,
    start: Point,
    goal: Point,
    clearance: float,
    criterion: Criterion,
    cell: float,
) -> tuple[Numbers, float] | None:
    """Return the centres of a path along ridges with the size of the cells, or None."""
    for size in sizes(window, cell):
        field = field_of(space, window, size)
        free = field.free(clearance)
        costs = np.full(free.shape, np.inf)
        costs[free] = criterion.at(field.distance[free])
        costs[free & ~ridges(field)] *= OFF_RIDGE
        found = through_cells(space, field, costs, start, goal, clearance)
        if found is not None:
            return found, size
    return None


def ridges(field: DistanceField) -> NDArray[np.bool_]:
    """Tell which cells lie on a ridge: their nearest obstacle is elsewhere than that of a neighbour."""
    rows, columns = field.distance.shape
    cells = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), axis=-1).reshape(-1, 2)
    way = field.nearest - field.centres(cells).reshape(rows, columns, 2)
    with np.errstate(invalid="ignore"):
        way = way / hypot(way[..., 0], way[..., 1])[..., None]
        beside = (way[:, 1:] * way[:, :-1]).sum(axis=-1) <= COSINE_60
        above = (way[1:] * way[:-1]).sum(axis=-1) <= COSINE_60
    found = np.zeros((rows, columns), dtype=np.bool_)
    found[:, 1:] |= beside
    found[:, :-1] |= beside
    found[1:] |= above
    found[:-1] |= above
    return found

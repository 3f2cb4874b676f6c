"""Which route keeps far from all obstacles?

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

from kumi.maths import hypot
from kumi.planning.distances import Numbers
from kumi.planning.field import Field, field_of
from kumi.planning.grid_routes import sizes, through_cells

if TYPE_CHECKING:
    from kumi.geometry import Bounds, Point
    from kumi.planning.criteria import Criterion
    from kumi.planning.space import Space

OFF_RIDGE = 10.0
"""What a metre off the ridges costs, on top of the criterion."""

APART = 0.5
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


def ridges(field: Field) -> NDArray[np.bool_]:
    """Tell which cells lie on a ridge: their nearest obstacle is elsewhere than that of a neighbour."""
    rows, columns = field.distance.shape
    cells = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), axis=-1).reshape(-1, 2)
    way = field.nearest - field.centres(cells).reshape(rows, columns, 2)
    with np.errstate(invalid="ignore"):
        way = way / hypot(way[..., 0], way[..., 1])[..., None]
        beside = (way[:, 1:] * way[:, :-1]).sum(axis=-1) <= APART
        above = (way[1:] * way[:-1]).sum(axis=-1) <= APART
    found = np.zeros((rows, columns), dtype=np.bool_)
    found[:, 1:] |= beside
    found[:, :-1] |= beside
    found[1:] |= above
    found[:-1] |= above
    return found

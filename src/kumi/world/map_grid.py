"""How does a grid of cells become a map?

What is blocked becomes blocks, as few as the outlines need, and what is slow becomes slow ground. The plane
is the grid. A grid may lie turned on the plane; the plane is then the rectangle around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kumi.geometry import Outline, Point, PointLike, as_point
from kumi.world.map import Map
from kumi.world.obstacles import Block, Slow, simple_outline
from kumi.world.outlines import outlines
from kumi.world.raster import check_resolution

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kumi.world.outlines import Cells


@dataclass(frozen=True)
class Grid:
    """Where the cells of a grid lie: their size, the lower left corner, and by how much all are turned."""

    resolution: float
    origin: Point
    yaw: float = 0.0

    def corner(self, x: float, y: float) -> Point:
        """Return the place of a corner of cells, counted in cells from the lower left one."""
        place = Point(x * self.resolution, y * self.resolution)
        return self.origin + (place.turned(self.yaw) if self.yaw else place)

    def outlines(self, cells: Cells) -> list[Outline]:
        """Return polygons that cover some cells and nothing else."""
        return [self._outline(corners) for corners in outlines(cells)]

    def _outline(self, corners: NDArray[np.int64]) -> Outline:
        return simple_outline(tuple(self.corner(x, y) for x, y in corners.tolist()))


def grid_at(resolution: float, origin: PointLike, where: str, yaw: float = 0.0) -> Grid:
    """Return where a grid lies, or say what is wrong with that."""
    check_resolution(resolution, where)
    return Grid(float(resolution), as_point(origin, f"the origin of {where}"), yaw)


def map_of_cells(
    grid: Grid, blocked: Cells, name: str, slow: Cells | None = None, factor: float = 0.5
) -> Map:
    """Return the map of a grid that is not turned."""
    rows, columns = blocked.shape
    return Map(
        columns * grid.resolution,
        rows * grid.resolution,
        grid.origin,
        [Block(outline) for outline in grid.outlines(blocked)],
        [] if slow is None else [Slow(outline, factor) for outline in grid.outlines(slow)],
        name,
    )

"""How is a map of the Moving AI benchmarks read and written?

What the cells of such a file are, `kumi.geometry.movingai` knows; here they become obstacles and slow ground.
Cell (x, y) of a `.scen` file lies at x + 0.5 from the left and y + 0.5 from the top. The file says neither how
large a cell is nor how slow a swamp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kumi.geometry.movingai import BLOCKED, SWAMP, CellsError, cells_of
from kumi.world.map_error import MapError, contents
from kumi.world.map_grid import grid_at, map_of_cells
from kumi.world.obstacles import Slow
from kumi.world.raster import LARGEST, raster_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from kumi.geometry import PointLike
    from kumi.world.map import Map

CELL = 1.0
SLOWNESS = 0.5


def read_movingai(
    path: Path, *, resolution: float = CELL, origin: PointLike = (0.0, 0.0), swamp: float = SLOWNESS
) -> Map:
    """Return the map in a `.map` file, with cells of `resolution` metres."""
    grid = grid_at(resolution, origin, path.name)
    kinds = _cells(path)
    return map_of_cells(grid, kinds == BLOCKED, path.stem, kinds == SWAMP, swamp)


def write_movingai(saved: Map, path: Path, *, resolution: float = CELL, swamp: float = SLOWNESS) -> None:
    """Write a map as cells of `resolution` metres: blocked where an obstacle reaches into the cell."""
    for ground in saved.terrain:
        if not isinstance(ground, Slow) or ground.factor != swamp:
            raise MapError(
                f"{ground.name} cannot be written: a .map file has only slow ground of one factor, here {swamp}; "
                "leave it out, say what swamp is, or write a .toml file",
                path.name,
            )
    raster = raster_of(saved, resolution, path.name)
    signs = np.full((raster.rows, raster.columns), ord("."), dtype=np.uint8)
    signs[raster.reached(saved.terrain)] = ord("S")
    signs[raster.reached(saved.obstacles) | raster.outside] = ord("@")
    rows = [row.tobytes().decode() for row in signs[::-1]]
    header = ["type octile", f"height {raster.rows}", f"width {raster.columns}", "map"]
    path.write_text("\n".join([*header, *rows, ""]), encoding="ascii")


def _cells(path: Path) -> NDArray[np.uint8]:
    """Return what each cell is, the lowest row first."""
    try:
        return cells_of(contents(path), LARGEST)[::-1]
    except CellsError as error:
        where = f"{path.name}, line {error.line}" if error.line else path.name
        raise MapError(error.reason, where) from None

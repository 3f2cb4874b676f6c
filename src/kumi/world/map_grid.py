"""What does a grid of cells say of a plane, and how is it read from a picture?

What is blocked becomes blocks, as few as the outlines need, and what is slow becomes slow ground. The plane
is the grid. A grid may lie turned on the plane; the plane is then the rectangle around it.

Dark pixels are obstacles, all others are floor; the uppermost row of pixels is the upper border of the
plane. A picture does not say how large it is: that is given. What is transparent is floor.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PIL import Image, UnidentifiedImageError

from kumi.geometry import Outline, Point, PointLike, as_point
from kumi.geometry.points import as_number
from kumi.world.map import Map
from kumi.world.map_error import MapError, contents
from kumi.world.obstacles import Block, Slow, simple_outline
from kumi.world.outlines import outlines
from kumi.world.raster import MOST_CELLS, check_resolution, check_size, raster_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from kumi.world.outlines import Cells


@dataclass(frozen=True)
class GridFrame:
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


def grid_at(resolution: float, origin: PointLike, where: str, yaw: float = 0.0) -> GridFrame:
    """Return where a grid lies, or say what is wrong with that."""
    check_resolution(resolution, where)
    return GridFrame(float(resolution), as_point(origin, f"the origin of {where}"), yaw)


def map_of_cells(
    grid: GridFrame, blocked: Cells, name: str, slow: Cells | None = None, factor: float = 0.5
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


DARK = 0.5
WHITE = 255
FORMATS = ["PNG", "PPM", "BMP", "GIF", "JPEG", "TIFF"]


class Pixels(NamedTuple):
    """A picture: how light each pixel is, from 0 to 255, and whether it hides what is behind it."""

    light: NDArray[np.float32]
    is_opaque: Cells


def read_image(path: Path, *, resolution: float, origin: PointLike = (0.0, 0.0), dark: float = DARK) -> Map:
    """Return the map in a picture, with pixels of `resolution` metres.

    A pixel is dark when it is less light than `dark`, where 0 is black and 1 is white.
    """
    if not 0 < as_number(dark, "dark") <= 1:
        raise MapError(f"dark is {dark}; it takes a number greater than 0 and at most 1", path.name)
    grid = grid_at(resolution, origin, path.name)
    light, is_opaque = read_pixels(path)
    return map_of_cells(grid, (is_opaque & (light < dark * WHITE))[::-1], path.stem)


def write_image(saved: Map, path: Path, *, resolution: float) -> None:
    """Draw a map with pixels of `resolution` metres: black where an obstacle reaches into the pixel."""
    check_drawable(saved, path)
    raster = raster_of(saved, resolution, path.name)
    blocked = raster.reached(saved.obstacles) | raster.outside
    write_pixels(path, np.where(blocked, 0, WHITE).astype(np.uint8)[::-1])


def check_drawable(saved: Map, path: Path) -> None:
    """Raise if a map has terrain, which black and white cannot tell from obstacles."""
    if saved.terrain:
        name = saved.terrain[0].name
        rule = "a picture shows obstacles only; leave terrain out, or write a .toml file"
        raise MapError(f"{name} cannot be written: {rule}", path.name)


def read_pixels(path: Path) -> Pixels:
    """Return the pixels of a picture, the uppermost row first; colours count by their mean."""
    data = contents(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(BytesIO(data), formats=FORMATS) as image:
                check_size(*image.size, path.name)
                return _pixels(image)
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise MapError(
            f"it has more than {MOST_CELLS:,} pixels, the most that a map may have", path.name
        ) from error
    except MapError:
        raise
    except UnidentifiedImageError as error:
        raise MapError(f"it is no picture of a known kind: {', '.join(FORMATS)}", path.name) from error
    except (OSError, ValueError, SyntaxError, EOFError) as error:
        raise MapError(f"the picture is damaged: {error}", path.name) from error


def write_pixels(path: Path, light: NDArray[np.uint8]) -> None:
    """Write a grey picture, the uppermost row first."""
    Image.fromarray(light).save(path)


def _pixels(image: Image.Image) -> Pixels:
    if image.has_transparency_data:
        colours = np.asarray(image.convert("RGBA"))
        return Pixels(colours[:, :, :3].sum(axis=2, dtype=np.float32) / 3, colours[:, :, 3] == WHITE)
    if image.mode.startswith("I"):
        light = np.asarray(image).astype(np.float32) / np.float32(257)
    elif image.mode in {"1", "L"}:
        light = np.asarray(image.convert("L")).astype(np.float32)
    else:
        light = np.asarray(image.convert("RGB")).sum(axis=2, dtype=np.float32) / 3
    return Pixels(light, np.ones(light.shape, dtype=np.bool_))

"""How does a picture become a map, and a map a picture?

Dark pixels are obstacles, all others are floor; the uppermost row of pixels is the upper border of the
plane. A picture does not say how large it is: that is given. What is transparent is floor.
"""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PIL import Image, UnidentifiedImageError

from kumi.geometry.points import as_number
from kumi.world.map_error import MapError, contents
from kumi.world.map_grid import grid_at, map_of_cells
from kumi.world.raster import LARGEST, check_size, raster_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from kumi.geometry import PointLike
    from kumi.world.map import Map
    from kumi.world.outlines import Cells

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
            f"it has more than {LARGEST:,} pixels, the most that a map may have", path.name
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

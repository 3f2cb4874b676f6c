"""How is a map of ROS's map_server read and written?

It is a YAML file that names a picture, and says how large a pixel is, where the lower left corner of the
picture lies and how it is turned, and from which grey on a pixel is occupied or free. The rules are those of
nav2_map_server: black is occupied, or with `negate` white; then a pixel counts by how sure its occupation is.

| mode | occupied | free | unknown |
|---|---|---|---|
| trinary | from `occupied_thresh` on | up to `free_thresh` | between them |
| scale | from `occupied_thresh` on | all other | – |
| raw | its value, read as per cent, from `occupied_thresh` on | the rest up to 100 | above 100 |

Pixels that are not opaque are unknown in every mode. What is unknown counts as free unless the caller
decides otherwise: an obstacle that nobody saw should not stop a robot, nor be seen by it; move_base and nav2
plan through the unknown, too, unless told not to.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kumi.devs.extras import needing
from kumi.geometry import Bounds, Point
from kumi.world.map import Map
from kumi.world.map_error import MapError, contents, listed
from kumi.world.map_grid import (
    WHITE,
    GridFrame,
    Pixels,
    check_drawable,
    map_of_cells,
    read_pixels,
    write_pixels,
)
from kumi.world.obstacles import Block, simple_outline
from kumi.world.raster import raster_of

if TYPE_CHECKING:
    from kumi.geometry import Outline
    from kumi.world.outlines import Cells

MODES = ["trinary", "scale", "raw"]
UNKNOWN = ["free", "blocked"]
FREE_GREY = 254
NEGLIGIBLE = 1e-9
OCCUPIED_THRESHOLD, FREE_THRESHOLD = 0.65, 0.196


@dataclass(frozen=True)
class RosMapSettings:
    """What the YAML file says."""

    image: Path
    grid: GridFrame
    is_negated: bool
    occupied: float
    free: float
    mode: str


def read_ros(path: Path, *, unknown: Literal["free", "blocked"] = "free") -> Map:
    """Return the map of a YAML file and the picture it names; unknown cells are free or blocked."""
    if unknown not in UNKNOWN:
        raise MapError(f"unknown is {unknown!r}; it takes {listed(UNKNOWN, 'or')}", path.name)
    settings = _Sheet(path).settings()
    blocked, is_unknown = _occupied(read_pixels(settings.image), settings)
    if unknown == "blocked":
        blocked |= is_unknown
    if settings.grid.yaw == 0:
        return map_of_cells(settings.grid, blocked, path.stem)
    return _turned_map(settings.grid, blocked, path.stem, fill_corners=unknown == "blocked")


def write_ros(saved: Map, path: Path, *, resolution: float) -> None:
    """Write a map as a YAML file, and beside it the picture with the same name and the ending .pgm."""
    check_drawable(saved, path)
    raster = raster_of(saved, resolution, path.name)
    blocked = raster.reached(saved.obstacles) | raster.outside
    picture = path.with_suffix(".pgm")
    write_pixels(picture, np.where(blocked, 0, FREE_GREY).astype(np.uint8)[::-1])
    left, bottom, cell = map(plain, (raster.bounds.left, raster.bounds.bottom, resolution))
    path.write_text(
        f"image: {json.dumps(picture.name)}\nmode: trinary\nresolution: {cell}\norigin: [{left}, {bottom}, 0.0]\n"
        f"negate: 0\noccupied_thresh: {OCCUPIED_THRESHOLD}\nfree_thresh: {FREE_THRESHOLD}\n",
        encoding="utf-8",
    )


def plain(number: float) -> str:
    """Write a number without an exponent, which some readers of YAML take for text."""
    return np.format_float_positional(number, trim="0")


class _Sheet:
    """A YAML file: its values, each with the line on which it stands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        data = contents(path)
        with needing("ros"):
            import yaml  # Late: it is an optional part.
        try:
            self.values = yaml.safe_load(data)
            root = yaml.compose(data, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
            raise MapError(f"it is no YAML: {error.problem}", f"{path.name}{line}") from error
        except (yaml.YAMLError, ValueError) as error:
            raise MapError("it is no YAML, which is text in UTF-8", path.name) from error
        if not isinstance(root, yaml.MappingNode) or not isinstance(self.values, dict):
            raise MapError(
                "it is no map of ROS, which begins with lines such as 'image: floor.pgm'", path.name
            )
        self.lines = {key.value: key.start_mark.line + 1 for key, _ in root.value}

    def settings(self) -> RosMapSettings:
        """Return what the file says, checked."""
        resolution = self._number("resolution", "a number of metres greater than 0", low=0.0)
        if resolution == 0:
            raise self._wrong("resolution", "a number of metres greater than 0")
        origin = self._origin()
        occupied = self._number("occupied_thresh", "a number from 0 to 1", low=0.0, high=1.0)
        free = self._number("free_thresh", "a number from 0 to 1", low=0.0, high=1.0)
        if free > occupied:
            raise self._wrong("free_thresh", f"a number up to occupied_thresh, which is {occupied:g}")
        return RosMapSettings(
            self._image(),
            GridFrame(resolution, Point(*origin[:2]), origin[2]),
            bool(self._one_of("negate", [0, 1])),
            occupied,
            free,
            self._one_of("mode", MODES) if "mode" in self.values else "trinary",
        )

    def _get(self, key: str) -> Any:
        if key not in self.values:
            raise MapError(f"{key} is missing", self.path.name)
        return self.values[key]

    def _wrong(self, key: str, rule: str) -> MapError:
        where = f"{self.path.name}, line {self.lines[key]}"
        return MapError(f"{key} is {self.values[key]!r}; it takes {rule}", where)

    def _number(self, key: str, rule: str, *, low: float, high: float = math.inf) -> float:
        number = _number(self._get(key))
        if number is None or not low <= number <= high:
            raise self._wrong(key, rule)
        return number

    def _one_of(self, key: str, choices: list[Any]) -> Any:
        if self._get(key) not in choices:
            raise self._wrong(key, listed([str(choice) for choice in choices], "or"))
        return self.values[key]

    def _origin(self) -> tuple[float, float, float]:
        origin = self._get("origin")
        numbers = [_number(value) for value in origin] if isinstance(origin, list) else []
        match numbers:
            case [float(x), float(y), float(yaw)]:
                return x, y, yaw
        raise self._wrong("origin", "three numbers, [x, y, yaw]")

    def _image(self) -> Path:
        name = self._get("image")
        if not isinstance(name, str) or not name:
            raise self._wrong("image", "the path of a picture")
        picture = self.path.parent / name
        if not picture.is_file():
            where = f"{self.path.name}, line {self.lines['image']}"
            raise MapError(f"image is {name!r}, but there is no file {picture}", where)
        return picture


def _number(value: Any) -> float | None:
    """Return a finite number, also where YAML took it for text, such as 5e-2."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _occupied(pixels: Pixels, settings: RosMapSettings) -> tuple[Cells, Cells]:
    """Return which cells are occupied and which are unknown, the lowest row first."""
    light, is_opaque = pixels.light[::-1], pixels.is_opaque[::-1]
    if settings.mode == "raw":
        share = np.round(light) / 100
        is_unknown = ~is_opaque | (share > 1)
    else:
        share = (light if settings.is_negated else WHITE - light) / WHITE
        is_unknown = ~is_opaque
    is_occupied = (share >= settings.occupied) & ~is_unknown
    if settings.mode == "trinary":
        is_unknown |= (share > settings.free) & ~is_occupied
    return is_occupied, is_unknown


def _turned_map(grid: GridFrame, blocked: Cells, name: str, *, fill_corners: bool) -> Map:
    """Return a map whose plane is the rectangle around the turned grid; its corners are unknown, too."""
    rows, columns = blocked.shape
    corners = [grid.corner(x, y) for x, y in ((0, 0), (columns, 0), (columns, rows), (0, rows))]
    xs, ys = [corner.x for corner in corners], [corner.y for corner in corners]
    plane = Bounds(min(xs), min(ys), max(xs), max(ys))
    outlines = grid.outlines(blocked)
    if fill_corners:
        outlines += _corners_left(corners)
    return Map(
        plane.right - plane.left,
        plane.top - plane.bottom,
        (plane.left, plane.bottom),
        [Block(outline) for outline in outlines],
        name=name,
    )


def _corners_left(corners: list[Point]) -> list[Outline]:
    """Return the triangles between a turned rectangle and the upright one around it."""
    return [
        simple_outline((start, outer, end))
        for start, end in zip(corners, [*corners[1:], corners[0]], strict=True)
        for outer in (Point(start.x, end.y), Point(end.x, start.y))
        if (outer - start).cross(end - start) > NEGLIGIBLE * (end - start).dot(end - start)
    ]

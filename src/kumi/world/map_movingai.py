"""How is a map of the Moving AI benchmarks read and written?

Such a file has four lines of header and then one character for each cell. The first row is the uppermost,
as one reads it: cell (x, y) of a `.scen` file lies at x + 0.5 from the left and y + 0.5 from the top.

`.` and `G` are ground, `S` is swamp, `@`, `O`, `T` and `W` are blocked. The file says neither how large a
cell is nor how slow a swamp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kumi.world.map_error import MapError, contents
from kumi.world.map_grid import grid_at, map_of_cells
from kumi.world.obstacles import Slow
from kumi.world.raster import check_size, raster_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from kumi.geometry import PointLike
    from kumi.world.map import Map

CELL = 1.0
SWAMP = 0.5
GROUND, BLOCKED, SLOW, UNKNOWN = range(4)
SIGNS = {GROUND: b".G", BLOCKED: b"@OTW", SLOW: b"S"}
HEADER = 4


def read_movingai(
    path: Path, *, resolution: float = CELL, origin: PointLike = (0.0, 0.0), swamp: float = SWAMP
) -> Map:
    """Return the map in a `.map` file, with cells of `resolution` metres."""
    grid = grid_at(resolution, origin, path.name)
    kinds = _cells(path)
    return map_of_cells(grid, kinds == BLOCKED, path.stem, kinds == SLOW, swamp)


def write_movingai(saved: Map, path: Path, *, resolution: float = CELL, swamp: float = SWAMP) -> None:
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
    lines = [line.rstrip(b"\r") for line in contents(path).split(b"\n")]
    height, width = _header(lines, path.name)
    rows = lines[HEADER:]
    while rows and not rows[-1].strip():
        rows.pop()
    if len(rows) != height:
        raise MapError(f"{len(rows)} rows follow the header, which says height {height}", path.name)
    for line, row in enumerate(rows, HEADER + 1):
        if len(row) != width:
            where = f"{path.name}, line {line}"
            raise MapError(f"the row has {len(row)} cells, but the header says width {width}", where)
    kinds = _kind_of_sign()[np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(height, width)]
    if (kinds == UNKNOWN).any():
        row, column = np.argwhere(kinds == UNKNOWN)[0]
        where = f"{path.name}, line {HEADER + 1 + row}"
        sign = chr(rows[row][column])
        raise MapError(f"column {column + 1} is {sign!r}; a cell is one of {_known_signs()}", where)
    return kinds[::-1]


def _header(lines: list[bytes], name: str) -> tuple[int, int]:
    """Return height and width."""
    words = [line.decode("latin-1").split() for line in [*lines[:HEADER], *[b""] * HEADER]]
    if words[0] != ["type", "octile"]:
        raise MapError(f"it is {_quoted(words[0])}, but a map begins with 'type octile'", f"{name}, line 1")
    sizes = {}
    for line in (2, 3):
        key, value = [*words[line - 1], "", ""][:2]
        if (
            key not in {"height", "width"}
            or key in sizes
            or not value.isdecimal()
            or len(words[line - 1]) != 2
        ):
            rule = "here stand height and width, each with a whole number greater than 0"
            raise MapError(f"it is {_quoted(words[line - 1])}, but {rule}", f"{name}, line {line}")
        sizes[key] = int(value)
    if words[3] != ["map"]:
        raise MapError(f"it is {_quoted(words[3])}, but the header ends with 'map'", f"{name}, line 4")
    check_size(sizes["width"], sizes["height"], name)
    return sizes["height"], sizes["width"]


def _quoted(words: list[str]) -> str:
    text = " ".join(words)
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def _kind_of_sign() -> NDArray[np.uint8]:
    kinds = np.full(256, UNKNOWN, dtype=np.uint8)
    for kind, signs in SIGNS.items():
        kinds[list(signs)] = kind
    return kinds


def _known_signs() -> str:
    return " ".join(chr(sign) for signs in SIGNS.values() for sign in signs)

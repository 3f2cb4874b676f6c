"""What do world files of all kinds hold?

The ending of a file says how it is read and written:

| ending | what | holds |
|---|---|---|
| `.toml` | kumi's own table `[map]` | everything, exactly |
| `.yaml`, `.yml` | ROS map_server, with a picture beside it | obstacles, as cells |
| `.map` | Moving AI | obstacles and slow ground, as cells |
| `.png`, `.pgm`, `.bmp` and other pictures | dark is an obstacle | obstacles, as cells |

What a file cannot hold is not dropped: writing it raises an error.

Readers of pictures are imported when they are needed: most worlds have no picture, and numpy takes time.

What the cells of such a file are, `kumi.geometry.movingai` knows; here they become obstacles and slow ground.
Cell (x, y) of a `.scen` file lies at x + 0.5 from the left and y + 0.5 from the top. The file says neither how
large a cell is nor how slow a swamp.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kumi.geometry.movingai import BLOCKED, SWAMP, CellsError, cells_of
from kumi.world.map import Map
from kumi.world.map_error import MapError, contents, listed
from kumi.world.map_grid import grid_at, map_of_cells
from kumi.world.map_toml import THINGS, MapTable, map_of_table, read_toml, things_of_table, write_toml
from kumi.world.materials import SOLID, Material, as_material, material_of_value
from kumi.world.obstacles import Slow
from kumi.world.raster import MOST_CELLS, raster_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from kumi.geometry import PointLike


PICTURES = [".png", ".pgm", ".bmp"]
OTHER_PICTURES = [".gif", ".jpg", ".jpeg", ".tif", ".tiff"]
ROS = [".yaml", ".yml"]
READ_OPTIONS: dict[str, tuple[str, ...]] = {
    ".toml": (),
    ".map": ("resolution", "origin", "swamp", "material"),
    **dict.fromkeys(ROS, ("unknown", "material")),
    **dict.fromkeys([*PICTURES, *OTHER_PICTURES], ("resolution", "origin", "dark", "material")),
}
WRITE_OPTIONS: dict[str, tuple[str, ...]] = {
    ".toml": (),
    ".map": ("resolution", "swamp"),
    **dict.fromkeys([*ROS, *PICTURES], ("resolution",)),
}
OPTIONS = ["resolution", "origin", "unknown", "swamp", "dark", "material"]


def load_map(
    path: str | Path,
    *,
    resolution: float | None = None,
    origin: PointLike | None = None,
    unknown: Literal["free", "blocked"] | None = None,
    swamp: float | None = None,
    dark: float | None = None,
    material: Material | str | None = None,
) -> Map:
    """Return the map in a file.

    Args:
        path: the file; its ending says what it is.
        resolution: the metres a cell of a `.map` file has, 1 if not given, or a pixel of a picture.
        origin: where the lower left corner of a `.map` file or a picture lies; (0, 0) if not given.
        unknown: whether cells of a ROS map that nobody has seen are "free", as if not given, or "blocked".
        swamp: the factor by which the swamp of a `.map` file slows; 0.5 if not given.
        dark: how light a pixel of a picture may not be to count as an obstacle, from 0 for black to 1 for
            white; 0.5 if not given.
        material: what all obstacles of a file of cells are made of; solid if not given.
    """
    given = {
        "resolution": resolution,
        "origin": origin,
        "unknown": unknown,
        "swamp": swamp,
        "dark": dark,
        "material": None if material is None else as_material(material),
    }
    if not isinstance(path, str | Path):
        raise TypeError(f"a map is loaded from the path of a file, not from {path!r}")
    return _load(Path(path), given, ())


def save_map(
    saved: Map, path: str | Path, *, resolution: float | None = None, swamp: float | None = None
) -> None:
    """Write a map into a file; its ending says as what.

    A `.toml` file holds it exactly, and keeps what else it held. The others hold square cells of `resolution`
    metres: a cell is blocked if an obstacle reaches into it. For a `.map` file 1 metre is taken if none is
    given, and `swamp` is the factor of the slow ground that it may hold. Only solid obstacles can be cells.
    """
    path = Path(path)
    ending = _ending(path, WRITE_OPTIONS, "written")
    if ending != ".toml":
        _check_solid(saved, path.name)
    options = _options({"resolution": resolution, "swamp": swamp}, WRITE_OPTIONS[ending], path.name)
    if ending == ".toml":
        write_toml(saved, path)
    elif ending == ".map":
        from kumi.world.map_files import write_movingai

        write_movingai(saved, path, **options)
    else:
        _check_resolution(options, path.name)
        from kumi.world.map_grid import write_image
        from kumi.world.map_ros import write_ros

        write: Callable[..., None] = write_ros if ending in ROS else write_image
        write(saved, path, **options)


def map_from_table(table: Mapping[str, Any], where: str, folder: Path = Path()) -> Map:
    """Return the map that a table of a TOML file describes.

    With the key `file` it names another file, as seen from `folder`, with the options of `load_map` beside
    it; obstacles and terrain then come on top of those in the file. `where` begins every complaint.
    """
    return _map_from_table(table, where, folder, ())


def _map_from_table(table: Mapping[str, Any], where: str, folder: Path, above: tuple[Path, ...]) -> Map:
    if "file" not in table:
        return map_of_table(table, where)
    entry = MapTable(table, where)
    entry.check_keys(["file", "name", *OPTIONS, *THINGS], "a map from a file")
    if not isinstance(table["file"], str):
        raise entry.error(f"file is {table['file']!r}; it takes the path of a map", "file")
    given = {key: table.get(key) for key in OPTIONS}
    with entry.placing("material"):
        given["material"] = material_of_value(table["material"]) if "material" in table else None
    with entry.placing("file"):
        base = _load(folder / table["file"], given, above)
    obstacles, terrain = things_of_table(table, where)
    with entry.placing():
        return base.with_(
            obstacles=[*base.obstacles, *obstacles],
            terrain=[*base.terrain, *terrain],
            name=table.get("name", base.name),
        )


def _load(path: Path, given: Mapping[str, Any], above: tuple[Path, ...]) -> Map:
    """Load a file that is named in the files above it."""
    ending = _ending(path, READ_OPTIONS, "read")
    options = _options(given, READ_OPTIONS[ending], path.name)
    if ending == ".toml":
        if path.resolve() in above:
            raise MapError("it names itself as its file, directly or through others", path.name)
        return _map_from_table(read_toml(path), path.name, path.parent, (*above, path.resolve()))
    material = options.pop("material", None)
    cells = _load_cells(path, ending, options)
    if material is None:
        return cells
    return cells.with_(obstacles=[replace(thing, material=material) for thing in cells.obstacles])


def _load_cells(path: Path, ending: str, options: dict[str, Any]) -> Map:
    if ending == ".map":
        from kumi.world.map_files import read_movingai

        return read_movingai(path, **options)
    if ending in ROS:
        from kumi.world.map_ros import read_ros

        return read_ros(path, **options)
    _check_resolution(options, path.name)
    from kumi.world.map_grid import read_image

    return read_image(path, **options)


def _ending(path: Path, known: Mapping[str, object], done: str) -> str:
    ending = path.suffix.lower()
    if ending not in known:
        what = f"the ending {ending!r} is unknown" if ending else "it has no ending"
        raise MapError(f"{what}; maps are {done} as {listed(list(known))}", path.name)
    return ending


def _options(given: Mapping[str, Any], known: tuple[str, ...], where: str) -> dict[str, Any]:
    """Return the options that were given, if they mean anything for this file."""
    options = {key: value for key, value in given.items() if value is not None}
    for key in options:
        if key not in known:
            takes = listed(list(known)) if known else "no option"
            raise MapError(f"{key} means nothing for this file, which takes {takes}", where, (key,))
    return options


def _check_solid(saved: Map, where: str) -> None:
    """Raise if a map has an obstacle that is not solid, which cells cannot tell from those that are."""
    for thing in saved.obstacles:
        if thing.material != SOLID:
            rule = "cells are of no material; leave it out, make it solid, or write a .toml file"
            raise MapError(f"{thing.name} is of {thing.material.name} and cannot be written: {rule}", where)


def _check_resolution(options: Mapping[str, Any], where: str) -> None:
    if "resolution" not in options:
        raise MapError("resolution is missing: how many metres a pixel is wide", where, ("resolution",))


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
        return cells_of(contents(path), MOST_CELLS)[::-1]
    except CellsError as error:
        where = f"{path.name}, line {error.line}" if error.line else path.name
        raise MapError(error.reason, where) from None

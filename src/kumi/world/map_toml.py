"""How is a map written in TOML?

As a table `[map]` with its size, an array of obstacles and one of terrain. Each entry says by its first key
what it is and where; a place with a `radius` is a circle, one with a `size` a rectangle by its lower left
corner, and an array of places an outline, which closes by itself. An obstacle may have a `material`: the name of a
known one, or a table that describes one.
"""

from __future__ import annotations

import re
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kumi.geometry import Circle, Outline, Point, Rectangle
from kumi.world.map import Map, kind_of
from kumi.world.map_error import Keys, MapError, contents, listed
from kumi.world.materials import SOLID, material_of_value, material_to_value
from kumi.world.obstacles import Block, Forbidden, Hole, Obstacle, Pillar, Slow, Terrain, Wall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kumi.world.obstacles import Area

SIZE = ["width", "height", "origin"]
THINGS = ["obstacles", "terrain"]
OBSTACLES = {
    "wall": ["thickness", "material"],
    "pillar": ["radius", "material"],
    "block": ["size", "material"],
}
TERRAIN = {"slow": ["factor", "radius", "size"], "hole": ["radius", "size"], "forbidden": ["radius", "size"]}
NEEDED = {"pillar": "radius", "slow": "factor"}


@dataclass(frozen=True)
class MapTable:
    """A table in a file, and where it is."""

    table: Mapping[str, Any]
    where: str
    title: str = ""
    keys: Keys = ()

    def error(self, sentence: str, *keys: str | int) -> MapError:
        """Return an error that says where it is."""
        return MapError(f"{self.title}{sentence}", self.where, (*self.keys, *keys))

    @contextmanager
    def placing(self, *keys: str | int) -> Iterator[None]:
        """Say of an error in the block where it is, unless it says so itself."""
        try:
            yield
        except (TypeError, ValueError) as error:
            if isinstance(error, MapError) and error.where:
                raise
            raise self.error(str(error), *keys) from error

    def check_keys(self, known: list[str], owner: str) -> None:
        """Raise if there is a key that is not known."""
        for key in self.table:
            if key not in known:
                raise self.error(f"{key} is unknown; {owner} takes {listed(known)}", key)


def map_of_table(table: Mapping[str, Any], where: str) -> Map:
    """Return the map that a table describes."""
    entry = MapTable(table, where)
    entry.check_keys(["name", *SIZE, *THINGS], "a map")
    size = {key: table[key] for key in ("name", *SIZE) if key in table}
    for key, value in size.items():
        with entry.placing(key):
            Map(**{"width": 1.0, "height": 1.0, key: value})
    obstacles, terrain = things_of_table(table, where)
    with entry.placing():
        return Map(**size, obstacles=obstacles, terrain=terrain)


def things_of_table(table: Mapping[str, Any], where: str) -> tuple[list[Obstacle], list[Terrain]]:
    """Return the obstacles and the terrain of a table, those without a name still without one."""
    obstacles = [_obstacle(entry) for entry in _entries(table, where, "obstacles", "obstacle", OBSTACLES)]
    terrain = [_terrain(entry) for entry in _entries(table, where, "terrain", "terrain", TERRAIN)]
    return obstacles, terrain


def map_to_table(saved: Map) -> dict[str, Any]:
    """Return the table that describes a map."""
    table: dict[str, Any] = {"name": saved.name} if saved.name else {}
    if saved.is_finite:
        table |= {"width": saved.width, "height": saved.height}
    if saved.origin != Point(0.0, 0.0):
        table["origin"] = _pair(saved.origin)
    for key, things in (("obstacles", saved.obstacles), ("terrain", saved.terrain)):
        counts: dict[str, int] = {}
        for thing in things:
            kind = kind_of(thing)
            counts[kind] = counts.get(kind, 0) + 1
            entry = thing_to_table(thing)
            if thing.name == f"{kind} {counts[kind]}":
                del entry["name"]
            table.setdefault(key, []).append(entry)
    return table


def thing_to_table(thing: Obstacle | Terrain) -> dict[str, Any]:
    """Return the table that describes one thing on a map, its name included."""
    table = {**_description(thing), "name": thing.name}
    if isinstance(thing, Obstacle) and thing.material != SOLID:
        table["material"] = material_to_value(thing.material)
    return table


def map_to_text(saved: Map) -> str:
    """Return what a map file holds."""
    return _text(map_to_table(saved))


def read_toml(path: Path) -> dict[str, Any]:
    """Return the table `[map]` of a file."""
    table = _document(path).get("map")
    if not isinstance(table, dict):
        raise MapError("it has no table [map]", path.name)
    return table


def write_toml(saved: Map, path: Path) -> None:
    """Write a map as the table `[map]` of a file; the other tables of an existing file are kept."""
    text = map_to_text(saved)
    if path.exists() and _document(path).keys() - {"map"}:
        import tomlkit  # Late: most runs write no file of TOML.

        document = tomlkit.parse(contents(path))
        document["map"] = tomlkit.parse(text)["map"]
        text = document.as_string()
    path.write_text(text, encoding="utf-8")


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(contents(path).decode("utf-8-sig").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        words, line = str(error), ""
        if found := re.fullmatch(r"(.*) \(at line (\d+), column \d+\)", words):
            words, line = found[1], f", line {found[2]}"
        raise MapError(f"it is no TOML: {words[:1].lower()}{words[1:]}", f"{path.name}{line}") from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise MapError(
            "it is no TOML, which is text in UTF-8 and not nested without end", path.name
        ) from error


def _entries(
    table: Mapping[str, Any], where: str, key: str, title: str, kinds: dict[str, list[str]]
) -> list[MapTable]:
    """Return the tables of an array, each with exactly one of the keys that say what it is."""
    array = table.get(key, [])
    if not isinstance(array, list):
        raise MapError(f"{key} is {array!r}; it takes an array of tables", where, (key,))
    entries = []
    for number, item in enumerate(array):
        entry = MapTable(item, where, f"{title} {number + 1}: ", (key, number))
        if not isinstance(item, dict) or len(given := [kind for kind in kinds if kind in item]) != 1:
            raise entry.error(f"it takes a table with one of the keys {listed(list(kinds), 'or')}")
        kind = given[0]
        entry.check_keys([kind, "name", *kinds[kind]], f"a {kind}")
        if kind in NEEDED and NEEDED[kind] not in item:
            raise entry.error(f"{NEEDED[kind]} is missing; a {kind} takes one")
        entries.append(entry)
    return entries


def _obstacle(entry: MapTable) -> Obstacle:
    with entry.placing("material"):
        material = material_of_value(entry.table.get("material", SOLID.name))
    with entry.placing():
        match {"name": "", "thickness": 0.0, **entry.table}:
            case {"wall": [start, end], "thickness": thickness, "name": name}:
                return Wall(start, end, thickness, name, material)
            case {"pillar": centre, "radius": radius, "name": name}:
                return Pillar(centre, radius, name, material)
            case {"block": _, "name": name}:
                return Block(_outline(entry, "block"), name, material)
    raise entry.error(f"wall is {entry.table['wall']!r}; it takes two points, [[x, y], [x, y]]", "wall")


def _terrain(entry: MapTable) -> Terrain:
    name = entry.table.get("name", "")
    with entry.placing():
        if "slow" in entry.table:
            return Slow(_area(entry, "slow"), entry.table["factor"], name)
        if "hole" in entry.table:
            return Hole(_area(entry, "hole"), name)
        return Forbidden(_area(entry, "forbidden"), name)


def _area(entry: MapTable, key: str) -> Area:
    if "radius" not in entry.table:
        return _outline(entry, key)
    if "size" in entry.table:
        raise entry.error("it has a radius and a size; an area is a circle or a rectangle")
    return Circle(entry.table[key], entry.table["radius"])


def _outline(entry: MapTable, key: str) -> Outline:
    match entry.table:
        case {"size": [width, height]}:
            corner = Circle(entry.table[key], 1.0).centre
            return Rectangle(corner.x, corner.y, width, height)
        case {"size": size}:
            raise entry.error(f"size is {size!r}; it takes two numbers, [width, height]", "size")
    corners = entry.table[key]
    if isinstance(corners, list) and len(corners) > 3 and corners[0] == corners[-1]:
        corners = corners[:-1]
    return Outline(corners)


def _description(thing: Obstacle | Terrain) -> dict[str, Any]:
    match thing:
        case Wall(start, end, thickness):
            return {"wall": [_pair(start), _pair(end)], **({"thickness": thickness} if thickness else {})}
        case Pillar(centre, radius):
            return {"pillar": _pair(centre), "radius": radius}
        case Block(outline):
            return {"block": _pairs(outline)}
        case Slow(area, factor):
            return {**_placing("slow", area), "factor": factor}
    return _placing(kind_of(thing), thing.area)


def _placing(key: str, area: Area) -> dict[str, Any]:
    if isinstance(area, Circle):
        return {key: _pair(area.centre), "radius": area.radius}
    return {key: _pairs(area)}


def _pairs(outline: Outline) -> list[list[float]]:
    return [_pair(corner) for corner in outline.corners]


def _pair(point: Point) -> list[float]:
    return [point.x, point.y]


def _text(table: dict[str, Any]) -> str:
    """Write the table as a person would: one obstacle a line."""
    lines = ["[map]"]
    for key, value in table.items():
        if key in THINGS:
            lines += [f"{key} = [", *(f"    {_written(entry)}," for entry in value), "]"]
        else:
            lines.append(f"{key} = {_written(value)}")
    return "\n".join([*lines, ""])


def _written(value: Any) -> str:
    match value:
        case dict():
            return "{ " + ", ".join(f"{key} = {_written(inner)}" for key, inner in value.items()) + " }"
        case list():
            return "[" + ", ".join(map(_written, value)) + "]"
        case str():
            import tomlkit  # Late: most runs write no file of TOML.

            return tomlkit.string(value).as_string()
        case bool():
            return str(value).lower()
    return repr(value)

"""What stands and lies on the plane of a run, as a picture needs it?

It is read from the table of the map in the run file, which is as in a scenario file. What has no shape that
can be drawn is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from kumi.geometry import Bounds
from kumi.recording.chunks import RunFileError

if TYPE_CHECKING:
    from collections.abc import Mapping

Place: TypeAlias = tuple[float, float]

OBSTACLES = ("wall", "pillar", "block")
TERRAIN = ("slow", "hole", "forbidden")
COLOUR = re.compile("#[0-9a-f]{6}")


class Stuff(msgspec.Struct, frozen=True):
    """Of what an obstacle is: the name of its material, and a colour if it has one of its own."""

    name: str = "solid"
    colour: str = ""


SOLID = Stuff()


class Ridge(msgspec.Struct, frozen=True):
    """A wall: a line with a thickness and round ends."""

    kind: str
    start: Place
    end: Place
    thickness: float
    stuff: Stuff = SOLID


class Round(msgspec.Struct, frozen=True):
    """A round obstacle, or round terrain."""

    kind: str
    centre: Place
    radius: float
    stuff: Stuff = SOLID


class Cornered(msgspec.Struct, frozen=True):
    """An obstacle, or terrain, with corners."""

    kind: str
    corners: tuple[Place, ...]
    stuff: Stuff = SOLID


class Scenery(msgspec.Struct, frozen=True):
    """All that does not move, what lies below first. Without bounds the plane is infinite."""

    bounds: Bounds | None = None
    things: tuple[Ridge | Round | Cornered, ...] = ()


def read_scenery(table: Mapping[str, Any]) -> Scenery:
    """Read the table of a map; an empty one is an infinite plane with nothing on it."""
    try:
        things = [read_thing(thing, TERRAIN) for thing in table.get("terrain", ())]
        things += [read_thing(thing, OBSTACLES) for thing in table.get("obstacles", ())]
        return Scenery(read_bounds(table), tuple(things))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunFileError(f"the map of the run cannot be drawn: {error}") from error


def read_bounds(table: Mapping[str, Any]) -> Bounds | None:
    """Read the borders of a plane, if it has any."""
    if "width" not in table:
        return None
    x, y = table.get("origin", (0.0, 0.0))
    return Bounds(x, y, x + table["width"], y + table["height"])


def read_thing(table: Mapping[str, Any], kinds: tuple[str, ...]) -> Ridge | Round | Cornered:
    """Read something on a map, of one of the kinds given."""
    kind = next((kind for kind in kinds if kind in table), None)
    if kind is None:
        raise ValueError(f"there is something that is none of {', '.join(kinds)}: {table}")
    stuff = read_stuff(table.get("material", SOLID.name))
    if kind == "wall":
        start, end = table[kind]
        return Ridge(kind, (start[0], start[1]), (end[0], end[1]), table.get("thickness", 0.0), stuff)
    if "radius" in table:
        x, y = table[kind]
        return Round(kind, (x, y), table["radius"], stuff)
    if "size" in table:
        (x, y), (width, height) = table[kind], table["size"]
        return Cornered(kind, ((x, y), (x + width, y), (x + width, y + height), (x, y + height)), stuff)
    return Cornered(kind, tuple((x, y) for x, y in table[kind]), stuff)


def read_stuff(given: str | Mapping[str, Any]) -> Stuff:
    """Read a material: the name of a known one, or a table that describes one."""
    if isinstance(given, str):
        return Stuff(given)
    colour = given.get("colour", "")
    if colour and not COLOUR.fullmatch(colour):
        raise ValueError(f"{colour!r} is no colour such as #8a5a2b")
    return Stuff(str(given["name"]), colour)

"""What may change on the ground of a run that goes on?

Walls are drawn and taken away, and so are pillars and blocks of the map. A map that is loaded brings its obstacles in
place of those that stand; the plane keeps its size and its ground. All or nothing: where one of them would stand in a
robot, the old ones stay.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kumi.world import MapError, Overlap, Wall
from kumi.world.map_toml import map_of_table

if TYPE_CHECKING:
    from kumi.control.actions import Spot
    from kumi.world import World

THICKNESS = 0.05
"""Metres of a wall that is drawn."""
LEAST = 0.01
"""Metres that a wall is long at least."""


def drawn_wall(start: Spot, end: Spot) -> Wall:
    """Return the wall between two places."""
    if abs(start.x - end.x) + abs(start.y - end.y) < LEAST:
        raise ValueError(f"a wall goes from one place to another, at least {LEAST:g} m away")
    return Wall((start.x, start.y), (end.x, end.y), THICKNESS)


def name_of_obstacle(world: World, number: int) -> str:
    """Return the name of an obstacle that stands now."""
    for thing in world.map.obstacles:
        if world.number_of(thing.name) == number:
            return thing.name
    raise ValueError(f"there is no obstacle {number} in the world now")


def load_obstacles(world: World, given: Mapping[str, Any] | str) -> int:
    """Let the obstacles of a map stand in place of those that stand now, and return how many."""
    loaded = map_of_table(table_of(given), "the map")
    plane = world.map
    if loaded.bounds != plane.bounds:
        raise ValueError(f"the map is {size_of(loaded)} and the world {size_of(plane)}: a run keeps its size")
    if loaded.terrain != plane.terrain:
        raise ValueError("the ground of the map differs from that of the world: a run keeps its ground")
    before = plane.obstacles
    for thing in before:
        world.remove_obstacle(thing.name)
    put: list[str] = []
    try:
        for thing in loaded.obstacles:
            put.append(world.add_obstacle(thing).name)  # noqa: PERF401  # those before one that cannot stand are known
    except Overlap:
        for name in put:
            world.remove_obstacle(name)
        for thing in before:
            world.add_obstacle(thing)
        raise
    return len(put)


def table_of(given: Mapping[str, Any] | str) -> Mapping[str, Any]:
    """Return the table of a map: itself, or that in the text of a map file."""
    if not isinstance(given, str):
        return given
    try:
        table = tomllib.loads(given).get("map")
    except tomllib.TOMLDecodeError as error:
        raise MapError(f"it is no TOML: {error}") from error
    if not isinstance(table, dict):
        raise MapError("it has no table [map]")
    return table


def size_of(plane: Any) -> str:
    """Return the size of a map for people."""
    if not plane.is_finite:
        return "endless"
    left, bottom, right, top = plane.bounds
    return f"from ({left:g}, {bottom:g}) to ({right:g}, {top:g})"

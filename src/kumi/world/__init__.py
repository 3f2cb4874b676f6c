"""The simulated plane with everything in it: map, terrain, bodies."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.world.ether import WorldEther
    from kumi.world.map import Map
    from kumi.world.map_error import MapError
    from kumi.world.map_files import load_map, map_from_table, save_map
    from kumi.world.map_toml import map_to_table, map_to_text
    from kumi.world.materials import (
        CURTAIN,
        DARK,
        GLASS,
        MATERIALS,
        MESH,
        SOLID,
        Material,
        Modality,
    )
    from kumi.world.obstacles import Block, Forbidden, Hole, Obstacle, Pillar, Slow, Terrain, Wall
    from kumi.world.world import BORDER, BodyWatch, Hit, Overlap, Policy, SimulatedBody, World

__all__ = [
    "BORDER",
    "CURTAIN",
    "DARK",
    "GLASS",
    "MATERIALS",
    "MESH",
    "SOLID",
    "Block",
    "BodyWatch",
    "Forbidden",
    "Hit",
    "Hole",
    "Map",
    "MapError",
    "Material",
    "Modality",
    "Obstacle",
    "Overlap",
    "Pillar",
    "Policy",
    "SimulatedBody",
    "Slow",
    "Terrain",
    "Wall",
    "World",
    "WorldEther",
    "load_map",
    "map_from_table",
    "map_to_table",
    "map_to_text",
    "save_map",
]

lazy(__name__)

"""Where on a map may a robot drive?

Planning knows areas, not maps. Walls, pillars and blocks that stop bodies are obstacles to it, and so are holes and
forbidden ground; slow ground is not, and neither is a curtain. The borders of a finite map are those of the space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumi.geometry import Circle
from kumi.planning.space import Obstacle, Space
from kumi.planning.space import WallSpace as ThickLine
from kumi.world.obstacles import Block, Forbidden, Hole, Pillar, Wall

if TYPE_CHECKING:
    from kumi.world.map import Map


def space_of(plane: Map) -> Space:
    """Return the space in which a robot can plan its way over a map."""
    things: list[Obstacle] = []
    stopping = (thing for thing in plane.obstacles if thing.material.stops_bodies)
    for thing in (*stopping, *plane.terrain):
        match thing:
            case Wall(start, end, thickness):
                things.append(ThickLine(start, end, thickness))
            case Pillar(centre, radius):
                things.append(Circle(centre, radius))
            case Block(outline):
                things.append(outline)
            case Hole(area) | Forbidden(area):
                things.append(area)
    return Space(things, plane.bounds if plane.is_finite else None)

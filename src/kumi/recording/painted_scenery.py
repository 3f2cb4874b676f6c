"""How is what stands and lies on the plane drawn, and floor that is reserved?

Terrain has the colours of its kind, and an obstacle those of its material: something solid is grey, glass pale with an
edge, a mesh white with a dotted edge, a curtain has a dashed one. A wall too thin for an edge is a line in one colour,
dashed where its edge would be. Which materials there are is said above the plane, unless all is solid.

A zone is all floor within a radius of a path, so it is drawn as a line with round ends, as wide as the zone, and again a
little narrower: what is left of the first one is its edge. What robots only wait for is paler, and lies below what is
granted.
"""

from __future__ import annotations

from itertools import pairwise
from math import pi
from typing import TYPE_CHECKING

import msgspec

from kumi.maths import atan2, cos, hypot, sin
from kumi.recording.painted_bodies import LEAST_DOT_RADIUS
from kumi.recording.painting import words_width
from kumi.recording.palette import LIGHT, PALETTE
from kumi.recording.scenery import SOLID, Cornered, Ridge, Round
from kumi.recording.strips import INK
from kumi.recording.view import LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kumi.recording.painting import Dot, Painter
    from kumi.recording.records import Reserved
    from kumi.recording.scenery import Scenery, Stuff
    from kumi.recording.strips import Strip
    from kumi.recording.view import Viewport


EDGE = 1.5
"""Pixels of an edge."""
THIN = 4.0
"""Pixels up to which a wall is too thin for an edge."""
THINNEST = 2.0
"""Pixels of a wall without thickness."""
SIDES = 72
"""Sides of the polygon that a circle with a dashed edge is."""


class Paint(msgspec.Struct, frozen=True):
    """How something is drawn: its colours, and the dashes of its edge."""

    fill: str
    edge: str = ""
    dash: tuple[float, ...] = ()
    is_clear: bool = False

    @property
    def line(self) -> str:
        """The colour of what is too thin for an edge."""
        return self.edge if self.dash or self.is_clear else self.fill


TERRAIN = {
    "slow": Paint(LIGHT["slow"], LIGHT["slow-edge"]),
    "hole": Paint(LIGHT["hole"]),
    "forbidden": Paint(LIGHT["forbidden"], LIGHT["forbidden-edge"]),
}


def look_of(thing: Ridge | Round | Cornered) -> Paint:
    """Return how an obstacle or terrain is drawn."""
    return TERRAIN[thing.kind] if thing.kind in TERRAIN else look_of_stuff(thing.stuff)


def look_of_stuff(stuff: Stuff) -> Paint:
    """Return how obstacles of a material are drawn."""
    coat = PALETTE.materials.get(stuff.name)
    if coat is None:
        return Paint(stuff.colour or LIGHT["obstacle"])
    return Paint(*coat.light, coat.dash, coat.is_clear)


def paint_thing(painter: Painter, view: Viewport, thing: Ridge | Round | Cornered) -> None:
    """Paint an obstacle or terrain."""
    look = look_of(thing)
    if isinstance(thing, Ridge):
        paint_ridge(painter, view, thing, look)
        return
    edge = "" if look.dash else look.edge
    if isinstance(thing, Round):
        (x, y), radius = view.dot(*thing.centre), max(thing.radius * view.scale, LEAST_DOT_RADIUS)
        painter.disc(x, y, radius, look.fill, edge, EDGE)
        corners = around((x, y), (x, y), radius)
    else:
        corners = [view.dot(*corner) for corner in thing.corners]
        painter.polygon(corners, look.fill, edge, EDGE)
    if look.dash:
        paint_dashes(painter, [*corners, corners[0]], look.dash, look.edge, EDGE * view.unit)


def paint_ridge(painter: Painter, view: Viewport, wall: Ridge, look: Paint) -> None:
    """Paint a wall: a line with round ends, upon a broader one that is its edge."""
    ends = [view.dot(*wall.start), view.dot(*wall.end)]
    width = max(wall.thickness * view.scale, THINNEST)
    if width <= THIN and look.dash:
        paint_dashes(painter, ends, look.dash, look.line, width)
    elif width <= THIN or not look.edge:
        paint_capsule(painter, ends, width / 2, look.line)
    elif look.dash:
        corners = around(ends[0], ends[1], width / 2)
        painter.polygon(corners, look.fill)
        paint_dashes(painter, [*corners, corners[0]], look.dash, look.edge, EDGE * view.unit)
    else:
        paint_capsule(painter, ends, width / 2, look.edge)
        paint_capsule(painter, ends, width / 2 - EDGE, look.fill)


def around(start: Dot, end: Dot, radius: float) -> list[Dot]:
    """Return the corners of all within a radius of a line, half a circle at each end; of a disc where the ends are one."""
    along = atan2(end[1] - start[1], end[0] - start[0])
    turns = [pi * side / (SIDES // 2) for side in range(SIDES // 2 + 1)]
    return [
        (x + radius * cos(first + turn), y + radius * sin(first + turn))
        for (x, y), first in ((end, along - pi / 2), (start, along + pi / 2))
        for turn in turns
    ]


def paint_dashes(
    painter: Painter, dots: Sequence[Dot], dash: tuple[float, ...], colour: str, width: float
) -> None:
    """Paint a line through dots as dashes."""
    for piece in dashes(dots, *dash):
        painter.line(piece, colour, width)


def dashes(dots: Sequence[Dot], dash: float, gap: float) -> Iterator[list[Dot]]:
    """Give the dashes of a line through dots, each as the dots that it goes through."""
    piece, left, is_dash = [dots[0]], dash, True
    for (x, y), (end_x, end_y) in pairwise(dots):
        extent, done = hypot(end_x - x, end_y - y), 0.0
        while extent - done > left:
            done += left
            share = done / extent
            here = x + (end_x - x) * share, y + (end_y - y) * share
            if is_dash:
                yield [*piece, here]
            piece, left, is_dash = [here], gap if is_dash else dash, not is_dash
        left -= extent - done
        piece.append((end_x, end_y))
    if is_dash and len(piece) > 1:
        yield piece


def paint_materials(painter: Painter, view: Viewport, scenery: Scenery, strip: Strip) -> None:
    """Say how the materials of the obstacles are drawn, from the right of a strip, while there is room."""
    unit, y = view.unit, strip.y
    for stuff in dict.fromkeys(thing.stuff for thing in scenery.things if thing.stuff != SOLID):
        size, half = LETTERS * unit, 6.5 * unit
        wide = 22 * unit + words_width(stuff.name, size)
        end = strip.take_right(wide)
        if end is None:
            return
        painter.words(end, y, stuff.name, size, INK, "end")
        look, middle = look_of_stuff(stuff), end - wide + 7 * unit
        corners = [
            (middle + across * half, y + up * half) for across, up in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        painter.polygon(corners, look.fill, "" if look.dash else look.edge, EDGE)
        if look.dash:
            paint_dashes(painter, [*corners, corners[0]], look.dash, look.edge, EDGE * unit)


GRANTED, GRANTED_EDGE = LIGHT["reserved"], LIGHT["reserved-edge"]
ASKED, ASKED_EDGE = LIGHT["asked"], LIGHT["asked-edge"]
ZONE_EDGE = 1.25


def paint_zones(painter: Painter, view: Viewport, reserved: Sequence[Reserved]) -> None:
    """Paint the floor that robots have reserved, or wait for."""
    zones = [zone for one in reserved for zone in one.zones]
    edge = ZONE_EDGE * view.unit
    for is_granted, fill, rim in ((False, ASKED, ASKED_EDGE), (True, GRANTED, GRANTED_EDGE)):
        for colour, narrower in ((rim, 0.0), (fill, edge)):
            for zone in zones:
                if zone.is_granted == is_granted:
                    dots = [view.dot(*place) for place in zone.path]
                    paint_capsule(painter, dots, zone.radius * view.scale - narrower, colour)


def paint_capsule(painter: Painter, dots: Sequence[Dot], radius: float, colour: str) -> None:
    """Paint everything within a radius of a line through dots."""
    if radius <= 0.0:
        return
    if len(dots) > 1:
        painter.line(dots, colour, 2.0 * radius)
    for x, y in dots:
        painter.disc(x, y, radius, colour)

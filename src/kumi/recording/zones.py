"""How is reserved floor drawn?

A zone is all floor within a radius of a path, so it is drawn as a line with round ends, as wide as the zone, and again a
little narrower: what is left of the first one is its edge. What robots only wait for is paler, and lies below what is
granted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumi.recording.palette import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kumi.recording.painting import Dot, Painter
    from kumi.recording.records import Reserved
    from kumi.recording.view import View

GRANTED, GRANTED_EDGE = LIGHT["reserved"], LIGHT["reserved-edge"]
ASKED, ASKED_EDGE = LIGHT["asked"], LIGHT["asked-edge"]
EDGE = 1.25


def paint_zones(painter: Painter, view: View, reserved: Sequence[Reserved]) -> None:
    """Paint the floor that robots have reserved, or wait for."""
    zones = [zone for one in reserved for zone in one.zones]
    edge = EDGE * view.unit
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

"""Paths that a robot told, as floor: what is none is refused in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from kumi.geometry import Point
from kumi.reserving import Way, Zone
from kumi.station.refusals import invalid

LONGEST_WAY = 500.0
"""Metres of the longest way that can be announced."""
FARTHEST_COORDINATE = 1e7
"""Metres from the origin to the end of any floor: beyond, a micrometre between two places is lost in rounding."""


def is_on_floor(x: float, y: float, radius: float) -> bool:
    """Tell whether something of this size can be held at a place."""
    return abs(x) <= FARTHEST_COORDINATE and abs(y) <= FARTHEST_COORDINATE and radius <= FARTHEST_COORDINATE


def zone_of(path: Sequence[Point], radius: float) -> Zone:
    """Return the floor along a path."""
    try:
        zone = Zone(tuple(path), radius)
    except (ValueError, TypeError) as error:
        raise invalid(f"that is no piece of a way: {error}") from None
    for x, y in zone.path:
        if not is_on_floor(x, y, radius):
            raise invalid(
                f"no floor reaches so far: ({x:g}, {y:g}) with a radius of {radius:g} m; {FARTHEST_COORDINATE:g} m do"
            )
    _check_length(zone)
    return zone


def way_of(paths: Sequence[Sequence[Point]], radius: float) -> Way:
    """Return the way along paths that follow one another."""
    try:
        way = Way(tuple(zone_of(path, radius) for path in paths))
    except (ValueError, TypeError) as error:
        raise invalid(f"that is no way: {error}") from None
    _check_length(*way.zones)
    return way


def _check_length(*zones: Zone) -> None:
    long = sum(here.distance_to(there) for zone in zones for here, there in pairwise(zone.path))
    if long > LONGEST_WAY:
        raise invalid(f"a way of {long:g} m is too long to be reserved: at most {LONGEST_WAY:g} m are")

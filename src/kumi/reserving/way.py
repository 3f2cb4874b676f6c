"""The whole way of a robot in pieces: the zones it will ask for, one after the other.

A way is announced before it is driven, so that the list of bookings can see ahead: it grants a zone only if
all robots can still finish their ways afterwards. A robot that `stays` keeps the end of its way for good;
one that does not will go on or leave, and nobody needs to pass before it comes there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, fsum, inf

from kumi.contract.messages import Message
from kumi.geometry import Point, PointLike, as_point
from kumi.geometry.points import as_real, as_several
from kumi.reserving.zone import Zone

MOST_ZONES = 10_000
"""A way in more pieces is a mistake in a unit, or work for hours."""

GAP = 1e-6
"""Metres between two zones that are none."""


@dataclass(frozen=True, slots=True)
class Way(Message):
    """The zones of a way, in the order of driving, and whether the robot stays at its end."""

    zones: tuple[Zone, ...]
    stays: bool = True

    def __post_init__(self) -> None:
        zones = as_several(self.zones, "the zones of a way")
        object.__setattr__(self, "zones", zones)
        for zone in zones:
            if not isinstance(zone, Zone):
                raise TypeError(f"a way is made of zones, not {zone!r}")
        for one, other in pairwise(zones):
            if one.path[-1].distance_to(other.path[0]) > GAP:
                raise ValueError(
                    f"a way has no gap, but a zone ends at {one.path[-1]} and the next one begins at {other.path[0]}"
                )

    @classmethod
    def along(
        cls, path: Sequence[PointLike], radius: float, chunk: float = inf, *, stays: bool = True
    ) -> Way:
        """Cut the way along a path into zones of so many metres; the last one takes what is left.

        The radius is that of the body with all by which it may err from its path.
        """
        if not as_real(chunk, "a chunk of a way") > 0.0:
            raise ValueError(f"a chunk of a way is a number of metres > 0, not {chunk!r}")
        points = [as_point(point, "a point of a way") for point in as_several(path, "the points of a way")]
        if len(points) < 2:
            raise ValueError(f"a way goes through at least two points, not {len(points)}")
        return cls(tuple(Zone(part, radius) for part in cut(points, chunk)), stays)

    def __len__(self) -> int:
        return len(self.zones)

    @property
    def first(self) -> Zone:
        """The zone to ask for at first."""
        return self.zones[0]

    @property
    def rest(self) -> Way:
        """What comes after the first zone."""
        return Way(self.zones[1:], self.stays)


def cut(points: Sequence[Point], chunk: float) -> list[tuple[Point, ...]]:
    """Cut a path into pieces of a length; the last one is as long as what is left, or shorter."""
    total = fsum(one.distance_to(other) for one, other in pairwise(points))
    if total / chunk > MOST_ZONES:
        raise ValueError(f"a way of {total:g} m in chunks of {chunk:g} m has more than {MOST_ZONES} zones")
    count = max(1, ceil(total / chunk - 1e-9))
    parts: list[tuple[Point, ...]] = []
    part, room = [points[0]], chunk
    for point in points[1:]:
        while len(parts) < count - 1 and (left := part[-1].distance_to(point)) >= room:
            part.append(part[-1] + (point - part[-1]) * (room / left))
            parts.append(tuple(part))
            part, room = [part[-1]], chunk
        room -= part[-1].distance_to(point)
        if point != part[-1]:
            part.append(point)
    return [*parts, tuple(part)] if len(part) > 1 or not parts else parts

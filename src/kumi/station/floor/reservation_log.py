"""What has changed on the floor that robots have booked, since somebody looked last?

Pages that show reserved floor ask again and again; each gets only the robots whose bookings have changed meanwhile. The floor
may be kept by another process than the one that serves the page, and by yet another tomorrow: news travel, and name the keeper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

from kumi.geometry import Point
from kumi.reserving import Booking


class BookedZone(msgspec.Struct, frozen=True, array_like=True):
    """A zone that a robot asked for and did not give back."""

    path: tuple[tuple[float, float], ...]
    radius: float
    is_granted: bool

    @property
    def points(self) -> tuple[Point, ...]:
        """The points of its path."""
        return tuple(Point(x, y) for x, y in self.path)


Booked: TypeAlias = tuple[BookedZone, ...]
"""All zones of a robot."""


class FloorNews(msgspec.Struct, frozen=True, array_like=True):
    """What robots have booked that somebody does not know yet, after so many changes that a keeper of the floor has seen."""

    keeper: str = ""
    changes: int = 0
    booked: Mapping[str, Booked] = {}


class BookedFloor:
    """The bookings of robots by their tags, each with the number of its last change."""

    def __init__(self) -> None:
        self._booked: dict[str, tuple[int, Booked]] = {}
        self._changes = 0

    def note(self, robot: str, bookings: Sequence[Booking[str]]) -> None:
        """Take all that a robot has booked now."""
        self._changes += 1
        self._booked[robot] = self._changes, tuple(_zone(booking) for booking in bookings)

    def clear(self) -> None:
        """Take it that no robot has booked anything."""
        for robot in self._booked:
            self.note(robot, [])

    def since(self, keeper: str, known: FloorNews) -> FloorNews:
        """Return what has changed since the news that are known; all, where another has kept the floor then."""
        change = known.changes if known.keeper == keeper else 0
        changed = {robot: booked for robot, (when, booked) in self._booked.items() if when > change}
        return FloorNews(keeper, self._changes, changed)


def _zone(booking: Booking[str]) -> BookedZone:
    path = tuple((place.x, place.y) for place in booking.zone.path)
    return BookedZone(path, booking.zone.radius, booking.is_granted)

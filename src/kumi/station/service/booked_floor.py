"""What has changed on the floor that robots have booked, since somebody looked last?

Pages that show reserved floor ask again and again; each gets only the robots whose bookings have changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from kumi.reserving import Booking, Zone

Booked: TypeAlias = tuple[tuple[Zone, bool], ...]
"""The zones that a robot asked for and did not give back, and whether each is granted."""


class BookedFloor:
    """The bookings of robots by their tags, each with the number of its last change."""

    def __init__(self) -> None:
        self._booked: dict[str, tuple[int, Booked]] = {}
        self._changes = 0

    def note(self, robot: str, bookings: Sequence[Booking[str]]) -> None:
        """Take all that a robot has booked now."""
        self._changes += 1
        booked = tuple((booking.zone, booking.is_granted) for booking in bookings)
        self._booked[robot] = self._changes, booked

    def clear(self) -> None:
        """Take it that no robot has booked anything."""
        for robot in self._booked:
            self.note(robot, [])

    def since(self, change: int) -> tuple[int, dict[str, Booked]]:
        """Return how many changes there were, and what the robots have booked that changed after so many."""
        changed = {robot: booked for robot, (when, booked) in self._booked.items() if when > change}
        return self._changes, changed

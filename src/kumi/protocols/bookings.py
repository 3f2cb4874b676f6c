"""Who has booked which floor, and who waits for whom? The list of `ReserveInOrder`, without any network.

All nodes put the same bookings into their lists, in the same order, so all come to the same answers. A
booking waits for its rivals, those of others that overlap it: for the granted ones, and for those before it
in the list. But one that waits itself, by way of others perhaps, for the robot behind it is overtaken: who
follows another robot asks for the floor on which that one stands, and would otherwise hold it up for ever.
What lies in a granted zone of its own robot waits for nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kumi.contract.messages import Address
from kumi.protocols.zone import Zone


@dataclass(slots=True, eq=False)
class Booking:
    """A zone that a robot asked for, under a number of its own, and has not released."""

    owner: Address
    number: int
    zone: Zone
    place: int = 0
    is_granted: bool = False
    rivals: list[Booking] = field(default_factory=list)

    @property
    def held(self) -> list[Booking]:
        """The rivals that are granted."""
        return [rival for rival in self.rivals if rival.is_granted]

    @property
    def earlier(self) -> list[Booking]:
        """The rivals that are before it in the list and not granted."""
        return [rival for rival in self.rivals if not rival.is_granted and rival.place < self.place]


class Bookings:
    """All bookings that are not released, in the common order."""

    def __init__(self) -> None:
        self._all: dict[tuple[Address, int], Booking] = {}
        self._places = 0

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Booking]:
        return iter(tuple(self._all.values()))

    def find(self, owner: Address, number: int) -> Booking | None:
        """Return a booking that is in the list."""
        return self._all.get((owner, number))

    def of(self, owner: Address) -> list[Booking]:
        """Return all bookings of a robot."""
        return [booking for booking in self._all.values() if booking.owner == owner]

    def add(self, booking: Booking) -> None:
        """Put a booking at the end of the list."""
        self._places += 1
        booking.place = self._places
        booking.rivals = self.rivals_of(booking)
        for rival in booking.rivals:
            rival.rivals.append(booking)
        self._all[booking.owner, booking.number] = booking

    def remove(self, booking: Booking) -> None:
        """Take a booking from the list."""
        del self._all[booking.owner, booking.number]
        for rival in booking.rivals:
            rival.rivals.remove(booking)

    def rivals_of(self, booking: Booking) -> list[Booking]:
        """Return the bookings of others that overlap."""
        return [
            other
            for other in self._all.values()
            if other.owner != booking.owner and other.zone.overlaps(booking.zone)
        ]

    def waits(self, booking: Booking) -> bool:
        """Return whether a booking cannot be granted now."""
        if self._is_covered(booking):
            return False
        return bool(booking.held) or any(
            not self._leads_to(rival.owner, booking.owner) for rival in booking.earlier
        )

    def waits_in_circle(self, start: Address) -> bool:
        """Return whether a robot waits for itself, by way of what robots hold."""
        return self._leads_to(start, start, held_only=True)

    def grant(self) -> list[Booking]:
        """Grant all that wait for nobody, unless a circle would come of it; return them."""
        granted: list[Booking] = []
        for booking in self._all.values():
            if not booking.is_granted and not self.waits(booking):
                booking.is_granted = True
                if self.waits_in_circle(booking.owner):
                    booking.is_granted = False
                else:
                    granted.append(booking)
        return granted

    def _is_covered(self, booking: Booking) -> bool:
        return any(own.is_granted and own.zone.covers(booking.zone) for own in self.of(booking.owner))

    def _leads_to(self, start: Address, goal: Address, *, held_only: bool = False) -> bool:
        """Return whether a robot waits for another one, by way of those it waits for."""
        reached: dict[Address, None] = {}
        to_do = [start]
        while to_do:
            for other in self._waited_for(to_do.pop(), held_only):
                if other == goal:
                    return True
                if other not in reached:
                    reached[other] = None
                    to_do.append(other)
        return False

    def _waited_for(self, owner: Address, held_only: bool) -> list[Address]:
        waiting = [own for own in self.of(owner) if not own.is_granted and not self._is_covered(own)]
        return [
            rival.owner for own in waiting for rival in (own.held if held_only else [*own.held, *own.earlier])
        ]

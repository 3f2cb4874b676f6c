"""What does one robot have in the list of bookings?

The zones of its way that it has only announced, those that it has asked for or been granted, each under a number
of its own, and the place where it will stay. Each knows its rivals: the bookings of others that overlap it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from math import inf
from typing import Generic, TypeVar

from kumi.geometry import Bounds
from kumi.reserving.zone import Zone

Owner = TypeVar("Owner", bound=Hashable)


class BookingState(Enum):
    """What has become of a booking."""

    ANNOUNCED = auto()
    END = auto()
    ASKED = auto()
    GRANTED = auto()
    REFUSED = auto()


@dataclass(slots=True, eq=False)
class Booking(Generic[Owner]):
    """A zone of a robot: of its way, or asked for under a number of its own.

    `against` names the robots with which it would wait in a circle, or the one that is gone, if it was refused.
    """

    owner: Owner
    number: int
    zone: Zone
    state: BookingState = BookingState.ASKED
    place: int = 0
    rivals: list[Booking[Owner]] = field(default_factory=list, repr=False)
    against: tuple[Owner, ...] = ()
    blocker: Booking[Owner] | None = field(default=None, repr=False)  # a granted rival that was found last
    unsafe_at: int = field(default=-1, repr=False)  # after how many changes it was not safe to grant it
    bounds: Bounds = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.bounds = self.zone.bounds

    def overlaps(self, other: Booking[Owner]) -> bool:
        """Return whether their zones share a point."""
        a, b = self.bounds, other.bounds
        return (
            a.left <= b.right
            and b.left <= a.right
            and a.bottom <= b.top
            and b.bottom <= a.top
            and self.zone.overlaps(other.zone)
        )

    def holds(self, zone: Zone) -> bool:
        """Return whether the robot may use a zone because of this booking."""
        if not self.is_granted:
            return False
        left, bottom, right, top = self.bounds
        (ax, ay), (bx, by) = zone.path[0], zone.path[-1]
        is_within = (
            left <= ax <= right and bottom <= ay <= top and left <= bx <= right and bottom <= by <= top
        )
        return is_within and self.zone.covers(zone)

    def shrink(self, zone: Zone) -> None:
        """Keep a part of the zone, and only the rivals that meet it."""
        self.zone, self.bounds = zone, zone.bounds
        for rival in tuple(self.rivals):
            if not rival.overlaps(self):
                self.rivals.remove(rival)
                rival.lose(self)

    def lose(self, rival: Booking[Owner]) -> None:
        """Have a rival no longer."""
        self.rivals.remove(rival)
        if self.blocker is rival:
            self.blocker = None

    @property
    def is_blocked(self) -> bool:
        """Whether a rival is granted."""
        if self.blocker is None or self.blocker.state is not BookingState.GRANTED:
            self.blocker = next((rival for rival in self.rivals if rival.state is BookingState.GRANTED), None)
        return self.blocker is not None

    @property
    def is_granted(self) -> bool:
        """Whether the robot may use the zone."""
        return self.state is BookingState.GRANTED

    @property
    def is_ahead(self) -> bool:
        """Whether the zone is part of a way that is still to be driven."""
        return self.state is BookingState.ASKED or self.state is BookingState.ANNOUNCED

    @property
    def earlier(self) -> list[Booking[Owner]]:
        """The rivals that were asked for before it and wait."""
        return [
            rival for rival in self.rivals if rival.state is BookingState.ASKED and rival.place < self.place
        ]


@dataclass(slots=True)
class Account(Generic[Owner]):
    """All bookings of one robot: those with numbers, and those of its way to come."""

    booked: dict[int, Booking[Owner]] = field(default_factory=dict)
    way: deque[Booking[Owner]] = field(default_factory=deque)
    end: Booking[Owner] | None = None
    is_gone: bool = False
    waiting_since: float = inf
    """The place in the list of what was asked for first and is not granted; inf if nothing is."""

    def look(self) -> None:
        """Look anew since when something is asked for and not granted; after a change of the bookings with numbers."""
        places = [each.place for each in self.booked.values() if each.state is BookingState.ASKED]
        self.waiting_since = min(places, default=inf)

    def covers(self, zone: Zone) -> bool:
        """Return whether a zone lies in one that is granted."""
        return any(own.state is BookingState.GRANTED and own.holds(zone) for own in self.booked.values())


class WaitsFor(Generic[Owner]):
    """The wait-for graph: robots whose ways meet what others hold, or that stay where others still have to pass.

    For each two, it counts the pairs of their bookings because of which that is so.
    """

    def __init__(self) -> None:
        self._counts: dict[Owner, dict[Owner, int]] = {}

    def __getitem__(self, owner: Owner) -> Collection[Owner]:
        """Return for whom a robot waits."""
        return self._counts.get(owner, {})

    def count(self, waiter: Owner, other: Owner) -> int:
        """Return because of how many pairs of bookings a robot waits for another."""
        return self._counts.get(waiter, {}).get(other, 0)

    def add(self, booking: Booking[Owner]) -> None:
        """Take note of a booking with its state and rivals; until one of them changes, and then it is dropped first."""
        for waiter, other in _waits(booking):
            counts = self._counts.setdefault(waiter, {})
            counts[other] = counts.get(other, 0) + 1

    def drop(self, booking: Booking[Owner]) -> None:
        """Forget a booking."""
        for waiter, other in _waits(booking):
            counts = self._counts[waiter]
            counts[other] -= 1
            if not counts[other]:
                del counts[other]
                if not counts:
                    del self._counts[waiter]


_AHEAD = (BookingState.ASKED, BookingState.ANNOUNCED)
_WAIT_FOR = {
    BookingState.GRANTED: _AHEAD,
    BookingState.ASKED: (BookingState.END,),
    BookingState.ANNOUNCED: (BookingState.END,),
}
"""In which states the zones are that wait for one of this state if they overlap it."""
_WAITED_FOR = {
    BookingState.ASKED: (BookingState.GRANTED,),
    BookingState.ANNOUNCED: (BookingState.GRANTED,),
    BookingState.END: _AHEAD,
}
"""The same, seen from who waits."""


def _waits(booking: Booking[Owner]) -> Iterator[tuple[Owner, Owner]]:
    """Go through the rivals of a booking: who of the two robots has to wait for the other?"""
    waiting, waited_for = _WAIT_FOR.get(booking.state, ()), _WAITED_FOR.get(booking.state, ())
    for rival in booking.rivals:
        if rival.state in waiting:
            yield rival.owner, booking.owner
        elif rival.state in waited_for:
            yield booking.owner, rival.owner

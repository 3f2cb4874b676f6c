"""What does one robot have in the list of bookings?

The zones of its way that it has only announced, those that it has asked for or been granted, each under a number
of its own, and the place where it will stay. Each knows its rivals: the bookings of others that overlap it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum, auto
from math import inf
from typing import Generic, TypeVar

from kumi.geometry import Bounds
from kumi.reserving.zone import Zone

Owner = TypeVar("Owner", bound=Hashable)


class State(Enum):
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
    state: State = State.ASKED
    place: int = 0
    rivals: list[Booking[Owner]] = field(default_factory=list, repr=False)
    against: tuple[Owner, ...] = ()
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
        return self.is_granted and self.zone.covers(zone)

    def shrink(self, zone: Zone) -> None:
        """Keep a part of the zone, and only the rivals that meet it."""
        self.zone, self.bounds = zone, zone.bounds
        for rival in tuple(self.rivals):
            if not rival.overlaps(self):
                self.rivals.remove(rival)
                rival.rivals.remove(self)

    @property
    def is_granted(self) -> bool:
        """Whether the robot may use the zone."""
        return self.state is State.GRANTED

    @property
    def is_ahead(self) -> bool:
        """Whether the zone is part of a way that is still to be driven."""
        return self.state is State.ASKED or self.state is State.ANNOUNCED

    @property
    def earlier(self) -> list[Booking[Owner]]:
        """The rivals that were asked for before it and wait."""
        return [rival for rival in self.rivals if rival.state is State.ASKED and rival.place < self.place]


@dataclass(slots=True)
class Account(Generic[Owner]):
    """All bookings of one robot: those with numbers, and those of its way to come."""

    booked: dict[int, Booking[Owner]] = field(default_factory=dict)
    way: deque[Booking[Owner]] = field(default_factory=deque)
    end: Booking[Owner] | None = None
    is_gone: bool = False

    @property
    def waiting_since(self) -> float:
        """The place in the list of what was asked for first and is not granted; inf if nothing is."""
        waiting = (each.place for each in self.booked.values() if each.state is State.ASKED)
        return min(waiting, default=inf)

    def covers(self, zone: Zone) -> bool:
        """Return whether a zone lies in one that is granted."""
        return any(own.holds(zone) for own in self.booked.values())

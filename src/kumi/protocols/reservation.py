"""Path reservation: robots do not collide, because each moves only on floor that is reserved for it.

A robot asks for the zone of the next piece of its way before it moves, waits until the zone is granted, and
releases what it has left. Zones of different robots never overlap while both are held.

Requests and releases go through a total-order broadcast, so all nodes see the same list and come to the
same answers alone. A request waits for those before it in the list that overlap it and are not released,
unless they wait for its own robot; it is granted when none is left. What lies in a zone that its robot holds
is granted at once, so a robot that has arrived keeps the place where it stands and releases the way. A
request that would wait in a circle of held zones would wait for ever: it is refused, at all nodes alike, and
its robot must choose another way. After Yared, Défago and Wiesmann, "Collision prevention using group
communication for asynchronous cooperative mobile robots", 2007.

A robot that crashes stands where it is and keeps its zones; so does one whose request is granted before
anybody suspects it. What it only waits for is refused when a detector suspects it: through the same order,
so a wrong suspicion costs a request, and never safety.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kumi.contract.messages import Address, Message
from kumi.protocols.bookings import Booking, Bookings
from kumi.protocols.guarantees import EventuallyStrong, TotalOrderBroadcast
from kumi.protocols.layer import Layer
from kumi.protocols.numbering import refuse
from kumi.protocols.zone import Zone


class Reservation(Layer[Zone, bool]):
    """No two nodes hold overlapping zones at once; a request is granted when those before it are released.

    Tells a zone that was asked for, and whether it was granted; one that would wait for ever is refused.
    """

    requests: ClassVar[tuple[str, ...]] = ("request", "release")

    def request(self, zone: Zone) -> None:
        """Ask for a zone."""
        raise NotImplementedError

    def release(self, zone: Zone) -> None:
        """Give a zone back, or ask for it no longer."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Request(Message):
    """A zone is asked for, under a number of the asker."""

    number: int
    zone: Zone


@dataclass(frozen=True, slots=True)
class Release(Message):
    """The sender needs the zone of its request no longer."""

    number: int


@dataclass(frozen=True, slots=True)
class Withdraw(Message):
    """The request of a node that is suspected is refused, unless it was granted before."""

    owner: Address
    number: int


class ReserveInOrder(Reservation):
    """Grants overlapping zones in the order of a total-order broadcast.

    With crashes that order must be uniform: what one node delivers before it crashes, all deliver.
    """

    order: TotalOrderBroadcast
    detector: EventuallyStrong | None

    def __init__(self) -> None:
        self.bookings = Bookings()
        self._mine: dict[Zone, int] = {}
        self._next = 0

    @property
    def held(self) -> tuple[Zone, ...]:
        """The zones that are granted to this node and not released."""
        mine = self.bookings.of(self.node.address)
        return tuple(booking.zone for booking in mine if booking.is_granted and self._is_open(booking))

    def begin(self) -> None:
        """Listen to the order; numbers begin anywhere, so that those of an earlier life do not come again."""
        self._next = self.node.chance.integer(0, 2**52)
        self.order.listen(self._deliver)
        if self.detector is not None:
            self.detector.listen(self._suspicion_changed)

    def request(self, zone: Zone) -> None:
        """Ask for a zone."""
        if zone in self._mine:
            raise ValueError(f"{self.node.name} has asked for {zone} already; release it first")
        self._next += 1
        self._mine[zone] = self._next
        self.order.broadcast(Request(self._next, zone))

    def release(self, zone: Zone) -> None:
        """Give a zone back, or ask for it no longer."""
        number = self._mine.pop(zone, None)
        if number is None:
            raise ValueError(f"{self.node.name} has not asked for {zone}, or has released it")
        if self.bookings.find(self.node.address, number) is not None:
            self.order.broadcast(Release(number))

    def _is_open(self, booking: Booking) -> bool:
        """Return whether this node asked for it and has not released it."""
        return booking.owner == self.node.address and self._mine.get(booking.zone) == booking.number

    def _deliver(self, message: Message, sender: Address) -> None:
        match message:
            case Request(number, zone):
                self._take(Booking(sender, number, zone))
            case Release(number):
                self._strike_out(self.bookings.find(sender, number))
            case Withdraw(owner, number):
                booking = self.bookings.find(owner, number)
                if booking is not None and not booking.is_granted:
                    self._strike_out(booking)
                    self._refuse(booking)
            case _:
                refuse(self.node)

    def _take(self, booking: Booking) -> None:
        self.bookings.add(booking)
        if self.bookings.waits_in_circle(booking.owner):
            self.bookings.remove(booking)
            self._refuse(booking)
            return
        if booking.owner == self.node.address and not self._is_open(booking):
            self.order.broadcast(Release(booking.number))  # given up before it was in the list
        self._grant()
        if not booking.is_granted:
            self._give_up_for(booking.owner)

    def _strike_out(self, booking: Booking | None) -> None:
        if booking is not None:
            self.bookings.remove(booking)
            self._grant()

    def _grant(self) -> None:
        for booking in self.bookings.grant():  # all are granted before one is told, who may release it
            if self._is_open(booking):
                self.tell(booking.zone, True)

    def _refuse(self, booking: Booking) -> None:
        if self._is_open(booking):
            del self._mine[booking.zone]
            self.tell(booking.zone, False)

    def _suspicion_changed(self, address: Address, is_suspected: bool) -> None:
        if is_suspected:
            self._give_up_for(address)

    def _give_up_for(self, address: Address) -> None:
        if self.detector is not None and address in self.detector.suspected:
            for booking in self.bookings.of(address):
                if not booking.is_granted:
                    self.order.broadcast(Withdraw(address, booking.number))

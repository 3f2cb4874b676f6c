"""Path reservation: robots do not collide, because each moves only on floor that is reserved for it.

A robot asks for the zone of the next piece of its way before it moves, waits until the zone is granted, and
releases what it has left. Zones of different robots never overlap while both are held. With its first request
it announces the way that it will go then: a zone is granted only if all robots can still finish their ways.

Requests and releases go through a total-order broadcast, so all nodes keep the same list and come to the same
answers alone; `kumi.reserving.bookings` tells which. A way that would end in a circle of robots that wait for
each other is refused, at all nodes alike, and its robot must choose another one. What lies in a zone that its
robot holds is granted at once. After Yared, Défago and Wiesmann, "Collision prevention using group communication
for asynchronous cooperative mobile robots", 2007, with the safe-state check of a banker (Dijkstra, 1965).

A robot that crashes stands where it is and keeps its zones; so does one whose request is granted before
anybody suspects it. When a detector suspects it, all agree through the same order to take it for gone: what it
waits for is refused, and so is what others wait for if their ways lead through its zones. It is gone until it
asks again, so a wrong suspicion costs a request, and never safety. A node that comes back after a crash has
lost the list, and may not ask for anything: its robot stands still for good.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kumi.contract.messages import Address, Message
from kumi.devs import KumiError
from kumi.network import TooLarge, encoded_size
from kumi.protocols.guarantees import WITH_CRASHES, EventuallyStrong, TotalOrderBroadcast
from kumi.protocols.layer import LAYER_BYTES, Layer
from kumi.protocols.numbering import refuse
from kumi.reserving import Booking, Bookings, BookingState, Policy, Way, Zone


class ListLost(KumiError):
    """A node that came back after a crash asked for floor, and cannot know who holds it."""


class Reservation(Layer[Zone, bool]):
    """No two nodes hold overlapping zones at once; whoever asks for the zones of its way gets them in the end.

    Tells a zone that was asked for, and whether it was granted; a way on which no waiting helps is refused.
    """

    requests: ClassVar[tuple[str, ...]] = ("request", "release")

    def request(self, zone: Zone, then: Way | None = None) -> None:
        """Ask for a zone, and announce the way that is to come then.

        Without `then` the way announced before goes on if the zone is the next of it, or lies in what is held.
        """
        raise NotImplementedError

    def release(self, zone: Zone, keep: Zone | None = None) -> None:
        """Give a zone back, but for a part of it to keep; or ask for it no longer."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ZoneRequest(Message):
    """A zone is asked for, under a number of the asker, and a way announced."""

    number: int
    zone: Zone
    then: Way | None = None


@dataclass(frozen=True, slots=True)
class ReleaseZone(Message):
    """The sender needs the zone of its request no longer, but for a part of it."""

    number: int
    keep: Zone | None = None


@dataclass(frozen=True, slots=True)
class Withdraw(Message):
    """A node that is suspected is taken for gone, unless it has asked again since a request of that number."""

    owner: Address
    number: int


class ReserveInOrder(Reservation):
    """Grants zones by one list, which a total-order broadcast keeps the same at all nodes.

    With crashes that order must be uniform: what one node delivers before it crashes, all deliver. The policy is
    the same at all nodes: `safe`, or `held` or `order`, which can get stuck.
    """

    bears = WITH_CRASHES

    order: TotalOrderBroadcast
    detector: EventuallyStrong | None

    def __init__(self, policy: Policy = Policy.SAFE) -> None:
        self.bookings: Bookings[Address] = Bookings(policy)
        self._mine: dict[int, Zone] = {}
        self._next = 0

    @property
    def held(self) -> tuple[Zone, ...]:
        """The zones that are granted to this node and not released."""
        return tuple(zone for number, zone in self._mine.items() if self._is_granted(number))

    def begin(self) -> None:
        """Listen to the order; numbers begin anywhere, so that those of an earlier life do not come again."""
        self._next = self.node.chance.integer(0, 2**52)
        self.order.listen(self._deliver)
        if self.detector is not None:
            self.detector.listen(self._suspicion_changed)

    def request(self, zone: Zone, then: Way | None = None) -> None:
        """Ask for a zone, and announce the way that is to come then."""
        if self.node.is_up and not self.node.is_life(1):
            raise ListLost(
                f"{self.node.name} came back after a crash and has lost the list of reservations; it must stand still"
            )
        if zone in self._mine.values():
            raise ValueError(f"{self.node.name} has asked for {zone} already; release it first")
        message = ZoneRequest(self._next + 1, zone, then)
        limit = self.node.network.limit
        if then is not None and limit is not None and encoded_size(message) > limit - LAYER_BYTES:
            raise TooLarge(
                f"a way of {len(then)} zones does not fit into a message of {limit} bytes; announce a part of it"
            )
        self._next += 1
        self._mine[self._next] = zone
        self.order.broadcast(message)

    def release(self, zone: Zone, keep: Zone | None = None) -> None:
        """Give a zone back, but for a part of it to keep; or ask for it no longer."""
        number = next((number for number, mine in self._mine.items() if mine == zone), None)
        if number is None:
            raise ValueError(f"{self.node.name} has not asked for {zone}, or has released it")
        if keep is None:
            del self._mine[number]
        elif not self._is_granted(number) or not zone.covers(keep):
            raise ValueError(f"{self.node.name} cannot keep {keep}: it does not hold {zone} around it")
        else:
            self._mine[number] = keep
        if self.bookings.find(self.node.address, number) is not None:
            self.order.broadcast(ReleaseZone(number, keep))

    def _is_granted(self, number: int) -> bool:
        booking = self.bookings.find(self.node.address, number)
        return booking is not None and booking.is_granted

    def _is_open(self, booking: Booking[Address]) -> bool:
        """Return whether this node asked for it and has not released it."""
        return booking.owner == self.node.address and booking.number in self._mine

    def _deliver(self, message: Message, sender: Address) -> None:
        match message:
            case ZoneRequest(number, zone, then):
                self._take(self.bookings.ask(sender, number, zone, then))
            case ReleaseZone(number, keep):
                self._free(self.bookings.find(sender, number), keep)
            case Withdraw(owner, number):
                booking = self._last_of(owner)
                if booking is not None and booking.number == number:
                    self._refuse(*self.bookings.give_up(owner))
                    self._grant()
            case _:
                refuse(self.node)

    def _take(self, booking: Booking[Address]) -> None:
        if booking.state is BookingState.REFUSED:
            self._refuse(booking)
        elif booking.owner == self.node.address and not self._is_open(booking):
            self.order.broadcast(ReleaseZone(booking.number))  # given up before it was in the list
        self._grant()
        self._give_up_for(booking.owner)

    def _free(self, booking: Booking[Address] | None, keep: Zone | None) -> None:
        if booking is None:
            return
        if keep is not None and not booking.holds(keep):
            refuse(self.node)
            return
        self.bookings.release(booking, keep)
        self._grant()

    def _grant(self) -> None:
        for booking in self.bookings.grant():  # all are granted before one is told, who may release it
            if self._is_open(booking):
                self.tell(booking.zone, True)

    def _refuse(self, *bookings: Booking[Address]) -> None:
        for booking in bookings:
            if self._is_open(booking):
                self.tell(self._mine.pop(booking.number), False)

    def _suspicion_changed(self, address: Address, is_suspected: bool) -> None:
        if is_suspected:
            self._give_up_for(address)

    def _give_up_for(self, address: Address) -> None:
        """Let all take a node for gone that is suspected and in the list."""
        booking = self._last_of(address)
        if booking is not None and self.detector is not None and address in self.detector.suspected:
            self.order.broadcast(Withdraw(address, booking.number))

    def _last_of(self, owner: Address) -> Booking[Address] | None:
        """Return the newest booking of a node in the list."""
        return max(self.bookings.of(owner), key=lambda booking: booking.place, default=None)

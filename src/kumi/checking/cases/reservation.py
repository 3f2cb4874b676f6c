"""Robots that reserve their way through a small grid of crossings."""

from __future__ import annotations

from math import isqrt

from kumi.checking.case import Case, a_minority, nobody
from kumi.checking.reservation_monitors import ZonesApart
from kumi.contract.messages import Address, Message
from kumi.geometry import Point
from kumi.protocols import Acknowledged, BestEffortBroadcast, Layer, Stack, ToEach, TotalOrderBroadcast
from kumi.protocols.bookings import Booking, Bookings
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.consensus_order import ConsensusOrder
from kumi.protocols.fifo_links import InOrder
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.lamport_order import LamportOrder
from kumi.protocols.mistaken import Mistaken
from kumi.protocols.reliable import EagerRelay
from kumi.protocols.reservation import Reservation, ReserveInOrder, Withdraw
from kumi.protocols.zone import Zone


class Walker(Layer[()]):
    """Goes a few steps through a grid of crossings one metre apart, and leaves it in the end."""

    reservation: Reservation

    def __init__(self, steps: int = 4, radius: float = 0.3) -> None:
        self.steps = steps
        self.radius = radius
        self._here = Point(0.0, 0.0)
        self._side = 3
        self._way: Zone | None = None

    def begin(self) -> None:
        """Ask for the place where it stands."""
        self.reservation.listen(self._told)
        self._side = max(3, isqrt(2 * len(self.node.group)))
        self._here = Point(self.node.address % self._side, self.node.address // self._side)
        self.node.after(0.0, lambda: self.reservation.request(self._place(self._here)))

    def _place(self, point: Point) -> Zone:
        return Zone((point,), self.radius)

    def _told(self, zone: Zone, is_granted: bool) -> None:
        if not is_granted:
            self._way = None
            self._go_later()
        elif zone == self._way:
            self.node.after(self.node.chance.uniform(0.1, 0.5), self._arrive)
        elif self._way is None:
            self._go_later()
        else:
            self._keep(zone)

    def _go_later(self) -> None:
        self.node.after(self.node.chance.uniform(0.1, 1.0), self._go)

    def _go(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            self.reservation.release(self._place(self._here))
            return
        ways = [
            Point(self._here.x + dx, self._here.y + dy)
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            if (dx, dy) != (0, 0)
            if 0 <= self._here.x + dx < self._side and 0 <= self._here.y + dy < self._side
        ]
        self._way = Zone((self._here, self.node.chance.choice(ways)), self.radius)
        self.reservation.request(self._way)

    def _arrive(self) -> None:
        assert self._way is not None
        self.reservation.request(self._place(self._way.path[-1]))

    def _keep(self, place: Zone) -> None:
        """Hold the new place alone."""
        assert self._way is not None
        self.reservation.release(self._way)
        self.reservation.release(self._place(self._here))
        self._way = None
        self._here = place.path[0]
        self._go_later()


class NoWaiting(Bookings):
    """Grants everything."""

    def waits(self, booking: Booking) -> bool:
        """Wait for nobody."""
        return False


class EndsOnly(Bookings):
    """Compares the ends of the ways alone."""

    def rivals_of(self, booking: Booking) -> list[Booking]:
        """Return those that have an end in common."""
        ends = {*booking.zone.path}
        return [other for other in super().rivals_of(booking) if ends & {*other.zone.path}]


class Deadlocking(Bookings):
    """Does not look for circles."""

    def waits_in_circle(self, start: Address) -> bool:
        """See none."""
        return False


class Unordered(TotalOrderBroadcast):
    """Delivers what comes as it comes, though it says that it keeps an order."""

    best: BestEffortBroadcast

    def begin(self) -> None:
        """Listen."""
        self.best.listen(self.tell)

    def broadcast(self, message: Message) -> None:
        """Send to all."""
        self.best.broadcast(message)


class Forgiving(ReserveInOrder):
    """Gives the floor under a suspected robot to others."""

    def _give_up_for(self, address: Address) -> None:
        if self.detector is not None and address in self.detector.suspected:
            for booking in self.bookings.of(address):
                self._strike_out(booking)


class TakesBack(ReserveInOrder):
    """Withdraws what was granted as well."""

    def _deliver(self, message: Message, sender: Address) -> None:
        if isinstance(message, Withdraw):
            booking = self.bookings.find(message.owner, message.number)
            if booking is not None:
                booking.is_granted = False
        super()._deliver(message, sender)

    def _give_up_for(self, address: Address) -> None:
        if self.detector is not None and address in self.detector.suspected:
            for booking in self.bookings.of(address):
                self.order.broadcast(Withdraw(address, booking.number))


def by_time_stamps(bookings: type[Bookings] = Bookings) -> Stack:
    """Order requests by Lamport's clock."""
    reserve = ReserveInOrder()
    reserve.bookings = bookings()
    return Stack(Walker(), reserve, LamportOrder(), InOrder(), Acknowledged())


def without_order() -> Stack:
    """Let each node see its own order of requests."""
    return Stack(Walker(), ReserveInOrder(), Unordered(), ToEach(), Acknowledged())


def by_consensus(kind: type[ReserveInOrder]) -> Stack:
    """Order requests by consensus, which stands crashes."""
    return Stack(
        Walker(),
        kind(),
        ConsensusOrder(),
        EagerRelay(),
        ToEach(),
        ChandraToueg(),
        Mistaken(),
        Heartbeat(period=0.4, timeout=2.0),
        Acknowledged(),
    )


OF_MESSAGES = frozenset({"loss", "duplication", "reordering", "slow-links", "partition", "pause", "skew"})

CASES: tuple[Case, ...] = (
    Case(
        name="reservation",
        promise="zones of different nodes never overlap; who waits gets its zone, or is refused in a circle",
        stack=by_time_stamps,
        monitors=lambda: [ZonesApart()],
        faults=OF_MESSAGES,
        mutants={
            "no-waiting": lambda: by_time_stamps(NoWaiting),
            "ends-only": lambda: by_time_stamps(EndsOnly),
            "no-order": without_order,
            "no-look-for-circles": lambda: by_time_stamps(Deadlocking),
        },
        crashes=nobody,
        settling=40.0,
    ),
    Case(
        name="reservation-with-crashes",
        promise="the same when robots crash: they keep the floor they stand on, and nothing else",
        stack=lambda: by_consensus(ReserveInOrder),
        monitors=lambda: [ZonesApart()],
        faults=OF_MESSAGES | {"crash", "crash-mid-send", "suspicion"},
        mutants={
            "floor-of-suspects": lambda: by_consensus(Forgiving),
            "takes-back": lambda: by_consensus(TakesBack),
        },
        crashes=a_minority,
        settling=40.0,
    ),
)

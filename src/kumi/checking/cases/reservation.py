"""Robots that reserve their way through a small grid of crossings: cases, and the monitors that judge them."""

from __future__ import annotations

from itertools import pairwise
from math import isqrt
from typing import Any

from kumi.checking.case import Case, a_minority, nobody
from kumi.checking.monitors import Monitor, RunEnding, broken, names
from kumi.contract.messages import Address, Message
from kumi.geometry import Point
from kumi.protocols import Acknowledged, BestEffortBroadcast, Layer, Stack, ToEach, TotalOrderBroadcast
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.consensus_order import ConsensusOrder
from kumi.protocols.fifo import InOrder
from kumi.protocols.guarantees import BAD_NETWORK, CRASHES, SUSPICION
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.lamport_order import LamportOrder
from kumi.protocols.reliable import EagerRelay
from kumi.protocols.reservation import Reservation, ReserveInOrder, Withdraw
from kumi.protocols.suspicion import Mistaken
from kumi.reserving import Booking, Bookings, Way, Zone


class Walker(Layer[()]):
    """Goes a few ways through a grid of crossings one metre apart, each announced at once, and leaves it in the end."""

    reservation: Reservation

    def __init__(self, steps: int = 5, radius: float = 0.3) -> None:
        self.steps = steps
        self.radius = radius
        self._here = Zone((Point(0.0, 0.0),), radius)
        self._side = 3
        self._way: list[Zone] = []

    def begin(self) -> None:
        """Ask for the place where it stands."""
        self.reservation.listen(self._told)
        self._side = max(3, isqrt(2 * len(self.node.group)))
        row, column = divmod(self.node.address, self._side)
        self._here = Zone((Point(column, row),), self.radius)
        self.node.after(0.0, lambda: self.reservation.request(self._here))

    def _told(self, zone: Zone, is_granted: bool) -> None:
        if is_granted and self._way:
            self.node.after(self.node.chance.uniform(0.1, 0.5), self._arrive)
        else:
            self._go_later()

    def _go_later(self) -> None:
        self._way = []
        self.node.after(self.node.chance.uniform(0.1, 1.0), self._go)

    def _go(self) -> None:
        if self.steps <= 0:
            self.reservation.release(self._here)
            return
        count = min(self.steps, self.node.chance.integer(1, 3))
        self.steps -= count
        points = [self._here.path[-1]]
        while len(points) <= count:
            points.append(self._next_to(points[-1]))
        self._way = [Zone(pair, self.radius) for pair in pairwise(points)]
        self.reservation.request(self._way[0], Way(tuple(self._way[1:]), self.node.chance.happens(0.3)))

    def _next_to(self, point: Point) -> Point:
        ways = [
            Point(point.x + dx, point.y + dy)
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            if (dx, dy) != (0, 0)
            if 0 <= point.x + dx < self._side and 0 <= point.y + dy < self._side
        ]
        return self.node.chance.choice(ways)

    def _arrive(self) -> None:
        """Hold the new place alone, and go on."""
        zone = self._way.pop(0)
        self.reservation.release(self._here)
        self.reservation.release(zone, zone.end)
        self._here = zone.end
        if self._way:
            self.reservation.request(self._way[0])
        else:
            self._go_later()


class NoWaiting(Bookings[Address]):
    """Grants everything."""

    def waits(self, booking: Booking[Address]) -> bool:
        """Wait for nobody."""
        return False


class EndsOnly(Bookings[Address]):
    """Compares the ends of the ways alone."""

    def rivals_of(self, booking: Booking[Address]) -> list[Booking[Address]]:
        """Return those that have an end in common."""
        ends = {*booking.zone.path}
        return [other for other in super().rivals_of(booking) if ends & {*other.zone.path}]


class Careless(Bookings[Address]):
    """Grants what is free, whoever may get stuck."""

    def is_safe(self, booking: Booking[Address]) -> bool:
        """See no circle."""
        return True


class Trusting(Bookings[Address]):
    """Takes every way, even one that ends in a circle."""

    def hopeless(self, owner: Address) -> tuple[Address, ...]:
        """See no circle."""
        return ()


class ShortSighted(Bookings[Address]):
    """Looks at what is asked for, and not at the ways that were announced."""

    def ask(self, owner: Address, number: int, zone: Zone, then: Way | None = None) -> Booking[Address]:
        """Forget the way."""
        return super().ask(owner, number, zone)


class FreedTooEarly(Bookings[Address]):
    """Gives back all of a zone, though its robot keeps a part of it."""

    def release(self, booking: Booking[Address], keep: Zone | None = None) -> None:
        """Keep nothing."""
        super().release(booking)


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
                self.bookings.release(booking)
            self._grant()


class TakesBack(ReserveInOrder):
    """Withdraws what was granted as well."""

    def _deliver(self, message: Message, sender: Address) -> None:
        super()._deliver(message, sender)
        if isinstance(message, Withdraw):
            booking = self.bookings.find(message.owner, message.number)
            if booking is not None:
                self.bookings.release(booking)
                self._grant()


def by_time_stamps(bookings: type[Bookings[Address]] = Bookings) -> Stack:
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


CASES: tuple[Case, ...] = (
    Case(
        name="reservation",
        promise="zones of different nodes never overlap; a way that is not refused at once is driven to its end",
        stack=by_time_stamps,
        monitors=lambda: [ZonesApart(), WaysKept()],
        faults=BAD_NETWORK,
        mutants={
            "no-waiting": lambda: by_time_stamps(NoWaiting),
            "ends-only": lambda: by_time_stamps(EndsOnly),
            "no-order": without_order,
            "no-safe-state": lambda: by_time_stamps(Careless),
            "no-look-for-circles": lambda: by_time_stamps(Trusting),
            "short-sighted": lambda: by_time_stamps(ShortSighted),
            "keeps-nothing": lambda: by_time_stamps(FreedTooEarly),
        },
        crashes=nobody,
        settling=40.0,
    ),
    Case(
        name="reservation-with-crashes",
        promise="zones never overlap when robots crash: they keep the floor they stand on, and nothing else",
        stack=lambda: by_consensus(ReserveInOrder),
        monitors=lambda: [ZonesApart()],
        faults=BAD_NETWORK | CRASHES | SUSPICION,
        mutants={
            "floor-of-suspects": lambda: by_consensus(Forgiving),
            "takes-back": lambda: by_consensus(TakesBack),
        },
        crashes=a_minority,
        settling=40.0,
    ),
)


class ZonesApart(Monitor):
    """No two nodes hold overlapping zones at once; only what was asked for is granted.

    A node that crashes stands where it is: it holds its zones to the end of the run.
    """

    watches = Reservation

    def __init__(self) -> None:
        self._asked: dict[tuple[Address, Zone], None] = {}
        self._held: dict[tuple[Address, Zone], float] = {}
        self._released: dict[tuple[Address, Zone], None] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Remember what is asked for, and forget what is released."""
        key = (address, event[0])
        if what == "request":
            self._asked[key] = None
            return
        self._asked.pop(key, None)
        since = self._held.pop(key, None)
        self._released[key] = None
        if since is not None and len(event) > 1 and event[1] is not None:
            self._held[address, event[1]] = since

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Compare a zone that is granted with all that others hold."""
        zone, is_granted = event
        if (address, zone) not in self._asked:
            raise broken(
                "answers to requests",
                f"node {address} was told at {time:.3f} s about {describe(zone)}",
                "it had no request for it open",
            )
        del self._asked[address, zone]
        if not is_granted:
            return
        for (other, held), since in self._held.items():
            if other != address and held.overlaps(zone):
                raise broken(
                    "zones apart",
                    f"node {address} was granted {describe(zone)} at {time:.3f} s",
                    f"node {other} holds {describe(held)} since {since:.3f} s, and they overlap",
                )
        self._held[address, zone] = time

    def finish(self, ending: RunEnding) -> None:
        """A waiting robot waits for something that another one holds."""
        waiting = [(owner, zone) for owner, zone in self._asked if owner in ending.correct]
        pending = [*self._held, *waiting, *self._perhaps_held(ending)]
        waits_for = {
            owner: {
                other
                for mine, zone in waiting
                if mine == owner
                for other, theirs in pending
                if other != owner and theirs.overlaps(zone)
            }
            for owner, _ in waiting
        }
        for owner, zone in waiting:
            found, to_do = {owner}, [owner]
            while to_do:
                new = waits_for.get(to_do.pop(), set()) - found
                found |= new
                to_do += sorted(new)
            if found <= set(waits_for):
                raise broken(
                    "no endless waiting",
                    f"node {owner} still waits for {describe(zone)} at the end",
                    "it waits for nobody" if len(found) == 1 else f"{names(found)} wait for each other alone",
                )

    def _perhaps_held(self, ending: RunEnding) -> list[tuple[Address, Zone]]:
        """Return what crashed nodes seem to hold to the others.

        What they asked for may have been granted, and what they released may not have been heard of, unless
        somebody holds something against it.
        """
        return [
            (owner, zone)
            for owner, zone in (*self._asked, *self._released)
            if owner not in ending.correct
            and not any(other != owner and held.overlaps(zone) for other, held in self._held)
        ]


class WaysKept(Monitor):
    """A way is refused when it is announced, or never; for nodes that nobody takes for gone."""

    watches = Reservation

    def __init__(self) -> None:
        self._ways: dict[Address, list[Zone]] = {}
        self._going_on: dict[tuple[Address, Zone], None] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Remember the ways, and which zones belong to those that were announced before."""
        if what != "request":
            return
        zone, then = event if len(event) > 1 else (event[0], None)
        if then is not None:
            self._ways[address] = list(then.zones)
        elif self._ways.get(address, [])[:1] == [zone]:
            del self._ways[address][0]
            self._going_on[address, zone] = None

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Look for a zone that is refused on the way."""
        zone, is_granted = event
        if self._going_on.pop((address, zone), True) is None and not is_granted:
            raise broken(
                "ways are kept",
                f"node {address} was refused {describe(zone)} at {time:.3f} s",
                "the zone belongs to a way that had been announced, and granted in part",
            )


def describe(zone: Zone) -> str:
    """Write a zone in short."""
    path = " - ".join(f"({point.x:g}, {point.y:g})" for point in zone.path)
    return f"{path} ± {zone.radius:g}"

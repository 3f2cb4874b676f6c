"""Who has booked which floor, who waits for whom, and what may be granted? Without any network.

Each robot announces its whole way with its first request, asks for the zones of it one after the other, and
releases what lies behind it. Zones of different robots are never granted at once if they overlap. Beyond that,
three policies can be compared:

- `order`: a zone also waits for all overlapping zones that were requested before it. A robot that follows another
  requests the floor on which that one stands, and then blocks it for ever: almost every crowd deadlocks.
- `held`: a zone waits for granted zones alone. Robots still drive into each other's way until none can move.
- `safe`: a zone is granted only if the state after it is safe, which means that all robots can finish their ways in
  some order (the banker's algorithm; Dijkstra, 1965).

The order in which ways can be finished is found without trying orders. If each robot drives to its end while the
later ones stand still, robot i must come after robot j if its way meets what j has been granted, and before j if
it meets the place where j will stay. So there is an order exactly if these rules have no circle. The first
robot of such an order can always be granted its next zone, so somebody can always move on.

A way that would make a circle with those announced before is refused, as is one through the zones of a robot
that is gone: no waiting helps, and its robot must choose another way. A head-on swap on one line is such a circle.

Requests are granted oldest first. A younger request overtakes an older one whose way it meets only if the older one
is waiting for it, directly or through other robots. A zone within floor that its own robot holds waits for nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from enum import StrEnum, auto
from typing import Generic, TypeAlias

from kumi.geometry import Bounds
from kumi.reserving.booking import Account, Booking, BookingState, Owner, WaitsFor
from kumi.reserving.zone import CellIndex, Way, Zone

Watcher: TypeAlias = Callable[[Owner, list[Booking[Owner]]], object]
"""Hears of a robot and of all that it has asked for and not released."""


class Policy(StrEnum):
    """What a zone waits for, beside granted zones that overlap it."""

    ORDER = auto()
    HELD = auto()
    SAFE = auto()


class Bookings(Generic[Owner]):
    """All bookings that are not released, in the order of asking."""

    def __init__(self, policy: Policy = Policy.SAFE) -> None:
        self.policy = Policy(policy)
        self._accounts: dict[Owner, Account[Owner]] = {}
        self._cells: CellIndex[Booking[Owner]] = CellIndex()
        self._places = 0
        self._watchers: list[Watcher[Owner]] = []
        self._waits_for: WaitsFor[Owner] = WaitsFor()
        self._asked: dict[Booking[Owner], None] = {}  # in the order of asking
        self._changes = 0  # how often something was granted or released, or a robot taken for gone
        self._steps: dict[Owner, tuple[Owner, ...]] = {}  # see _next_or_elder; until a booking changes

    def __len__(self) -> int:
        return sum(len(account.booked) for account in self._accounts.values())

    def __iter__(self) -> Iterator[Booking[Owner]]:
        booked = [each for account in self._accounts.values() for each in account.booked.values()]
        return iter(sorted(booked, key=lambda booking: booking.place))

    def watch(self, told: Watcher[Owner]) -> None:
        """Let somebody hear of a robot and all its bookings, whenever one of them has changed."""
        self._watchers.append(told)

    @property
    def owners(self) -> tuple[Owner, ...]:
        """The robots that have booked anything."""
        return tuple(self._accounts)

    def find(self, owner: Owner, number: int) -> Booking[Owner] | None:
        """Return a booking that was asked for and not released."""
        account = self._accounts.get(owner)
        return None if account is None else account.booked.get(number)

    def of(self, owner: Owner) -> list[Booking[Owner]]:
        """Return what a robot has asked for and not released."""
        account = self._accounts.get(owner)
        return [] if account is None else list(account.booked.values())

    def ask(self, owner: Owner, number: int, zone: Zone, then: Way | None = None) -> Booking[Owner]:
        """Ask for a zone; return its booking, which is refused if no waiting would help.

        `then` is the way that the robot will go after it. Without one the way announced before goes on, if the
        zone is the next of it or lies in what the robot holds; otherwise there is none any more.
        """
        account = self._accounts.setdefault(owner, Account())
        account.is_gone = False
        if then is None and account.way and account.way[0].zone == zone:
            booking = account.way.popleft()
            booking.number = number
        else:
            if then is not None or not account.covers(zone):
                self._forget_way(account)
            booking = self._enter(Booking(owner, number, zone))
            if then is not None:
                self._announce(booking, account, then)
        self._places += 1
        booking.place = self._places
        account.booked[number] = booking
        self._turn(booking, BookingState.ASKED)
        against = self.hopeless(owner)
        if against:
            self._refuse(booking, against)
        self._tell(owner)
        return booking

    def stand(self, owner: Owner, number: int, zone: Zone) -> Booking[Owner]:
        """Take note of the floor that a robot is on, whoever waits for it; its way is forgotten.

        That what is granted to others does not overlap it is the caller's to see to.
        """
        account = self._accounts.setdefault(owner, Account())
        account.is_gone = False
        self._forget_way(account)
        booking = account.booked[number] = self._enter(Booking(owner, number, zone))
        self._places += 1
        booking.place = self._places
        self._turn(booking, BookingState.GRANTED)
        self._tell(owner)
        return booking

    def grant(self) -> list[Booking[Owner]]:
        """Grant all that need not wait; return them."""
        granted: list[Booking[Owner]] = []
        while True:
            before = len(granted)
            for booking in tuple(self._asked):
                if not self.waits(booking):
                    self._turn(booking, BookingState.GRANTED)
                    granted.append(booking)
            if len(granted) == before:
                self._tell(*(booking.owner for booking in granted))
                return granted

    def release(self, booking: Booking[Owner], keep: Zone | None = None) -> None:
        """Take a booking from the list, or all of a granted one but a part of it."""
        if keep is None:
            self._remove(booking)
        elif not booking.holds(keep):
            raise ValueError(f"what is kept lies in a granted zone; {keep} does not lie in {booking.zone}")
        else:
            self._steps.clear()
            self._changes += 1
            self._cells.remove(booking)
            self._waits_for.drop(booking)
            booking.shrink(keep)
            self._waits_for.add(booking)
            self._cells.add(booking, booking.bounds)
        self._tell(booking.owner)

    def withdraw(self, owner: Owner) -> bool:
        """Take back what a robot asks for and the way that it announced, not what it holds; return whether there was any."""
        account = self._accounts.get(owner)
        if account is None:
            return False
        asked = [booking for booking in account.booked.values() if booking.state is BookingState.ASKED]
        if not asked and not account.way and account.end is None:
            return False
        self._forget_way(account)
        for booking in asked:
            self._remove(booking)
        self._tell(owner)
        return True

    def give_up(self, owner: Owner) -> list[Booking[Owner]]:
        """Take a robot for gone until it asks again; return what is refused because of that.

        It keeps what was granted to it. What it waits for is refused, and what others wait for if their ways
        meet its zones.
        """
        account = self._accounts.get(owner)
        if account is None:
            return []
        account.is_gone = True
        self._steps.clear()
        self._changes += 1
        refused = [booking for booking in account.booked.values() if booking.state is BookingState.ASKED]
        for booking in refused:
            self._refuse(booking, (owner,))
        for other in tuple(self._accounts):
            against = self.hopeless(other)
            if against:
                stuck = [booking for booking in self.of(other) if booking.state is BookingState.ASKED]
                for booking in stuck:
                    self._refuse(booking, against)
                refused += stuck
        self._tell(*(booking.owner for booking in refused))
        return refused

    def waits(self, booking: Booking[Owner]) -> bool:
        """Return whether a booking cannot be granted now."""
        if self._accounts[booking.owner].covers(booking.zone):
            return False
        if booking.is_blocked:
            return True
        if self.policy is Policy.HELD:
            return False
        if self.policy is Policy.ORDER:
            return bool(booking.earlier)
        # What is announced or asked for makes nothing safe that was not: only what is granted or released does.
        if booking.unsafe_at == self._changes:
            return True
        if not self.is_safe(booking):
            booking.unsafe_at = self._changes
            return True
        return any(
            not _leads_to(elder, booking.owner, self._next_or_elder)
            for elder in dict.fromkeys(self._elders(booking))
        )

    def is_safe(self, booking: Booking[Owner]) -> bool:
        """Return whether all robots could still finish their ways if a booking were granted that meets nothing granted.

        Then those whose ways meet it wait for its robot, and those that will stay in it wait because of it no longer.
        A circle must go through that robot, since there was none before.
        """
        owner = booking.owner
        if not self._next(owner):
            return True
        ahead, ends = set[Owner](), Counter[Owner]()
        for rival in booking.rivals:
            if rival.state is BookingState.END:
                ends[rival.owner] += 1
            else:
                ahead.add(rival.owner)
        for other in _reached(owner, self._next):
            is_waiting = other in ahead or self._waits_for.count(other, owner) > ends[other]
            if is_waiting and not self._accounts[other].is_gone:
                return False
        return True

    def hopeless(self, owner: Owner) -> tuple[Owner, ...]:
        """Return the robots because of which a way cannot be finished, ever; none if it can."""
        if self.policy is not Policy.SAFE:
            return ()
        for booking in self.ahead(owner) if self._is_anybody_gone() else ():
            for rival in booking.rivals:
                if rival.is_granted and self._accounts[rival.owner].is_gone:
                    return (rival.owner,)
        return self.circle(owner) if self._waits_for_itself(owner) else ()

    def circle(self, owner: Owner) -> tuple[Owner, ...]:
        """Return who would have to wait for whom, from a robot back to it; nobody if there is no circle."""
        came_from: dict[Owner, Owner] = {}
        to_do = [owner]
        while to_do:
            last = to_do.pop()
            for other in self._before(last):
                if other == owner:
                    steps = [last]
                    while steps[-1] != owner:
                        steps.append(came_from[steps[-1]])
                    return tuple(reversed(steps))
                if other not in came_from:
                    came_from[other] = last
                    to_do.append(other)
        return ()

    def ahead(self, owner: Owner) -> Iterator[Booking[Owner]]:
        """Go through the way that a robot still has to drive, if it is there."""
        account = self._accounts.get(owner)
        if account is not None and not account.is_gone:
            for booking in account.booked.values():
                if booking.state is BookingState.ASKED and not account.covers(booking.zone):
                    yield booking
            if self.policy is Policy.SAFE:
                yield from account.way

    def end_of(self, owner: Owner) -> Zone | None:
        """Return the place where a robot will stay, or stays; None if it will go on."""
        account = self._accounts.get(owner)
        return None if account is None or account.end is None else account.end.zone

    def is_gone(self, owner: Owner) -> bool:
        """Return whether a robot is taken for gone."""
        return owner in self._accounts and self._accounts[owner].is_gone

    def waiting_for(self, owner: Owner) -> set[Owner]:
        """Return all robots that cannot finish their ways before a robot moves on, by way of others perhaps."""
        waiters: dict[Owner, list[Owner]] = {}
        for other in self._accounts:
            for first in self._next(other):
                waiters.setdefault(first, []).append(other)
        return {*_reached(owner, lambda first: waiters.get(first, ()))} - {owner}

    def rivals_of(self, booking: Booking[Owner]) -> list[Booking[Owner]]:
        """Return the bookings of others that overlap."""
        near = self._cells.near(booking.bounds)
        return [other for other in near if other.owner != booking.owner and other.overlaps(booking)]

    def granted_near(self, bounds: Bounds) -> list[Booking[Owner]]:
        """Return what is granted within a rectangle, and some that only comes near."""
        return [booking for booking in self._cells.near(bounds) if booking.is_granted]

    def _tell(self, *owners: Owner) -> None:
        if self._watchers:
            for owner in dict.fromkeys(owners):
                for told in self._watchers:
                    told(owner, self.of(owner))

    def _enter(self, booking: Booking[Owner]) -> Booking[Owner]:
        self._steps.clear()
        booking.rivals = self.rivals_of(booking)
        for rival in booking.rivals:
            rival.rivals.append(booking)
        self._waits_for.add(booking)
        self._cells.add(booking, booking.bounds)
        return booking

    def _announce(self, first: Booking[Owner], account: Account[Owner], then: Way) -> None:
        for zone in then.zones:
            account.way.append(self._enter(Booking(first.owner, 0, zone, BookingState.ANNOUNCED)))
        if then.stays:
            last = then.zones[-1] if then.zones else first.zone
            account.end = self._enter(Booking(first.owner, 0, last.end, BookingState.END))

    def _forget_way(self, account: Account[Owner]) -> None:
        for booking in account.way:
            self._strike(booking)
        account.way.clear()
        if account.end is not None:
            self._strike(account.end)
            account.end = None

    def _refuse(self, booking: Booking[Owner], against: tuple[Owner, ...]) -> None:
        self._forget_way(self._accounts[booking.owner])
        self._remove(booking)
        booking.state, booking.against = BookingState.REFUSED, against

    def _remove(self, booking: Booking[Owner]) -> None:
        account = self._accounts[booking.owner]
        del account.booked[booking.number]
        account.look()
        self._strike(booking)
        if not account.booked:
            self._forget_way(account)
            del self._accounts[booking.owner]

    def _turn(self, booking: Booking[Owner], state: BookingState) -> None:
        """Give a booking another state."""
        self._steps.clear()
        self._waits_for.drop(booking)
        booking.state = state
        self._waits_for.add(booking)
        if state is BookingState.ASKED:
            self._asked[booking] = None
        else:
            self._changes += 1
            self._asked.pop(booking, None)
        self._accounts[booking.owner].look()

    def _strike(self, booking: Booking[Owner]) -> None:
        self._steps.clear()
        self._changes += 1
        self._asked.pop(booking, None)
        self._waits_for.drop(booking)
        for rival in booking.rivals:
            rival.lose(booking)
        booking.rivals = []
        self._cells.remove(booking)

    def _before(self, owner: Owner) -> Iterator[Owner]:
        """Go through the robots that must move on before a robot can."""
        for booking in self.ahead(owner):
            for rival in booking.rivals:
                if rival.is_granted:
                    yield rival.owner
            if self.policy is Policy.ORDER:
                yield from (rival.owner for rival in booking.earlier)
        account = self._accounts[owner]
        if self.policy is Policy.SAFE and account.end is not None and not account.is_gone:
            for rival in account.end.rivals:
                if rival.is_ahead:
                    yield rival.owner

    def _is_anybody_gone(self) -> bool:
        return any(account.is_gone for account in self._accounts.values())

    def _elders(self, booking: Booking[Owner]) -> Iterator[Owner]:
        """Go through the robots that have waited longer, and whose ways meet a zone that was asked for."""
        place, accounts = booking.place, self._accounts
        for rival in booking.rivals:
            if accounts[rival.owner].waiting_since < place and rival.is_ahead:
                yield rival.owner

    def _next(self, owner: Owner) -> Collection[Owner]:
        """Return the robots that must move on before a robot can."""
        return () if self._accounts[owner].is_gone else self._waits_for[owner]

    def _next_or_elder(self, owner: Owner) -> Iterable[Owner]:
        """Return the robots that must move on before a robot can, and those that have waited longer."""
        steps = self._steps.get(owner)
        if steps is None:
            account = self._accounts[owner]
            found = dict.fromkeys(self._next(owner))
            for booking in () if account.is_gone else account.booked.values():
                if booking.state is BookingState.ASKED and not account.covers(booking.zone):
                    found.update(dict.fromkeys(self._elders(booking)))
            steps = self._steps[owner] = tuple(found)
        return steps

    def _waits_for_itself(self, owner: Owner) -> bool:
        """Return whether a robot is in a circle of robots that wait for each other."""
        return _leads_to(owner, owner, self._next)


def _leads_to(start: Owner, goal: Owner, following: Callable[[Owner], Iterable[Owner]]) -> bool:
    """Return whether one comes from a start to a goal, step by step."""
    return any(goal in following(other) for other in _reached(start, following))


def _reached(start: Owner, following: Callable[[Owner], Iterable[Owner]]) -> Iterator[Owner]:
    """Go through all to which one comes from a start, step by step, beginning there."""
    found = {start}
    to_do = [start]
    while to_do:
        last = to_do.pop()
        yield last
        for other in following(last):
            if other not in found:
                found.add(other)
                to_do.append(other)

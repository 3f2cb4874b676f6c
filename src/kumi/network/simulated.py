"""A network in the simulation: messages travel as events, and effects act on them on their way.

`SimulatedNetwork(simulation, Constant(0.01), Loss(0.1))` sends each message through its effects in the
order given. An effect hands it on, once, several times or not at all, at the same instant or a later one.
What no effect dropped arrives at the instant it has got to, if its receiver is up then.

A message to several is one sending with several receivers; each has a flight of its own. Where a radio is
among the effects, it says who is in reach, at the instant of sending.

Each sending is part of the trace with its content, each arrival with the number of its sending.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeAlias

import msgspec

from kumi.contract.messages import Address, Message
from kumi.kernel import Chance, Simulation
from kumi.network.checks import as_whole
from kumi.network.errors import NetworkError, TooLarge
from kumi.network.network import Dropped, Network, Received, Sent, Traffic, in_short
from kumi.network.wire import encoded_size

RANK = 2
"""When messages arrive within an instant: after motion, before sensors and programs."""

OUT_OF_REACH = "out of reach"
"""Why a message to one who is too far away is dropped."""

Onward: TypeAlias = Callable[["Flight", float], None]
"""Takes a flight and the instant it has got to, which is not before now."""

Gate: TypeAlias = Callable[["Flight"], str | None]
"""Asked at the instant of an arrival: why it does not happen, or None if it does."""


class Flight(msgspec.Struct, gc=False):
    """A message on its way to one receiver; flights of one sending have its number."""

    number: int
    sender: Address
    to: Address
    message: Message
    sent: float
    """When it was sent: an effect that is judged at sending is judged by this, wherever it stands."""

    def copy(self) -> Flight:
        """Make another one with the same message; `SimulatedNetwork.copy` counts it, too."""
        return Flight(self.number, self.sender, self.to, self.message, self.sent)


class Effect(Protocol):
    """Something that happens to messages on their way."""

    is_reliable: bool
    is_in_order: bool

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network; return what takes a flight and its instant, and hands it on."""


class Reach(Protocol):
    """Who can hear whom now."""

    def hears(self, address: Address, sender: Address) -> bool:
        """Whether one hears another."""

    def hearers(self, sender: Address) -> Iterable[Address]:
        """All who hear the sender, in the same order in every run."""


class SimulatedNetwork(Network):
    """Carries messages through effects; without any, they arrive at the instant they are sent.

    A message that takes more than `limit` bytes by `size` is refused with TooLarge.
    """

    def __init__(
        self,
        simulation: Simulation,
        *effects: Effect,
        name: str = "network",
        limit: int | None = None,
        size: Callable[[Message], int] = encoded_size,
    ) -> None:
        super().__init__()
        self.simulation = simulation
        self.name = name
        check_effects(simulation, effects)
        self.effects = effects
        self.limit = None if limit is None else as_whole(limit, "the limit of a message's size in bytes", 1)
        self.size = size
        self.reach: Reach | None = None
        self.is_reliable = all(effect.is_reliable for effect in effects)
        self.is_in_order = all(effect.is_in_order for effect in effects)
        self._engine = simulation.engine
        self._schedule = self._engine.schedule_with
        self._arrive = self._deliver  # one bound method for all flights
        self.copies = 0  # flights beyond one for each sending
        self._gathered: dict[float, list[Flight]] | None = None
        self._ended = 0  # flights that were dropped
        self.gates: tuple[Gate, ...] = ()
        self._chances = ChanceNames(name, effects)
        carry: Onward = self._land
        for effect in reversed(effects):
            carry = effect.join(self, carry)
        self._carry = carry

    @property
    def chance(self) -> Chance:
        """The random numbers of the network; each effect has its own, see `chance_of`."""
        return self.simulation.chance(self.name)

    @property
    def now(self) -> float:
        """The present instant."""
        return self._engine.now

    @property
    def under_way(self) -> int:
        """How many flights have neither arrived nor been dropped, those that wait in queues included."""
        return self.sent + self.copies - self._ended - self.delivered

    def chance_of(self, effect: Effect) -> Chance:
        """Return the random numbers of one of its effects."""
        return self.simulation.chance(self._chances.of(effect))

    def limit_reach(self, reach: Reach) -> None:
        """Let somebody say who hears whom."""
        if self.reach is not None:
            raise NetworkError(
                f"{self.reach!r} says who hears whom on this network already; one radio is enough"
            )
        self.reach = reach

    def add_gate(self, gate: Gate) -> None:
        """Ask before each arrival, at its instant, whether it happens."""
        self.gates = (*self.gates, gate)

    def send(self, sender: Address, to: Address, message: Message) -> None:
        """Send a message to one address; to one that is out of reach, it is lost."""
        if type(message) not in self._known or to not in self._receivers:
            self.check(message, to)
        if self.limit is not None:
            self._check_size(message)
        number = self.sent
        self.sent = number + 1
        engine = self._engine
        engine.record("m", self.name, (number, sender, to, message))
        now = engine.now
        if self._watchers:
            self._tell(Sent(now, number, sender, (to,), message))
        flight = Flight(number, sender, to, message, now)
        if self.reach is None or sender == to or self.reach.hears(to, sender):
            self._carry(flight, now)
        else:
            self.drop(flight, OUT_OF_REACH)

    def multicast(self, sender: Address, to: Sequence[Address], message: Message) -> None:
        """Send a message to several addresses, at once; those out of reach do not get it."""
        for receiver in to:
            self.check(message, receiver)
        reach = self.reach
        if reach is None:
            self._spread(sender, tuple(to), message)
            return
        heard = {*reach.hearers(sender), sender}
        flights = self._spread(sender, tuple(to), message, heard)
        for flight in flights:
            self.drop(flight, OUT_OF_REACH)

    def broadcast(self, sender: Address, message: Message) -> None:
        """Send a message to all who can hear it now, except the sender."""
        self.check_kind(message)
        there = self._receivers
        hearers = self.addresses if self.reach is None else self.reach.hearers(sender)
        self._spread(sender, tuple([one for one in hearers if one != sender and one in there]), message)

    def _spread(
        self, sender: Address, to: tuple[Address, ...], message: Message, heard: set[Address] | None = None
    ) -> list[Flight]:
        """Launch a flight to each; return those to addresses that are not among the heard ones."""
        if self.limit is not None:
            self._check_size(message)
        number = self.sent
        self.sent = number + 1
        self.copies += len(to) - 1
        self._engine.record("m", self.name, (number, sender, to, message))
        now, carry = self._engine.now, self._carry
        if self._watchers:
            self._tell(Sent(now, number, sender, to, message))
        unheard = []
        with self.gathering():
            for receiver in to:
                flight = Flight(number, sender, receiver, message, now)
                if heard is None or receiver in heard:
                    carry(flight, now)
                else:
                    unheard.append(flight)
        return unheard

    def copy(self, flight: Flight) -> Flight:
        """Make another flight with the same message."""
        self.copies += 1
        return flight.copy()

    def drop(self, flight: Flight, reason: str) -> None:
        """Count a flight that ends before its goal."""
        self._ended += 1
        self.dropped[reason] += 1
        if self._watchers:
            self._tell(Dropped(self.now, flight.number, flight.sender, flight.to, flight.message, reason))

    def at(self, time: float, action: Callable[[], object]) -> None:
        """Plan something for a flight that has got to an instant; before the arrivals of that instant."""
        self._engine.schedule(time, action, RANK - 1)

    def _check_size(self, message: Message) -> None:
        size, limit = self.size(message), self.limit
        if limit is not None and size > limit:
            raise TooLarge(f"{in_short(message)} takes {size} bytes, and this network takes at most {limit}")

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """Let flights of this block that land at the same instant share one event, which costs less."""
        before, self._gathered = self._gathered, {}
        try:
            yield
        finally:
            gathered, self._gathered = self._gathered, before
            for time, flights in gathered.items():
                self._schedule(time, self._deliver_all, flights, RANK)

    def _land(self, flight: Flight, time: float) -> None:
        if self._gathered is None:
            self._schedule(time, self._arrive, flight, RANK)
        else:
            self._gathered.setdefault(time, []).append(flight)

    def _deliver_all(self, flights: list[Flight]) -> None:
        """Deliver in order; an error in one arrival does not keep the others from theirs."""
        for place, flight in enumerate(flights, 1):
            try:
                self._deliver(flight)
            except BaseException:
                if place < len(flights):
                    self._schedule(self.now, self._deliver_all, flights[place:], RANK)
                raise

    def _deliver(self, flight: Flight) -> None:
        receiver = self._receivers.get(flight.to)
        if receiver is None or not receiver.is_up:
            self.drop(flight, "receiver gone" if receiver is None else "receiver down")
            return
        for gate in self.gates:
            reason = gate(flight)
            if reason is not None:
                self.drop(flight, reason)
                return
        self.delivered += 1
        self._engine.record("g", self.name, (flight.number, flight.to))
        if self._watchers:
            self._tell(Received(self.now, flight.number, flight.sender, flight.to, flight.message))
        receiver.arrive(flight.message, flight.sender)

    def _tell(self, traffic: Traffic) -> None:
        for told in self._watchers:
            told(traffic)


def check_effects(simulation: object, effects: tuple[object, ...]) -> None:
    """Refuse what is no simulation, and what is no effect."""
    if not isinstance(simulation, Simulation):
        raise TypeError(f"a simulated network takes a Simulation first, not {simulation!r}")
    for effect in effects:
        if isinstance(effect, type) or not hasattr(effect, "join") or not hasattr(effect, "is_reliable"):
            raise TypeError(
                f"an effect is an object such as Constant(0.1), Loss(0.2) or Cuts(Partition(...)), not {effect!r}"
            )


class ChanceNames:
    """Names the random numbers of effects by their class, and several of one class by their order.

    So another effect of another class, put anywhere, does not change what the others draw.
    """

    def __init__(self, name: str, effects: tuple[Effect, ...]) -> None:
        self._name = name
        self._counts: Counter[str] = Counter()
        self._names: dict[int, str] = {}
        for effect in effects:
            self.of(effect)

    def of(self, effect: Effect) -> str:
        """Return the name for an effect; one inside another comes after those that stand by themselves."""
        known = self._names.get(id(effect))
        if known is None:
            kind = type(effect).__name__
            known = self._names[id(effect)] = f"{self._name} {kind} {self._counts[kind]}"
            self._counts[kind] += 1
        return known

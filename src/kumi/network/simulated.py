"""A network in the simulation: messages travel as events, and effects act on them on their way.

`SimulatedNetwork(simulation, Constant(0.01), Loss(0.1))` sends each message through its effects in the
order given. An effect hands it on, once, several times or not at all, at the same instant or a later one.
What no effect dropped arrives at the instant it has got to, if its receiver is up then.

A message to several is one sending with several receivers; each has a flight of its own. Where a radio is
among the effects, it says who is in reach, at the instant of sending. What nobody hears has a flight as well
where there is a medium, so that its frame is on the air.

Each sending is part of the trace with its content, each arrival with the number of its sending.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol, cast

from kumi.contract.messages import Address, Message
from kumi.devs import Chance, Simulation
from kumi.devs.ranks import FAULT_RANK, MESSAGE_RANK
from kumi.network.checks import as_whole
from kumi.network.errors import NetworkError, TooLarge
from kumi.network.flights import OUT_OF_REACH, Flight, Gate, Onward, PowerReach, Reach, UnheardFlight
from kumi.network.network import MessageDropped, MessageReceived, MessageSent, Network, Traffic, in_short
from kumi.network.wire import accepting, encoded_size


class Effect(Protocol):
    """Something that happens to messages on their way."""

    is_reliable: bool
    is_in_order: bool

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network; return what takes a flight and its instant, and hands it on."""


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
        self._radio: PowerReach | None = None  # the reach, if it knows powers
        self.is_reliable = all(effect.is_reliable for effect in effects)
        self.is_in_order = all(effect.is_in_order for effect in effects)
        self._engine = simulation.engine
        self._schedule = self._engine.schedule_with
        self._arrive = self._deliver  # one bound method for all flights
        self.copies = 0  # flights beyond one for each sending
        self._gathered: dict[float, list[Flight]] | None = None
        self._has_medium = False
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
        if hasattr(reach, "rssi") and hasattr(reach, "heard"):
            self._radio = cast("PowerReach", reach)

    def carry_unheard(self) -> None:
        """Let flights be launched for sendings that nobody hears, too, for the sake of a medium they fill."""
        self._has_medium = True

    def add_gate(self, gate: Gate) -> None:
        """Ask before each arrival, at its instant, whether it happens."""
        self.gates = (*self.gates, gate)

    def send(self, sender: Address, to: Address, message: Message) -> None:
        """Send a message to one address; to one that is out of reach, it is lost."""
        accepts = accepting.get(type(message))
        if accepts is None or not accepts(message) or to not in self._receivers:
            message = self.as_message(message)
            self.check_receiver(message, to)
        if self.limit is not None:
            self._check_size(message)
        number = self.sent
        self.sent = number + 1
        engine = self._engine
        engine.record("m", self.name, (number, sender, to, message))
        now = engine.now
        if self._watchers:
            self._tell(MessageSent(now, number, sender, (to,), message))
        flight = Flight(number, sender, to, message, now)
        if self.reach is None or sender == to or self._is_heard(flight):
            self._carry(flight, now)
        else:
            self.drop(flight, OUT_OF_REACH)
            if self._has_medium:
                self._launch_unheard(number, sender, message)

    def multicast(self, sender: Address, to: Sequence[Address], message: Message) -> None:
        """Send a message to several addresses, at once; those out of reach do not get it."""
        message = self.as_message(message)
        for receiver in to:
            self.check_receiver(message, receiver)
        for flight in self._spread(sender, tuple(to), message, self._heard(sender)):
            self.drop(flight, OUT_OF_REACH)

    def broadcast(self, sender: Address, message: Message) -> None:
        """Send a message to all who can hear it now, except the sender."""
        message = self.as_message(message)
        there, heard = self._receivers, self._heard(sender)
        hearers = self.addresses if heard is None else heard
        self._spread(
            sender, tuple([one for one in hearers if one != sender and one in there]), message, heard
        )

    def _is_heard(self, flight: Flight) -> bool:
        """Whether the receiver of a flight is in reach; then it has its RSSI."""
        if self._radio is None:
            assert self.reach is not None
            return self.reach.hears(flight.to, flight.sender)
        flight.rssi = self._radio.rssi(flight.to, flight.sender)
        return flight.rssi is not None

    def _heard(self, sender: Address) -> Mapping[Address, float | None] | None:
        """Return all in reach of a sender, with the power for each where that is known; None: everybody."""
        if self._radio is not None:
            return self._radio.heard(sender)
        return None if self.reach is None else dict.fromkeys(self.reach.hearers(sender))

    def _spread(
        self,
        sender: Address,
        to: tuple[Address, ...],
        message: Message,
        heard: Mapping[Address, float | None] | None,
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
            self._tell(MessageSent(now, number, sender, to, message))
        unheard = []
        with self.gathering():
            for receiver in to:
                if heard is not None and receiver in heard:
                    carry(Flight(number, sender, receiver, message, now, heard[receiver]), now)
                elif heard is None or receiver == sender:
                    carry(Flight(number, sender, receiver, message, now), now)
                else:
                    unheard.append(Flight(number, sender, receiver, message, now))
        is_heard = len(to) - to.count(sender) > len(unheard)
        if self._has_medium and not is_heard and to != (sender,):
            self._launch_unheard(number, sender, message)
        return unheard

    def _launch_unheard(self, number: int, sender: Address, message: Message) -> None:
        """Let a sending that nobody hears go on the air."""
        if unheard_ends not in self.gates:  # for those that an effect lets pass by the medium
            self.add_gate(unheard_ends)
        self.copies += 1
        self._carry(UnheardFlight(number, sender, sender, message, self.now), self.now)

    def copy(self, flight: Flight) -> Flight:
        """Make another flight with the same message."""
        self.copies += 1
        return flight.copy()

    def drop(self, flight: Flight, reason: str) -> None:
        """Count a flight that ends before its goal; one that nobody hears was never to arrive."""
        if type(flight) is UnheardFlight:
            self.copies -= 1
            return
        self._ended += 1
        self.dropped[reason] += 1
        if self._watchers:
            self._tell(
                MessageDropped(self.now, flight.number, flight.sender, flight.to, flight.message, reason)
            )

    def at(self, time: float, action: Callable[[], object]) -> None:
        """Plan something for a flight that has got to an instant; before the arrivals of that instant."""
        self._engine.schedule(time, action, FAULT_RANK)

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
                self._schedule(time, self._deliver_all, flights, MESSAGE_RANK)

    def _land(self, flight: Flight, time: float) -> None:
        if self._gathered is None:
            self._schedule(time, self._arrive, flight, MESSAGE_RANK)
        else:
            self._gathered.setdefault(time, []).append(flight)

    def _deliver_all(self, flights: list[Flight]) -> None:
        """Deliver in order; an error in one arrival does not keep the others from theirs."""
        for place, flight in enumerate(flights, 1):
            try:
                self._deliver(flight)
            except BaseException:
                if place < len(flights):
                    self._schedule(self.now, self._deliver_all, flights[place:], MESSAGE_RANK)
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
            self._tell(
                MessageReceived(
                    self.now, flight.number, flight.sender, flight.to, flight.message, flight.rssi
                )
            )
        if flight.rssi is None:
            receiver.arrive(flight.message, flight.sender)
            return
        self.rssi = flight.rssi
        try:
            receiver.arrive(flight.message, flight.sender)
        finally:
            self.rssi = None

    def _tell(self, traffic: Traffic) -> None:
        for told in self._watchers:
            told(traffic)


def unheard_ends(flight: Flight) -> str | None:
    """Let no flight arrive that nobody hears."""
    return OUT_OF_REACH if type(flight) is UnheardFlight else None


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

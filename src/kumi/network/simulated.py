"""A network in the simulation: messages travel as events, and effects act on them on their way.

`SimulatedNetwork(simulation, Constant(0.01), Loss(0.1))` sends each message through its effects in the
order given. An effect hands it on, once, several times or not at all, and adds to its delay. What no effect
dropped arrives when the sum of the delays is over, if its receiver is up then.

Each sending is part of the trace with its content, each arrival with the number of its sending.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeAlias

from kumi.contract.messages import Address, Message
from kumi.kernel import Chance, Simulation
from kumi.network.network import Dropped, Network, Received, Sent

RANK = 2

Onward: TypeAlias = Callable[["Flight", float], None]


class Flight:
    """A message on its way; `lost` says why it will not arrive."""

    __slots__ = ("lost", "message", "number", "sender", "to")

    def __init__(self, number: int, sender: Address, to: Address, message: Message) -> None:
        self.number = number
        self.sender = sender
        self.to = to
        self.message = message
        self.lost: str | None = None

    def copy(self) -> Flight:
        """Make another one with the same message."""
        return Flight(self.number, self.sender, self.to, self.message)


class Effect(Protocol):
    """Something that happens to messages on their way."""

    is_reliable: bool
    is_in_order: bool

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network; return what takes a flight and its delay so far, and hands it on."""


class SimulatedNetwork(Network):
    """Carries messages through effects; without any, they arrive at the instant they are sent."""

    def __init__(self, simulation: Simulation, *effects: Effect, name: str = "network") -> None:
        super().__init__()
        self.simulation = simulation
        self.name = name
        self.effects = effects
        self.is_reliable = all(effect.is_reliable for effect in effects)
        self.is_in_order = all(effect.is_in_order for effect in effects)
        carry: Onward = self._land
        for effect in reversed(effects):
            carry = effect.join(self, carry)
        self._carry = carry

    @property
    def chance(self) -> Chance:
        """The random numbers of the network; each effect has its own, see `chance_of`."""
        return self.simulation.chance(self.name)

    def chance_of(self, effect: Effect) -> Chance:
        """Return the random numbers of one of its effects."""
        place = self.effects.index(effect)
        return self.simulation.chance(f"{self.name} {place} {type(effect).__name__}")

    def send(self, sender: Address, to: Address, message: Message) -> None:
        """Send a message to one address."""
        self.check(message, to)
        number = self.sent
        self.sent = number + 1
        self.simulation.record_sending(self.name, (number, sender, to, message))
        if self._watchers:
            self._tell(Sent(self.simulation.now, number, sender, (to,), message))
        self._carry(Flight(number, sender, to, message), 0.0)

    def drop(self, flight: Flight, reason: str) -> None:
        """Count a flight that ends before its goal."""
        self.dropped[reason] += 1
        if self._watchers:
            now = self.simulation.now
            self._tell(Dropped(now, flight.number, flight.sender, flight.to, flight.message, reason))

    def _land(self, flight: Flight, delay: float) -> None:
        simulation = self.simulation
        simulation.schedule(simulation.now + delay, partial(self._deliver, flight), rank=RANK)

    def _deliver(self, flight: Flight) -> None:
        if flight.lost is not None:
            self.drop(flight, flight.lost)
            return
        receiver = self._receivers.get(flight.to)
        if receiver is None or not receiver.is_up:
            self.drop(flight, "receiver gone" if receiver is None else "receiver down")
            return
        self.delivered += 1
        if self._watchers:
            now = self.simulation.now
            self._tell(Received(now, flight.number, flight.sender, flight.to, flight.message))
        receiver.arrive(flight.message, flight.sender)

    def _tell(self, traffic: Sent | Received | Dropped) -> None:
        for told in self._watchers:
            told(traffic)

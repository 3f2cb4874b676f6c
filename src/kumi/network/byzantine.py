"""What if a node lies?

A Byzantine sender says something else than its program meant to: other content, other things to different
receivers, in another's name, more than it was asked to, or nothing. A function decides, for each flight that
leaves such a node. `Garbling` is one that ships: it changes numbers and texts by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any, TypeAlias, cast

from kumi.contract.messages import Address, Message
from kumi.devs import Chance
from kumi.network.checks import as_addresses, as_probability
from kumi.network.fields import LEAST_INTEGER, MOST_INTEGER
from kumi.network.flights import Flight, Onward
from kumi.network.simulated import SimulatedNetwork

WITHHELD = "withheld"
"""Why a message is dropped that a Byzantine sender keeps to itself."""

Alter: TypeAlias = Callable[[Flight, Chance], Iterable[Flight]]
"""Returns what goes out in place of a flight: `alter_flight` makes another one of it."""


class Byzantine:
    """Some senders lie, as a function says; `altered` counts how often the function changed something."""

    is_reliable = False
    is_in_order = False

    def __init__(self, senders: Iterable[Address], alter: Alter) -> None:
        if not callable(alter):
            raise TypeError(f"what alters messages is a function of a flight and chance, not {alter!r}")
        self.senders = as_addresses(senders, "Byzantine senders")
        self.alter = alter
        self.altered = 0

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        chance, senders = network.chance_of(self), self.senders

        def carry(flight: Flight, time: float) -> None:
            if flight.sender not in senders or flight.sender == flight.to:
                onward(flight, time)
                return
            lies = put_together(self.alter(flight, chance))
            if lies == [flight]:
                onward(flight, time)
                return
            self.altered += 1
            self._put_out(network, flight, lies)
            for lie in lies:
                onward(lie, time)

        return carry

    def _put_out(self, network: SimulatedNetwork, flight: Flight, lies: list[Flight]) -> None:
        """Write down what goes out in place of a flight, and let the counts stay right."""
        for lie in lies:
            lie.message = network.as_message(lie.message)
            network.check_receiver(lie.message, lie.to)
        network.simulation.note(
            network.name, (flight.number, [(lie.sender, lie.to, lie.message) for lie in lies])
        )
        if lies:
            network.copies += len(lies) - 1
        else:
            network.drop(flight, WITHHELD)


def put_together(altered: object) -> list[Flight]:
    """Return what a function gave to go out, or say what it should have given."""
    if isinstance(altered, Iterable):
        lies = list(altered)
        if all(isinstance(lie, Flight) for lie in lies):
            return lies
    raise TypeError(f"what alters a message returns a list of flights, empty for none, not {altered!r}")


def alter_flight(
    flight: Flight,
    message: Message | None = None,
    *,
    sender: Address | None = None,
    to: Address | None = None,
) -> Flight:
    """Return a flight with another message, in another's name, or to another receiver."""
    return Flight(
        flight.number,
        flight.sender if sender is None else sender,
        flight.to if to is None else to,
        flight.message if message is None else message,
        flight.sent,
        flight.rssi if to is None else None,
    )


class Garbling:
    """Changes one number, text, truth or bytes of a message with this probability; its class stays.

    Different receivers of one message are judged apart, so that they may be told different things.
    """

    def __init__(self, probability: float = 1.0) -> None:
        self.probability = as_probability(probability, "the probability that a message is garbled")

    def __call__(self, flight: Flight, chance: Chance) -> tuple[Flight]:
        """Alter a flight, perhaps."""
        if not chance.happens(self.probability):
            return (flight,)
        return (alter_flight(flight, garbled(flight.message, chance)),)


def garbled(value: Any, chance: Chance) -> Any:
    """Return a value of the same kind that differs in one place; one in which nothing can change stays."""
    match value:
        case bool():
            return not value
        case int():
            step = chance.choice((-1, 1)) * chance.integer(1, max(1, min(abs(value), 1000)))
            return value + step if LEAST_INTEGER <= value + step <= MOST_INTEGER else value - step
        case float():
            return value + (abs(value) or 1.0) * chance.uniform(-1.0, 1.0)
        case str() if value:
            place = chance.integer(0, len(value) - 1)
            return value[:place] + chr(97 + (ord(value[place]) - 96) % 26) + value[place + 1 :]
        case bytes() if value:
            place = chance.integer(0, len(value) - 1)
            return value[:place] + bytes([value[place] ^ chance.integer(1, 255)]) + value[place + 1 :]
        case tuple() if value and type(value) is tuple:
            place = chance.integer(0, len(value) - 1)
            return (*value[:place], garbled(value[place], chance), *value[place + 1 :])
        case Message() if fields(cast(Any, value)):
            name = chance.choice([one.name for one in fields(cast(Any, value))])
            return replace(cast(Any, value), **{name: garbled(getattr(value, name), chance)})
    return value

"""Does a message arrive once, not at all, twice, or late?

A fault decides by chance what becomes of a message; that is its fate: how many seconds later each copy comes, none
where it is lost. It is applied in three places: here as an effect on a network, in `kumi.protocols.fault_injection`
anywhere in a stack, and in `kumi.checking` by a schedule. What a node sends to itself never leaves the node, and is
left alone.
"""

from __future__ import annotations

from typing import TypeAlias

from kumi.devs import Chance
from kumi.network.checks import as_duration, as_probability
from kumi.network.flights import Flight, Onward
from kumi.network.simulated import SimulatedNetwork

Fate: TypeAlias = tuple[float, ...] | None
"""Seconds by which each copy is later; without any the message is lost. None leaves it as it is."""
LOST: tuple[float, ...] = ()


class LinkFault:
    """Something that happens to a message with a probability."""

    is_reliable = True
    is_in_order = True
    probability: float

    def fate(self, chance: Chance) -> Fate:
        """Draw what becomes of a message."""
        return self.struck(chance) if chance.happens(self.probability) else None

    def struck(self, chance: Chance) -> tuple[float, ...]:
        """Draw what becomes of a message to which it happens."""
        raise NotImplementedError

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        chance, share, struck = network.chance_of(self), self.probability, self.struck

        def carry(flight: Flight, time: float) -> None:
            if not (chance.happens(share) and flight.sender != flight.to):
                onward(flight, time)
                return
            copies = struck(chance)
            if not copies:
                network.drop(flight, "loss")
            for number, later in enumerate(copies):
                onward(flight if number == 0 else network.copy(flight), time + later)

        return carry


class Loss(LinkFault):
    """Each message is lost with this probability."""

    is_reliable = False

    def __init__(self, probability: float) -> None:
        self.probability = as_probability(probability, "the probability of a loss")

    def struck(self, _chance: Chance) -> tuple[float, ...]:
        """Lose it."""
        return LOST


class Duplication(LinkFault):
    """Each message is doubled with this probability; the copy comes up to `within` seconds later.

    Delays that follow act on the copy, too, so that it may come first.
    """

    is_reliable = False

    def __init__(self, probability: float, *, within: float = 0.0) -> None:
        self.probability = as_probability(probability, "the probability of a copy")
        self.within = as_duration(within, "the longest time until a copy")
        self.is_in_order = self.within == 0.0

    def struck(self, chance: Chance) -> tuple[float, ...]:
        """Make a copy."""
        return 0.0, chance.uniform(0.0, self.within)


class Overtaking(LinkFault):
    """Each message is held back with this probability, for up to `within` seconds, so that others overtake."""

    is_in_order = False

    def __init__(self, probability: float, *, within: float) -> None:
        self.probability = as_probability(probability, "the probability that a message is held back")
        self.within = as_duration(within, "the longest time that a message is held back")

    def struck(self, chance: Chance) -> tuple[float, ...]:
        """Hold it back."""
        return (chance.uniform(0.0, self.within),)

"""Does a message arrive once, not at all, twice, or late?

These effects decide for each message by chance. They leave alone what a node sends to itself: that never
leaves the node.
"""

from __future__ import annotations

from kumi.network.checks import as_duration, as_probability
from kumi.network.flights import Flight, Onward
from kumi.network.simulated import SimulatedNetwork


class Loss:
    """Each message is lost with this probability."""

    is_reliable = False
    is_in_order = True

    def __init__(self, probability: float) -> None:
        self.probability = as_probability(probability, "the probability of a loss")

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        happens, share = network.chance_of(self).happens, self.probability

        def carry(flight: Flight, time: float) -> None:
            if happens(share) and flight.sender != flight.to:
                network.drop(flight, "loss")
            else:
                onward(flight, time)

        return carry


class Duplication:
    """Each message is doubled with this probability; the copy comes up to `within` seconds later.

    Delays that follow act on the copy, too, so that it may come first.
    """

    is_reliable = False

    def __init__(self, probability: float, *, within: float = 0.0) -> None:
        self.probability = as_probability(probability, "the probability of a copy")
        self.within = as_duration(within, "the longest time until a copy")
        self.is_in_order = self.within == 0.0

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        chance, share, within = network.chance_of(self), self.probability, self.within

        def carry(flight: Flight, time: float) -> None:
            onward(flight, time)
            if chance.happens(share) and flight.sender != flight.to:
                onward(network.copy(flight), time + chance.uniform(0.0, within))

        return carry


class Reordering:
    """Each message is held back with this probability, for up to `within` seconds, so that others overtake."""

    is_reliable = True
    is_in_order = False

    def __init__(self, probability: float, *, within: float) -> None:
        self.probability = as_probability(probability, "the probability that a message is held back")
        self.within = as_duration(within, "the longest time that a message is held back")

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        chance, share, within = network.chance_of(self), self.probability, self.within

        def carry(flight: Flight, time: float) -> None:
            held = chance.happens(share) and flight.sender != flight.to
            onward(flight, time + chance.uniform(0.0, within) if held else time)

        return carry

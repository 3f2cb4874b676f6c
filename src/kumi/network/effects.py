"""What happens to messages on their way: delays, and losses.

Each effect hands a flight on by calling what comes after it, with the delay so far plus its own.
"""

from __future__ import annotations

from math import isfinite

from kumi.network.simulated import Flight, Onward, SimulatedNetwork


class Constant:
    """Every message takes the same time."""

    is_reliable = True
    is_in_order = True

    def __init__(self, delay: float) -> None:
        if not (isfinite(delay) and delay >= 0.0):
            raise ValueError(f"a delay is a number of seconds from 0 on, not {delay!r}")
        self.delay = delay

    def join(self, _network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        own = self.delay

        def carry(flight: Flight, delay: float) -> None:
            onward(flight, delay + own)

        return carry


class Exponential:
    """Each message takes a random time with this mean, in seconds."""

    is_reliable = True
    is_in_order = False

    def __init__(self, mean: float) -> None:
        if not (isfinite(mean) and mean > 0.0):
            raise ValueError(f"a mean delay is a positive number of seconds, not {mean!r}")
        self.mean = mean

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        draw, mean = network.chance_of(self).exponential, self.mean

        def carry(flight: Flight, delay: float) -> None:
            onward(flight, delay + draw(mean))

        return carry


class Loss:
    """Each message is lost with this probability."""

    is_reliable = False
    is_in_order = True

    def __init__(self, probability: float) -> None:
        if not 0.0 <= probability <= 1.0:
            raise ValueError(f"a probability is between 0 and 1, not {probability!r}")
        self.probability = probability

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        happens, probability = network.chance_of(self).happens, self.probability

        def carry(flight: Flight, delay: float) -> None:
            if happens(probability):
                network.drop(flight, "loss")
            else:
                onward(flight, delay)

        return carry

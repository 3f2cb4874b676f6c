"""How long does a message take?

Each delay hands a flight on at a later instant; delays in a row add up. Random ones draw anew for each
message, so that a later one may overtake; only a constant delay keeps the order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite

from kumi.contract.messages import Address
from kumi.maths import exp, log
from kumi.network.checks import as_duration, as_positive
from kumi.network.flights import Flight, Onward
from kumi.network.simulated import SimulatedNetwork


class Constant:
    """Every message takes the same time."""

    is_reliable = True
    is_in_order = True

    def __init__(self, delay: float) -> None:
        self.delay = as_duration(delay, "a delay")

    def join(self, _network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        own = self.delay

        def carry(flight: Flight, time: float) -> None:
            onward(flight, time + own)

        return carry


class RandomDelay:
    """Each message takes a time that `draws` gives for it; those below are such."""

    is_reliable = True
    is_in_order = False

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        draw = self.draws(network)

        def carry(flight: Flight, time: float) -> None:
            onward(flight, time + draw())

        return carry

    def draws(self, network: SimulatedNetwork) -> Callable[[], float]:
        """Return what draws a delay from the network's chance."""
        raise NotImplementedError


class Exponential(RandomDelay):
    """Each message takes a random time with this mean, in seconds; half of them take less than 0.69 of it.

    The exponential distribution is often given by its rate, λ arrivals a second, and has the mean 1/λ: the
    network with λ = 10 is `Exponential(1 / 10)`, a mean delay of 0.1 s.
    """

    def __init__(self, mean: float) -> None:
        self.mean = as_positive(mean, "a mean delay in seconds")

    def draws(self, network: SimulatedNetwork) -> Callable[[], float]:
        """Return what draws a delay."""
        exponential, mean = network.chance_of(self).exponential, self.mean
        return lambda: exponential(mean)


class Uniform(RandomDelay):
    """Each message takes a random time from `low` to `high` seconds, all equally likely."""

    def __init__(self, low: float, high: float) -> None:
        self.low = as_duration(low, "the shortest delay")
        self.high = as_duration(high, "the longest delay")
        if self.high < self.low:
            raise ValueError(f"the longest delay is not below the shortest, {low!r} s, but it is {high!r} s")

    def draws(self, network: SimulatedNetwork) -> Callable[[], float]:
        """Return what draws a delay."""
        uniform, low, high = network.chance_of(self).uniform, self.low, self.high
        return lambda: uniform(low, high)


class LogNormal(RandomDelay):
    """Each message takes a random time whose logarithm is normal, as measured on many real networks.

    Half of the messages take less than the median. About two thirds lie between the median divided by e
    to the `spread`, and the median times it. The mean is the median times e to the `spread`² / 2.
    """

    def __init__(self, median: float, spread: float) -> None:
        self.median = as_positive(median, "a median delay in seconds")
        self.spread = as_positive(spread, "the spread of the logarithm of a delay")

    def draws(self, network: SimulatedNetwork) -> Callable[[], float]:
        """Return what draws a delay."""
        normal, middle, spread = network.chance_of(self).normal, log(self.median), self.spread
        return lambda: exp(normal(middle, spread))


class Empirical(RandomDelay):
    """Each message takes one of the delays that were measured, in seconds, all equally likely."""

    def __init__(self, measured: Iterable[float]) -> None:
        self.measured = tuple(as_duration(delay, "a measured delay") for delay in measured)
        if not self.measured:
            raise ValueError("an empirical delay needs at least one measured delay, and there is none")

    def draws(self, network: SimulatedNetwork) -> Callable[[], float]:
        """Return what draws a delay."""
        choice, measured = network.chance_of(self).choice, self.measured
        return lambda: choice(measured)


class DistanceDelay:
    """A message takes `base` seconds, and the time for its way at `speed` metres a second.

    `distance(sender, to)` gives the metres between two nodes; it is asked at the instant of sending.
    """

    is_reliable = True
    is_in_order = False  # the distance is somebody else's function, and may shrink at any speed

    def __init__(
        self, distance: Callable[[Address, Address], float], *, speed: float, base: float = 0.0
    ) -> None:
        if not callable(distance):
            raise TypeError(f"the distance of nodes is a function of sender and receiver, not {distance!r}")
        self.distance = distance
        self.speed = as_positive(speed, "the speed of messages in metres a second")
        self.base = as_duration(base, "a base delay")

    def join(self, _network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        base, speed, distance = self.base, self.speed, self.distance

        def carry(flight: Flight, time: float) -> None:
            way = distance(flight.sender, flight.to)
            if not (isfinite(way) and way >= 0.0):
                raise ValueError(
                    f"a distance is a number of metres from 0 on, but that from node {flight.sender} "
                    f"to node {flight.to} is {way!r}"
                )
            onward(flight, time + base + way / speed)

        return carry

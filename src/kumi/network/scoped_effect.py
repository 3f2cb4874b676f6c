"""An effect on some links only, or for some time only.

`Where(Constant(0.5), links=[(0, 1)])` makes one link slow, in one direction; `Where(Loss(0.9), start=10, end=20)`
is a time of bad weather.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from kumi.contract.messages import Address
from kumi.network.checks import as_link, check_window
from kumi.network.errors import NetworkError
from kumi.network.flights import Flight, Onward
from kumi.network.simulated import Effect, SimulatedNetwork


class Where:
    """Applies an effect to messages on these links, pairs of sender and receiver, sent in this time.

    Without `links` it applies to all of them.
    """

    def __init__(
        self,
        effect: Effect,
        *,
        links: Iterable[tuple[Address, Address]] | None = None,
        start: float = 0.0,
        end: float = inf,
    ) -> None:
        check_window(start, end, "the time of an effect")
        self.effect = effect
        self.links = None if links is None else frozenset(map(as_link, links))
        self.start = start
        self.end = end
        self.is_reliable = effect.is_reliable
        self.is_in_order = effect.is_in_order and start == 0.0 and end == inf

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        before = (network.gates, network.reach)
        inside = self.effect.join(network, onward)
        if (network.gates, network.reach) != before:
            raise NetworkError(
                f"{type(self.effect).__name__} judges arrivals or reach, too, and says itself where and when; "
                "put it beside Where, not into it"
            )
        links, start, end = self.links, self.start, self.end

        def carry(flight: Flight, time: float) -> None:
            applies = (links is None or (flight.sender, flight.to) in links) and start <= flight.sent < end
            (inside if applies else onward)(flight, time)

        return carry

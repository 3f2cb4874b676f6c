"""How many bytes a second pass?

Messages wait for those before them, in a queue of bounded length; one that finds it full is dropped and
counted. Each takes its size divided by the rate to pass. There is a queue for each link, or one for each
node that sends, as in one cable to a switch.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Literal, TypeAlias

from kumi.contract.messages import Address
from kumi.network.checks import as_positive, as_whole
from kumi.network.flights import Flight, Onward, UnheardFlight
from kumi.network.simulated import SimulatedNetwork

QUEUE_FULL = "queue full"
"""Why a message is dropped that finds too many before it."""

Lane: TypeAlias = Address | tuple[Address, Address]


class Bandwidth:
    """So many bytes a second pass on each link, or from each node; what comes meanwhile waits.

    `queue` is how many may wait behind the one that is passing; `per` is "link" or "node". A message to
    several passes once for each receiver. `overhead` bytes are added to each.
    """

    is_reliable = False  # a queue may be full
    is_in_order = True

    def __init__(
        self,
        bytes_per_second: float,
        *,
        queue: int = 100,
        per: Literal["link", "node"] = "link",
        overhead: int = 0,
    ) -> None:
        self.bytes_per_second = as_positive(bytes_per_second, "a bandwidth in bytes a second")
        self.queue = as_whole(queue, "the length of a queue")
        self.overhead = as_whole(overhead, "the overhead in bytes")
        if per not in {"link", "node"}:
            raise ValueError(f'a bandwidth is that of a "link" or of a "node", not of {per!r}')
        self.per = per

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        is_per_node = self.per == "node"
        ends: dict[Lane, deque[float]] = {}  # when those in the queue have passed, in order

        def enter(flight: Flight, time: float) -> None:
            lane: Lane = flight.sender if is_per_node else (flight.sender, flight.to)
            passing = ends.setdefault(lane, deque())
            while passing and passing[0] <= time:
                passing.popleft()
            if len(passing) > self.queue:
                network.drop(flight, QUEUE_FULL)
                return
            start = passing[-1] if passing else time
            end = start + (network.size(flight.message) + self.overhead) / self.bytes_per_second
            passing.append(end)
            onward(flight, end)

        return in_time(network, enter, onward)


def in_time(network: SimulatedNetwork, enter: Onward, onward: Onward) -> Onward:
    """Let flights enter in the order of the instants they have got to, not of their sending.

    What a node sends to itself does not leave the node, and passes at once; what nobody hears does.
    """

    def carry(flight: Flight, time: float) -> None:
        if flight.sender == flight.to and type(flight) is not UnheardFlight:
            onward(flight, time)
        elif time <= network.now:
            enter(flight, time)
        else:
            network.at(time, partial(enter, flight, time))

    return carry

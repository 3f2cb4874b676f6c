"""Total order by time stamps: all deliver in the order of Lamport's clock.

A message carries its sender's time. A receiver tells all that its own clock has come past that time,
unless they will hear so anyway. When all have been heard with that time or a later one, nothing earlier can
come any more, since links keep the order, and the message is delivered; equal times are ordered by address
(Lamport 1978).

Assumes that nobody crashes: everyone waits for everyone. If a node crashes, the others stop delivering; what
was delivered stays in one order, at the crashed node, too (uniform). The order is causal. It costs up to n²
messages for n nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import WITHOUT_CRASHES, FifoLinks, TotalOrderBroadcast
from kumi.protocols.logical_clocks import LamportClock
from kumi.protocols.numbering import refuse


@dataclass(frozen=True, slots=True)
class Stamped(Message):
    """A message and the time of its sending."""

    time: int
    inside: Message


@dataclass(frozen=True, slots=True)
class Passed(Message):
    """The clock of the sender has come to this time."""

    time: int


class LamportOrder(TotalOrderBroadcast):
    """Delivers by time stamp when nothing earlier can come.

    What waits is what some node has not been heard after. If one is gone, at most `limit` messages of each
    other wait; those beyond are dropped where they are broadcast, and counted.
    """

    bears = WITHOUT_CRASHES

    links: FifoLinks

    def __init__(self, limit: int = 10_000) -> None:
        if limit < 1:
            raise ValueError(f"limit is a number of messages from 1 on, not {limit!r}")
        self.limit = limit
        self._clock = LamportClock()
        self._under_way = 0
        self._said = 0  # the last time that all others were or will be told
        self._heard: dict[Address, int] = {}
        self._queue: list[tuple[int, Address, Message]] = []

    def begin(self) -> None:
        """Listen to the links."""
        self._heard = dict.fromkeys(self.node.group, 0)
        self.links.listen(self._receive)

    def broadcast(self, message: Message) -> None:
        """Send to all with the time."""
        if self._under_way >= self.limit:
            self.node.network.count_drop("too many of its own messages are under way")
            return
        self._under_way += 1
        self._say(Stamped(self._clock.tick(), message))

    def _say(self, message: Stamped | Passed) -> None:
        self._said = message.time
        send = self.links.send
        for address in self.node.group:
            send(message, address)

    def _receive(self, message: Message, sender: Address) -> None:
        if not isinstance(message, Stamped | Passed) or sender not in self._heard:
            refuse(self.node)
            return
        time = message.time
        self._clock.witness(time)
        self._heard[sender] = time
        if isinstance(message, Stamped):
            heappush(self._queue, (time, sender, message.inside))
            if self._said < time:
                self._say(Passed(self._clock.tick()))
        self._deliver()

    def _deliver(self) -> None:
        queue = self._queue
        if queue:
            heard = min(self._heard.values())
            while queue and queue[0][0] <= heard:
                _, sender, message = heappop(queue)
                if sender == self.node.address:
                    self._under_way -= 1
                self.tell(message, sender)

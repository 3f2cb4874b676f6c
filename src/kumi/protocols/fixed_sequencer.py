"""Total order by one node that numbers all messages.

A sender gives its message to the sequencer, which numbers it and sends it to all; everyone delivers by
number (Kaashoek and Tanenbaum 1991, in Défago, Schiper and Urbán 2004: unicast and broadcast).

Assumes that the sequencer never crashes; any others may, for good. The order is uniform, and so is
agreement, since what anybody delivers the sequencer has sent to all. Over FIFO links each sender's messages
keep their order.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.protocols.bears import WITHOUT_CRASHES
from kumi.protocols.guarantees import PerfectLinks, TotalOrderBroadcast
from kumi.protocols.numbering import Line, refuse


@dataclass(frozen=True, slots=True)
class Submitted(Message):
    """A message that wants a number."""

    inside: Message


@dataclass(frozen=True, slots=True)
class Sequenced(Message):
    """A message, who broadcast it, and its place in the order of all."""

    number: int
    origin: Address
    inside: Message


class FixedSequencer(TotalOrderBroadcast):
    """Delivers in the order in which the sequencer got the messages; without a name, it is the lowest."""

    bears = WITHOUT_CRASHES

    links: PerfectLinks

    def __init__(self, sequencer: Address | None = None) -> None:
        self.sequencer = sequencer
        self._assigned = 0
        self._line = Line()

    def begin(self) -> None:
        """Listen to the links."""
        group = self.node.group
        if self.sequencer is None:
            self.sequencer = group[0]
        elif self.sequencer not in group:
            raise ValueError(f"the sequencer is one of the group {group}, not {self.sequencer!r}")
        self.links.listen(self._receive)

    def broadcast(self, message: Message) -> None:
        """Give it to the sequencer."""
        assert self.sequencer is not None
        self.links.send(Submitted(message), self.sequencer)

    def _receive(self, message: Message, sender: Address) -> None:
        if isinstance(message, Sequenced):
            if not self._line.take(message.number, message.inside, message.origin, self.tell):
                self.node.network.count_drop("too many messages wait for an earlier one")
        elif isinstance(message, Submitted) and self.sequencer == self.node.address:
            self._assign(message.inside, sender)
        else:
            refuse(self.node)

    def _assign(self, message: Message, origin: Address) -> None:
        sequenced = Sequenced(self._assigned, origin, message)
        self._assigned += 1
        send = self.links.send
        for address in self.node.group:
            send(sequenced, address)

"""FIFO broadcast and FIFO links: nobody delivers a message of a sender before an earlier one of it.

FIFO broadcast: the sender numbers its messages; one that comes before its turn waits (Hadzilacos and Toueg 1994). Over a
uniform broadcast it is uniform, else not. As many nodes may crash, for good, as the broadcast below stands.

FIFO links: the sender numbers its messages to each receiver; one that comes before its turn waits. Assumes that nothing
is lost between nodes that stay up, and that nodes that crash stay down: one that comes back begins to count
anew, and the others do not.
"""

from __future__ import annotations

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import WITH_CRASHES, FifoBroadcast, FifoLinks, PerfectLinks, ReliableBroadcast
from kumi.protocols.numbering import Ordered, Resequencer, refuse


class SenderOrder(FifoBroadcast):
    """Delivers each sender's messages in the order they were broadcast.

    What waits is what comes after a message that is still under way.
    """

    bears = WITH_CRASHES

    spread: ReliableBroadcast

    def __init__(self) -> None:
        self._sent = 0
        self._lines: dict[Address, Resequencer] = {}

    def begin(self) -> None:
        """Listen to the broadcast below."""
        self._lines = {address: Resequencer() for address in self.node.group}
        self.spread.listen(self._receive)

    def broadcast(self, message: Message) -> None:
        """Broadcast with the next number."""
        number = self._sent
        self._sent = number + 1
        self.spread.broadcast(Ordered(number, message))

    def _receive(self, message: Message, sender: Address) -> None:
        line = self._lines.get(sender)
        if line is None or not isinstance(message, Ordered):
            refuse(self.node)
        elif not line.take(message.number, message.inside, sender, self.tell):
            self.node.network.count_drop("too many messages wait for an earlier one")


class InOrder(FifoLinks):
    """Delivers each sender's messages in the order they were sent.

    What waits is what its sender has under way. When more than 10,000 messages of one sender wait, the line has
    stopped for good, and all that come are dropped and counted; over `Acknowledged` its sender gives up before.
    """

    bears = WITH_CRASHES

    links: PerfectLinks

    def __init__(self) -> None:
        self._sent: dict[Address, int] = {}
        self._lines: dict[Address, Resequencer] = {}

    def begin(self) -> None:
        """Listen to the links."""
        self.links.listen(self._receive)

    def send(self, message: Message, to: Address) -> None:
        """Send with the next number for this receiver."""
        number = self._sent.get(to, 0)
        self._sent[to] = number + 1
        self.links.send(Ordered(number, message), to)

    def _receive(self, message: Message, sender: Address) -> None:
        if not isinstance(message, Ordered):
            refuse(self.node)
            return
        line = self._lines.get(sender)
        if line is None:
            line = self._lines[sender] = Resequencer()
        if not line.take(message.number, message.inside, sender, self.tell):
            self.node.network.count_drop("too many messages wait for an earlier one")

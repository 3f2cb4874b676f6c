"""FIFO broadcast: nobody delivers a message of a sender before an earlier one of it.

The sender numbers its messages; one that comes before its turn waits (Hadzilacos and Toueg 1994). Over a
uniform broadcast it is uniform, else not. As many nodes may crash, for good, as the broadcast below stands.
"""

from __future__ import annotations

from kumi.contract.messages import Address, Message
from kumi.protocols.bears import WITH_CRASHES
from kumi.protocols.guarantees import FifoBroadcast, ReliableBroadcast
from kumi.protocols.numbering import Line, Ordered, refuse


class SenderOrder(FifoBroadcast):
    """Delivers each sender's messages in the order they were broadcast.

    What waits is what comes after a message that is still under way.
    """

    bears = WITH_CRASHES

    spread: ReliableBroadcast

    def __init__(self) -> None:
        self._sent = 0
        self._lines: dict[Address, Line] = {}

    def begin(self) -> None:
        """Listen to the broadcast below."""
        self._lines = {address: Line() for address in self.node.group}
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

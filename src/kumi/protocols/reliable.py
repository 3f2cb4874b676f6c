"""Reliable broadcast: if one correct node delivers a message, all correct ones do.

Each node passes a message on to all before it delivers it, so it does not matter whether the sender lived
to reach everyone (Hadzilacos and Toueg 1994). It costs n² messages for n nodes. Any number of nodes may
crash, for good. It is not uniform: a node that delivers and crashes at once may have been the only one.
"""

from __future__ import annotations

from kumi.contract.messages import Address, Message
from kumi.protocols.bears import WITH_CRASHES
from kumi.protocols.guarantees import BestEffortBroadcast, ReliableBroadcast
from kumi.protocols.numbering import Identified, Seen, refuse


class EagerRelay(ReliableBroadcast):
    """Passes every message on when it first comes, and then delivers it."""

    bears = WITH_CRASHES

    best: BestEffortBroadcast

    def __init__(self) -> None:
        self._sent = 0
        self._seen: dict[Address, Seen] = {}

    def begin(self) -> None:
        """Listen to what others send and pass on."""
        self._seen = {address: Seen() for address in self.node.group}
        self.best.listen(self._receive)

    def broadcast(self, message: Message) -> None:
        """Send to all under a number of its own."""
        self.best.broadcast(Identified(self.node.address, self._sent, message))
        self._sent += 1

    def _receive(self, message: Message, _sender: Address) -> None:
        if not isinstance(message, Identified) or message.origin not in self._seen:
            refuse(self.node)
            return
        if self._seen[message.origin].add(message.number):
            self._pass_on(message)
            self.tell(message.inside, message.origin)

    def _pass_on(self, message: Identified) -> None:
        if message.origin != self.node.address:
            self.best.broadcast(message)

"""Best-effort broadcast: what a correct node broadcasts, every correct node delivers.

It is sent to each over a perfect link (Cachin, Guerraoui and Rodrigues 2011). Any number of nodes may crash;
nothing is promised of what a node broadcast that crashes.
"""

from __future__ import annotations

from kumi.contract.messages import Address, Message
from kumi.protocols.bears import WITH_CRASHES
from kumi.protocols.guarantees import BestEffortBroadcast, PerfectLinks


class ToEach(BestEffortBroadcast):
    """Sends a message to each node of the group, itself included.

    If the sender crashes in between, some get it and some do not.
    """

    bears = WITH_CRASHES

    links: PerfectLinks

    def begin(self) -> None:
        """Listen to the links."""
        self.links.listen(self._receive)

    def broadcast(self, message: Message) -> None:
        """Send to all."""
        for address in self.node.group:
            self.links.send(message, address)

    def _receive(self, message: Message, sender: Address) -> None:
        self.tell(message, sender)

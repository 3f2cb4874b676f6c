"""Best-effort broadcast: what a correct node broadcasts, every correct node delivers."""

from __future__ import annotations

from kumi.contract.messages import Message
from kumi.protocols.guarantees import BestEffortBroadcast, PerfectLinks


class ToEach(BestEffortBroadcast):
    """Sends a message to each node of the group, itself included.

    If the sender crashes in between, some get it and some do not.
    """

    links: PerfectLinks

    def begin(self) -> None:
        """Listen to the links."""
        self.links.listen(self.tell)

    def broadcast(self, message: Message) -> None:
        """Send to all."""
        for address in self.node.group:
            self.links.send(message, address)

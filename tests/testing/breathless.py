"""A layer that looks at the clock on the wall."""

from __future__ import annotations

import time

from kumi.contract.messages import Message
from kumi.protocols import BestEffortBroadcast, PerfectLinks


class Breathless(BestEffortBroadcast):
    """Sends nothing before noon."""

    links: PerfectLinks

    def broadcast(self, message: Message) -> None:
        if time.localtime().tm_hour >= 12:
            self.links.send(message, self.node.address)

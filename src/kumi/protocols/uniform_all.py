"""Uniform reliable broadcast that stands any number of crashes, with a perfect failure detector.

Each node passes a message on when it first comes, and delivers it when all nodes have passed it on that are
not suspected. Nobody is suspected before it crashes, so all correct nodes have it then (Cachin, Guerraoui
and Rodrigues 2011). A wrong suspicion can break it: it needs class P, and nodes that crash stay down.
"""

from __future__ import annotations

from kumi.contract.messages import Address, Message
from kumi.protocols.bears import BAD_NETWORK, CRASHES
from kumi.protocols.guarantees import BestEffortBroadcast, Perfect, UniformBroadcast
from kumi.protocols.numbering import Identified, Seen, refuse


class AllAck(UniformBroadcast):
    """Delivers what all have who have not crashed."""

    bears = BAD_NETWORK | CRASHES

    best: BestEffortBroadcast
    detector: Perfect

    def __init__(self) -> None:
        self._sent = 0
        self._delivered: dict[Address, Seen] = {}
        self._pending: dict[tuple[Address, int], Holders] = {}

    def begin(self) -> None:
        """Listen to what others send and pass on, and to the detector."""
        self._delivered = {address: Seen() for address in self.node.group}
        self.best.listen(self._receive)
        self.detector.listen(self._suspicion_changed)

    def broadcast(self, message: Message) -> None:
        """Send to all under a number of its own."""
        mine = Identified(self.node.address, self._sent, message)
        self._sent += 1
        self._spread(mine)

    def _spread(self, message: Identified) -> Holders:
        holders = self._pending[message.origin, message.number] = Holders(message)
        self.best.broadcast(message)
        return holders

    def _receive(self, message: Message, sender: Address) -> None:
        if not isinstance(message, Identified) or message.origin not in self._delivered:
            refuse(self.node)
            return
        if message.number in self._delivered[message.origin]:
            return
        holders = self._pending.get((message.origin, message.number)) or self._spread(message)
        holders.addresses.add(sender)
        self._judge(holders)

    def _suspicion_changed(self, _address: Address, is_suspected: bool) -> None:
        if is_suspected:
            for holders in tuple(self._pending.values()):
                self._judge(holders)

    def _judge(self, holders: Holders) -> None:
        """Deliver a message if everybody has it who is not suspected."""
        if holders.addresses.union(self.detector.suspected).issuperset(self.node.group):
            message = holders.message
            del self._pending[message.origin, message.number]
            self._delivered[message.origin].add(message.number)
            self.tell(message.inside, message.origin)


class Holders:
    """A message that is not delivered yet, and who has it."""

    __slots__ = ("addresses", "message")

    def __init__(self, message: Identified) -> None:
        self.message = message
        self.addresses: set[Address] = set()

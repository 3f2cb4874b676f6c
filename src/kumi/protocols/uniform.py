"""Uniform reliable broadcast: if any node delivers a message, even one that then crashes, all correct do.

`MajorityAck`: each node passes a message on when it first comes, and delivers it when a majority of the group has passed
it on: one of those is correct, and brings it to all (Hadzilacos and Toueg 1994; Cachin, Guerraoui and
Rodrigues 2011). Assumes that fewer than half of the nodes crash, for good; with more, nothing wrong is
delivered, and nothing new. It costs n² messages for n nodes.

`AllAck` stands any number of crashes, with a perfect failure detector.
Each node passes a message on when it first comes, and delivers it when all nodes have passed it on that are
not suspected. Nobody is suspected before it crashes, so all correct nodes have it then (Cachin, Guerraoui
and Rodrigues 2011). A wrong suspicion can break it: it needs class P, and nodes that crash stay down.
"""

from __future__ import annotations

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import (
    BAD_NETWORK,
    CRASHES,
    WITH_CRASHES,
    BestEffortBroadcast,
    Perfect,
    UniformBroadcast,
)
from kumi.protocols.numbering import Identified, SeenNumbers, refuse


class MajorityAck(UniformBroadcast):
    """Delivers what a majority has.

    Where no majority is left, nothing is delivered any more: then at most `limit` messages of this node are
    under way, and those beyond are dropped and counted.
    """

    bears = WITH_CRASHES

    best: BestEffortBroadcast

    def __init__(self, limit: int = 10_000) -> None:
        if limit < 1:
            raise ValueError(f"limit is a number of messages from 1 on, not {limit!r}")
        self.limit = limit
        self._sent = 0
        self._delivered: dict[Address, SeenNumbers] = {}
        self._pending: dict[tuple[Address, int], int] = {}  # who has it, as bits
        self._bits: dict[Address, int] = {}
        self._majority = 0

    def begin(self) -> None:
        """Listen to what others send and pass on."""
        group = self.node.group
        self._delivered = {address: SeenNumbers() for address in group}
        self._bits = {address: 1 << place for place, address in enumerate(group)}
        self._majority = len(group) // 2 + 1
        self.best.listen(self._receive)

    def broadcast(self, message: Message) -> None:
        """Send to all under a number of its own."""
        address = self.node.address
        if self._sent - self._delivered[address].floor >= self.limit:
            self.node.network.count_drop("too many of its own messages are under way")
            return
        mine = Identified(address, self._sent, message)
        self._sent += 1
        self._pending[address, mine.number] = 0
        self.best.broadcast(mine)

    def _receive(self, message: Message, sender: Address) -> None:
        if (
            not isinstance(message, Identified)
            or message.origin not in self._delivered
            or sender not in self._bits
        ):
            refuse(self.node)
            return
        origin, number = message.origin, message.number
        delivered = self._delivered[origin]
        if number in delivered:
            return
        having = self._pending.get((origin, number))
        if having is None:
            having = 0
            self.best.broadcast(message)
        having |= self._bits[sender]
        if self._suffices(having):
            self._pending.pop((origin, number), None)
            delivered.add(number)
            self.tell(message.inside, origin)
        else:
            self._pending[origin, number] = having

    def _suffices(self, having: int) -> bool:
        return having.bit_count() >= self._majority


class AllAck(UniformBroadcast):
    """Delivers what all have who have not crashed."""

    bears = BAD_NETWORK | CRASHES

    best: BestEffortBroadcast
    detector: Perfect

    def __init__(self) -> None:
        self._sent = 0
        self._delivered: dict[Address, SeenNumbers] = {}
        self._pending: dict[tuple[Address, int], Holders] = {}

    def begin(self) -> None:
        """Listen to what others send and pass on, and to the detector."""
        self._delivered = {address: SeenNumbers() for address in self.node.group}
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

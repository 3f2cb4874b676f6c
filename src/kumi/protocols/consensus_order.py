"""Total order by consensus: nodes agree again and again on the next messages to deliver.

A message is spread to all. A node with undelivered messages proposes them as the next batch; all
deliver the batch that is decided, in the order of sender and number (Chandra and Toueg 1996). The batch
holds the messages themselves: their names alone could outlive the only node that knew what they meant.

It stands what the consensus and the broadcast below stand: with ◇S, any minority that crashes, for good.
The order and agreement are uniform where the consensus is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from kumi.contract.messages import Address, Message
from kumi.protocols.batches import how_many_fit
from kumi.protocols.guarantees import WITH_CRASHES, Consensus, ReliableBroadcast, TotalOrderBroadcast
from kumi.protocols.numbering import Identified, SeenNumbers, refuse


@dataclass(frozen=True, slots=True)
class Batch(Message):
    """Messages to be delivered next, in order."""

    messages: tuple[Identified, ...]


class ConsensusOrder(TotalOrderBroadcast):
    """Delivers batches that were agreed on, of at most so many messages.

    Two of them that share a consensus need names of their own, the same at all nodes. Where consensus has
    stopped, at most `limit` messages of this node are under way; those beyond are dropped and counted.
    """

    bears = WITH_CRASHES

    spread: ReliableBroadcast
    consensus: Consensus

    def __init__(self, name: str = "order", batch: int = 100, limit: int = 10_000) -> None:
        if batch < 1:
            raise ValueError(f"batch is a number of messages from 1 on, not {batch!r}")
        if limit < 1:
            raise ValueError(f"limit is a number of messages from 1 on, not {limit!r}")
        self.limit = limit
        self.name = name
        self.batch = batch
        self._sent = 0
        self._round = 0
        self._has_proposed = False
        self._delivered: dict[Address, SeenNumbers] = {}
        self._undelivered: dict[tuple[Address, int], Identified] = {}
        self._decided: dict[str, Batch] = {}  # in rounds that are still to come here

    def begin(self) -> None:
        """Listen to the broadcast and to the consensus."""
        self._delivered = {address: SeenNumbers() for address in self.node.group}
        self.spread.listen(self._receive)
        self.consensus.listen(self._decide)

    def broadcast(self, message: Message) -> None:
        """Spread it; its place is agreed on later."""
        address, number = self.node.address, self._sent
        if number - self._delivered[address].floor >= self.limit:
            self.node.network.count_drop("too many of its own messages are under way")
            return
        self._sent = number + 1
        self.spread.broadcast(Identified(address, number, message))

    @property
    def _question(self) -> str:
        return f"{self.name} {self._round}"

    def _receive(self, message: Message, _sender: Address) -> None:
        if not isinstance(message, Identified) or message.origin not in self._delivered:
            refuse(self.node)
        elif message.number not in self._delivered[message.origin]:
            self._undelivered[message.origin, message.number] = message
            self._propose()

    def _propose(self) -> None:
        if self._undelivered and not self._has_proposed:
            self._has_proposed = True
            oldest = list(islice(self._undelivered, self.batch))
            fitting = how_many_fit(self.node, [self._undelivered[name] for name in oldest], self.batch)
            batch = Batch(tuple(self._undelivered[name] for name in sorted(oldest[:fitting])))
            self.consensus.propose(self._question, batch)

    def _decide(self, question: str, decision: object) -> None:
        name, _, place = question.rpartition(" ")
        if name != self.name or not place.isdecimal() or not isinstance(decision, Batch):
            return  # another user's
        self._decided[question] = decision
        while (batch := self._decided.pop(self._question, None)) is not None:
            self._round += 1
            self._has_proposed = False
            for message in batch.messages:
                self._deliver(message)
        self._propose()

    def _deliver(self, message: Identified) -> None:
        """Deliver, unless an earlier batch had it: its proposer did not know."""
        if self._delivered[message.origin].add(message.number):
            self._undelivered.pop((message.origin, message.number), None)
            self.tell(message.inside, message.origin)

"""Total order by a sequencer: one node that numbers all messages, or the holder of a token that goes round.

`FixedSequencer`: a sender gives its message to the sequencer, which numbers it and sends it to all; everyone delivers by
number (Kaashoek and Tanenbaum 1991, in Défago, Schiper and Urbán 2004: unicast and broadcast).

Assumes that the sequencer never crashes; any others may, for good. The order is uniform, and so is
agreement, since what anybody delivers the sequencer has sent to all. Over FIFO links each sender's messages
keep their order.

`MovingSequencer`: a sender sends its message to all. The holder of the token numbers what has no number yet, tells all, and
names the next holder, so the work goes round. A new holder first waits until it knows all numbers given
before, lest it number a message again. While there is nothing to number, the token rests (Chang and
Maxemchuk 1984).

Assumes that nobody crashes: the token would be lost with its holder, and theirs is found again by a change
of membership. If a node crashes, delivery may stop; what was delivered stays in one order, at the crashed
node, too (uniform).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import WITHOUT_CRASHES, PerfectLinks, TotalOrderBroadcast
from kumi.protocols.numbering import Identified, Resequencer, refuse


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
        self._line = Resequencer()

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


Name: TypeAlias = tuple[Address, int]
"""The first sender of a message, and its number there."""


@dataclass(frozen=True, slots=True)
class Assigned(Message):
    """These messages have the places from `first` on; `holder` has the token now."""

    first: int
    names: tuple[tuple[Address, int], ...]
    holder: Address


class MovingSequencer(TotalOrderBroadcast):
    """Delivers in the order in which the holders of the token numbered the messages.

    What waits is what has no number yet, or comes after what is still under way. If the token is lost, at
    most `limit` messages of each node wait; those beyond are dropped where they are broadcast, and counted.
    """

    bears = WITHOUT_CRASHES

    links: PerfectLinks

    def __init__(self, limit: int = 10_000) -> None:
        if limit < 1:
            raise ValueError(f"limit is a number of messages from 1 on, not {limit!r}")
        self.limit = limit
        self._sent = 0
        self._own_delivered = 0
        self._next = 0  # the place of what is delivered next
        self._known = 0  # all places below this are known here
        self._token: int | None = None  # the first free place, while this node holds the token
        self._here: dict[Name, Message] = {}
        self._unplaced: dict[Name, None] = {}
        self._places: dict[int, Name] = {}
        self._placed: set[Name] = set()

    def begin(self) -> None:
        """Listen to the links; the token begins at the lowest address."""
        if self.node.address == self.node.group[0]:
            self._token = 0
        self.links.listen(self._receive)

    def broadcast(self, message: Message) -> None:
        """Send to all."""
        if self._sent - self._own_delivered >= self.limit:
            self.node.network.count_drop("too many of its own messages are under way")
            return
        self._to_all(Identified(self.node.address, self._sent, message))
        self._sent += 1

    def _receive(self, message: Message, _sender: Address) -> None:
        if isinstance(message, Identified) and message.origin in self.node.group:
            name = (message.origin, message.number)
            self._here[name] = message.inside
            if name not in self._placed:
                self._unplaced[name] = None
        elif isinstance(message, Assigned):
            self._place(message.first, message.names)
            if message.holder == self.node.address:
                self._token = message.first + len(message.names)
        else:
            refuse(self.node)
        self._assign()
        self._deliver()

    def _place(self, first: int, names: tuple[Name, ...]) -> None:
        for place, name in enumerate(names, first):
            self._places[place] = name
            self._placed.add(name)
            self._unplaced.pop(name, None)
        while self._known in self._places:
            self._known += 1

    def _assign(self) -> None:
        """Number what has no place, if this node holds the token and knows all places before."""
        if self._token == self._known and self._unplaced:
            first, names = self._token, tuple(self._unplaced)
            group = self.node.group
            self._token = None
            self._to_all(Assigned(first, names, group[(group.index(self.node.address) + 1) % len(group)]))

    def _deliver(self) -> None:
        while (name := self._places.get(self._next)) in self._here:
            assert name is not None
            del self._places[self._next]
            self._placed.discard(name)
            self._next += 1
            self._own_delivered += name[0] == self.node.address
            self.tell(self._here.pop(name), name[0])

    def _to_all(self, message: Message) -> None:
        for address in self.node.group:
            self.links.send(message, address)

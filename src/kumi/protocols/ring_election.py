"""Leader election on a ring: the highest address of all is elected, once.

Each node sends its address to the next one on the ring; a node passes on what is higher than its own address
and swallows what is lower. Only the highest comes all the way round, and who gets its own address back is the
leader and sends word round the ring. It takes between 2n - 1 messages, when addresses grow along the ring,
and n(n + 1)/2, when they fall, and n more for the word. By Chang and Roberts (1979).

Assumes perfect links, and that nobody crashes: a broken ring elects nobody. Addresses grow along the ring,
unless `ring` says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import WITHOUT_CRASHES, PerfectLinks
from kumi.protocols.layer import Layer
from kumi.protocols.numbering import refuse


class OneLeader(Layer[Address]):
    """At most one leader is ever elected, and in the end one is, and all know it. Tells who, once."""

    requests: ClassVar[tuple[str, ...]] = ("elect",)

    @property
    def leader(self) -> Address | None:
        """The elected leader; None before it is known here."""
        raise NotImplementedError

    def elect(self) -> None:
        """Ask for an election; one node asking is enough."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Candidate(Message):
    """A node that stands for election."""

    address: Address


@dataclass(frozen=True, slots=True)
class Elected(Message):
    """The election is over."""

    leader: Address


class RingElection(OneLeader):
    """Elects the highest address by passing candidates round a ring."""

    bears = WITHOUT_CRASHES

    links: PerfectLinks

    def __init__(self, ring: Sequence[Address] | None = None) -> None:
        self.ring = ring
        self._next = 0
        self._stands = False
        self._leader: Address | None = None

    @property
    def leader(self) -> Address | None:
        """The elected leader; None before it is known here."""
        return self._leader

    def begin(self) -> None:
        """Find the next one on the ring."""
        ring = list(self.node.group if self.ring is None else self.ring)
        if sorted(ring) != list(self.node.group):
            raise ValueError(f"a ring passes each node of the group {self.node.group} once, not {ring}")
        self._next = ring[(ring.index(self.node.address) + 1) % len(ring)]
        self.links.listen(self._receive)

    def elect(self) -> None:
        """Stand for election, if this node does not yet."""
        if not self._stands:
            self._stands = True
            self.links.send(Candidate(self.node.address), self._next)

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case Candidate(address) if sender in self.node.group:
                self._weigh(address)
            case Elected(leader) if sender in self.node.group:
                self._learn(leader)
            case _:
                refuse(self.node)

    def _weigh(self, address: Address) -> None:
        if address == self.node.address:
            self._learn(address)
        elif address > self.node.address:
            self._stands = True  # it would lose
            self.links.send(Candidate(address), self._next)
        else:
            self.elect()

    def _learn(self, leader: Address) -> None:
        if self._leader is None:
            self._leader = leader
            self.links.send(Elected(leader), self._next)
            self.tell(leader)

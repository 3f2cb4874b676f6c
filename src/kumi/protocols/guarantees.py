"""What can layers promise, and which kinds of fault can they say that they bear?

Each class here is a promise, and one that promises more is a subclass of one that promises less. A layer
that keeps a promise inherits from it; a layer that needs one names it in an annotation. The monitors in
`kumi.checking` watch that promises are kept.

*Correct* is a node that never crashes in the run.

A layer bears a kind if it keeps its promise under it, as long as what it needs below keeps its own. What does not
concern a layer, it bears, such as wrong suspicions where it asks no failure detector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from kumi.contract.messages import Address, Message
from kumi.protocols.layer import Layer


class Links(Layer[Message, Address]):
    """Sends to one node; tells message and sender. Nothing is delivered that was not sent."""

    requests: ClassVar[tuple[str, ...]] = ("send",)

    def send(self, message: Message, to: Address) -> None:
        """Send to one node, itself included."""
        raise NotImplementedError

    def multicast(self, message: Message, to: Sequence[Address]) -> None:
        """Send to several nodes, one after the other."""
        for address in to:
            self.send(message, address)


class FairLossLinks(Links):
    """What is sent again and again to a correct node is delivered again and again; copies are few."""


class PerfectLinks(FairLossLinks):
    """What a correct node sends to a correct one is delivered, and nothing is delivered twice."""


class FifoLinks(PerfectLinks):
    """Between each two nodes, delivery is in the order of sending."""


class Broadcast(Layer[Message, Address]):
    """Sends to whoever hears it; tells message and sender. Nothing is delivered that was not sent."""

    requests: ClassVar[tuple[str, ...]] = ("broadcast",)

    def broadcast(self, message: Message) -> None:
        """Send to all."""
        raise NotImplementedError


class BestEffortBroadcast(Broadcast):
    """What a correct node broadcasts, every correct one delivers, itself included; nothing twice."""


class ReliableBroadcast(BestEffortBroadcast):
    """If a correct node delivers a message, all correct ones do."""


class UniformBroadcast(ReliableBroadcast):
    """If any node delivers a message, even one that then crashes, all correct ones do."""


class FifoBroadcast(ReliableBroadcast):
    """Nobody delivers a message of a sender before an earlier one of it."""


class CausalBroadcast(FifoBroadcast):
    """Nobody delivers a message before one that its sender had delivered or sent before it."""


class TotalOrderBroadcast(ReliableBroadcast):
    """All deliver in one order: of any two nodes' deliveries, one is the beginning of the other."""


class EventuallyStrong(Layer[Address, bool]):
    """◇S: suspects every crashed node for ever in the end, and in the end some correct node no more.

    Tells an address and whether it is suspected now, at each change.
    """

    @property
    def suspected(self) -> frozenset[Address]:
        """Whom it suspects now."""
        raise NotImplementedError


class EventuallyPerfect(EventuallyStrong):
    """◇P: in the end it suspects all crashed nodes, and no correct one."""


class Perfect(EventuallyPerfect):
    """P: suspects every crashed node in the end, and nobody before it crashes."""


class EventualLeader(Layer[Address]):
    """Ω: in the end all correct nodes trust the same correct node for ever. Tells whom it trusts now."""

    @property
    def leader(self) -> Address:
        """Whom it trusts now."""
        raise NotImplementedError


class PerfectLeader(EventualLeader):
    """A new leader is elected only when the one before has crashed."""


class Consensus(Layer[str, object]):
    """All who decide, decide the same of the proposed values, once for each question; all correct ones do.

    Questions are named, so several users share one consensus. Tells question and decision.
    """

    requests = ("propose",)

    def propose(self, question: str, value: object) -> None:
        """Propose an answer to a question."""
        raise NotImplementedError


class ReplicatedLog(Layer[int, object]):
    """A list of commands, the same at all nodes, kept over crashes. Tells place and command, in order."""

    requests: ClassVar[tuple[str, ...]] = ("append",)

    def append(self, command: object) -> None:
        """Ask for a command to be put into the log; it may be lost if the node crashes or leads no more."""
        raise NotImplementedError


class MutualExclusion(Layer[int]):
    """At most one node is inside, and each who asks comes in, if all leave again.

    Tells that this node is inside now, with a token that only grows from one entry to the next.
    """

    requests = ("enter", "leave")

    def enter(self) -> None:
        """Ask to come in."""
        raise NotImplementedError

    def leave(self) -> None:
        """Go out."""
        raise NotImplementedError


class AtomicCommit(Layer[str, bool]):
    """All who end a transaction end it alike: committed only if all voted yes; aborted only for a reason.

    Tells transaction and whether it was committed.
    """

    requests = ("vote",)

    def vote(self, transaction: str, yes: bool) -> None:
        """Say whether this node can commit."""
        raise NotImplementedError


BAD_NETWORK = frozenset({"loss", "duplication", "reordering", "slow-links", "partition", "pause", "skew"})
CRASHES = frozenset({"crash", "crash-mid-send"})
RECOVERY = frozenset({"recovery"})
AMNESIA = frozenset({"amnesia"})
SUSPICION = frozenset({"suspicion"})

WITHOUT_CRASHES = BAD_NETWORK | SUSPICION
WITH_CRASHES = WITHOUT_CRASHES | CRASHES
EVERYTHING = WITH_CRASHES | RECOVERY | AMNESIA

"""Atomic commit: all end a transaction alike, without blocking by consensus or simply in two phases.

`ConsensusCommit`: everyone sends its vote to all. A node with a yes from everyone proposes to commit; one with a no, or that suspects another
whose vote is missing, proposes to abort. Consensus chooses. Since nobody proposes to commit without all
votes, a commit means that all voted yes (Guerraoui, 1995).

It needs what its consensus does. What can be a reason to abort depends on the detector: with P it is a no or
a crash, which is atomic commit as it is defined; with a detector that errs, a wrong suspicion is one as well.

`TwoPhaseCommit` is the simplest, and blocks when its coordinator crashes.
Everyone sends its vote to the coordinator, the lowest node; the coordinator commits if all said yes, aborts
if one said no, and sends the outcome to all (Gray, 1978). A node that has voted yes can do nothing but wait: the
coordinator may have committed or aborted and told somebody else. So if it crashes, all wait for ever; and it
waits for the vote of each. Compare `ConsensusCommit`, which waits for nobody who is suspected.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import (
    WITH_CRASHES,
    WITHOUT_CRASHES,
    AtomicCommit,
    Consensus,
    EventuallyStrong,
    PerfectLinks,
)
from kumi.protocols.names import Names
from kumi.protocols.numbering import refuse


@dataclass(frozen=True, slots=True)
class CommitVote(Message):
    """Whether the sender can commit a transaction."""

    transaction: str
    yes: bool


class ConsensusCommit(AtomicCommit):
    """Ends each transaction by consensus on whether all have voted yes.

    Of a transaction that has ended only the name is kept; see `Names` for how little room that takes.
    """

    bears = WITH_CRASHES

    links: PerfectLinks
    consensus: Consensus
    detector: EventuallyStrong

    def __init__(self) -> None:
        self._votes: dict[str, dict[Address, bool]] = {}
        self._proposed: set[str] = set()
        self._ended = Names()

    def begin(self) -> None:
        """Listen to votes, decisions and suspicions."""
        self.links.listen(self._receive)
        self.consensus.listen(self._decide)
        self.detector.listen(self._suspicion_changed)

    def vote(self, transaction: str, yes: bool) -> None:
        """Say whether this node can commit; its first vote counts."""
        for address in self.node.group:
            self.links.send(CommitVote(transaction, yes), address)

    def _receive(self, message: Message, sender: Address) -> None:
        if not isinstance(message, CommitVote) or sender not in self.node.group:
            refuse(self.node)
        elif message.transaction not in self._ended:
            self._votes.setdefault(message.transaction, {}).setdefault(sender, message.yes)
            self._consider(message.transaction)

    def _suspicion_changed(self, _address: Address, is_suspected: bool) -> None:
        if is_suspected:
            for transaction in tuple(self._votes):
                self._consider(transaction)

    def _consider(self, transaction: str) -> None:
        """Propose an end when there is a reason for one."""
        votes = self._votes[transaction]
        if transaction in self._proposed:
            return
        if self._can_commit(votes):
            self._propose(transaction, True)
        elif not all(votes.values()) or any(
            address in self.detector.suspected and address not in votes for address in self.node.group
        ):
            self._propose(transaction, False)

    def _can_commit(self, votes: dict[Address, bool]) -> bool:
        return all(votes.get(address, False) for address in self.node.group)

    def _propose(self, transaction: str, commit: bool) -> None:
        self._proposed.add(transaction)
        self.consensus.propose(f"commit {transaction}", commit)

    def _decide(self, question: str, decision: object) -> None:
        transaction = question.removeprefix("commit ")
        if transaction == question or transaction in self._ended:
            return  # another user's
        self._votes.pop(transaction, None)
        self._proposed.discard(transaction)
        self._ended.add(transaction)
        self.tell(transaction, decision is True)


@dataclass(frozen=True, slots=True)
class TransactionOutcome(Message):
    """How a transaction ends."""

    transaction: str
    committed: bool


class TwoPhaseCommit(AtomicCommit):
    """Ends each transaction as the coordinator says. Assumes that nobody crashes."""

    bears = WITHOUT_CRASHES

    links: PerfectLinks

    def __init__(self) -> None:
        self._votes: dict[str, dict[Address, bool]] = {}
        self._decided = Names()

    def begin(self) -> None:
        """Listen to the links."""
        self.links.listen(self._receive)

    def vote(self, transaction: str, yes: bool) -> None:
        """Say whether this node can commit; its first vote counts."""
        self.links.send(CommitVote(transaction, yes), self.node.group[0])

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case CommitVote(transaction, yes):
                self._count(transaction, yes, sender)
            case TransactionOutcome(transaction, committed) if sender == self.node.group[0]:
                self.tell(transaction, committed)
            case _:
                refuse(self.node)

    def _count(self, transaction: str, yes: bool, sender: Address) -> None:
        if transaction in self._decided or sender not in self.node.group:
            return
        votes = self._votes.setdefault(transaction, {})
        votes.setdefault(sender, yes)
        if self._is_decided(votes):
            self._end(transaction, all(votes.values()))

    def _is_decided(self, votes: dict[Address, bool]) -> bool:
        return len(votes) == len(self.node.group) or not all(votes.values())

    def _end(self, transaction: str, committed: bool) -> None:
        del self._votes[transaction]
        self._decided.add(transaction)
        for address in self.node.group:
            self.links.send(TransactionOutcome(transaction, committed), address)

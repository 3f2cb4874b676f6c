"""Atomic commit by consensus, with a detector that knows and with one that errs; and in two phases."""

from __future__ import annotations

from collections.abc import Callable

from kumi.checking.case import Case, nobody
from kumi.checking.commit_monitors import EndsAlike, ForAReason
from kumi.checking.oracle import Oracle
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Layer, Stack
from kumi.protocols.atomic_commit import ConsensusCommit
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.false_suspicions import Mistaken
from kumi.protocols.guarantees import AtomicCommit
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.two_phase_commit import Outcome, TwoPhaseCommit


class Voter(Layer[()]):
    """Votes about a few transactions, mostly yes, at random instants near each other."""

    commit: AtomicCommit

    def __init__(self, transactions: int = 5, within: float = 8.0, against: float = 0.07) -> None:
        self.transactions = transactions
        self.within = within
        self.against = against

    def begin(self) -> None:
        """Plan the votes."""
        for number in range(self.transactions):
            instant = self.within * (number + self.node.chance.uniform(0.0, 0.3)) / self.transactions
            self.node.after(instant, self._voting(number))

    def _voting(self, number: int) -> Callable[[], None]:
        return lambda: self.commit.vote(f"transfer {number}", not self.node.chance.happens(self.against))


class MajorityCommits(ConsensusCommit):
    """Commits when a majority has voted yes."""

    def _can_commit(self, votes: dict[Address, bool]) -> bool:
        return sum(votes.values()) > len(self.node.group) // 2


class NoConsensus(ConsensusCommit):
    """Ends a transaction by its own opinion."""

    def _propose(self, transaction: str, commit: bool) -> None:
        self._decide(f"commit {transaction}", commit)


class Impatient(ConsensusCommit):
    """Aborts when a vote is late."""

    def vote(self, transaction: str, yes: bool) -> None:
        """Vote, and lose patience."""
        super().vote(transaction, yes)
        self.node.after(1.0, lambda: self._lose_patience(transaction))

    def _lose_patience(self, transaction: str) -> None:
        if transaction not in self._ended and transaction not in self._proposed:
            self._propose(transaction, False)


class WaitsForAll(ConsensusCommit):
    """Waits for the votes of crashed nodes."""

    def _suspicion_changed(self, _address: Address, is_suspected: bool) -> None:
        pass

    def _consider(self, transaction: str) -> None:
        if len(self._votes[transaction]) == len(self.node.group):
            super()._consider(transaction)


class FirstVotes(TwoPhaseCommit):
    """Commits when a majority of votes are there, and all yes."""

    def _is_decided(self, votes: dict[Address, bool]) -> bool:
        return len(votes) > len(self.node.group) // 2 or super()._is_decided(votes)


class AbortsAlone(TwoPhaseCommit):
    """Aborts by itself what takes long, though it has voted yes."""

    def __init__(self) -> None:
        super().__init__()
        self._over: set[str] = set()

    def vote(self, transaction: str, yes: bool) -> None:
        """Vote, and do not wait for ever."""
        super().vote(transaction, yes)
        self.node.after(3.0, lambda: self._finish(transaction, False))

    def _receive(self, message: Message, sender: Address) -> None:
        if isinstance(message, Outcome):
            self._finish(message.transaction, message.committed)
        else:
            super()._receive(message, sender)

    def _finish(self, transaction: str, committed: bool) -> None:
        if transaction not in self._over:
            self._over.add(transaction)
            self.tell(transaction, committed)


def knowing(kind: type[ConsensusCommit]) -> Stack:
    """Commit with a detector that never errs."""
    return Stack(Voter(), kind(), ChandraToueg(), Oracle(), Acknowledged())


def erring(kind: type[ConsensusCommit]) -> Stack:
    """Commit with a detector that errs."""
    return Stack(
        Voter(),
        kind(),
        ChandraToueg(),
        Mistaken(),
        Heartbeat(period=0.4, timeout=2.0),
        Acknowledged(longest_pause=2.0),
    )


def two_phases(kind: type[TwoPhaseCommit]) -> Stack:
    """Commit by a coordinator."""
    return Stack(Voter(), kind(), Acknowledged())


OF_MESSAGES = frozenset({"loss", "duplication", "reordering", "slow-links", "partition", "pause", "skew"})

CASES: tuple[Case, ...] = (
    Case(
        name="atomic-commit",
        promise="all end a transaction alike: committed if all voted yes, aborted for a no or a crash",
        stack=lambda: knowing(ConsensusCommit),
        monitors=lambda: [EndsAlike(), ForAReason()],
        faults=OF_MESSAGES | {"crash", "crash-mid-send"},
        mutants={
            "majority-commits": lambda: knowing(MajorityCommits),
            "no-consensus": lambda: knowing(NoConsensus),
            "impatient": lambda: knowing(Impatient),
            "waits-for-all": lambda: knowing(WaitsForAll),
        },
        settling=40.0,
    ),
    Case(
        name="atomic-commit-with-mistakes",
        promise="the same with a detector that errs: a wrong suspicion is a reason to abort, too",
        stack=lambda: erring(ConsensusCommit),
        monitors=lambda: [EndsAlike(), ForAReason()],
        faults=OF_MESSAGES | {"crash", "crash-mid-send", "suspicion"},
        mutants={
            "majority-commits": lambda: erring(MajorityCommits),
            "no-consensus": lambda: erring(NoConsensus),
        },
        settling=40.0,
    ),
    Case(
        name="two-phase-commit",
        promise="all end a transaction alike, where nobody crashes",
        stack=lambda: two_phases(TwoPhaseCommit),
        monitors=lambda: [EndsAlike(), ForAReason()],
        faults=OF_MESSAGES,
        mutants={
            "first-votes": lambda: two_phases(FirstVotes),
            "aborts-alone": lambda: two_phases(AbortsAlone),
        },
        crashes=nobody,
        settling=40.0,
    ),
)

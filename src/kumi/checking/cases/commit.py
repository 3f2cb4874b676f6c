"""Atomic commit by consensus and in two phases: cases, and the monitors that judge them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kumi.checking.case import Case, nobody
from kumi.checking.monitors import Monitor, RunEnding, broken
from kumi.checking.talking import Oracle
from kumi.contract.messages import Address, Message
from kumi.network import Node
from kumi.protocols import Acknowledged, Layer, Observation, Stack
from kumi.protocols.atomic_commit import ConsensusCommit, TransactionOutcome, TwoPhaseCommit
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.guarantees import BAD_NETWORK, CRASHES, SUSPICION, AtomicCommit, EventuallyStrong
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.suspicion import Mistaken


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


class ImpatientCommit(ConsensusCommit):
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
        if isinstance(message, TransactionOutcome):
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


CASES: tuple[Case, ...] = (
    Case(
        name="atomic-commit",
        promise="all end a transaction alike: committed if all voted yes, aborted for a no or a crash",
        stack=lambda: knowing(ConsensusCommit),
        monitors=lambda: [EndsAlike(), ForAReason()],
        faults=BAD_NETWORK | CRASHES,
        mutants={
            "majority-commits": lambda: knowing(MajorityCommits),
            "no-consensus": lambda: knowing(NoConsensus),
            "impatient": lambda: knowing(ImpatientCommit),
            "waits-for-all": lambda: knowing(WaitsForAll),
        },
        settling=40.0,
    ),
    Case(
        name="atomic-commit-with-mistakes",
        promise="the same with a detector that errs: a wrong suspicion is a reason to abort, too",
        stack=lambda: erring(ConsensusCommit),
        monitors=lambda: [EndsAlike(), ForAReason()],
        faults=BAD_NETWORK | CRASHES | SUSPICION,
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
        faults=BAD_NETWORK,
        mutants={
            "first-votes": lambda: two_phases(FirstVotes),
            "aborts-alone": lambda: two_phases(AbortsAlone),
        },
        crashes=nobody,
        settling=40.0,
    ),
)


class EndsAlike(Monitor):
    """No two nodes end a transaction differently, and nobody ends one twice; correct ones do end it."""

    watches = AtomicCommit

    def __init__(self) -> None:
        self._voted: dict[tuple[str, Address], float] = {}
        self._ended: dict[str, dict[Address, tuple[bool, float]]] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Remember who has voted."""
        self._voted[event[0], address] = time

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Compare with how others ended it."""
        transaction, committed = event
        ends = self._ended.setdefault(transaction, {})
        what = f"node {address} {end_of(committed)} '{transaction}' at {time:.3f} s"
        if address in ends:
            raise broken("one end", what, f"it had ended it at {ends[address][1]:.3f} s")
        for other, (theirs, earlier) in ends.items():
            if theirs != committed:
                raise broken("agreement", what, f"node {other} {end_of(theirs)} it at {earlier:.3f} s")
        ends[address] = (committed, time)

    def finish(self, ending: RunEnding) -> None:
        """Each node that voted and never crashed has ended the transaction."""
        for (transaction, address), time in self._voted.items():
            if address in ending.correct and address not in self._ended.get(transaction, {}):
                raise broken(
                    "termination",
                    f"node {address} voted about '{transaction}' at {time:.3f} s",
                    f"it has not ended it at {ending.time:g} s",
                )


class ForAReason(Monitor):
    """Committed only if all voted yes; aborted only if one voted no, crashed, or was suspected.

    A suspicion is a reason where the protocol has a detector that errs; it is asked for them.
    """

    watches = AtomicCommit

    def __init__(self) -> None:
        self._votes: dict[str, dict[Address, bool]] = {}
        self._has_excuse = False
        self._is_listening = False
        self._commits: dict[str, tuple[Address, float]] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Remember the votes."""
        transaction, yes = event
        self._votes.setdefault(transaction, {}).setdefault(address, yes)
        if transaction in self._commits:
            other, earlier = self._commits[transaction]
            raise broken(
                "commit only if all voted yes",
                f"node {other} committed '{transaction}' at {earlier:.3f} s",
                f"node {address} voted at {time:.3f} s only",
            )

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Look for the reason."""
        transaction, committed = event
        votes = self._votes.get(transaction, {})
        against = [voter for voter, yes in votes.items() if not yes]
        what = f"node {address} {end_of(committed)} '{transaction}' at {time:.3f} s"
        if committed and against:
            raise broken("commit only if all voted yes", what, f"node {against[0]} voted no")
        if committed:
            self._commits.setdefault(transaction, (address, time))
        elif not against and not self._has_excuse:
            raise broken("abort only for a reason", what, "nobody voted no, crashed or was suspected")

    def observe(self, seen: Observation) -> None:
        """Listen to the detectors of all nodes from the first vote on."""
        if not self._is_listening:
            self._is_listening = True
            for receiver in seen.layer.node.network._receivers.values():
                assert isinstance(receiver, Node)
                assert isinstance(receiver.resident, Stack)
                detector = getattr(receiver.resident[AtomicCommit], "detector", None)
                if isinstance(detector, EventuallyStrong):
                    detector.listen(self._suspicion_changed)
                    self._has_excuse = self._has_excuse or bool(detector.suspected)
        super().observe(seen)

    def _suspicion_changed(self, _address: Address, is_suspected: bool) -> None:
        self._has_excuse = self._has_excuse or is_suspected

    def crashed(self, time: float, address: Address) -> None:
        """From now on every abort has a reason."""
        self._has_excuse = True

    def finish(self, ending: RunEnding) -> None:
        """What was committed, all have voted for."""
        for transaction, (address, time) in self._commits.items():
            missing = [node for node in ending.group if node not in self._votes[transaction]]
            if missing:
                raise broken(
                    "commit only if all voted yes",
                    f"node {address} committed '{transaction}' at {time:.3f} s",
                    f"node {missing[0]} never voted",
                )


def end_of(committed: bool) -> str:
    """Write how a transaction ended."""
    return "committed" if committed else "aborted"

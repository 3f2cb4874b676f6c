"""Do all end a transaction alike, and for a good reason?"""

from __future__ import annotations

from typing import Any

from kumi.checking.monitors import Ending, Monitor, broken
from kumi.contract.messages import Address
from kumi.network import Node
from kumi.protocols import Observation, Stack
from kumi.protocols.guarantees import AtomicCommit, EventuallyStrong


class EndsAlike(Monitor):
    """No two nodes end a transaction differently, and nobody ends one twice; correct ones do end it."""

    watches = AtomicCommit

    def __init__(self) -> None:
        self._voted: dict[tuple[str, Address], float] = {}
        self._ended: dict[str, dict[Address, tuple[bool, float]]] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Remember who has voted."""
        self._voted[event[0], address] = time

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
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

    def finish(self, ending: Ending) -> None:
        """Whoever voted and never crashed has ended the transaction."""
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

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
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

    def finish(self, ending: Ending) -> None:
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

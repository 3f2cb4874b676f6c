"""Two-phase commit: the simplest atomic commit, which blocks when its coordinator crashes.

Everyone sends its vote to the coordinator, the lowest node; the coordinator commits if all said yes, aborts
if one said no, and sends the outcome to all (Gray, 1978). Who has voted yes can do nothing but wait: the
coordinator may have committed or aborted and told somebody else. So if it crashes, all wait for ever; and it
waits for the vote of each. Compare `ConsensusCommit`, which waits for nobody who is suspected.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.protocols.atomic_commit import Vote
from kumi.protocols.bears import WITHOUT_CRASHES
from kumi.protocols.guarantees import AtomicCommit, PerfectLinks
from kumi.protocols.names import Names
from kumi.protocols.numbering import refuse


@dataclass(frozen=True, slots=True)
class Outcome(Message):
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
        self.links.send(Vote(transaction, yes), self.node.group[0])

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case Vote(transaction, yes):
                self._count(transaction, yes, sender)
            case Outcome(transaction, committed) if sender == self.node.group[0]:
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
            self.links.send(Outcome(transaction, committed), address)

"""Ω by consensus: all nodes go through the same leaders in the same order.

When a node suspects the leader of a term, it proposes a successor to the question of the next term; the
consensus settles who follows, and tells all. So leaders change rarely, no two nodes ever name different
leaders for one term, and the number of the term tells an old leader's orders from a new one's.

In the end the detector is right: a crashed leader is suspected by all, so all propose and a term ends; a
correct one is suspected by nobody, so no new term is asked for. Assumes a detector of class ◇P. The consensus
may be shared with others: only the questions "leader N" are this layer's.
"""

from __future__ import annotations

from typing import ClassVar

from kumi.contract.messages import Address
from kumi.protocols.guarantees import WITH_CRASHES, Consensus, EventualLeader, EventuallyPerfect

QUESTION = "leader "


class AgreedLeader(EventualLeader):
    """Decides the leader of each term by consensus; tells the leader, and `term` counts from 0."""

    bears = WITH_CRASHES

    consensus: Consensus
    detector: EventuallyPerfect

    requests: ClassVar[tuple[str, ...]] = ("reign",)

    def __init__(self) -> None:
        self.term = -1
        self._leader: Address | None = None
        self._decided: dict[int, Address] = {}

    def begin(self) -> None:
        """Listen to both; the lowest address leads in term 0."""
        self.consensus.listen(self._answered)
        self.detector.listen(self._changed)
        self._decided[0] = self.node.group[0]
        self.node.after(0.0, self._reign_on)

    @property
    def leader(self) -> Address:
        """Whom it trusts now."""
        return self.node.group[0] if self._leader is None else self._leader

    def reign(self, term: int, leader: Address) -> None:
        """Begin a term."""
        self.term = term
        self._leader = leader
        self.tell(leader)
        self._propose()

    def choose(self) -> Address:
        """Return whom to propose by what the detector says now."""
        suspected = self.detector.suspected
        return min(address for address in self.node.group if address not in suspected)

    def _changed(self, _address: Address, _is_suspected: bool) -> None:
        self._propose()

    def _propose(self) -> None:
        if self._leader in self.detector.suspected:
            self.consensus.propose(f"{QUESTION}{self.term + 1}", self.choose())

    def _answered(self, question: str, answer: object) -> None:
        term = question.removeprefix(QUESTION)
        if term == question or not term.isdecimal() or not isinstance(answer, int):
            return  # another user's
        self._decided[int(term)] = answer  # terms may be decided out of order
        self._reign_on()

    def _reign_on(self) -> None:
        while self.term + 1 in self._decided:
            self.reign(self.term + 1, self._decided.pop(self.term + 1))

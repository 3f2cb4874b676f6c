"""Consensus with a failure detector that errs: all decide the same of the proposed values.

Nodes go through rounds, each with a coordinator, in turn. The coordinator collects the estimates of a
majority, takes one that was adopted in the latest round, and proposes it. A receiver of the proposal adopts it
and says yes; who suspects the coordinator says no and goes on. When a majority has said yes, the value is
locked: every later coordinator hears of it from one of them. So wrong suspicions cost time, and never
agreement. A decision is passed on by each who learns it, before he tells of it.

Assumes perfect links, a detector of class ◇S, that fewer than half of the nodes crash, for good, and that
every correct node proposes. Agreement is uniform: it binds those who decide and then crash, too. By Chandra
and Toueg (1996). Unlike theirs, who has said yes waits until the coordinator calls the round off or is
suspected, so that rounds after the last are not begun in vain.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import WITH_CRASHES, Consensus, EventuallyStrong, PerfectLinks
from kumi.protocols.names import Names
from kumi.protocols.numbering import refuse


@dataclass(frozen=True, slots=True)
class RoundEstimate(Message):
    """What a node holds true as it enters a round, and the round in which it adopted that; 0: its own."""

    question: str
    round: int
    value: object
    adopted: int


@dataclass(frozen=True, slots=True)
class Proposal(Message):
    """What the coordinator of a round asks all to adopt."""

    question: str
    round: int
    value: object


@dataclass(frozen=True, slots=True)
class Reply(Message):
    """Whether a node has adopted the proposal of a round."""

    question: str
    round: int
    yes: bool


@dataclass(frozen=True, slots=True)
class CalledOff(Message):
    """A round has failed."""

    question: str
    round: int


@dataclass(frozen=True, slots=True)
class Decision(Message):
    """The answer to a question."""

    question: str
    value: object


@dataclass
class Debate:
    """What a node knows of an open question; round 0 means that it has not proposed yet."""

    round: int = 0
    value: object = None
    adopted: int = 0
    has_replied: bool = False
    called_off: int = 0
    proposals: dict[int, object] = field(default_factory=dict)
    proposed: dict[int, object] = field(default_factory=dict)
    estimates: dict[int, dict[Address, tuple[int, object]]] = field(default_factory=dict)
    replies: dict[int, dict[Address, bool]] = field(default_factory=dict)


class ChandraToueg(Consensus):
    """Decides each question by rounds with a coordinator in turn.

    Of a decided question only the name is kept; names that differ in the number at their end, such as
    "order 1" and "order 2", take no room as long as the numbers follow on each other.
    """

    bears = WITH_CRASHES

    links: PerfectLinks
    detector: EventuallyStrong

    def __init__(self) -> None:
        self._open: dict[str, Debate] = {}
        self._closed = Names()

    def begin(self) -> None:
        """Listen to the links and to the detector."""
        self.links.listen(self._receive)
        self.detector.listen(self._suspicion_changed)

    def propose(self, question: str, value: object) -> None:
        """Propose an answer; the first proposal of a node counts."""
        if question in self._closed:
            return
        debate = self._open.setdefault(question, Debate())
        if debate.round == 0:
            debate.value = value
            self._enter(question, debate)
            self._go_on(question, debate)

    @property
    def majority(self) -> int:
        """How many nodes are more than half."""
        return len(self.node.group) // 2 + 1

    def coordinator(self, number: int) -> Address:
        """The coordinator of a round."""
        return self.node.group[number % len(self.node.group)]

    def _enter(self, question: str, debate: Debate) -> None:
        debate.round += 1
        debate.has_replied = False
        estimate = RoundEstimate(question, debate.round, debate.value, debate.adopted)
        self.links.send(estimate, self.coordinator(debate.round))

    def _go_on(self, question: str, debate: Debate) -> None:
        """Do what can be done as one who takes part: adopt a proposal, or leave the round."""
        while debate.round > 0:
            number = debate.round
            if not debate.has_replied and number in debate.proposals:
                self._adopt(question, debate, debate.proposals.pop(number))
                self._reply(question, debate, yes=True)
            elif number <= debate.called_off or self._suspects(self.coordinator(number)):
                if not debate.has_replied:
                    self._reply(question, debate, yes=False)
                self._enter(question, debate)
            else:
                return

    def _adopt(self, _question: str, debate: Debate, value: object) -> None:
        debate.value = value
        debate.adopted = debate.round

    def _reply(self, question: str, debate: Debate, *, yes: bool) -> None:
        debate.has_replied = True
        self.links.send(Reply(question, debate.round, yes), self.coordinator(debate.round))

    def _suspects(self, address: Address) -> bool:
        return address != self.node.address and address in self.detector.suspected

    def _suspicion_changed(self, _address: Address, is_suspected: bool) -> None:
        if is_suspected:
            for question, debate in tuple(self._open.items()):
                self._go_on(question, debate)

    def _receive(self, message: Message, sender: Address) -> None:
        if sender not in self.node.group or not isinstance(
            message, RoundEstimate | Proposal | Reply | CalledOff | Decision
        ):
            refuse(self.node)
            return
        question = message.question
        if question in self._closed:
            return
        debate = self._open.setdefault(question, Debate())
        match message:
            case RoundEstimate(_, number, value, adopted):
                debate.estimates.setdefault(number, {})[sender] = (adopted, value)
                self._collect(question, debate, number)
            case Reply(_, number, yes):
                debate.replies.setdefault(number, {})[sender] = yes
                self._count(question, debate, number)
            case Proposal(_, number, value):
                if number >= debate.round:
                    debate.proposals[number] = value
                self._go_on(question, debate)
            case CalledOff(_, number):
                debate.called_off = max(debate.called_off, number)
                self._go_on(question, debate)
            case Decision(_, value):
                self._close(question, value)

    def _collect(self, question: str, debate: Debate, number: int) -> None:
        """Propose, as the coordinator, when the last estimate of a majority has come."""
        estimates = debate.estimates[number]
        if len(estimates) == self.majority:
            debate.proposed[number] = self._choose(estimates)
            self._to_all(Proposal(question, number, debate.proposed[number]))

    def _choose(self, estimates: dict[Address, tuple[int, object]]) -> object:
        """Take an estimate that was adopted last; of several, that of the lowest address."""
        best = min(estimates, key=lambda address: (-estimates[address][0], address))
        return estimates[best][1]

    def _count(self, question: str, debate: Debate, number: int) -> None:
        """Decide, as the coordinator, when a majority agrees; call the round off when it does not."""
        replies = debate.replies[number]
        if sum(replies.values()) >= self.majority:
            self._close(question, debate.proposed[number])
        elif len(replies) == self.majority:
            self._to_all(CalledOff(question, number))

    def _close(self, question: str, value: object) -> None:
        del self._open[question]
        self._closed.add(question)
        self._to_all(Decision(question, value), but=self.node.address)
        self.tell(question, value)

    def _to_all(self, message: Message, but: Address | None = None) -> None:
        for address in self.node.group:
            if address != but:
                self.links.send(message, address)

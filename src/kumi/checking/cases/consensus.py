"""Consensus by rotating coordinators, with a failure detector that is made to err."""

from __future__ import annotations

from collections.abc import Callable

from kumi.checking.case import Case
from kumi.checking.consensus_monitors import DecidesOnce, Termination, UniformAgreement, Validity
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Layer, Stack
from kumi.protocols.chandra_toueg import ChandraToueg, Debate, Decision, Estimate
from kumi.protocols.false_suspicions import Mistaken
from kumi.protocols.guarantees import Consensus
from kumi.protocols.heartbeat import Heartbeat


class Proposer(Layer[()]):
    """Proposes an answer of its own to a few questions, at random instants."""

    consensus: Consensus

    def __init__(self, questions: int = 4, within: float = 8.0) -> None:
        self.questions = questions
        self.within = within

    def begin(self) -> None:
        """Plan the proposals; most nodes come to a question at about the same time."""
        for number in range(self.questions):
            instant = self.within * number / self.questions
            if self.node.chance.happens(0.2):
                instant += self.node.chance.uniform(0.0, self.within / self.questions)
            self.node.after(instant + self.node.chance.uniform(0.0, 0.05), self._proposing(number))

    def _proposing(self, number: int) -> Callable[[], None]:
        return lambda: self.consensus.propose(f"question {number}", f"answer of {self.node.address}")


class IgnoresLock(ChandraToueg):
    """Proposes any estimate, not one that was adopted last."""

    def _choose(self, estimates: dict[Address, tuple[int, object]]) -> object:
        return estimates[min(estimates)][1]


class AnyForMajority(ChandraToueg):
    """Takes a single node for a majority."""

    @property
    def majority(self) -> int:
        """How many nodes suffice."""
        return 1


class DecidesOwnEstimate(ChandraToueg):
    """Decides what it has adopted, before it knows that a majority has."""

    def _adopt(self, question: str, debate: Debate, value: object) -> None:
        super()._adopt(question, debate, value)
        if question in self._open:
            self._close(question, value)


class PassesNothingOn(ChandraToueg):
    """Leaves it to the coordinator alone to spread a decision."""

    def _receive(self, message: Message, sender: Address) -> None:
        if isinstance(message, Decision) and message.question not in self._closed:
            self._open.pop(message.question, None)
            self._closed.add(message.question)
            self.tell(message.question, message.value)
        else:
            super()._receive(message, sender)


class ForgetsDecisions(ChandraToueg):
    """Opens a decided question again when a late message comes."""

    def _close(self, question: str, value: object) -> None:
        super()._close(question, value)
        self._closed = type(self._closed)()


class JoinsEmpty(ChandraToueg):
    """Takes part with no estimate before it has proposed."""

    def _receive(self, message: Message, sender: Address) -> None:
        if isinstance(message, Estimate) and message.question not in self._closed:
            debate = self._open.setdefault(message.question, Debate())
            if debate.round == 0:
                self._enter(message.question, debate)
        super()._receive(message, sender)


def stack(consensus: type[ChandraToueg] = ChandraToueg) -> Stack:
    """Return a stack with this consensus."""
    return Stack(
        Proposer(),
        consensus(),
        Mistaken(),
        Heartbeat(period=0.2, timeout=1.0),
        Acknowledged(longest_pause=2.0),
    )


CASES: tuple[Case, ...] = (
    Case(
        name="consensus",
        promise="All who decide a question decide the same, proposed value, once; all correct nodes decide.",
        stack=stack,
        monitors=lambda: [Validity(), DecidesOnce(), UniformAgreement(), Termination()],
        faults=frozenset(
            {
                "loss",
                "duplication",
                "reordering",
                "slow-links",
                "partition",
                "crash",
                "crash-mid-send",
                "pause",
                "suspicion",
                "skew",
            }
        ),
        settling=20.0,
        mutants={
            "ignores-lock": lambda: stack(IgnoresLock),
            "any-for-majority": lambda: stack(AnyForMajority),
            "decides-own-estimate": lambda: stack(DecidesOwnEstimate),
            "passes-nothing-on": lambda: stack(PassesNothingOn),
            "forgets-decisions": lambda: stack(ForgetsDecisions),
            "joins-empty": lambda: stack(JoinsEmpty),
        },
        within={"ignores-lock": 300},
    ),
)

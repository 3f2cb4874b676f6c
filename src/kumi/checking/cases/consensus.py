"""Consensus by rotating coordinators with a detector that errs: cases, and the monitors that judge them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kumi.checking.case import Case
from kumi.checking.monitors import Monitor, RunEnding, broken, names
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Layer, Stack
from kumi.protocols.chandra_toueg import ChandraToueg, Debate, Decision, RoundEstimate
from kumi.protocols.guarantees import WITH_CRASHES, Consensus
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.suspicion import Mistaken


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


class KeepsDecision(ChandraToueg):
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
        if isinstance(message, RoundEstimate) and message.question not in self._closed:
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
        monitors=lambda: [ProposedOnly(), DecidesOnce(), UniformAgreement(), Termination()],
        faults=WITH_CRASHES,
        settling=20.0,
        mutants={
            "ignores-lock": lambda: stack(IgnoresLock),
            "any-for-majority": lambda: stack(AnyForMajority),
            "decides-own-estimate": lambda: stack(DecidesOwnEstimate),
            "passes-nothing-on": lambda: stack(KeepsDecision),
            "forgets-decisions": lambda: stack(ForgetsDecisions),
            "joins-empty": lambda: stack(JoinsEmpty),
        },
        within={"ignores-lock": 300},
    ),
)


class ProposedOnly(Monitor):
    """What is decided was proposed."""

    watches = Consensus

    def __init__(self) -> None:
        self.proposed: dict[str, list[object]] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Keep a proposal."""
        question, value = event
        self.proposed.setdefault(question, []).append(value)

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge a decision."""
        question, value = event
        if value not in self.proposed.get(question, []):
            raise broken(
                "validity",
                f"node {address} decides {value!r} on {question!r} at {time:.3f} s",
                "nobody proposed that",
            )


class DecidesOnce(Monitor):
    """Nobody decides a question twice."""

    watches = Consensus

    def __init__(self) -> None:
        self.decided: dict[tuple[Address, str], tuple[float, object]] = {}

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge a decision."""
        question, value = event
        if (address, question) in self.decided:
            when, before = self.decided[address, question]
            raise broken(
                "integrity",
                f"node {address} decides {value!r} on {question!r} at {time:.3f} s",
                f"it decided {before!r} at {when:.3f} s",
            )
        self.decided[address, question] = time, value


class UniformAgreement(Monitor):
    """No two nodes decide a question differently, even if they crash then."""

    watches = Consensus

    def __init__(self) -> None:
        self.decided: dict[str, tuple[float, Address, object]] = {}

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge a decision."""
        question, value = event
        when, other, before = self.decided.setdefault(question, (time, address, value))
        if value != before:
            raise broken(
                "uniform agreement",
                f"node {address} decides {value!r} on {question!r} at {time:.3f} s",
                f"node {other} decided {before!r} at {when:.3f} s",
            )


class Termination(Monitor):
    """If all correct nodes propose, or one node decides and stays, all correct nodes decide."""

    watches = Consensus

    def __init__(self) -> None:
        self.proposers: dict[str, set[Address]] = {}
        self.deciders: dict[str, set[Address]] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Keep who proposes."""
        self.proposers.setdefault(event[0], set()).add(address)

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Keep who decides."""
        self.deciders.setdefault(event[0], set()).add(address)

    def finish(self, ending: RunEnding) -> None:
        """Look for one who has not decided."""
        for question in sorted(self.proposers):
            deciders = self.deciders.get(question, set())
            waiting = ending.correct - deciders
            if waiting and (ending.correct <= self.proposers[question] or deciders & ending.correct):
                raise broken(
                    "termination",
                    f"at {ending.time:g} s nodes {names(waiting)} have not decided on {question!r}",
                    f"nodes {names(deciders)} have",
                )

"""Detecting that work which spreads from node to node is over."""

from __future__ import annotations

from dataclasses import dataclass

from kumi.checking.case import Case, nobody
from kumi.checking.termination_monitors import TrulyOver
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Layer, Stack
from kumi.protocols.termination import Probe, Safra, TerminationDetection


@dataclass(frozen=True, slots=True)
class Errand(Message):
    """Work that makes up to so much more work; with who sends it and its number there."""

    size: int
    by: Address
    number: int


class Worker(Layer[()]):
    """Works for a moment on what comes, and gives parts of it to others."""

    work: TerminationDetection

    def __init__(self, size: int = 12, lasting: float = 5.0) -> None:
        self.size = size
        self.lasting = lasting
        self._jobs = 0
        self._given = 0

    def begin(self) -> None:
        """Begin with work of its own."""
        self.work.listen(self._receive)
        self._start(self.size, self.lasting)

    def _receive(self, message: Message, _sender: Address) -> None:
        assert isinstance(message, Errand)
        self._start(message.size, 1.0)

    def _start(self, size: int, lasting: float) -> None:
        self._jobs += 1
        self.node.after(self.node.chance.uniform(0.0, lasting), lambda: self._finish(size))

    def _finish(self, size: int) -> None:
        for _ in range(self.node.chance.integer(0, min(size, 2))):
            self._given += 1
            errand = Errand(size - 1, self.node.address, self._given)
            self.work.send(errand, self.node.chance.choice(self.node.others))
        self._jobs -= 1
        if self._jobs == 0:
            self.work.rest()


class StaysWhite(Safra):
    """Does not turn black when work comes."""

    def _take(self, inside: Message, sender: Address) -> None:
        super()._take(inside, sender)
        self._is_black = False


class CountsNothing(Safra):
    """Looks at colours alone."""

    def _is_end(self, probe: Probe) -> bool:
        return not (probe.is_black or self._is_black)


class PassesAtWork(Safra):
    """Sends the token on while it works."""

    def _pass_on(self) -> None:
        is_working, self.is_working = self.is_working, False
        super()._pass_on()
        self.is_working = is_working


class OneRound(Safra):
    """Sends the token round once."""

    def _send_probe(self, probe: Probe | None) -> None:
        if probe is not None or self.pause > 0.0:
            super()._send_probe(probe)
        self.pause = 0.0


def stack_with(kind: type[Safra]) -> Stack:
    """Detect the end of work over perfect links."""
    return Stack(Worker(), kind(), Acknowledged())


CASES: tuple[Case, ...] = (
    Case(
        name="termination",
        promise="the end of all work is announced only when it is there, and then by all",
        stack=lambda: stack_with(Safra),
        monitors=lambda: [TrulyOver()],
        faults=frozenset({"loss", "duplication", "reordering", "slow-links", "partition", "pause", "skew"}),
        mutants={
            "stays-white": lambda: stack_with(StaysWhite),
            "counts-nothing": lambda: stack_with(CountsNothing),
            "passes-at-work": lambda: stack_with(PassesAtWork),
            "one-round": lambda: stack_with(OneRound),
        },
        crashes=nobody,
        settling=40.0,
    ),
)

"""Detecting that work which spreads from node to node is over: cases, and the monitors that judge them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kumi.checking.case import Case, nobody
from kumi.checking.monitors import Monitor, RunEnding, broken, names
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Layer, Stack
from kumi.protocols.guarantees import BAD_NETWORK
from kumi.protocols.termination import Probe, Safra, TerminationDetection


@dataclass(frozen=True, slots=True)
class WorkItem(Message):
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
        assert isinstance(message, WorkItem)
        self._start(message.size, 1.0)

    def _start(self, size: int, lasting: float) -> None:
        self._jobs += 1
        self.node.after(self.node.chance.uniform(0.0, lasting), lambda: self._finish(size))

    def _finish(self, size: int) -> None:
        for _ in range(self.node.chance.integer(0, min(size, 2))):
            self._given += 1
            errand = WorkItem(size - 1, self.node.address, self._given)
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
        faults=BAD_NETWORK,
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


class TrulyOver(Monitor):
    """Announced only when all rest and nothing is under way, and then by all.

    It sees all nodes at once: who works, and which messages are under way. Messages of a run differ.
    """

    watches = TerminationDetection

    def __init__(self) -> None:
        self._resting: set[Address] = set()
        self._under_way: dict[Message, tuple[Address, Address]] = {}
        self._announced: dict[Address, float] = {}
        self._nodes: set[Address] = set()

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """See who sends, who rests, and who says that all is over."""
        self._nodes.add(address)
        if what == "send":
            message, to = event
            self._under_way[message] = (address, to)
        elif what == "rest":
            self._resting.add(address)
        else:
            self._judge(time, address)

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """See who gets work."""
        self._resting.discard(address)
        self._under_way.pop(event[0], None)

    def _judge(self, time: float, address: Address) -> None:
        what = f"node {address} said at {time:.3f} s that all work is over"
        working = self._nodes - self._resting
        if working:
            raise broken("announced only when over", what, f"{names(working)} still work")
        for message, (sender, to) in self._under_way.items():
            raise broken("announced only when over", what, f"{message} is under way from {sender} to {to}")
        self._announced[address] = time

    def finish(self, ending: RunEnding) -> None:
        """If all is over, all have said so."""
        if self._under_way or self._nodes - self._resting:
            return
        missing = [address for address in ending.group if address not in self._announced]
        if missing:
            raise broken("announced in the end", "all work is over", f"{names(missing)} did not say so")

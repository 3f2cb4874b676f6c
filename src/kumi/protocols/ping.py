"""Failure detection by questions: who does not answer in time is suspected.

Every `period` a node asks each other one whether it is there, and takes any answer to its latest question
or an earlier one as a sign of life. A node that has not answered for its timeout is suspected; when it
answers after all, its timeout grows.

The classes and assumptions are those of `Heartbeat`: ◇P where round trips become timely in the end. It costs
two messages where a heartbeat costs one, and only who wants to know pays: nodes that ask nothing
(`asks=False`) just answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import EVERYTHING, EventuallyPerfect, FairLossLinks
from kumi.protocols.numbering import incarnation_number, refuse
from kumi.protocols.suspicion import Suspicions, positive


@dataclass(frozen=True, slots=True)
class AreYouThere(Message):
    """A question, with its number and the mark of the life that asks."""

    life: int
    number: int


@dataclass(frozen=True, slots=True)
class PingAnswer(Message):
    """The answer to the question with that number."""

    life: int
    number: int


class Ping(Suspicions, EventuallyPerfect):
    """Suspects who leaves questions open for more than `timeout` seconds, which grow with each mistake."""

    bears = EVERYTHING

    links: FairLossLinks

    def __init__(
        self, period: float = 0.2, timeout: float = 0.6, growth: float = 0.5, *, asks: bool = True
    ) -> None:
        super().__init__()
        self.period = positive("period", period)
        self.timeout = positive("timeout", timeout)
        self.growth = positive("growth", growth)
        self.asks = asks
        self._life = 0
        self._number = 0
        self._answered: dict[Address, int] = {}
        self._timeouts: dict[Address, float] = {}

    def begin(self) -> None:
        """Begin to ask, and to answer."""
        self._life = incarnation_number(self.node, "ping")
        self._answered = dict.fromkeys(self.node.others, 0)
        self._timeouts = dict.fromkeys(self.node.others, self.timeout)
        self.links.listen(self._receive)
        if self.asks:
            self.node.after(0.0, self._ask)

    def timeout_of(self, address: Address) -> float:
        """Return how long a node may take to answer by now."""
        return self._timeouts[address]

    def _ask(self) -> None:
        self._number += 1
        for address in self.node.others:
            self.links.send(AreYouThere(self._life, self._number), address)
            open_for = (self._number - self._answered[address] - 1) * self.period
            if open_for > self._timeouts[address]:
                self._suspect(address)
        self.node.after(self.period, self._ask)

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case AreYouThere(life, number):
                self.links.send(PingAnswer(life, number), sender)
            case PingAnswer(life, number) if sender in self._answered:
                if life == self._life and number > self._answered[sender]:
                    self._answered[sender] = number
                    if self._trust(sender):
                        self._timeouts[sender] += self.growth
            case _:
                refuse(self.node)

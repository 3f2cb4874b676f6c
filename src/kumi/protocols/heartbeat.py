"""Failure detection by heartbeats: who has been silent for too long is suspected, or, with bounded delays, has crashed.

`Heartbeat`: each node says every `period` that it is alive. A node that has not been heard of for its timeout is
suspected; when it is heard of again, that was a mistake, and its timeout grows.

Strong completeness: a crashed node falls silent for ever. Eventual strong accuracy: it needs a network that
becomes timely in the end, that is, from some time on no silence of a correct node is longer than some bound,
which nobody has to know. The timeout grows with each mistake and so passes the bound after finitely many.
Hence ◇P, and with it ◇S, and Ω by the lowest trusted node; it is the idea of Chandra and Toueg (1996) for
partial synchrony. Where messages are lost for ever with some probability, mistakes become ever rarer but
never impossible.

`TimedOut` is perfect where delays have a known bound. Strong accuracy: a heartbeat goes out every `period` and none takes longer than `bound`, so two that arrive
are at most `period + bound` apart; a longer silence proves a crash. Strong completeness: a crashed node falls
silent. Hence P. It needs a synchronous network: no message is lost or takes longer than the bound, no node is
paused, clocks run at the same rate, nodes begin within the bound of each other and do not come back. Where
that is not so, use `Heartbeat`, which is ◇P. No detector is perfect in an asynchronous network (Chandra and
Toueg 1996).
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import (
    CRASHES,
    EVERYTHING,
    SUSPICION,
    EventuallyPerfect,
    FairLossLinks,
    Perfect,
)
from kumi.protocols.numbering import refuse
from kumi.protocols.suspicion import Suspicions, positive


@dataclass(frozen=True, slots=True)
class Alive(Message):
    """The sender is alive."""


class Heartbeat(Suspicions, EventuallyPerfect):
    """Suspects who is silent for more than `timeout` seconds, which grow by `growth` with each mistake."""

    bears = EVERYTHING

    links: FairLossLinks

    def __init__(self, period: float = 0.1, timeout: float = 0.5, growth: float = 0.5) -> None:
        super().__init__()
        self.period = positive("period", period)
        self.timeout = positive("timeout", timeout)
        self.growth = positive("growth", growth)
        self._silent: dict[Address, int] = {}
        self._timeouts: dict[Address, float] = {}

    def begin(self) -> None:
        """Begin to beat."""
        self._silent = dict.fromkeys(self.node.others, 0)
        self._timeouts = dict.fromkeys(self.node.others, self.timeout)
        self.links.listen(self._receive)
        self.node.after(0.0, self._beat)

    def timeout_of(self, address: Address) -> float:
        """Return how long a node may be silent by now."""
        return self._timeouts[address]

    def _beat(self) -> None:
        for address in self.node.others:
            self.links.send(Alive(), address)
            if self._silent[address] * self.period > self._timeouts[address]:
                self._suspect(address)
            else:
                self._silent[address] += 1
        self.node.after(self.period, self._beat)

    def _receive(self, message: Message, sender: Address) -> None:
        if sender not in self._silent or not isinstance(message, Alive):
            refuse(self.node)
            return
        self._silent[sender] = 0
        if self._trust(sender):
            self._timeouts[sender] += self.growth


class TimedOut(Suspicions, Perfect):
    """Suspects, for good, who is silent for longer than a message can take."""

    bears = CRASHES | SUSPICION

    links: FairLossLinks

    def __init__(self, bound: float, period: float = 0.1) -> None:
        super().__init__()
        self.bound = positive("bound", bound)
        self.period = positive("period", period)
        self._allowed = int((period + bound) / period) + 1  # whole periods, rounded up
        self._silent: dict[Address, int] = {}

    def begin(self) -> None:
        """Begin to beat."""
        self._silent = dict.fromkeys(self.node.others, 0)
        self.links.listen(self._receive)
        self.node.after(0.0, self._beat)

    def _beat(self) -> None:
        for address in self.node.others:
            self.links.send(Alive(), address)
            if self._silent[address] > self._allowed:
                self._suspect(address)
            else:
                self._silent[address] += 1
        self.node.after(self.period, self._beat)

    def _receive(self, message: Message, sender: Address) -> None:
        if sender in self._silent and isinstance(message, Alive):
            self._silent[sender] = 0
        else:
            refuse(self.node)

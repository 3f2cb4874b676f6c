"""Failure detection by heartbeats: who has been silent for too long is suspected.

Each node says every `period` that it is alive. A node that has not been heard of for its timeout is
suspected; when it is heard of again, that was a mistake, and its timeout grows.

Strong completeness: a crashed node falls silent for ever. Eventual strong accuracy: it needs a network that
becomes timely in the end, that is, from some time on no silence of a correct node is longer than some bound,
which nobody has to know. The timeout grows with each mistake and so passes the bound after finitely many.
Hence ◇P, and with it ◇S, and Ω by the lowest trusted node; it is the idea of Chandra and Toueg (1996) for
partial synchrony. Where messages are lost for ever with some probability, mistakes become ever rarer but
never impossible.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.protocols.bears import EVERYTHING
from kumi.protocols.guarantees import EventuallyPerfect, FairLossLinks
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

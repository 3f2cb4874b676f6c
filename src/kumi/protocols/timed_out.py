"""Perfect failure detection where delays have a known bound: who misses it has crashed.

Strong accuracy: a heartbeat goes out every `period` and none takes longer than `bound`, so two that arrive
are at most `period + bound` apart; a longer silence proves a crash. Strong completeness: a crashed node falls
silent. Hence P. It needs a synchronous network: no message is lost or takes longer than the bound, no node is
paused, clocks run at the same rate, nodes begin within the bound of each other and do not come back. Where
that is not so, use `Heartbeat`, which is ◇P. No detector is perfect in an asynchronous network (Chandra and
Toueg 1996).
"""

from __future__ import annotations

from kumi.contract.messages import Address, Message
from kumi.protocols.bears import CRASHES, SUSPICION
from kumi.protocols.guarantees import FairLossLinks, Perfect
from kumi.protocols.heartbeat import Alive
from kumi.protocols.numbering import refuse
from kumi.protocols.suspicion import Suspicions, positive


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

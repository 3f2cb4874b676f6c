"""Failure detection that says how sure it is: φ grows with the silence of a node.

The detector learns how far apart a node's heartbeats arrive, and φ = -log10 of the probability that a
heartbeat comes still later than now, were the gaps normally distributed: φ = 1 errs one time in ten, φ = 3
one in a thousand. A threshold turns it into yes or no. By Hayashibara, Défago, Yared
and Katayama (2004).

Completeness: φ of a crashed node grows beyond all bounds. Accuracy: where the network becomes timely in the
end, φ of a correct node stays below some bound that nobody knows; the threshold for a node grows by `growth`
with each mistake and passes it. Hence ◇P under the assumptions of `Heartbeat`, with timeouts that fit the
network from the beginning instead of being guessed. Gaps are measured by the node's clock: if it jumps ahead,
that is a mistake about all until their next heartbeat; if it is put back, a crash is seen later by as much.
"""

from __future__ import annotations

from collections import deque
from math import inf, ldexp, pi, sqrt

from kumi.contract.messages import Address, Message
from kumi.maths import erfc, log, log10
from kumi.protocols.guarantees import EVERYTHING, EventuallyPerfect, FairLossLinks
from kumi.protocols.heartbeat import Alive
from kumi.protocols.numbering import refuse
from kumi.protocols.suspicion import Suspicions, positive

TICK = 40
"""Gaps are counted in 2^-40 s, which is less than a picosecond."""


class PhiAccrual(Suspicions, EventuallyPerfect):
    """Suspects a node when its φ passes `threshold`; learns from the last `window` gaps.

    `deviation` is the least standard deviation of the gaps in seconds, so that a network that has been quite
    regular may hiccup.
    """

    bears = EVERYTHING

    links: FairLossLinks

    def __init__(
        self,
        period: float = 0.1,
        threshold: float = 8.0,
        growth: float = 2.0,
        *,
        window: int = 100,
        deviation: float = 0.05,
    ) -> None:
        super().__init__()
        self.period = positive("period", period)
        self.threshold = positive("threshold", threshold)
        self.growth = positive("growth", growth)
        self.window = int(positive("window", window))
        self.deviation = positive("deviation", deviation)
        self._gaps: dict[Address, _GapWindow] = {}
        self._last: dict[Address, float] = {}
        self._thresholds: dict[Address, float] = {}

    def begin(self) -> None:
        """Begin to beat."""
        for address in self.node.others:
            self._gaps[address] = _GapWindow(self.period, self.window)
            self._last[address] = self.node.now
            self._thresholds[address] = self.threshold
        self.links.listen(self._receive)
        self.node.after(0.0, self._beat)

    def level(self, address: Address) -> float:
        """Return φ of a node: how sure it is by now that the node has crashed."""
        mean, deviation = self._gaps[address].moments()
        return phi(self.node.now - self._last[address], mean, max(deviation, self.deviation))

    def _beat(self) -> None:
        for address in self.node.others:
            self.links.send(Alive(), address)
            if self.level(address) > self._thresholds[address]:
                self._suspect(address)
        self.node.after(self.period, self._beat)

    def _receive(self, message: Message, sender: Address) -> None:
        if sender not in self._last or not isinstance(message, Alive):
            refuse(self.node)
            return
        now = self.node.now
        if self._trust(sender):
            self._thresholds[sender] += self.growth
        elif now > self._last[sender]:  # a clock that was put back teaches nothing
            self._gaps[sender].add(now - self._last[sender])
        self._last[sender] = now


class _GapWindow:
    """The last gaps of a node, with their sums.

    Sums are kept in whole ticks, so what leaves the window leaves no rounding error behind.
    """

    __slots__ = ("_size", "_squares", "_sum", "_ticks")

    def __init__(self, first: float, size: int) -> None:
        self._ticks: deque[int] = deque()
        self._size = size
        self._sum = self._squares = 0
        self.add(first)

    def __len__(self) -> int:
        return len(self._ticks)

    def add(self, gap: float) -> None:
        """Take a gap in, and the oldest out if there are too many."""
        ticks = round(ldexp(gap, TICK))
        self._ticks.append(ticks)
        self._sum += ticks
        self._squares += ticks * ticks
        if len(self._ticks) > self._size:
            oldest = self._ticks.popleft()
            self._sum -= oldest
            self._squares -= oldest * oldest

    def moments(self) -> tuple[float, float]:
        """Return the mean and the standard deviation in seconds."""
        count = len(self._ticks)
        spread = count * self._squares - self._sum * self._sum
        return ldexp(self._sum / count, -TICK), ldexp(sqrt(spread) / count, -TICK)


def phi(silence: float, mean: float, deviation: float) -> float:
    """Return -log10 of the probability that a normally distributed gap is longer than the silence."""
    x = (silence - mean) / (deviation * sqrt(2.0))
    tail = erfc(x) / 2.0
    if tail > 0.0:
        return -log10(tail)
    if x == inf:
        return inf
    # Beyond what a float can hold, the tail of the normal distribution is exp(-x²) / (2 x √π).
    return (x * x + log(2.0 * x * sqrt(pi))) / log(10.0)

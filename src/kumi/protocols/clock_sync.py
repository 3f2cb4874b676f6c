"""Clock synchronisation by round trips: what time is it at the server, and how wrong can that be?

A node asks the server for its time. The answer left the server somewhere within the round trip, so the
middle is the best guess, and it is wrong by half the round trip at most (Cristian 1989, and NTP, Mills 1991).
From then on the guess gets worse by as much as the two clocks can drift apart. A node keeps the answer whose
bound is the lowest now.

Assumes that every clock runs at between 1 - `drift` and 1 + `drift` times the right speed and does not jump.
Messages may be lost and take any time: that makes the bound larger, and never wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import RECOVERY, WITHOUT_CRASHES, FairLossLinks
from kumi.protocols.layer import Layer
from kumi.protocols.numbering import refuse


class SynchronizedClock(Layer[float, float]):
    """Knows the time of the server up to a bound that holds: `now` is wrong by `error` at most.

    Tells how far this node's clock must be put forward, and the bound, when it knows better.
    """

    @property
    def now(self) -> float:
        """What the server's clock shows now, as well as this node can say."""
        raise NotImplementedError

    @property
    def error(self) -> float:
        """By how much `now` is wrong at most; inf before the first answer."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class WhatTime(Message):
    """A question; `asked` is the time on the asker's clock."""

    asked: float


@dataclass(frozen=True, slots=True)
class TimeIs(Message):
    """The time at the server, and when it was asked for by the asker's clock."""

    asked: float
    time: float


class Cristian(SynchronizedClock):
    """Asks the server, without a name the lowest node, every `period` seconds."""

    bears = (WITHOUT_CRASHES | RECOVERY) - {"skew"}

    links: FairLossLinks

    def __init__(self, period: float = 1.0, drift: float = 1e-4, server: Address | None = None) -> None:
        if not period > 0.0:
            raise ValueError(f"period is a positive number of seconds, not {period!r}")
        if not 0.0 <= drift < 1.0:
            raise ValueError(f"drift is at least 0 and less than 1, not {drift!r}")
        self.period = period
        self.server = server
        self.stretch = (1.0 + drift) / (1.0 - drift)  # the most one clock gains on another
        self._offset = 0.0
        self._error = inf  # when the answer came
        self._came = 0.0

    def begin(self) -> None:
        """Listen; the server is right by itself."""
        group = self.node.group
        if self.server is None:
            self.server = group[0]
        elif self.server not in group:
            raise ValueError(f"the server is one of the group {group}, not {self.server!r}")
        if self.node.address == self.server:
            self._error, self.stretch = 0.0, 1.0
        self.links.listen(self._receive)

    async def run(self) -> None:
        """Ask again and again."""
        assert self.server is not None
        while self.node.address != self.server:
            self.links.send(WhatTime(self.node.now), self.server)
            await self.node.sleep(self.period)

    @property
    def now(self) -> float:
        """What the server's clock shows now, as well as this node can say."""
        return self.node.now + self._offset

    @property
    def error(self) -> float:
        """By how much `now` is wrong at most; anything, where the node's own clock was put back since."""
        passed = self.node.now - self._came
        return self._error + (self.stretch - 1.0) * passed if passed >= 0.0 or self.stretch == 1.0 else inf

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case WhatTime(asked):
                self.links.send(TimeIs(asked, self.node.now), sender)
            case TimeIs(asked, time) if sender == self.server:
                self._learn(time, (self.node.now - asked) * self.stretch)
            case _:
                refuse(self.node)

    def _learn(self, time: float, round_trip: float) -> None:
        """Take the time in the middle of the round trip, if that is better than what is known."""
        if 0.0 <= round_trip / 2.0 < self.error:
            self._came = self.node.now
            self._offset = time + round_trip / 2.0 - self._came
            self._error = round_trip / 2.0
            self.tell(self._offset, self._error)

"""What links and broadcasts are asked for in a check: messages at random instants, and answers to them.

`Oracle` is a failure detector that looks whether the others are up. It is of class P wherever it runs in a simulation, and so shows what a protocol does with P under faults that
no real detector of class P bears, such as lost messages. Nodes that crash must stay down.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import (
    BestEffortBroadcast,
    Broadcast,
    CausalBroadcast,
    FairLossLinks,
    FifoBroadcast,
    FifoLinks,
    Perfect,
    PerfectLinks,
    ReliableBroadcast,
    TotalOrderBroadcast,
    UniformBroadcast,
)
from kumi.protocols.layer import Layer
from kumi.protocols.suspicion import Suspicions


@dataclass(frozen=True, slots=True)
class Said(Message):
    """A message like no other: who says it, the mark of that life, and its number there."""

    by: Address
    life: int
    number: int

    def __str__(self) -> str:
        return f"message {self.number} by {self.by}"


class Talker(Layer[()]):
    """Says something a few times, at random instants within so many seconds, at times twice at once.

    To some of what it hears it answers, so that one message is the cause of another.
    """

    def __init__(self, times: int = 3, answers: int = 3, within: float = 9.0) -> None:
        self.times = times
        self.answers = answers
        self.within = within
        self._life = 0
        self._said = 0

    def begin(self) -> None:
        """Plan what to say."""
        chance = self.node.chance
        self._life = chance.integer(0, 2**53)
        for _ in range(self.times):
            self.node.after(chance.uniform(0.0, self.within), self._speak)

    def _speak(self) -> None:
        for _ in range(2 if self.node.chance.happens(0.3) else 1):
            self.say(self._next())

    def _next(self) -> Said:
        self._said += 1
        return Said(self.node.address, self._life, self._said)

    def _hear(self, _message: Message, _sender: Address) -> None:
        if self.answers > 0 and self.node.chance.happens(0.2):
            self.answers -= 1
            self.say(self._next())

    def say(self, message: Said) -> None:
        """Give a message to the layer under test."""
        raise NotImplementedError


class ToAll(Talker):
    """Says it to all, by the broadcast below."""

    cast: Broadcast

    def begin(self) -> None:
        """Listen, and plan what to say."""
        self.cast.listen(self._hear)
        super().begin()

    def say(self, message: Said) -> None:
        """Broadcast."""
        self.cast.broadcast(message)


class ToSome(Talker):
    """Says it to someone, the same one several times in a row, by the links below."""

    links: FairLossLinks

    def __init__(self, times: int = 8, answers: int = 4, within: float = 9.0) -> None:
        super().__init__(times, answers, within)

    def begin(self) -> None:
        """Listen, and plan what to say."""
        self.links.listen(self._hear)
        super().begin()

    def _speak(self) -> None:
        to = self.node.chance.choice(self.node.group)
        for _ in range(self.node.chance.integer(1, 3)):
            self.links.send(self._next(), to)

    def say(self, message: Said) -> None:
        """Send to anyone."""
        self.links.send(message, self.node.chance.choice(self.node.group))


class OverPerfectLinks(ToSome):
    """Says it over perfect links."""

    links: PerfectLinks


class OverFifoLinks(ToSome):
    """Says it over FIFO links."""

    links: FifoLinks


class ByBestEffort(ToAll):
    """Says it by best-effort broadcast."""

    cast: BestEffortBroadcast


class ByReliable(ToAll):
    """Says it by reliable broadcast."""

    cast: ReliableBroadcast


class ByUniform(ToAll):
    """Says it by uniform reliable broadcast."""

    cast: UniformBroadcast


class ByFifo(ToAll):
    """Says it by FIFO broadcast."""

    cast: FifoBroadcast


class ByCausal(ToAll):
    """Says it by causal broadcast."""

    cast: CausalBroadcast


class ByTotalOrder(ToAll):
    """Says it by total-order broadcast."""

    cast: TotalOrderBroadcast


class Oracle(Suspicions, Perfect):
    """Suspects who is down, at most `delay` seconds later."""

    def __init__(self, delay: float = 1.0) -> None:
        super().__init__()
        self.delay = delay

    def begin(self) -> None:
        """Look now and then."""
        self._wait()

    def _wait(self) -> None:
        self.node.after(self.node.chance.uniform(0.0, self.delay), self._look)

    def _look(self) -> None:
        receivers = self.node.network._receivers
        for address in self.node.others:
            if not receivers[address].is_up:
                self._suspect(address)
        self._wait()

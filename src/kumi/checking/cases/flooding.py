"""Flooding a message through nodes that hear only their neighbours."""

from __future__ import annotations

from dataclasses import dataclass

from kumi.checking.case import Case, all_but_one
from kumi.checking.cases.routing import Earshot, FloodReaches, ring
from kumi.contract.messages import Address, Message
from kumi.protocols import Layer, Stack
from kumi.protocols.flood import Flood, Flooded, FloodedBroadcast

HOPS = 2
FLOOD_HOPS = 2


@dataclass(frozen=True, slots=True)
class Rumour(Message):
    """Something to be heard by all."""

    origin: Address
    number: int


class Reporter(Layer[()]):
    """Broadcasts a few pieces of news at random instants."""

    flood: FloodedBroadcast

    def __init__(self, pieces: int = 3, within: float = 8.0) -> None:
        self.pieces = pieces
        self.within = within

    def begin(self) -> None:
        """Plan the news."""
        for _ in range(self.pieces):
            self.node.after(self.node.chance.uniform(0.0, self.within), self._report)

    def _report(self) -> None:
        number = self.node.storage.get("news", 0)
        self.node.storage.put("news", number + 1)
        self.flood.broadcast(Rumour(self.node.address, number))


class NeighboursOnly(Flood):
    """Says nothing again."""

    def _say(self, message: Flooded, times: int) -> None:
        if message.origin == self.node.address:
            super()._say(message, times)


class EveryCopy(Flood):
    """Takes each copy for a new message."""

    def _hear(self, message: Message, neighbour: Address) -> None:
        assert isinstance(message, Flooded)
        self._say(message, self.repeats)
        self.tell(message.inside, message.origin)


class FirstCopyOnly(Flood):
    """Does not say again a copy that came by a shorter way than the first."""

    def _hear(self, message: Message, neighbour: Address) -> None:
        assert isinstance(message, Flooded)
        if self._heard.get((message.origin, message.number)) is None:
            super()._hear(message, neighbour)


def stack_with(flood: type[Flood]) -> Stack:
    """Put a kind of flooding between a reporter and the air."""
    return Stack(Reporter(), flood(hops=HOPS), Earshot(ring(FLOOD_HOPS)))


CASES: tuple[Case, ...] = (
    Case(
        name="flooding",
        promise="whoever a chain of correct neighbours connects to the sender hears it, once",
        stack=lambda: stack_with(Flood),
        monitors=lambda: [FloodReaches(HOPS, FLOOD_HOPS)],
        faults=frozenset({"reordering", "slow-links", "pause", "crash"}),
        mutants={
            "neighbours-only": lambda: stack_with(NeighboursOnly),
            "every-copy": lambda: stack_with(EveryCopy),
            "first-copy-only": lambda: stack_with(FirstCopyOnly),
        },
        crashes=all_but_one,
        settling=10.0,
        nodes=8,
    ),
)

"""Perfect links: nothing is lost between nodes that stay up, and nothing comes twice.

The sender numbers its messages to each receiver and sends each again until it is acknowledged; the
receiver acknowledges every copy and delivers the first.

A number alone does not tell the copies of a sender's earlier life from its new messages: each life has a
mark of its own, drawn when it begins, and what is acknowledged belongs to the life that sent it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from kumi.contract.messages import Address, Message
from kumi.network import Timer
from kumi.protocols.guarantees import FairLossLinks, PerfectLinks


@dataclass(frozen=True, slots=True)
class Numbered(Message):
    """A message with its number, and the mark of the life that sent it."""

    life: int
    number: int
    inside: Message


@dataclass(frozen=True, slots=True)
class Acknowledgement(Message):
    """The message of that life and number has come."""

    life: int
    number: int


class Acknowledged(PerfectLinks):
    """Sends again every `retry_after` seconds until the receiver acknowledges.

    Assumes fair loss below: what is sent often enough comes through.
    """

    links: FairLossLinks

    def __init__(self, retry_after: float = 0.5) -> None:
        if not (isfinite(retry_after) and retry_after > 0.0):
            raise ValueError(f"retry_after is a positive number of seconds, not {retry_after!r}")
        self.retry_after = retry_after
        self._life = 0
        self._next: dict[Address, int] = {}
        self._unacknowledged: dict[tuple[Address, int], Numbered] = {}
        self._seen: dict[tuple[Address, int], Seen] = {}
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Listen to the links, and mark this life."""
        self._life = self.node.chance.integer(0, 2**53)
        self.links.listen(self._receive)

    def send(self, message: Message, to: Address) -> None:
        """Send until it is acknowledged."""
        number = self._next.get(to, 0)
        self._next[to] = number + 1
        numbered = Numbered(self._life, number, message)
        self._unacknowledged[to, number] = numbered
        self.links.send(numbered, to)
        if self._timer is None:
            self._timer = self.node.after(self.retry_after, self._retry)

    def _retry(self) -> None:
        self._timer = None
        for (to, _), numbered in tuple(self._unacknowledged.items()):
            self.links.send(numbered, to)
        if self._unacknowledged:
            self._timer = self.node.after(self.retry_after, self._retry)

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case Numbered(life, number, inside):
                self.links.send(Acknowledgement(life, number), sender)
                seen = self._seen.setdefault((sender, life), Seen())
                if seen.add(number):
                    self.tell(inside, sender)
            case Acknowledgement(life, number) if life == self._life:
                self._unacknowledged.pop((sender, number), None)


class Seen:
    """Which numbers have come: all below `floor`, and those in `above`."""

    __slots__ = ("above", "floor")

    def __init__(self) -> None:
        self.floor = 0
        self.above: set[int] = set()

    def add(self, number: int) -> bool:
        """Take a number; False if it was there."""
        if number < self.floor or number in self.above:
            return False
        self.above.add(number)
        while self.floor in self.above:
            self.above.discard(self.floor)
            self.floor += 1
        return True

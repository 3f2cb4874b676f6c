"""Numbers on messages: which one it is, and which comes next. A number also tells the lives of a node apart.

The number of a life is a random one plus the count of lives so far, which is stored: one of the two differs even if the
storage is lost, or if chance begins anew with the process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.network import Node


@dataclass(frozen=True, slots=True)
class Identified(Message):
    """A message known everywhere by who sent it first and its number there."""

    origin: Address
    number: int
    inside: Message


@dataclass(frozen=True, slots=True)
class Ordered(Message):
    """A message with its place in the line of its sender."""

    number: int
    inside: Message


def refuse(node: Node) -> None:
    """Count a message that a layer cannot take: it is of another kind, or from outside the group."""
    node.network.count_drop("message for no layer")


MOST_EARLY = 10_000
"""How many messages wait in one line; with one more, the line stops for good."""


class Resequencer:
    """Messages that are told in the order of their numbers, from 0 on; early ones wait.

    A line in which too many waited has stopped: since one was dropped, none after it can be told.
    """

    __slots__ = ("early", "is_stopped", "next")

    def __init__(self) -> None:
        self.next = 0
        self.early: dict[int, tuple[Message, Address]] = {}
        self.is_stopped = False

    def take(
        self, number: int, message: Message, sender: Address, tell: Callable[[Message, Address], object]
    ) -> bool:
        """Tell the message if its turn has come, and then those that waited; False: the line has stopped."""
        if number != self.next or self.is_stopped:
            if self.is_stopped:
                return False
            if number > self.next:
                self.early[number] = message, sender
                if len(self.early) > MOST_EARLY:
                    self.is_stopped = True
                    self.early.clear()
                    return False
            return True
        self.next = number + 1
        tell(message, sender)
        while self.early and self.next in self.early:
            ready = self.early.pop(self.next)
            self.next += 1
            tell(*ready)
        return True


class SeenNumbers:
    """Which numbers have come: all below `floor`, and those in `above`."""

    __slots__ = ("above", "floor")

    def __init__(self) -> None:
        self.floor = 0
        self.above: set[int] = set()

    def __contains__(self, number: int) -> bool:
        return number < self.floor or number in self.above

    def add(self, number: int, oldest: int = 0) -> bool:
        """Take a number; False if it was there. None below `oldest` will come any more."""
        if oldest > self.floor:
            self.above = {each for each in self.above if each >= oldest}
            self.floor = oldest
            self._rise()
        if number < self.floor or number in self.above:
            return False
        if number > self.floor:
            self.above.add(number)
        else:
            self.floor += 1
            self._rise()
        return True

    def _rise(self) -> None:
        above = self.above
        while above and self.floor in above:
            above.discard(self.floor)
            self.floor += 1


def incarnation_number(node: Node, layer: str) -> int:
    """Begin a life of a layer, and return its number."""
    name = f"{layer}: lives so far"
    lives: int = node.storage.get(name, 0) + 1
    node.storage.put(name, lives)
    return node.chance.integer(0, 2**52) + lives

"""A case small enough to reason about: five nodes, each broadcasts three words over perfect links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kumi.checking.case import Case, all_but_one
from kumi.checking.monitors import Monitor, RunEnding, broken
from kumi.contract.messages import Address, Message
from kumi.protocols import BestEffortBroadcast, FairLossLinks, Layer, PerfectLinks, Stack, ToEach


@dataclass(frozen=True, slots=True)
class Word(Message):
    """A word that is said once in a run."""

    speaker: int
    number: int


class Talk(Layer[()]):
    """Says three words, a second apart, and none again after a crash."""

    cast: BestEffortBroadcast

    def begin(self) -> None:
        self.node.after(0.5, self._say)

    def _say(self) -> None:
        number = self.node.storage.get("said", 0)
        if number < 3:
            self.node.storage.put("said", number + 1)
            self.cast.broadcast(Word(self.node.address, number))
            self.node.after(1.0, self._say)


class Delivered(Monitor):
    """Each word of a correct node reaches each correct node, once."""

    watches = BestEffortBroadcast

    def __init__(self) -> None:
        self.said: dict[Message, Address] = {}
        self.heard: dict[tuple[Address, Message], float] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        self.said[event[0]] = address

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        message = event[0]
        if (address, message) in self.heard:
            before = self.heard[address, message]
            raise broken(
                "no duplication", f"{address} delivered {message} at {before:.3f} s and at {time:.3f} s"
            )
        self.heard[address, message] = time

    def finish(self, ending: RunEnding) -> None:
        for message, sender in self.said.items():
            for address in sorted(ending.correct):
                if sender in ending.correct and (address, message) not in self.heard:
                    raise broken("validity", f"{sender} broadcast {message}, which {address} never delivered")


@dataclass(frozen=True, slots=True)
class Copy(Message):
    """A message with its number."""

    number: int
    inside: Message


@dataclass(frozen=True, slots=True)
class Thanks(Message):
    """The message of that number has come."""

    number: int


class Stubborn(PerfectLinks):
    """Sends every half second until it is thanked."""

    links: FairLossLinks

    def __init__(self) -> None:
        self.next = 0
        self.waiting: dict[int, tuple[Copy, Address]] = {}
        self.seen: dict[tuple[Address, int], None] = {}

    def begin(self) -> None:
        self.links.listen(self._receive)

    def send(self, message: Message, to: Address) -> None:
        self.waiting[self.next] = (Copy(self.next, message), to)
        self._try(self.next)
        self.next += 1

    def _try(self, number: int) -> None:
        if number in self.waiting:
            self.links.send(*self.waiting[number])
            self.node.after(0.5, lambda: self._try(number))

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case Copy(number, inside):
                self.links.send(Thanks(number), sender)
                if self._is_new(sender, number):
                    self.tell(inside, sender)
            case Thanks(number):
                self.waiting.pop(number, None)

    def _is_new(self, sender: Address, number: int) -> bool:
        is_new = (sender, number) not in self.seen
        self.seen[sender, number] = None
        return is_new


class Once(Stubborn):
    """Sends once and hopes."""

    def _try(self, number: int) -> None:
        self.links.send(*self.waiting[number])


class Forgetful(Stubborn):
    """Delivers whatever comes, again and again."""

    def _is_new(self, sender: Address, number: int) -> bool:
        return True


CASE = Case(
    name="sample",
    promise="what a correct node says, every correct node hears once",
    stack=lambda: Stack(Talk(), ToEach(), Stubborn()),
    monitors=lambda: [Delivered()],
    faults=frozenset(
        {
            "loss",
            "duplication",
            "reordering",
            "slow-links",
            "partition",
            "crash",
            "crash-mid-send",
            "pause",
            "skew",
        }
    ),
    mutants={
        "no-retransmission": lambda: Stack(Talk(), ToEach(), Once()),
        "no-memory": lambda: Stack(Talk(), ToEach(), Forgetful()),
    },
    crashes=all_but_one,
    duration=5.0,
    settling=10.0,
)

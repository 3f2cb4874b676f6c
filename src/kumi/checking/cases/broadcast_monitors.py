"""Judging broadcasts: is all that is delivered wanted, once, everywhere, and in the order promised?

One monitor for each property; a case puts together those of its guarantee. Messages of a run must differ
from each other, and nodes that crash stay down.
"""

from __future__ import annotations

from typing import Any

from kumi.checking.monitors import Monitor, RunEnding, broken, names
from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import Broadcast
from kumi.protocols.numbering import SeenNumbers


class BroadcastMonitor(Monitor):
    """Watches the topmost broadcast; `asked` and `delivered` are what a subclass sees."""

    watches = Broadcast

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """See a broadcast."""
        self.asked(time, address, event[-1])

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """See a delivery."""
        self.delivered(time, address, *event)

    def asked(self, time: float, address: Address, message: Message) -> None:
        """See that a node broadcasts."""

    def delivered(self, time: float, address: Address, message: Message, sender: Address) -> None:
        """See that a node delivers."""


class Integrity(BroadcastMonitor):
    """A message is delivered at most once, and only if its sender has broadcast it."""

    def __init__(self) -> None:
        self.sent: dict[Message, Address] = {}
        self.first: dict[tuple[Address, Message], float] = {}

    def asked(self, time: float, address: Address, message: Message) -> None:
        """Keep what is broadcast."""
        self.sent[message] = address

    def delivered(self, time: float, address: Address, message: Message, sender: Address) -> None:
        """Judge a delivery."""
        does = f"node {address} delivers {message} of {sender} at {time:.3f} s"
        if self.sent.get(message) != sender:
            raise broken("integrity", does, f"{sender} did not broadcast it")
        if (address, message) in self.first:
            raise broken("integrity", does, f"it delivered it at {self.first[address, message]:.3f} s")
        self.first[address, message] = time


class Deliveries(BroadcastMonitor):
    """Keeps who broadcast what, and who delivered it."""

    def __init__(self) -> None:
        self.sent: dict[Message, tuple[float, Address]] = {}
        self.holders: dict[Message, dict[Address, float]] = {}

    def asked(self, time: float, address: Address, message: Message) -> None:
        """Keep what is broadcast."""
        self.sent[message] = time, address

    def delivered(self, time: float, address: Address, message: Message, sender: Address) -> None:
        """Keep who delivers."""
        self.holders.setdefault(message, {})[address] = time


class BestEffortValidity(Deliveries):
    """What a correct node broadcasts, every correct node delivers."""

    def finish(self, ending: RunEnding) -> None:
        """Look for one that has not."""
        for message, (time, sender) in self.sent.items():
            lacking = ending.correct.difference(self.holders.get(message, ()))
            if sender in ending.correct and lacking:
                raise broken(
                    "validity",
                    f"node {sender} broadcast {message} at {time:.3f} s",
                    f"correct nodes {names(lacking)} have not delivered it at {ending.time:g} s",
                )


class Validity(Deliveries):
    """A correct node delivers what it broadcasts."""

    def finish(self, ending: RunEnding) -> None:
        """Look for one that has not."""
        for message, (time, sender) in self.sent.items():
            if sender in ending.correct and sender not in self.holders.get(message, ()):
                raise broken(
                    "validity",
                    f"node {sender} broadcast {message} at {time:.3f} s",
                    f"it is correct and has not delivered it at {ending.time:g} s",
                )


class Agreement(Deliveries):
    """If a correct node delivers a message, all correct nodes do; if `uniform`, if any node does."""

    def __init__(self, *, uniform: bool = False) -> None:
        super().__init__()
        self.uniform = uniform

    def finish(self, ending: RunEnding) -> None:
        """Look for one that has not."""
        for message, holders in self.holders.items():
            binding = [address for address in holders if self.uniform or address in ending.correct]
            lacking = ending.correct.difference(holders)
            if binding and lacking:
                who = binding[0]
                kind = "correct" if who in ending.correct else "crashed later"
                raise broken(
                    "uniform agreement" if self.uniform else "agreement",
                    f"node {who} ({kind}) delivered {message} at {holders[who]:.3f} s",
                    f"correct nodes {names(lacking)} have not at {ending.time:g} s",
                )


class InSenderOrder(BroadcastMonitor):
    """Nobody delivers a message of a sender before an earlier one of it."""

    def __init__(self) -> None:
        self.sent: dict[Address, list[Message]] = {}
        self.done: dict[tuple[Address, Address], int] = {}

    def asked(self, time: float, address: Address, message: Message) -> None:
        """Keep what is broadcast, in order."""
        self.sent.setdefault(address, []).append(message)

    def delivered(self, time: float, address: Address, message: Message, sender: Address) -> None:
        """Judge a delivery: it must be the next of its sender."""
        sent, done = self.sent.get(sender, []), self.done.get((address, sender), 0)
        if done < len(sent) and sent[done] != message:
            raise broken(
                "FIFO order",
                f"node {address} delivers {message} at {time:.3f} s",
                f"{sender} broadcast {sent[done]} before it, and {address} has not delivered that",
            )
        self.done[address, sender] = done + 1


class CausalOrder(BroadcastMonitor):
    """Nobody delivers a message before one that happened before it.

    Happened-before is taken from what is seen at the nodes, by vector clocks of its own: for each node, how
    many broadcasts of each sender it has made or delivered, or were behind those.
    """

    def __init__(self) -> None:
        self.sent: dict[Address, list[Message]] = {}
        self.known: dict[Address, dict[Address, int]] = {}
        self.past: dict[Message, dict[Address, int]] = {}
        self.done: dict[tuple[Address, Address], SeenNumbers] = {}
        self.number: dict[Message, int] = {}

    def asked(self, time: float, address: Address, message: Message) -> None:
        """Give a broadcast its past."""
        known = self.known.setdefault(address, {})
        sent = self.sent.setdefault(address, [])
        self.past[message] = known.copy()
        self.number[message] = len(sent)
        sent.append(message)
        known[address] = len(sent)

    def delivered(self, time: float, address: Address, message: Message, sender: Address) -> None:
        """Judge a delivery: all of its past must have been delivered here."""
        past = self.past.get(message, {})
        for origin, count in sorted(past.items()):
            done = self.done.get((address, origin), SeenNumbers()).floor
            if done < count:
                cause = self.sent[origin][done]
                raise broken(
                    "causal order",
                    f"node {address} delivers {message} of {sender} at {time:.3f} s",
                    f"{cause} of {origin} happened before it, and {address} has not delivered that",
                )
        self.done.setdefault((address, sender), SeenNumbers()).add(self.number.get(message, 0))
        known = self.known.setdefault(address, {})
        for origin, count in (*past.items(), (sender, self.number.get(message, 0) + 1)):
            known[origin] = max(known.get(origin, 0), count)


class TotalOrder(BroadcastMonitor):
    """Of the deliveries of any two nodes, one is the beginning of the other, even if they crash then."""

    def __init__(self) -> None:
        self.order: list[tuple[Message, Address, float]] = []  # the longest so far, and who was the first
        self.done: dict[Address, int] = {}

    def delivered(self, time: float, address: Address, message: Message, sender: Address) -> None:
        """Judge a delivery: it must be what others delivered in this place."""
        place = self.done.get(address, 0)
        self.done[address] = place + 1
        if place == len(self.order):
            self.order.append((message, address, time))
            return
        expected, first, when = self.order[place]
        if expected != message:
            raise broken(
                "total order",
                f"node {address} delivers {message} as number {place + 1} at {time:.3f} s",
                f"node {first} delivered {expected} in that place at {when:.3f} s",
            )

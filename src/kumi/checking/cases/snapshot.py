"""Snapshots of nodes that send each other money."""

from __future__ import annotations

from dataclasses import dataclass

from kumi.checking.case import Case, nobody
from kumi.checking.snapshot_monitors import ConsistentCut
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Layer, Stack
from kumi.protocols.fifo import InOrder
from kumi.protocols.snapshot import ChandyLamport, Marker, Plain


@dataclass(frozen=True, slots=True)
class Money(Message):
    """An amount, with who sends it and the number of the payment there."""

    amount: int
    payer: Address
    number: int


class Bank(Layer[()]):
    """Pays random amounts to others, and takes a snapshot now and then."""

    snapshots: ChandyLamport

    def __init__(self, balance: int = 100, payments: int = 20, takes: int = 2, within: float = 9.0) -> None:
        self.balance = balance
        self.payments = payments
        self.takes = takes
        self.within = within
        self._paid = 0

    def begin(self) -> None:
        """Plan payments and snapshots."""
        chance = self.node.chance
        self.snapshots.listen(self._receive)
        self.snapshots.state_is(lambda: self.balance)
        for _ in range(self.payments):
            self.node.after(chance.uniform(0.0, self.within), self._pay)
        for _ in range(self.takes):
            self.node.after(chance.uniform(0.0, self.within), self.snapshots.take)

    def _pay(self) -> None:
        amount = self.node.chance.integer(0, self.balance)
        self.balance -= amount
        self._paid += 1
        payment = Money(amount, self.node.address, self._paid)
        self.snapshots.send(payment, self.node.chance.choice(self.node.others))

    def _receive(self, message: Message, _sender: Address) -> None:
        assert isinstance(message, Money)
        self.balance += message.amount


class NothingUnderWay(ChandyLamport):
    """Writes down no messages."""

    def _receive(self, message: Message, sender: Address) -> None:
        if isinstance(message, Plain):
            self.tell(message.inside, sender)
        else:
            super()._receive(message, sender)


class LateMarkers(ChandyLamport):
    """Sends its markers a moment after it has written down its state."""

    def _begin_part(self, snapshot: tuple[Address, int]) -> None:
        self.record(snapshot, self._state())
        self.node.after(0.3, lambda: self._send_markers(snapshot))

    def _send_markers(self, snapshot: tuple[Address, int]) -> None:
        for address in self.node.others:
            self.links.send(Marker(snapshot), address)


class RecordsOn(ChandyLamport):
    """Writes down what comes from a node after its marker, until all markers are there."""

    def _receive(self, message: Message, sender: Address) -> None:
        if isinstance(message, Plain):
            for recording in self._recordings.values():
                if sender not in recording.open:
                    recording.channels.setdefault(sender, []).append(message.inside)
        super()._receive(message, sender)


def stack_with(kind: type[ChandyLamport]) -> Stack:
    """Take snapshots over links that keep the order."""
    return Stack(Bank(), kind(), InOrder(), Acknowledged())


def without_order() -> Stack:
    """Take snapshots over links that do not keep the order, though they say so."""
    return Stack(Bank(), ChandyLamport(), Disordered(), Acknowledged())


class Disordered(InOrder):
    """Delivers what comes when it comes."""

    def begin(self) -> None:
        """Listen to the links."""
        self.links.listen(self.tell)

    def send(self, message: Message, to: Address) -> None:
        """Send without a number."""
        self.links.send(message, to)


CASES: tuple[Case, ...] = (
    Case(
        name="snapshot",
        promise="the cut is consistent, and its links hold what was sent before and received after it",
        stack=lambda: stack_with(ChandyLamport),
        monitors=lambda: [ConsistentCut()],
        faults=frozenset({"loss", "duplication", "reordering", "slow-links", "partition", "pause", "skew"}),
        mutants={
            "nothing-under-way": lambda: stack_with(NothingUnderWay),
            "late-markers": lambda: stack_with(LateMarkers),
            "records-on": lambda: stack_with(RecordsOn),
            "links-without-order": without_order,
        },
        crashes=nobody,
        settling=40.0,
    ),
)

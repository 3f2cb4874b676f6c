"""Snapshots of nodes that send each other money: cases, and the monitors that judge them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kumi.checking.case import Case, nobody
from kumi.checking.monitors import Monitor, RunEnding, broken
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Layer, Stack
from kumi.protocols.fifo import InOrder
from kumi.protocols.guarantees import BAD_NETWORK
from kumi.protocols.snapshot import ChandyLamport, Marker, Plain, SnapshotPart, Snapshots


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
        faults=BAD_NETWORK,
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


class ConsistentCut(Monitor):
    """Nothing is received before the cut that is sent after it; every snapshot is completed.

    Links hold what was sent before the cut and not received before it, in order. What is sent and received is seen at the nodes; messages of a run differ.
    """

    watches = Snapshots

    def __init__(self) -> None:
        self._sent: dict[tuple[Address, Address], list[Message]] = {}
        self._received: dict[tuple[Address, Address], list[Message]] = {}
        self._cuts: dict[tuple[Address, int], dict[Address, NodeCut]] = {}
        self._open: dict[tuple[Address, int], float] = {}
        self._taken: dict[Address, int] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """See what is sent, where the cut lies, and what came of it."""
        match what, event:
            case "send", (message, to):
                self._sent.setdefault((address, to), []).append(message)
            case "take", _:
                number = self._taken.get(address, 0)
                self._taken[address] = number + 1
                self._open[address, number] = time
            case "record", (snapshot, state):
                self._cuts.setdefault(snapshot, {})[address] = NodeCut(
                    state,
                    {pair: len(messages) for pair, messages in self._sent.items() if pair[0] == address},
                    {pair: len(messages) for pair, messages in self._received.items() if pair[1] == address},
                )
            case "collect", (number, parts):
                del self._open[address, number]
                self._judge((address, number), parts)

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """See what is received."""
        message, sender = event
        self._received.setdefault((sender, address), []).append(message)

    def _judge(self, snapshot: tuple[Address, int], parts: dict[Address, SnapshotPart]) -> None:
        cuts = self._cuts.pop(snapshot)
        name = f"snapshot {snapshot[1]} of node {snapshot[0]}"
        for address, part in parts.items():
            if part.state != cuts[address].state:
                raise broken("states", f"{name} has {part.state} for node {address}", "it recorded another")
        for sender, ours in cuts.items():
            for to, theirs in cuts.items():
                if sender != to:
                    self._judge_link(name, (sender, to), ours, theirs, parts[to])

    def _judge_link(
        self, name: str, pair: tuple[Address, Address], ours: NodeCut, theirs: NodeCut, part: SnapshotPart
    ) -> None:
        sender, to = pair
        sent, received = ours.sent.get(pair, 0), theirs.received.get(pair, 0)
        if received > sent:
            message = self._sent[pair][sent]
            raise broken(
                "consistent cut",
                f"in {name}, node {to} had received {message} from node {sender}",
                "it had not sent it",
            )
        expected = tuple(self._sent.get(pair, ())[received:sent])
        recorded = tuple(part.channels.get(sender, ()))
        if recorded != expected:
            raise broken(
                "what was under way",
                f"{name} has {len(recorded)} messages from node {sender} to {to}: {recorded}",
                f"under way were {len(expected)}: {expected}",
            )

    def finish(self, ending: RunEnding) -> None:
        """Every snapshot of a correct node is complete, if nobody crashed."""
        for (address, number), time in self._open.items():
            if ending.correct == frozenset(ending.group):
                raise broken(
                    "snapshots end",
                    f"node {address} began snapshot {number} at {time:.3f} s",
                    f"it is not complete at {ending.time:g} s",
                )


class NodeCut:
    """Where a snapshot cuts the events of one node: how many messages it had sent and received."""

    def __init__(
        self,
        state: object,
        sent: dict[tuple[Address, Address], int],
        received: dict[tuple[Address, Address], int],
    ) -> None:
        self.state = state
        self.sent = sent
        self.received = received

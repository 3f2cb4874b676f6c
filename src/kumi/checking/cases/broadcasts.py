"""Broadcasts: best-effort, reliable, uniform, and those that keep the order of the sender or of causes."""

from __future__ import annotations

from kumi.checking.case import Case, all_but_one
from kumi.checking.cases.broadcast_monitors import (
    Agreement,
    BestEffortValidity,
    CausalOrder,
    InSenderOrder,
    Integrity,
    Validity,
)
from kumi.checking.monitors import Monitor
from kumi.checking.talking import ByBestEffort, ByCausal, ByFifo, ByReliable, ByUniform, Oracle
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Stack, ToEach
from kumi.protocols.causal import Caused, CausesFirst
from kumi.protocols.fifo import SenderOrder as KeepsSenderOrder
from kumi.protocols.guarantees import BAD_NETWORK, CRASHES, SUSPICION, FairLossLinks
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.numbering import Identified, Ordered
from kumi.protocols.reliable import EagerRelay, LazyRelay
from kumi.protocols.suspicion import Mistaken
from kumi.protocols.uniform import AllAck, Holders, MajorityAck


def reliable() -> list[Monitor]:
    """Return the monitors of reliable broadcast."""
    return [Integrity(), Validity(), Agreement()]


def uniform() -> list[Monitor]:
    """Return the monitors of uniform reliable broadcast."""
    return [Integrity(), Validity(), Agreement(uniform=True)]


# Best effort.


class LeavesItselfOut(ToEach):
    """Sends to the others only."""

    def broadcast(self, message: Message) -> None:
        """Send to all but itself."""
        for address in self.node.others:
            self.links.send(message, address)


class TrustsTheNetwork(ToEach):
    """Does without perfect links."""

    links: FairLossLinks  # type: ignore[assignment]  # that is the bug


# Reliable.


class PassesNothingOn(EagerRelay):
    """Leaves it to the sender to reach all."""

    def _pass_on(self, message: Identified) -> None:
        pass


class RelaysCopies(EagerRelay):
    """Passes on what is new, and delivers all."""

    def _receive(self, message: Message, _sender: Address) -> None:
        assert isinstance(message, Identified)
        if self._seen[message.origin].add(message.number):
            self._pass_on(message)
        self.tell(message.inside, message.origin)


class TellsRelayAsSender(EagerRelay):
    """Takes who passed a message on for its sender."""

    def _receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, Identified)
        if self._seen[message.origin].add(message.number):
            self._pass_on(message)
            self.tell(message.inside, sender)


class IgnoresSuspicions(LazyRelay):
    """Passes nothing on."""

    def _pass_on(self, origin: Address, leaving: int) -> None:
        pass


class PassesOnLateOnly(LazyRelay):
    """Passes on what comes from a suspect, but not what came before the suspicion."""

    def _suspicion_changed(self, address: Address, is_suspected: bool) -> None:
        pass


class ForgetsEarly(LazyRelay):
    """Forgets what one other node has, as if all had it."""

    def _forget(self, numbers: tuple[int, ...], sender: Address) -> None:
        for origin, got in zip(self.node.group, numbers, strict=True):
            kept = self._kept[origin]
            for number in [number for number in kept if number < got]:
                del kept[number]


# Uniform.


class OneAckForMajority(MajorityAck):
    """Delivers what one node has."""

    def _suffices(self, having: int) -> bool:
        return having > 0


class Listens(MajorityAck):
    """Counts who has passed a message on, and passes none on itself."""

    def _receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, Identified)
        self._pending.setdefault((message.origin, message.number), 0)
        super()._receive(message, sender)


class OwnAtOnce(MajorityAck):
    """Delivers its own messages without waiting for others."""

    def _receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, Identified)
        if sender == self.node.address == message.origin:
            self._pending.pop((message.origin, message.number))
            self._delivered[sender].add(message.number)
            self.tell(message.inside, sender)
        else:
            super()._receive(message, sender)


class WaitsForTheDead(AllAck):
    """Waits for all nodes, even for those that have crashed."""

    def _suspicion_changed(self, _address: Address, is_suspected: bool) -> None:
        pass


class DeliversAtOnce(AllAck):
    """Delivers what comes, and passes it on."""

    def _judge(self, holders: Holders) -> None:
        holders.addresses.update(self.node.group)
        super()._judge(holders)


# FIFO.


class BroadcastsAsTheyCome(KeepsSenderOrder):
    """Delivers a message as it comes."""

    def _receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, Ordered)
        self.tell(message.inside, sender)


class SkipsBroadcastGaps(KeepsSenderOrder):
    """Goes on with whatever number comes, and forgets what was missing."""

    def _receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, Ordered)
        line = self._lines[sender]
        line.next = max(line.next, message.number)
        super()._receive(message, sender)


# Causal.


class SenderOnly(CausesFirst):
    """Waits for earlier messages of the sender, and not for those the sender had delivered."""

    def _is_due(self, message: Caused) -> bool:
        place = self._places[self._sender]
        return message.causes[place] == self._delivered[place]

    def _receive(self, message: Message, sender: Address) -> None:
        self._sender = sender
        super()._receive(message, sender)

    def _deliver_early(self) -> bool:
        for sender in self.node.group:
            self._sender = sender
            if super()._deliver_early():
                return True
        return False


class StampsOwnOnly(CausesFirst):
    """Stamps messages with what it sent, and not with what it delivered."""

    def broadcast(self, message: Message) -> None:
        """Broadcast with the count of its own messages."""
        delivered = self._delivered
        self._delivered = [0] * len(delivered)
        super().broadcast(message)
        self._delivered = delivered


class ForgetsToLookAgain(CausesFirst):
    """Delivers what is due when it comes, and never looks at what waits."""

    def _deliver_early(self) -> bool:
        return False


def best_effort(broadcast: type[ToEach] = ToEach) -> Stack:
    """Return a stack with this best-effort broadcast."""
    return Stack(ByBestEffort(), broadcast(), Acknowledged())


def eager(broadcast: type[EagerRelay] = EagerRelay) -> Stack:
    """Return a stack with this reliable broadcast."""
    return Stack(ByReliable(), broadcast(), ToEach(), Acknowledged())


def lazy(broadcast: type[LazyRelay] = LazyRelay) -> Stack:
    """Return a stack with this reliable broadcast and a failure detector."""
    return Stack(
        ByReliable(),
        broadcast(),
        ToEach(),
        Acknowledged(),
        Mistaken(),
        Heartbeat(period=0.25, timeout=1.0),
    )


def by_majority(broadcast: type[MajorityAck] = MajorityAck) -> Stack:
    """Return a stack with this uniform broadcast."""
    return Stack(ByUniform(), broadcast(), ToEach(), Acknowledged())


def by_all(broadcast: type[AllAck] = AllAck) -> Stack:
    """Return a stack with this uniform broadcast and a detector that knows."""
    return Stack(ByUniform(), broadcast(), ToEach(), Acknowledged(), Oracle())


def fifo(broadcast: type[KeepsSenderOrder] = KeepsSenderOrder) -> Stack:
    """Return a stack with this FIFO broadcast."""
    return Stack(ByFifo(), broadcast(), EagerRelay(), ToEach(), Acknowledged())


def causal(broadcast: type[CausesFirst] = CausesFirst) -> Stack:
    """Return a stack with this causal broadcast."""
    return Stack(ByCausal(), broadcast(), EagerRelay(), ToEach(), Acknowledged())


CASES: tuple[Case, ...] = (
    Case(
        name="best-effort-broadcast",
        promise="What a correct node broadcasts, every correct node delivers, once.",
        stack=best_effort,
        monitors=lambda: [Integrity(), BestEffortValidity()],
        faults=BAD_NETWORK | CRASHES,
        crashes=all_but_one,
        mutants={
            "leaves-itself-out": lambda: best_effort(LeavesItselfOut),
            "trusts-the-network": lambda: Stack(ByBestEffort(), TrustsTheNetwork()),
        },
    ),
    Case(
        name="reliable-broadcast",
        promise="If a correct node delivers a message, all correct nodes do.",
        stack=eager,
        monitors=reliable,
        faults=BAD_NETWORK | CRASHES,
        crashes=all_but_one,
        mutants={
            "passes-nothing-on": lambda: eager(PassesNothingOn),
            "delivers-copies": lambda: eager(RelaysCopies),
            "tells-relay-as-sender": lambda: eager(TellsRelayAsSender),
        },
    ),
    Case(
        name="lazy-reliable-broadcast",
        promise="If a correct node delivers a message, all correct nodes do; suspicions may be wrong.",
        stack=lazy,
        monitors=reliable,
        faults=BAD_NETWORK | CRASHES | SUSPICION,
        crashes=all_but_one,
        settling=25.0,
        mutants={
            "ignores-suspicions": lambda: lazy(IgnoresSuspicions),
            "passes-on-late-only": lambda: lazy(PassesOnLateOnly),
            "forgets-early": lambda: lazy(ForgetsEarly),
        },
    ),
    Case(
        name="uniform-broadcast",
        promise="If any node delivers a message, even one that then crashes, all correct nodes do.",
        stack=by_majority,
        monitors=uniform,
        faults=BAD_NETWORK | CRASHES,
        mutants={
            "any-for-majority": lambda: by_majority(OneAckForMajority),
            "listens": lambda: by_majority(Listens),
            "own-at-once": lambda: by_majority(OwnAtOnce),
        },
        within={"any-for-majority": 600, "own-at-once": 600},
    ),
    Case(
        name="uniform-broadcast-all",
        promise="If any node delivers a message, all correct nodes do, however many crash.",
        stack=by_all,
        monitors=uniform,
        faults=BAD_NETWORK | CRASHES,
        crashes=all_but_one,
        settling=25.0,
        mutants={
            "waits-for-the-dead": lambda: by_all(WaitsForTheDead),
            "delivers-at-once": lambda: by_all(DeliversAtOnce),
        },
    ),
    Case(
        name="fifo-broadcast",
        promise="Nobody delivers a message of a sender before an earlier one of it.",
        stack=fifo,
        monitors=lambda: [*reliable(), InSenderOrder()],
        faults=BAD_NETWORK | CRASHES,
        crashes=all_but_one,
        mutants={
            "as-they-come": lambda: fifo(BroadcastsAsTheyCome),
            "skips-gaps": lambda: fifo(SkipsBroadcastGaps),
        },
    ),
    Case(
        name="causal-broadcast",
        promise="Nobody delivers a message before one that happened before it.",
        stack=causal,
        monitors=lambda: [*reliable(), InSenderOrder(), CausalOrder()],
        faults=BAD_NETWORK | CRASHES,
        crashes=all_but_one,
        mutants={
            "sender-only": lambda: causal(SenderOnly),
            "stamps-own-only": lambda: causal(StampsOwnOnly),
            "forgets-to-look-again": lambda: causal(ForgetsToLookAgain),
        },
    ),
)

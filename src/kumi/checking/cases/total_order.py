"""Total-order broadcast: by time stamps, by a sequencer that is fixed or moves, and by consensus."""

from __future__ import annotations

from functools import partial

from kumi.checking.case import Case, nobody
from kumi.checking.cases.broadcast_monitors import (
    Agreement,
    CausalOrder,
    InSenderOrder,
    Integrity,
    TotalOrder,
    Validity,
)
from kumi.checking.monitors import Monitor
from kumi.checking.talking import ByTotalOrder
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Stack, ToEach
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.consensus_order import Batch, ConsensusOrder
from kumi.protocols.fifo import InOrder
from kumi.protocols.guarantees import BAD_NETWORK, CRASHES, SUSPICION
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.lamport_order import LamportOrder
from kumi.protocols.logical_clocks import LamportClock
from kumi.protocols.numbering import Identified
from kumi.protocols.reliable import EagerRelay
from kumi.protocols.sequencers import Assigned, FixedSequencer, MovingSequencer, Sequenced
from kumi.protocols.suspicion import Mistaken


def uniform() -> list[Monitor]:
    """Return the monitors of uniform total-order broadcast."""
    return [Integrity(), Validity(), Agreement(uniform=True), TotalOrder()]


class Mortal(ByTotalOrder):
    """Says something now and then, and may crash in the middle of it, unless it is the lowest node."""

    def begin(self) -> None:
        """Plan what to say, and perhaps the end."""
        super().begin()
        chance = self.node.chance
        if self.node.address != self.node.group[0] and chance.happens(0.3):
            end = partial(self.node.crash_after_sends, chance.integer(0, 8))
            self.node.after(chance.uniform(0.0, self.within), end)


# Time stamps.


class TiesAsTheyCome(LamportOrder):
    """Orders messages with equal times as they come."""

    def _deliver(self) -> None:
        queue = self._queue
        queue.sort(key=lambda waiting: waiting[0])
        while queue and queue[0][0] <= min(self._heard.values()):
            _, sender, message = queue.pop(0)
            self.tell(message, sender)


class MajorityHeard(LamportOrder):
    """Delivers when a majority has been heard, not all."""

    def _deliver(self) -> None:
        heard = self._heard
        middle = sorted(heard.values())[(len(heard) - 1) // 2]
        self._heard = dict.fromkeys(heard, middle)
        super()._deliver()
        self._heard = heard


class Deaf(LamportClock):
    """A clock that is not put forward by what it hears."""

    def witness(self, time: int) -> int:
        """Count the event, and forget the time."""
        return self.tick()


class ClockStands(LamportOrder):
    """Does not put its clock forward when it hears of a later time."""

    def __init__(self) -> None:
        super().__init__()
        self._clock = Deaf()


# Sequencers.


class TwoSequencers(FixedSequencer):
    """Lets nodes with odd addresses go to another sequencer."""

    def begin(self) -> None:
        """Choose by its own address."""
        self.sequencer = self.node.group[self.node.address % 2]
        super().begin()


class NumbersAsTheyCome(FixedSequencer):
    """Delivers what has a number as it comes."""

    def _receive(self, message: Message, sender: Address) -> None:
        if isinstance(message, Sequenced):
            self.tell(message.inside, message.origin)
        else:
            super()._receive(message, sender)


class TellsSequencer(FixedSequencer):
    """Takes the sequencer for the sender."""

    def _assign(self, message: Message, origin: Address) -> None:
        super()._assign(message, self.node.address)


class KeepsSequencerToken(MovingSequencer):
    """Hands the token on, and keeps it."""

    def _assign(self) -> None:
        token = self._token
        super()._assign()
        if self._token is None and token is not None:
            self._token = token + len(self._unplaced)


class HasteWithToken(MovingSequencer):
    """Numbers messages before it knows all that have a number."""

    def _assign(self) -> None:
        known = self._known
        if self._token is not None:
            self._known = self._token
        super()._assign()
        self._known = known


class LosesToken(MovingSequencer):
    """Overlooks a token that comes while there is nothing to number."""

    def _receive(self, message: Message, sender: Address) -> None:
        super()._receive(message, sender)
        if isinstance(message, Assigned) and not self._unplaced:
            self._token = None


# Consensus.


class AsDecided(ConsensusOrder):
    """Delivers batches as they are decided here, not by their number."""

    def _decide(self, question: str, decision: object) -> None:
        assert isinstance(decision, Batch)
        self._round = max(self._round, int(question.rpartition(" ")[2]) + 1)
        self._has_proposed = False
        for message in decision.messages:
            self._deliver(message)
        self._propose()


class OwnOrder(ConsensusOrder):
    """Delivers a batch in the order in which its messages came here."""

    def _decide(self, question: str, decision: object) -> None:
        assert isinstance(decision, Batch)
        places = {name: place for place, name in enumerate(self._undelivered)}
        ordered = sorted(decision.messages, key=lambda each: places.get((each.origin, each.number), 0))
        super()._decide(question, Batch(tuple(ordered)))


class OwnOrderAtOnce(ConsensusOrder):
    """Delivers its own messages when it broadcasts them."""

    def _receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, Identified)
        super()._receive(message, sender)
        if message.origin == self.node.address and self._delivered[message.origin].add(message.number):
            self.tell(message.inside, message.origin)


class DeliversAgain(ConsensusOrder):
    """Forgets what it has delivered."""

    def _deliver(self, message: Identified) -> None:
        self._undelivered.pop((message.origin, message.number), None)
        self.tell(message.inside, message.origin)


def lamport(order: type[LamportOrder] = LamportOrder) -> Stack:
    """Return a stack that orders by time stamps."""
    return Stack(ByTotalOrder(), order(), InOrder(), Acknowledged())


def fixed(order: type[FixedSequencer] = FixedSequencer) -> Stack:
    """Return a stack with a fixed sequencer, the lowest node; all others may crash."""
    return Stack(Mortal(), order(), Acknowledged())


def moving(order: type[MovingSequencer] = MovingSequencer) -> Stack:
    """Return a stack with a moving sequencer."""
    return Stack(ByTotalOrder(), order(), Acknowledged())


def agreed(order: type[ConsensusOrder] = ConsensusOrder) -> Stack:
    """Return a stack that orders by consensus."""
    return Stack(
        ByTotalOrder(times=2, answers=2),
        order(),
        EagerRelay(),
        ToEach(),
        ChandraToueg(),
        Acknowledged(),
        Mistaken(),
        Heartbeat(period=0.25, timeout=1.0),
    )


CASES: tuple[Case, ...] = (
    Case(
        name="total-order",
        promise="All deliver in one order, even those who then crash; a minority may.",
        stack=agreed,
        monitors=uniform,
        faults=BAD_NETWORK | CRASHES | SUSPICION,
        settling=30.0,
        mutants={
            "as-decided": lambda: agreed(AsDecided),
            "own-order": lambda: agreed(OwnOrder),
            "own-at-once": lambda: agreed(OwnOrderAtOnce),
            "delivers-again": lambda: agreed(DeliversAgain),
        },
    ),
    Case(
        name="lamport-order",
        promise="All deliver in one order, which is causal; nobody crashes.",
        stack=lamport,
        monitors=lambda: [*uniform(), InSenderOrder(), CausalOrder()],
        faults=BAD_NETWORK,
        crashes=nobody,
        mutants={
            "ties-as-they-come": lambda: lamport(TiesAsTheyCome),
            "majority-heard": lambda: lamport(MajorityHeard),
            "clock-stands": lambda: lamport(ClockStands),
        },
    ),
    Case(
        name="fixed-sequencer",
        promise="All deliver in one order, even those who then crash; the sequencer does not.",
        stack=fixed,
        monitors=uniform,
        faults=BAD_NETWORK,
        crashes=nobody,
        mutants={
            "two-sequencers": lambda: fixed(TwoSequencers),
            "as-they-come": lambda: fixed(NumbersAsTheyCome),
            "tells-sequencer": lambda: fixed(TellsSequencer),
        },
    ),
    Case(
        name="moving-sequencer",
        promise="All deliver in one order; nobody crashes.",
        stack=moving,
        monitors=uniform,
        faults=BAD_NETWORK,
        crashes=nobody,
        mutants={
            "keeps-token": lambda: moving(KeepsSequencerToken),
            "haste-with-token": lambda: moving(HasteWithToken),
            "loses-token": lambda: moving(LosesToken),
        },
    ),
)

"""What comes from outside: messages of another kind, and what goes over a wire."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.contract.messages import Message
from kumi.network.wire import decode, encode
from kumi.protocols import Acknowledged, ToEach
from kumi.protocols.causal import Caused, CausesFirst
from kumi.protocols.consensus_order import Batch, ConsensusOrder
from kumi.protocols.fifo import InOrder, SenderOrder
from kumi.protocols.guarantees import Consensus
from kumi.protocols.lamport_order import LamportOrder, Passed, Stamped
from kumi.protocols.numbering import Identified, Ordered
from kumi.protocols.perfect_links import Acknowledgement, Numbered
from kumi.protocols.reliable import EagerRelay, GotSoFar, LazyRelay
from kumi.protocols.sequencers import Assigned, FixedSequencer, MovingSequencer, Sequenced, Submitted
from kumi.protocols.uniform import AllAck, MajorityAck
from tests.protocols.groups import Group, Word
from tests.protocols.test_broadcasts import Told

MESSAGES: list[Message] = [
    Numbered(2**52 + 3, 0, 0, Word("x")),
    Acknowledgement(2**52 + 3, 0),
    Ordered(1, Word("x")),
    Identified(0, 1, Word("x")),
    GotSoFar((1, 2, 3)),
    Caused((0, 2, 1), Word("x")),
    Stamped(7, Word("x")),
    Passed(8),
    Submitted(Word("x")),
    Sequenced(3, 1, Word("x")),
    Assigned(5, ((0, 1), (2, 0)), 1),
    Batch((Identified(0, 1, Word("x")), Identified(2, 0, Word("y")))),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_is_the_same_after_the_wire(message: Message) -> None:
    assert decode(encode(message)) == message


class Undecided(Consensus):
    """A consensus that never decides."""

    def propose(self, question: str, value: object) -> None:
        pass


BELOW: dict[type[Any], tuple[type[Any], ...]] = {
    Acknowledged: (),
    InOrder: (Acknowledged,),
    EagerRelay: (ToEach, Acknowledged),
    LazyRelay: (ToEach, Acknowledged, Told),
    MajorityAck: (ToEach, Acknowledged),
    AllAck: (ToEach, Acknowledged, Told),
    SenderOrder: (EagerRelay, ToEach, Acknowledged),
    CausesFirst: (EagerRelay, ToEach, Acknowledged),
    LamportOrder: (InOrder, Acknowledged),
    FixedSequencer: (Acknowledged,),
    MovingSequencer: (Acknowledged,),
    ConsensusOrder: (EagerRelay, ToEach, Acknowledged, Undecided),
}


@pytest.mark.parametrize("kind", BELOW, ids=lambda kind: kind.__name__)
def test_a_message_of_another_kind_is_counted_and_nothing_else(kind: type[Any]) -> None:
    group = Group(lambda: (kind(), *(layer() for layer in BELOW[kind])))
    group.layer(1, kind)._receive(Word("what?"), 0)
    group.run(until=1.0)

    assert group.heard == []
    assert group.network.dropped["message for no layer"] == 1


@pytest.mark.parametrize(
    ("kind", "message", "sender"),
    [
        (EagerRelay, Identified(9, 0, Word("x")), 0),
        (LazyRelay, Identified(9, 0, Word("x")), 0),
        (LazyRelay, GotSoFar((1, 2, 3)), 9),
        (LazyRelay, GotSoFar((1, 2, 3, 4)), 0),
        (MajorityAck, Identified(9, 0, Word("x")), 0),
        (MajorityAck, Identified(0, 0, Word("x")), 9),
        (AllAck, Identified(9, 0, Word("x")), 0),
        (SenderOrder, Ordered(0, Word("x")), 9),
        (CausesFirst, Caused((0, 0, 0), Word("x")), 9),
        (CausesFirst, Caused((0, 0), Word("x")), 0),
        (LamportOrder, Passed(1), 9),
        (FixedSequencer, Submitted(Word("x")), 0),
        (MovingSequencer, Identified(9, 0, Word("x")), 0),
        (ConsensusOrder, Identified(9, 0, Word("x")), 0),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_what_does_not_belong_to_the_group_is_counted_and_nothing_else(
    kind: type[Any], message: Message, sender: int
) -> None:
    """Node 9 is a stranger; a vector of another length belongs to another group; node 1 numbers nothing."""
    group = Group(lambda: (kind(), *(layer() for layer in BELOW[kind])))
    group.layer(1, kind)._receive(message, sender)
    group.run(until=1.0)

    assert group.heard == []
    assert group.network.dropped["message for no layer"] == 1

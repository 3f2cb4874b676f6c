"""Total-order broadcast: time stamps, sequencers, consensus."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.checking.case import Case
from kumi.checking.cases.total_order import CASES
from kumi.checking.search import SearchQuestion, search
from kumi.network import Flight
from kumi.protocols import Acknowledged, ToEach
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.consensus_order import Batch, ConsensusOrder
from kumi.protocols.fifo import InOrder
from kumi.protocols.guarantees import Consensus
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.lamport_order import LamportOrder
from kumi.protocols.numbering import Identified
from kumi.protocols.reliable import EagerRelay
from kumi.protocols.sequencers import FixedSequencer, MovingSequencer
from tests.protocols.groups import Fate, Group, Word

UNDER_WAY = "too many of its own messages are under way"


def lamport() -> tuple[Any, ...]:
    return (LamportOrder(limit=20), InOrder(), Acknowledged())


def fixed() -> tuple[Any, ...]:
    return (FixedSequencer(), Acknowledged())


def moving() -> tuple[Any, ...]:
    return (MovingSequencer(limit=20), Acknowledged())


def agreed() -> tuple[Any, ...]:
    return (
        ConsensusOrder(limit=20),
        EagerRelay(),
        ToEach(),
        ChandraToueg(),
        Acknowledged(),
        Heartbeat(period=0.5, timeout=2.0),
    )


ALL = [lamport, fixed, moving, agreed]


def uneven(flight: Flight) -> float:
    """Every link has a delay of its own, so that messages overtake each other."""
    return (7 * flight.sender + 3 * flight.to + flight.number) % 5 * 0.01


@pytest.mark.parametrize("stack", ALL)
def test_all_deliver_all_in_one_order(stack: Any) -> None:
    """Twelve messages from three nodes, some at the same instant."""
    group = Group(stack, Fate(uneven))
    for number in range(12):
        group.broadcast_at(0.005 * (number // 2), number % 3, str(number))
    group.run(until=20.0)

    assert sorted(group.words(0), key=int) == [str(number) for number in range(12)]
    assert group.words(0) == group.words(1) == group.words(2)


@pytest.mark.parametrize("stack", ALL)
def test_a_group_of_one_delivers_what_it_broadcasts(stack: Any) -> None:
    group = Group(stack, Fate(uneven), size=1)
    group.broadcast(0, "a")
    group.broadcast(0, "b")

    assert group.heard == []  # never inside the request
    group.run(until=5.0)
    assert group.words(0) == ["a", "b"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_order_is_kept_even_if_one_more_crashes_than_the_protocol_stands(case: Case) -> None:
    """Delivery may stop then; what is delivered stays in one order, at the crashed node, too."""
    assert search(SearchQuestion(case, case.nodes, beyond=True), runs=8).failed is None


# Time stamps.


def test_lamports_order_is_that_of_time_and_then_of_address() -> None:
    """Both broadcast with time 1: 0 comes first, also where 2 was heard first."""
    group = Group(lamport, Fate(lambda flight: 0.05 if flight.sender == 0 else 0.0))
    group.broadcast(2, "from 2")
    group.broadcast(0, "from 0")
    group.run()

    assert [group.words(node) for node in range(3)] == [["from 0", "from 2"]] * 3


def test_a_message_is_delivered_when_all_have_been_heard() -> None:
    """Sent at 0, there at 0.01, where all pass the time on; everybody has heard everybody at 0.02."""
    group = Group(lamport)
    group.broadcast(0, "hello")
    group.run()

    assert sorted(group.heard) == [(0.02, node, "hello", 0) for node in range(3)]


def test_a_broadcast_by_time_stamps_costs_at_most_n_squared_messages() -> None:
    """Node 0 tells 2 others, and each of those tells 2: 6 messages, and as many acknowledgements."""
    group = Group(lamport)
    group.broadcast(0, "hello")
    group.run()

    assert group.network.sent == 12


def test_if_a_node_crashes_lamports_order_stops_and_does_not_grow() -> None:
    group = Group(lamport)
    group.nodes[2].crash()
    for number in range(30):
        group.broadcast_at(0.1 * number, 0, str(number))
    group.run()

    assert group.heard == []
    assert len(group.layer(0, LamportOrder)._queue) == 20
    assert group.network.dropped[UNDER_WAY] == 10


def test_lamports_order_keeps_nothing_of_what_is_delivered() -> None:
    group = Group(lamport)
    for number in range(30):
        group.broadcast_at(0.1 * number, 0, str(number))
    group.run()

    assert group.words(2) == [str(number) for number in range(30)]
    assert [group.layer(node, LamportOrder)._queue for node in range(3)] == [[], [], []]


# Sequencers.


def test_the_sequencer_delivers_in_the_order_in_which_it_got_the_messages() -> None:
    """Node 1 is nearer to the sequencer: its message, sent 0.01 s later, comes 0.02 s earlier."""
    group = Group(fixed, Fate(lambda flight: 0.03 if flight.sender == 2 else 0.0))
    group.broadcast(2, "far")
    group.at(0.01, lambda: group.broadcast(1, "near"))
    group.run()

    assert group.heard == [
        (0.02, 0, "near", 1),
        (0.03, 1, "near", 1),
        (0.03, 2, "near", 1),
        (0.04, 0, "far", 2),
        (0.05, 1, "far", 2),
        (0.05, 2, "far", 2),
    ]


def test_a_fixed_sequencer_stands_the_crash_of_all_others() -> None:
    group = Group(fixed)
    group.broadcast(1, "last words")
    group.at(0.005, group.nodes[1].crash)
    group.at(1.0, lambda: group.broadcast(2, "one more"))
    group.at(2.0, group.nodes[2].crash)
    group.at(3.0, lambda: group.broadcast(0, "alone"))
    group.run()

    assert group.words(0) == ["last words", "one more", "alone"]
    assert group.words(2) == ["last words", "one more"]


def test_another_sequencer_can_be_named() -> None:
    group = Group(lambda: (FixedSequencer(sequencer=2), Acknowledged()))
    group.broadcast(2, "hello")
    group.run()

    assert group.heard[0] == (0.0, 2, "hello", 2)
    with pytest.raises(ValueError, match="one of the group"):
        Group(lambda: (FixedSequencer(sequencer=7), Acknowledged()))


def test_the_token_goes_round() -> None:
    """Three messages, a second apart: numbered by nodes 0, 1 and 2, and then it is at 0 again."""
    group = Group(moving)
    holders = []
    for number in range(3):
        group.broadcast_at(number + 0.5, 1, str(number))
        group.at(
            number + 0.9,
            lambda: holders.append([group.layer(node, MovingSequencer)._token for node in range(3)]),
        )
    group.run()

    assert holders == [[None, 1, None], [None, None, 2], [3, None, None]]
    assert group.words(0) == ["0", "1", "2"]


def test_the_token_rests_while_there_is_nothing_to_number() -> None:
    group = Group(moving)
    group.run()

    assert group.network.sent == 0


def test_if_the_token_is_lost_delivery_stops_and_nothing_grows() -> None:
    group = Group(moving)
    group.nodes[0].crash()
    for number in range(30):
        group.broadcast_at(0.1 * number, 1, str(number))
    group.run()

    assert group.heard == []
    assert len(group.layer(2, MovingSequencer)._here) == 20
    assert group.network.dropped[UNDER_WAY] == 10


def test_a_moving_sequencer_keeps_nothing_of_what_is_delivered() -> None:
    group = Group(moving, Fate(uneven))
    for number in range(30):
        group.broadcast_at(0.01 * number, number % 3, str(number))
    group.run()

    for node in range(3):
        layer = group.layer(node, MovingSequencer)
        assert (layer._here, layer._unplaced, layer._places, layer._placed) == ({}, {}, {}, set())
        assert layer._next == layer._known == 30


# Consensus.


class Decided(Consensus):
    """A consensus that decides what a test says, when it says so."""

    def __init__(self) -> None:
        self.proposed: list[tuple[str, Batch]] = []

    def propose(self, question: str, value: object) -> None:
        assert isinstance(value, Batch)
        self.proposed.append((question, value))


def ordering(**options: Any) -> tuple[Group, Any]:
    group = Group(
        lambda: (ConsensusOrder(**options), EagerRelay(), ToEach(), Decided(), Acknowledged()), size=1
    )
    return group, group.layer(0, Decided)


def batch(*texts: str) -> Batch:
    return Batch(tuple(Identified(0, number, Word(text)) for number, text in enumerate(texts)))


def test_decisions_are_delivered_by_their_number_whichever_comes_first() -> None:
    group, decided = ordering()
    first, second = batch("a", "b"), Batch((Identified(0, 2, Word("c")),))
    decided.tell("order 1", second)
    assert group.words(0) == []

    decided.tell("order 0", first)
    assert group.words(0) == ["a", "b", "c"]


def test_a_message_in_two_batches_is_delivered_once() -> None:
    group, decided = ordering()
    decided.tell("order 0", batch("a", "b"))
    decided.tell("order 1", batch("a", "b", "c"))

    assert group.words(0) == ["a", "b", "c"]


def test_what_was_not_decided_is_proposed_again_and_other_questions_are_left_alone() -> None:
    group, decided = ordering(name="mine", batch=2)
    for text in "abc":
        group.broadcast(0, text)
    group.run(until=1.0)
    assert decided.proposed == [("mine 0", batch("a"))]

    decided.tell("order 0", batch("a"))
    decided.tell("mine 0", batch("a"))
    assert group.words(0) == ["a"]
    assert decided.proposed[1:] == [
        ("mine 1", Batch((Identified(0, 1, Word("b")), Identified(0, 2, Word("c")))))
    ]


def test_order_by_consensus_stands_a_minority_that_crashes() -> None:
    group = Group(agreed, size=5)
    group.at(1.0, group.nodes[0].crash)
    group.at(1.0, group.nodes[1].crash)
    for number in range(5):
        group.broadcast_at(0.99 + 0.01 * number, 2 + number % 3, str(number))
    group.run(until=30.0)

    assert sorted(group.words(2)) == ["0", "1", "2", "3", "4"]
    assert group.words(2) == group.words(3) == group.words(4)


def test_without_a_majority_order_by_consensus_stops_and_no_more_than_the_limit_waits() -> None:
    group = Group(agreed)
    group.nodes[1].crash()
    group.nodes[2].crash()
    for number in range(30):
        group.broadcast(0, str(number))
    group.run(until=10.0)

    assert group.heard == []
    assert group.network.dropped[UNDER_WAY] == 10


@pytest.mark.parametrize(
    "make",
    [
        lambda: LamportOrder(limit=0),
        lambda: MovingSequencer(limit=0),
        lambda: ConsensusOrder(limit=0),
        lambda: ConsensusOrder(batch=0),
    ],
)
def test_wrong_options_are_refused(make: Any) -> None:
    with pytest.raises(ValueError, match="is a number of messages from 1 on, not 0"):
        make()

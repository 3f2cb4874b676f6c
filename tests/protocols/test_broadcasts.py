"""Best-effort, reliable, uniform, FIFO and causal broadcast, with three nodes and times one can add up."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.contract.messages import Address
from kumi.network import Flight
from kumi.protocols import Acknowledged, ToEach
from kumi.protocols.causal import CausesFirst
from kumi.protocols.fifo import SenderOrder
from kumi.protocols.guarantees import Perfect
from kumi.protocols.reliable import EagerRelay, LazyRelay
from kumi.protocols.suspicion import Suspicions
from kumi.protocols.uniform import AllAck, MajorityAck
from tests.protocols.groups import Fate, Group


class Told(Suspicions, Perfect):
    """A detector that suspects whom a test says."""

    def suspect(self, address: Address) -> None:
        self._suspect(address)


def links() -> tuple[Any, ...]:
    return (ToEach(), Acknowledged())


def cut_off_after_first(group: Group, sender: Address) -> None:
    """Let a node crash when it has sent one more message."""
    group.nodes[sender].crash_after_sends(1)


# Best effort.


def test_each_node_delivers_once_the_sender_at_once() -> None:
    group = Group(links)
    group.broadcast(1, "hello")
    group.run()

    assert group.heard == [(0.0, 1, "hello", 1), (0.01, 0, "hello", 1), (0.01, 2, "hello", 1)]


def test_if_the_sender_crashes_in_between_some_get_it_and_some_do_not() -> None:
    group = Group(links)
    cut_off_after_first(group, 0)
    group.broadcast(0, "hello")
    group.run()

    assert group.heard == [(0.01, 1, "hello", 0)]


# Reliable.


def test_what_one_correct_node_has_all_have_if_it_is_passed_on() -> None:
    """Node 0 reaches only node 1, at 0.01 s; node 1 reaches node 2 at 0.02 s."""
    group = Group(lambda: (EagerRelay(), *links()))
    cut_off_after_first(group, 0)
    group.broadcast(0, "hello")
    group.run()

    assert group.heard == [(0.01, 1, "hello", 0), (0.02, 2, "hello", 0)]


def test_eager_relay_is_not_uniform() -> None:
    """Node 0 delivers its own message and crashes before anything of it is on the network."""
    group = Group(lambda: (EagerRelay(), *links()), Fate(lambda flight: None if flight.sender == 0 else 0.0))
    group.broadcast(0, "hello")
    group.at(0.005, group.nodes[0].crash)
    group.run()

    assert group.heard == [(0.0, 0, "hello", 0)]


def test_lazy_relay_passes_nothing_on_while_nobody_is_suspected() -> None:
    """A broadcast costs 2 messages and 2 acknowledgements; each node's report as many, once."""
    group = Group(lambda: (LazyRelay(), *links(), Told()))
    group.broadcast(0, "hello")
    group.run()

    assert [text for _, _, text, _ in group.heard] == ["hello"] * 3
    assert group.network.sent == 4 + 3 * 4


def test_lazy_relay_passes_on_what_a_suspect_has_sent() -> None:
    """Node 0 reaches only node 1 and crashes; node 1 suspects it at 0.5 s."""
    group = Group(lambda: (LazyRelay(), *links(), Told()))
    cut_off_after_first(group, 0)
    group.broadcast(0, "hello")
    group.at(0.5, lambda: group.layer(1, Told).suspect(0))
    group.run()

    assert group.heard == [(0.01, 1, "hello", 0), (0.51, 2, "hello", 0)]


def test_lazy_relay_passes_on_what_comes_from_one_suspected_before() -> None:
    group = Group(lambda: (LazyRelay(), *links(), Told()))
    group.layer(1, Told).suspect(0)
    cut_off_after_first(group, 0)
    group.broadcast(0, "hello")
    group.run()

    assert group.heard == [(0.01, 1, "hello", 0), (0.02, 2, "hello", 0)]


def test_a_wrong_suspicion_costs_messages_and_nothing_else() -> None:
    group = Group(lambda: (LazyRelay(), *links(), Told()))
    for node in (1, 2):
        group.layer(node, Told).suspect(0)
    group.broadcast(0, "hello")
    group.run()

    assert sorted(group.words(0) + group.words(1) + group.words(2)) == ["hello"] * 3


def test_lazy_relay_forgets_what_all_have() -> None:
    group = Group(lambda: (LazyRelay(report_every=1.0), *links(), Told()))
    for number in range(10):
        group.broadcast(0, str(number))
    group.run(until=0.5)
    assert [group.layer(node, LazyRelay).kept for node in range(3)] == [0, 10, 10]

    group.run()
    assert [group.layer(node, LazyRelay).kept for node in range(3)] == [0, 0, 0]


def test_lazy_relay_keeps_no_more_than_its_limit_when_someone_is_gone() -> None:
    """Node 2 says nothing, so nothing is with all: node 1 keeps 4 of 10 messages, and has passed on 6."""
    group = Group(lambda: (LazyRelay(limit=4), *links(), Told()))
    group.nodes[2].crash()
    for number in range(10):
        group.broadcast(0, str(number))
    group.run()

    assert group.layer(1, LazyRelay).kept == 4
    assert group.words(1) == [str(number) for number in range(10)]


# Uniform.


def test_majority_ack_delivers_when_two_of_three_have_it() -> None:
    """Node 0 sends at 0; 1 and 2 have it at 0.01, with 0 and themselves; 0 hears of it at 0.02."""
    group = Group(lambda: (MajorityAck(), *links()))
    group.broadcast(0, "hello")
    group.run()

    assert group.heard == [(0.01, 1, "hello", 0), (0.01, 2, "hello", 0), (0.02, 0, "hello", 0)]


def test_nobody_delivers_what_only_its_sender_has() -> None:
    group = Group(lambda: (MajorityAck(), *links()), Fate(lambda flight: None if flight.sender == 0 else 0.0))
    group.broadcast(0, "hello")
    group.at(5.0, group.nodes[0].crash)
    group.run()

    assert group.heard == []


def test_majority_ack_stands_a_minority_that_crashes() -> None:
    group = Group(lambda: (MajorityAck(), *links()), size=5)
    group.nodes[3].crash()
    group.nodes[4].crash()
    group.broadcast(0, "hello")
    group.run()

    assert [group.words(node) for node in range(3)] == [["hello"]] * 3


def test_without_a_majority_nothing_is_delivered_and_no_more_than_the_limit_waits() -> None:
    group = Group(lambda: (MajorityAck(limit=5), *links()))
    group.nodes[1].crash()
    group.nodes[2].crash()
    for number in range(8):
        group.broadcast(0, str(number))
    group.run()

    assert group.heard == []
    assert group.network.dropped["too many of its own messages are under way"] == 3


def test_majority_ack_keeps_nothing_of_what_is_delivered() -> None:
    group = Group(lambda: (MajorityAck(), *links()))
    for number in range(10):
        group.broadcast(number % 3, str(number))
    group.run()

    for node in range(3):
        layer = group.layer(node, MajorityAck)
        assert layer._pending == {}
        assert [(seen.floor, seen.above) for seen in layer._delivered.values()] == [
            (4, set()),
            (3, set()),
            (3, set()),
        ]


def test_all_ack_waits_for_all_who_are_not_suspected() -> None:
    """Node 2 is down from the beginning; the others deliver when they suspect it, at 1.0 and 2.0 s."""
    group = Group(lambda: (AllAck(), *links(), Told()))
    group.nodes[2].crash()
    group.broadcast(0, "hello")
    group.at(1.0, lambda: group.layer(0, Told).suspect(2))
    group.at(2.0, lambda: group.layer(1, Told).suspect(2))
    group.run()

    assert group.heard == [(1.0, 0, "hello", 0), (2.0, 1, "hello", 0)]


def test_all_ack_stands_the_crash_of_all_others() -> None:
    group = Group(lambda: (AllAck(), *links(), Told()))
    for node in (1, 2):
        group.nodes[node].crash()
        group.layer(0, Told).suspect(node)
    group.broadcast(0, "hello")
    group.run()

    assert group.heard == [(0.0, 0, "hello", 0)]
    assert group.layer(0, AllAck)._pending == {}


# Order.


def slow_first(extra: float) -> Fate:
    """The first message from 0 to 2 takes longer, and what is passed on from 1 to 2, too."""
    slow = {(0, 2): extra, (1, 2): extra}

    def fate(flight: Flight) -> float:
        return slow.pop((flight.sender, flight.to), 0.0)

    return Fate(fate)


@pytest.mark.parametrize(("top", "expected"), [((), ["b", "a"]), ((SenderOrder,), ["a", "b"])])
def test_fifo_broadcast_holds_back_what_overtakes(top: tuple[Any, ...], expected: list[str]) -> None:
    """Without it, node 2 delivers the second first."""
    group = Group(lambda: (*(layer() for layer in top), EagerRelay(), *links()), slow_first(0.3))
    group.broadcast(0, "a")
    group.broadcast(0, "b")
    group.run()

    assert group.words(2) == expected


def question_and_answer(top: Any) -> list[str]:
    """Node 0 asks, node 1 answers what it has heard; both copies of the question come late to node 2."""
    group = Group(lambda: (top(), EagerRelay(), *links()), slow_first(0.3))
    group.broadcast(0, "question")
    group.at(0.05, lambda: group.broadcast(1, "answer"))
    group.run()
    return group.words(2)


def test_causal_broadcast_delivers_the_question_before_the_answer() -> None:
    """FIFO broadcast does not: question and answer have different senders."""
    assert question_and_answer(SenderOrder) == ["answer", "question"]
    assert question_and_answer(CausesFirst) == ["question", "answer"]


def test_causal_broadcast_does_not_hold_back_what_is_concurrent() -> None:
    """Node 1 speaks before it has heard node 0; node 2 need not wait for the late message of 0."""
    late = Fate(lambda flight: 0.3 if flight.to == 2 and "inside=a" in repr(flight.message) else 0.0)
    group = Group(lambda: (CausesFirst(), EagerRelay(), *links()), late)
    group.broadcast(0, "a")
    group.at(0.005, lambda: group.broadcast(1, "b"))
    group.run()

    assert group.words(2) == ["b", "a"]


def test_causal_broadcast_keeps_nothing_of_what_is_delivered() -> None:
    group = Group(lambda: (CausesFirst(), EagerRelay(), *links()), slow_first(0.3))
    for number in range(9):
        group.broadcast_at(0.005 * number, number % 3, str(number))
    group.run()

    for node in range(3):
        layer = group.layer(node, CausesFirst)
        assert (layer._delivered, layer._waiting, layer._early) == ([3, 3, 3], 0, [{}, {}, {}])


@pytest.mark.parametrize("make", [lambda: MajorityAck(limit=0), lambda: LazyRelay(limit=-1)])
def test_wrong_limits_are_refused(make: Any) -> None:
    with pytest.raises(ValueError, match="limit is a number of messages"):
        make()


def test_a_wrong_period_is_refused() -> None:
    with pytest.raises(ValueError, match="report_every"):
        LazyRelay(report_every=0.0)

"""The monitors of links and broadcasts, on runs of a few events written by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from kumi.checking.cases.broadcast_monitors import (
    Agreement,
    BestEffortValidity,
    CausalOrder,
    InSenderOrder,
    Integrity,
    TotalOrder,
    Validity,
)
from kumi.checking.cases.links import NoCreation, NoDuplication, ReliableDelivery, SendOrder
from kumi.checking.monitors import Monitor, RunEnding, Violation
from tests.protocols.groups import Word


def see(monitor: Monitor, story: str, *, correct: Iterable[int] = (0, 1, 2)) -> str | None:
    """Show a run to a monitor, and return what it says.

    `0+a` means that node 0 broadcasts a, `1:a0` that node 1 delivers a of node 0, `0>1a` that node 0 sends a
    to node 1, `2!` that node 2 crashes, `2?` that it comes back. Each takes a second.
    """
    down: set[int] = set()
    try:
        for second, step in enumerate(story.split()):
            time, node, what = float(second), int(step[0]), step[1]
            match what:
                case "+":
                    monitor.request(time, node, "broadcast", (Word(step[2]),))
                case ">":
                    monitor.request(time, node, "send", (Word(step[3]), int(step[2])))
                case ":":
                    monitor.indicated(time, node, (Word(step[2]), int(step[3])))
                case "!":
                    down.add(node)
                    monitor.crashed(time, node)
                case "?":
                    down.discard(node)
                    monitor.restarted(time, node)
        group = (0, 1, 2)
        monitor.finish(RunEnding(99.0, group, frozenset(correct), frozenset(group) - down, True))
    except Violation as found:
        return str(found)
    return None


ALL = "0+a 0:a0 1:a0 2:a0"


@pytest.mark.parametrize(
    "make",
    [Integrity, BestEffortValidity, Validity, Agreement, InSenderOrder, CausalOrder, TotalOrder],
)
def test_a_run_in_which_all_goes_well_is_accepted(make: Any) -> None:
    assert see(make(), ALL + " 1+b 2:b1 0:b1 1:b1") is None


@pytest.mark.parametrize(
    ("monitor", "story", "says"),
    [
        (
            Integrity(),
            "0+a 1:a0 1:a0",
            "integrity: node 1 delivers a of 0 at 2.000 s; it delivered it at 1.000 s",
        ),
        (Integrity(), "1:a0", "integrity: node 1 delivers a of 0 at 0.000 s; 0 did not broadcast it"),
        (Integrity(), "0+a 1:a2", "integrity: node 1 delivers a of 2 at 1.000 s; 2 did not broadcast it"),
        (
            BestEffortValidity(),
            "0+a 0:a0 1:a0",
            "validity: node 0 broadcast a at 0.000 s; correct nodes 2 have not delivered it at 99 s",
        ),
        (
            Validity(),
            "0+a 1:a0",
            "validity: node 0 broadcast a at 0.000 s; it is correct and has not delivered it at 99 s",
        ),
        (
            Agreement(),
            "0+a 0:a0 1:a0",
            "agreement: node 0 (correct) delivered a at 1.000 s; correct nodes 2 have not at 99 s",
        ),
        (
            InSenderOrder(),
            "0+a 0+b 1:b0",
            "FIFO order: node 1 delivers b at 2.000 s; 0 broadcast a before it, and 1 has not delivered that",
        ),
        (
            CausalOrder(),
            "0+a 1:a0 1+b 2:b1",
            (
                "causal order: node 2 delivers b of 1 at 3.000 s; "
                "a of 0 happened before it, and 2 has not delivered that"
            ),
        ),
        (
            TotalOrder(),
            "0+a 1+b 0:a0 0:b1 1:b1",
            "total order: node 1 delivers b as number 1 at 4.000 s; node 0 delivered a in that place at 2.000 s",
        ),
        (
            NoCreation(),
            "0>1a 2:a0",
            "no creation: node 2 delivers a from 0 at 1.000 s; node 0 did not send it to 2",
        ),
        (
            NoDuplication(),
            "0>1a 1:a0 1:a0",
            "no duplication: node 1 delivers a from 0 at 2.000 s; it delivered it at 1.000 s",
        ),
        (
            SendOrder(),
            "0>1a 0>1b 1:b0",
            "send order: node 1 delivers b from 0 at 2.000 s; a was sent before it",
        ),
        (
            ReliableDelivery(),
            "0>1a 0>1b 1:b0",
            (
                "reliable delivery: node 0 sent a to 1 at 0.000 s; 1 has not delivered it at 99 s; "
                "both have been up since"
            ),
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Monitor) else "",
)
def test_a_broken_promise_is_told_in_one_sentence(monitor: Monitor, story: str, says: str) -> None:
    assert see(monitor, story) == says


def test_agreement_binds_correct_nodes_and_uniform_agreement_all() -> None:
    """Node 0 delivers its message and crashes; nobody else has it."""
    story = "0+a 0:a0 0!"

    assert see(Agreement(), story, correct=(1, 2)) is None
    assert see(Agreement(uniform=True), story, correct=(1, 2)) == (
        "uniform agreement: node 0 (crashed later) delivered a at 1.000 s; correct nodes 1, 2 have not at 99 s"
    )


def test_validity_asks_nothing_of_a_sender_that_crashed() -> None:
    assert see(Validity(), "0+a 0!", correct=(1, 2)) is None
    assert see(BestEffortValidity(), "0+a 1:a0 0!", correct=(1, 2)) is None


def test_fifo_order_is_between_messages_of_one_sender() -> None:
    assert see(InSenderOrder(), "0+a 1+b 2:b1 2:a0") is None


def test_concurrent_messages_may_come_in_any_order() -> None:
    assert see(CausalOrder(), "0+a 1+b 2:b1 2:a0 0:a0 0:b1 1:b1 1:a0") is None


def test_causes_of_causes_count() -> None:
    """a, then b by one who has a, then c by one who has b: c must wait for a, whoever delivers it."""
    story = "0+a 1:a0 1+b 2:a0 2:b1 2+c 0:a0 0:b1 0:c2"

    assert see(CausalOrder(), story) is None
    assert "a of 0 happened before it" in str(see(CausalOrder(), "0+a 1:a0 1+b 2:a0 2:b1 2+c 1:b1 0:c2"))


def test_a_causes_own_earlier_messages_count() -> None:
    assert "a of 0 happened before it" in str(see(CausalOrder(), "0+a 0+b 1:b0"))


def test_of_two_deliveries_one_must_be_the_beginning_of_the_other() -> None:
    """A gap is enough: both deliver b after nothing else in common, but node 1 lacks a."""
    assert see(TotalOrder(), "0+a 0+b 0+c 0:a0 0:b0 0:c0 1:a0") is None
    assert "total order" in str(see(TotalOrder(), "0+a 0+b 0:a0 0:b0 1:b0"))


def test_the_order_binds_nodes_that_crash_later() -> None:
    assert "total order" in str(see(TotalOrder(), "0+a 1+b 2:b1 2! 0:a0", correct=(0, 1)))


def test_links_are_asked_for_nothing_that_was_on_its_way_in_a_crash() -> None:
    """But for what is sent after the node is back."""
    assert see(ReliableDelivery(), "0>1a 1! 1?", correct=(0, 2)) is None
    assert see(ReliableDelivery(), "0>1a 0!", correct=(1, 2)) is None
    assert "node 0 sent b to 1" in str(see(ReliableDelivery(), "0>1a 1! 1? 0>1b", correct=(0, 2)))


def test_a_new_life_may_deliver_again_what_the_last_one_did() -> None:
    assert see(NoDuplication(), "0>1a 1:a0 1! 1? 1:a0") is None


def test_fifo_links_deliver_nothing_that_was_not_sent() -> None:
    assert "all that was sent is delivered" in str(see(SendOrder(), "0>1a 1:a0 1:b0"))

"""Faults as layers, put anywhere in a stack."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.network import Duplication, LinkCut, Loss, NetworkPartition, Overtaking, When
from kumi.protocols import (
    Acknowledged,
    FairLossLinks,
    Layer,
    PerfectLinks,
    ReliableBroadcast,
    StackError,
    ToEach,
)
from kumi.protocols.fault_injection import disturbed
from kumi.protocols.fifo import SenderOrder
from kumi.protocols.reliable import EagerRelay
from tests.protocols.groups import Fate, Group


def numbers(group: Group, count: int) -> list[str]:
    for number in range(count):
        group.send_at(0.1 * number, 0, str(number), to=1)
    group.run()
    return group.words(1)


def test_without_a_disturbance_all_passes_as_it_is() -> None:
    assert numbers(Group(lambda: (disturbed(FairLossLinks),)), 3) == ["0", "1", "2"]


def test_what_is_dropped_is_counted_with_the_network() -> None:
    group = Group(lambda: (disturbed(FairLossLinks, Loss(0.5)),))
    heard = numbers(group, 100)

    assert 30 < len(heard) < 70
    assert group.network.dropped["disturbed"] == 100 - len(heard)


def test_perfect_links_mend_what_is_dropped_below_them() -> None:
    group = Group(lambda: (Acknowledged(), disturbed(FairLossLinks, Loss(0.5), Duplication(0.5, within=0.1))))

    assert sorted(numbers(group, 30), key=int) == [str(number) for number in range(30)]


def test_a_doubled_message_comes_again_later() -> None:
    group = Group(lambda: (disturbed(FairLossLinks, Duplication(1.0, within=0.25)),))
    group.send(0, "a", to=1)
    group.run()
    (first, *_), (again, *what) = group.heard

    assert first == 0.01
    assert 0.01 < again < 0.26
    assert what == [1, "a", 0]


def test_a_cut_loses_what_comes_while_it_lasts() -> None:
    """Sent at 0.0, 0.1, …, 0.9, and 0.01 on their way; those of 0.3 to 0.5 are lost."""
    group = Group(lambda: (disturbed(FairLossLinks, NetworkPartition({1}, when=When(start=0.3, end=0.6))),))

    assert numbers(group, 10) == ["0", "1", "2", "6", "7", "8", "9"]


def test_a_cut_can_be_for_some_senders_only() -> None:
    group = Group(lambda: (disturbed(FairLossLinks, LinkCut(0, 1, When(end=9.0))),))
    group.send(0, "a", to=1)
    group.send(2, "b", to=1)
    group.run()

    assert group.words(1) == ["b"]


def test_delays_change_the_order() -> None:
    group = Group(lambda: (disturbed(FairLossLinks, Overtaking(1.0, within=1.0)),))
    heard = numbers(group, 20)

    assert heard != sorted(heard, key=int)
    assert sorted(heard, key=int) == [str(number) for number in range(20)]


def test_disturbances_act_in_the_order_given() -> None:
    """All is doubled, and then the first copy is cut."""
    group = Group(
        lambda: (
            disturbed(
                FairLossLinks, Duplication(1.0, within=0.2), NetworkPartition({1}, when=When(end=0.011))
            ),
        )
    )
    group.send(0, "a", to=1)
    group.run()

    ((time, *what),) = group.heard

    assert 0.011 <= time < 0.21
    assert what == [1, "a", 0]


def test_a_broadcast_can_be_disturbed_in_the_middle_of_a_stack() -> None:
    """FIFO order above puts right what is out of order below it, and stands still where something is lost."""

    def stack(*disturbances: Any) -> Group:
        group = Group(
            lambda: (
                SenderOrder(),
                disturbed(ReliableBroadcast, *disturbances),
                EagerRelay(),
                ToEach(),
                Acknowledged(),
            )
        )
        for number in range(10):
            group.broadcast_at(0.1 * number, 0, str(number))
        group.run()
        return group

    assert stack(Overtaking(1.0, within=1.0)).words(2) == [str(number) for number in range(10)]
    assert stack(NetworkPartition({0}, when=When(start=0.25, end=0.35))).words(2) == ["0", "1", "2"]


def test_it_needs_below_what_it_passes_for() -> None:
    with pytest.raises(StackError, match="DisturbedPerfectLinks needs PerfectLinks") as error:
        Group(lambda: (disturbed(PerfectLinks, Loss(0.1)),), Fate(lambda _flight: 0.0))

    assert "put one of Disturbed" not in str(error.value)


def test_only_links_and_broadcasts_can_be_disturbed() -> None:
    with pytest.raises(TypeError, match="only links and broadcasts"):
        disturbed(Layer)  # type: ignore[type-var]

"""Snapshots: a cut through a run that could have been a moment of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.checking.cases.snapshot import Bank, Money
from kumi.devs import Simulation
from kumi.network import Exponential, Loss, Node, SimulatedNetwork
from kumi.protocols import Acknowledged, Stack
from kumi.protocols.fifo import InOrder
from kumi.protocols.snapshot import ChandyLamport, SnapshotPart
from tests.protocols.company import Company
from tests.protocols.groups import Word

Parts = Mapping[int, SnapshotPart]


def company_with(
    states: dict[int, Any], size: int = 2
) -> tuple[Company, list[tuple[float, int, int, Parts]]]:
    company = Company(lambda: (ChandyLamport(),), size=size)
    found: list[tuple[float, int, int, Parts]] = []
    for address in range(size):
        layer = company.top(address)
        layer.state_is(lambda at=address: states[at])
        layer.when_collected(
            lambda number, parts, at=address: found.append(
                (round(company.simulation.now, 9), at, number, parts)
            )
        )
    return company, found


def test_a_snapshot_has_the_state_of_each_node() -> None:
    """The marker goes out, the other part comes back: three hops of 0.01 s with the own part's."""
    company, found = company_with({0: "a", 1: "b"})
    company.at(1.0, lambda: company.top(0).take())
    company.run()

    assert found == [(1.03, 0, 0, {0: SnapshotPart("a", {}), 1: SnapshotPart("b", {})})]


def test_what_was_under_way_belongs_to_the_link() -> None:
    """Node 1 sends just before the marker of 0 comes: its message is neither here nor there."""
    company, found = company_with({0: "a", 1: "b"})
    company.at(1.0, lambda: company.top(0).take())
    company.at(1.005, lambda: company.top(1).send(Word("under way"), 0))
    company.run()

    assert found[0][3][0].channels == {1: (Word("under way"),)}


def test_what_came_before_or_was_sent_after_does_not() -> None:
    company, found = company_with({0: "a", 1: "b"})
    company.at(0.9, lambda: company.top(1).send(Word("before"), 0))
    company.at(1.0, lambda: company.top(0).take())
    company.at(1.015, lambda: company.top(1).send(Word("after"), 0))
    company.run()

    assert found[0][3] == {0: SnapshotPart("a", {}), 1: SnapshotPart("b", {})}
    assert [event[2] for event in company.told] == [Word("before"), Word("after")]


def test_two_snapshots_at_once_do_not_disturb_each_other() -> None:
    company, found = company_with({0: "a", 1: "b"})
    company.at(1.0, lambda: company.top(0).take())
    company.at(1.001, lambda: company.top(1).take())
    company.run()

    assert sorted((at, number) for _, at, number, _ in found) == [(0, 0), (1, 0)]


def test_nothing_is_kept_of_a_snapshot_that_is_complete() -> None:
    company, found = company_with(dict.fromkeys(range(4), 0), size=4)
    for number in range(5):
        company.at(float(number), company.top(number % 4).take)
    company.run()

    assert len(found) == 5
    assert [(layer._recordings, layer._parts) for layer in map(company.top, range(4))] == [({}, {})] * 4


@pytest.mark.parametrize("size", [2, 4])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_no_money_is_lost_or_made(size: int, seed: int) -> None:
    """Each bank begins with 100: balances and money under way make that sum in every snapshot."""
    simulation = Simulation(seed=seed)
    network = SimulatedNetwork(simulation, Exponential(0.1), Loss(0.1))
    sums: list[int] = []

    def move_in(node: Node) -> Stack:
        bank, snapshots = Bank(), ChandyLamport()
        snapshots.when_collected(lambda _number, parts: sums.append(total(parts)))
        return Stack(bank, snapshots, InOrder(), Acknowledged()).settle(node)

    nodes = [
        Node(simulation, network, address, group=range(size), move_in=move_in) for address in range(size)
    ]
    for node in nodes:
        node.start()
    simulation.run(until=60.0)

    assert sums == [100 * size] * (2 * size)


def total(parts: Parts) -> int:
    balances = sum(part.state for part in parts.values())  # type: ignore[misc]
    return balances + sum(
        message.amount
        for part in parts.values()
        for messages in part.channels.values()
        for message in messages
        if isinstance(message, Money)
    )

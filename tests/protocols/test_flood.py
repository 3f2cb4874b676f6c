"""Flooding: from neighbour to neighbour, to each once."""

from __future__ import annotations

import pytest

from kumi.checking.cases.routing import Earshot
from kumi.contract.messages import Address
from kumi.network import Effect, Flight, Node
from kumi.protocols.flood import Flood
from kumi.protocols.routing import Recent
from tests.protocols.groups import Fate, Group


def in_a_line(node: Node, other: Address) -> bool:
    return abs(node.address - other) == 1


def line(
    flood: type[Flood] = Flood, *effects: Effect, size: int = 4, hops: int = 32, repeats: int = 1
) -> Group:
    return Group(lambda: (flood(hops, repeats=repeats), Earshot(in_a_line)), *effects, size=size)


def test_each_node_hears_once_one_hop_after_its_neighbour() -> None:
    group = line()
    group.broadcast_at(1.0, 0, "fire")
    group.run()

    assert group.heard == [
        (1.0, 0, "fire", 0),
        (1.01, 1, "fire", 0),
        (1.02, 2, "fire", 0),
        (1.03, 3, "fire", 0),
    ]


def test_each_node_says_a_message_once() -> None:
    """Three broadcasts reach four nodes in a line; the fourth, by the last node, nobody needs."""
    group = line()
    group.broadcast(0, "fire")
    group.run()

    assert len({(time, sender) for time, sender, _ in group.sent}) == 4


def test_a_message_goes_no_farther_than_its_hops() -> None:
    group = line(hops=2)
    group.broadcast(0, "fire")
    group.run()

    assert [node for _, node, _, _ in group.heard] == [0, 1, 2]


def test_a_later_copy_with_more_hops_left_is_said_again() -> None:
    """Node 2 hears of it over 1 first, with no hop left; the slow copy from 0 itself has one, for node 3."""

    def hears(node: Node, other: Address) -> bool:
        return abs(node.address - other) == 1 or {node.address, other} == {0, 2}

    slow = Fate(lambda flight: 0.05 if (flight.sender, flight.to) == (0, 2) else 0.0)
    group = Group(lambda: (Flood(hops=2), Earshot(hears)), slow, size=4)
    group.broadcast(0, "fire")
    group.run()

    assert group.heard == [
        (0.0, 0, "fire", 0),
        (0.01, 1, "fire", 0),
        (0.02, 2, "fire", 0),
        (0.07, 3, "fire", 0),
    ]


def test_repeats_come_through_where_the_first_is_lost() -> None:
    def lose_the_first(flight: Flight) -> float | None:
        return None if group.simulation.now < 0.05 else 0.0

    group = line(Flood, Fate(lose_the_first), size=2, repeats=2)
    group.broadcast(0, "fire")
    group.run()

    assert group.heard == [(0.0, 0, "fire", 0), (0.06, 1, "fire", 0)]


def test_two_messages_of_one_sender_are_two() -> None:
    group = line(size=2)
    group.broadcast(0, "fire")
    group.broadcast(0, "fire")
    group.run()

    assert group.words(1) == ["fire", "fire"]


@pytest.mark.parametrize("wrong", [{"hops": 0}, {"repeats": 0}, {"pause": 0.0}, {"remember": 0}])
def test_a_flood_that_goes_nowhere_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"(not|and) 0"):
        Flood(**wrong)


def test_what_is_remembered_is_the_last_so_many() -> None:
    recent: Recent[str, int] = Recent(2)
    for key in ("a", "b", "a", "c"):
        recent.put(key, 1)

    assert ("a" in recent, "b" in recent, "c" in recent) == (False, True, True)
    assert len(recent) == 2

"""Routing over several hops: ways are found, kept, repaired and forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kumi.checking.cases.routing import Earshot
from kumi.contract.messages import Address
from kumi.devs import Simulation
from kumi.network import Constant, Effect, Loss, Node, SimulatedNetwork
from kumi.protocols import Acknowledged
from kumi.protocols.aodv import Aodv
from kumi.protocols.hops import Hops
from kumi.protocols.routing import RouteRequest, Routes
from tests.protocols.groups import Group

Hears = Callable[[Node, Address], bool]


def in_a_line(node: Node, other: Address) -> bool:
    return abs(node.address - other) == 1


def square(node: Node, other: Address) -> bool:
    """Nodes 0 and 3 are opposite corners, and so are 1 and 2; at 1 s the side from 1 to 3 breaks."""
    sides = [{0, 1}, {0, 2}, {2, 3}] + ([{1, 3}] if node.simulation.now < 1.0 else [])
    return {node.address, other} in sides


def routed(hears: Hears, *effects: Effect, size: int = 4, **settings: Any) -> Group:
    return Group(lambda: (Aodv(**settings), Hops(), Earshot(hears)), *effects, size=size)


def test_a_message_goes_over_others() -> None:
    """Three hops for the question, three for the answer, three for the message."""
    group = routed(in_a_line)
    group.send_at(1.0, 0, "hello", 3)
    group.run()

    assert group.heard == [(1.09, 3, "hello", 0)]


def test_a_way_that_is_known_is_used_in_both_directions() -> None:
    group = routed(in_a_line)
    group.send_at(1.0, 0, "hello", 3)
    group.send_at(2.0, 0, "again", 3)
    group.send_at(3.0, 3, "back", 0)
    group.run()

    assert group.heard[1:] == [(2.03, 3, "again", 0), (3.03, 0, "back", 3)]


def test_who_knows_a_way_answers_for_the_destination() -> None:
    """Node 1 knows the way to 3 from its own talk, so node 0 asks over one hop."""
    group = routed(in_a_line)
    group.send_at(1.0, 1, "hello", 3)
    group.send_at(2.0, 0, "me, too", 3)
    group.run()

    assert group.heard[1:] == [(2.05, 3, "me, too", 0)]


def test_a_message_to_oneself_stays_at_home() -> None:
    group = routed(in_a_line)
    group.send_at(1.0, 2, "note", 2)
    group.run()

    assert group.heard == [(1.0, 2, "note", 2)]
    assert group.sent == []


def test_a_broken_way_is_repaired_and_nothing_comes_twice() -> None:
    """The first message goes over 1 or over 2; then the side from 1 to 3 breaks."""
    group = routed(square)
    group.send_at(0.5, 1, "before", 3)
    group.send_at(2.0, 1, "after", 3)
    group.run(until=5.0)

    assert group.words(3) == ["before", "after"]
    assert group.layer(1, Aodv).routes.find(3).via == 0
    assert group.layer(0, Aodv).routes.find(3).via == 2


def test_neighbours_learn_that_a_way_is_broken() -> None:
    """Node 0 sent over 1; when 1 has lost its way to 3, it says so, and 0 sends over 2 from then on."""
    group = routed(square)
    group.layer(0, Aodv).routes.offer(3, 1, 2, 1)
    group.layer(1, Aodv).routes.offer(3, 3, 1, 1)
    group.send_at(2.0, 0, "one", 3)
    group.send_at(4.0, 0, "two", 3)
    group.run(until=6.0)

    assert group.words(3) == ["one", "two"]
    assert group.layer(0, Aodv).routes.find(3).via == 2


def test_a_way_that_is_not_used_is_forgotten() -> None:
    """After 10 s without use the way is looked for anew: nine hops again."""
    group = routed(in_a_line, lifetime=10.0)
    group.send_at(1.0, 0, "hello", 3)
    group.send_at(9.0, 0, "in time", 3)
    group.send_at(30.0, 0, "late", 3)
    group.run()

    assert [time for time, *_ in group.heard] == [1.09, 9.03, 30.09]


def test_what_finds_no_way_is_dropped_and_counted() -> None:
    group = routed(lambda _node, _other: False, tries=2)
    group.send_at(1.0, 0, "hello?", 3)
    group.run()

    assert group.heard == []
    assert group.network.dropped["no route"] == 1


def test_only_so_many_messages_wait_for_a_way() -> None:
    group = routed(lambda _node, _other: False, waiting=2)
    for _ in range(5):
        group.send(0, "hello?", 3)
    group.run()

    assert group.network.dropped["too many wait for a route"] == 3
    assert group.network.dropped["no route"] == 2


def test_with_acknowledgements_above_nothing_is_lost() -> None:
    layers = lambda: (Acknowledged(), Aodv(), Hops(), Earshot(in_a_line))  # noqa: E731
    group = Group(layers, Loss(0.2), size=4)
    for number in range(10):
        group.send_at(float(number), 0, f"{number}", 3)
    group.run()

    assert sorted(group.words(3)) == [f"{number}" for number in range(10)]


def test_a_question_is_asked_once_by_each_node() -> None:
    """In a clique of four each node says a question of node 0 about a stranger once."""
    group = routed(lambda _node, _other: True, tries=1)
    asked: list[Any] = []
    group.network.watch(lambda traffic: asked.append(traffic) if "RouteRequest" in repr(traffic) else None)
    group.nodes[3].crash()
    group.send_at(1.0, 0, "hello?", 3)
    group.run()

    senders = [traffic.sender for traffic in asked if type(traffic).__name__ == "MessageSent"]
    assert sorted(set(senders)) == [0, 1, 2]
    assert (
        len({(traffic.time, traffic.sender) for traffic in asked if type(traffic).__name__ == "MessageSent"})
        == 3
    )


def table() -> Routes:
    simulation = Simulation()
    node = Node(simulation, SimulatedNetwork(simulation, Constant(0.01)), 0, group=range(9), move_in=Idle)
    return Routes(node, 10.0, lambda _to, _via: None)


class Idle:
    def __init__(self, _node: Node) -> None:
        pass

    def begin(self) -> None:
        pass

    def receive(self, message: Any, sender: Address) -> None:
        pass


@pytest.mark.parametrize(
    ("hops", "freshness", "is_taken"),
    [(9, 6, True), (2, 5, True), (3, 5, False), (4, 5, False), (1, 4, False)],
)
def test_a_fresher_route_wins_and_of_equally_fresh_ones_the_shorter(
    hops: int, freshness: int, is_taken: bool
) -> None:
    routes = table()
    routes.offer(8, 1, 3, 5)

    assert routes.offer(8, 2, hops, freshness) is is_taken
    assert routes.find(8).via == (2 if is_taken else 1)  # type: ignore[union-attr]


def test_after_a_break_only_a_fresher_route_is_taken() -> None:
    routes = table()
    routes.offer(8, 1, 3, 5)
    routes.break_off(8, 6)

    assert routes.find(8) is None
    assert not routes.offer(8, 2, 1, 5)
    assert routes.offer(8, 2, 7, 6)


def test_an_old_report_of_a_break_is_not_believed() -> None:
    routes = table()
    routes.offer(8, 1, 3, 5)
    routes.break_off(8, 5)

    assert routes.find(8) is not None


def test_a_node_that_comes_back_takes_no_route_from_before() -> None:
    group = routed(in_a_line)
    group.send_at(1.0, 0, "hello", 3)
    group.at(2.0, group.nodes[1].restart)
    group.run(until=3.0)
    routes = group.layer(1, Aodv).routes

    assert routes.find(3) is None
    assert not routes.offer(3, 0, 2, routes.freshness(3) - 1)


def test_a_question_carries_how_fresh_a_way_must_be() -> None:
    group = routed(in_a_line)
    group.layer(0, Aodv).routes.break_off(3, 7)
    asked: list[RouteRequest] = []
    group.layer(3, Aodv).air.listen(lambda message, _sender: asked.append(message))
    group.send_at(1.0, 0, "hello", 3)
    group.run()

    assert asked[0].wanted_freshness == 7
    assert group.layer(0, Aodv).routes.freshness(3) == 7


@pytest.mark.parametrize("wrong", [{"lifetime": 0.0}, {"patience": 0.0}, {"tries": 0}, {"waiting": 0}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\b0"):
        Aodv(**wrong)


def test_hops_that_are_never_tried_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 try"):
        Hops(tries=0)

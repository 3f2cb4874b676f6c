"""Crashes, pauses and omissions happen at their instants."""

from __future__ import annotations

from math import sqrt

import pytest

from kumi.contract.messages import Message
from kumi.devs import Simulation
from kumi.network import Constant, Omission, Omissions
from kumi.network.errors import NetworkError, UnknownNode
from kumi.network.failures import NodeCrash, NodePause, check_apart, plan_failures
from kumi.network.node import Node
from kumi.network.simulated import SimulatedNetwork
from tests.network.stations import Net, Say


class Beat:
    """Sends to the other node every second, and writes down what comes."""

    log: list[tuple[float, int, int]]

    def __init__(self, node: Node, log: list[tuple[float, int, int]]) -> None:
        self.node = node
        self.log = log
        self.count = node.storage.get("count", 0)

    def begin(self) -> None:
        self.node.after(1.0, self._beat)

    def _beat(self) -> None:
        self.count += 1
        self.node.storage.put("count", self.count)
        self.node.send(Say(self.count), 1 - self.node.address)
        self.node.after(1.0, self._beat)

    def receive(self, message: Message, sender: int) -> None:
        assert isinstance(message, Say)
        self.log.append((self.node.simulation.now, self.node.address, message.n))


def play(*failures: NodeCrash | NodePause, until: float = 6.5) -> list[tuple[float, int, int]]:
    """Return what arrives at two nodes that send each other a number a second, half a second under way."""
    log: list[tuple[float, int, int]] = []
    simulation = Simulation()
    network = SimulatedNetwork(simulation, Constant(0.5))
    nodes = [
        Node(simulation, network, address, group=range(2), move_in=lambda node: Beat(node, log))
        for address in range(2)
    ]
    plan_failures(nodes, failures)
    for node in nodes:
        node.start()
    simulation.run(until=until)
    return log


def at(log: list[tuple[float, int, int]], address: int) -> list[tuple[float, int]]:
    return [(time, n) for time, to, n in log if to == address]


def test_a_crash_is_for_good() -> None:
    """Node 1 sends at 1 and 2 s, and receives at 1.5 s."""
    log = play(NodeCrash(node=1, start=2.5))

    assert at(log, 0) == [(1.5, 1), (2.5, 2)]
    assert at(log, 1) == [(1.5, 1)]


def test_who_crashes_at_an_instant_receives_nothing_at_that_instant() -> None:
    assert at(play(NodeCrash(node=1, start=1.5)), 1) == []


def test_a_node_comes_back_with_what_it_stored_or_without() -> None:
    """Down from 2.25 to 4.25 s: it beats at 1 and 2, then at 5.25 s, counting on or anew."""
    back = play(NodeCrash(node=1, start=2.25, end=4.25))
    assert at(back, 0) == [(1.5, 1), (2.5, 2), (5.75, 3)]

    forgot = play(NodeCrash(node=1, start=2.25, end=4.25, forget=True))
    assert at(forgot, 0) == [(1.5, 1), (2.5, 2), (5.75, 1)]


def test_a_paused_node_does_later_what_came_meanwhile() -> None:
    """Paused from 2.25 to 5 s: the beats of 2.5, 3.5 and 4.5 s are taken in at 5 s."""
    log = play(NodePause(node=1, start=2.25, end=5.0), until=5.25)

    assert at(log, 1) == [(1.5, 1), (5.0, 2), (5.0, 3), (5.0, 4)]


def test_failures_are_for_nodes_that_are_there() -> None:
    with pytest.raises(UnknownNode, match=r"there is no node 7 for NodeCrash\(node=7.*there are \[0, 1\]"):
        play(NodeCrash(node=7, start=1.0))
    with pytest.raises(ValueError, match=r"a crash ends at or after its start at 3\.0 s, not at 1\.0"):
        NodeCrash(node=0, start=3.0, end=1.0)


def test_a_node_omits_to_send_a_share() -> None:
    net = Net(Omissions(Omission(node=1, sending=0.25)))
    for _ in range(4000):
        net.network.send(1, 0, Say())
        net.network.send(0, 1, Say())
    net.run()

    omitted = net.network.dropped["send omission"]
    assert omitted / 4000 == pytest.approx(0.25, abs=5 * sqrt(0.25 * 0.75 / 4000))
    assert len(net.log) == 8000 - omitted
    net.check_conservation()


def test_a_node_omits_to_receive_for_a_time() -> None:
    """It is judged when the message arrives, a second after it was sent."""
    net = Net(Constant(1.0), Omissions(Omission(node=1, receiving=1.0, start=2.0, end=3.0)))
    for time in (0.5, 1.0, 1.5, 2.0):
        net.broadcast_at(time, 0)
    net.send_at(1.25, 1, 1)
    net.run()

    assert [time for time, to in net.arrivals if to == 1] == [1.5, 2.25, 3.0]
    assert net.drops == [(2.0, 1, "receive omission"), (2.5, 1, "receive omission")]
    assert len([to for _, to in net.arrivals if to == 2]) == 4


def test_wrong_omissions_are_refused_with_the_rule() -> None:
    with pytest.raises(ValueError, match="the probability of a send omission is between 0 and 1, not 2"):
        Omission(node=0, sending=2)
    with pytest.raises(TypeError, match="is an Omission, not 3"):
        Omissions(3)  # type: ignore[arg-type]


def test_two_failures_of_one_node_at_a_time_are_refused() -> None:
    with pytest.raises(NetworkError, match="node 1 cannot fail twice at a time"):
        check_apart([NodeCrash(node=1, start=1.0, end=5.0), NodePause(node=1, start=2.0, end=3.0)])
    check_apart(
        [
            NodeCrash(node=1, start=1.0, end=5.0),
            NodePause(node=1, start=5.0, end=6.0),
            NodeCrash(node=2, start=2.0),
        ]
    )

"""What a node takes in memory does not depend on how many others there are."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.network import Constant, Node, SimulatedNetwork, UnknownNode
from kumi.network.group import Others
from kumi.protocols import Acknowledged, Aodv, Flood, Gossip, Hops, Stack

STACKS: dict[str, Callable[[], Stack]] = {
    "gossip": lambda: Stack(Gossip()),
    "flooding": lambda: Stack(Flood()),
    "routing": lambda: Stack(Acknowledged(), Aodv(), Hops()),
}


def bytes_a_node(make: Callable[[], Stack], number: int) -> float:
    """Return what a node takes among so many, made as the guide makes them, after a few seconds."""
    gc.collect()
    tracemalloc.start()
    try:
        with Simulation(seed=1) as simulation:
            network = SimulatedNetwork(simulation, Constant(0.01))
            nodes = [
                Node(
                    simulation,
                    network,
                    address,
                    group=range(number),
                    move_in=lambda node: make().settle(node),
                )
                for address in range(number)
            ]
            for node in nodes:
                node.start()
            simulation.run(until=2.0)
            gc.collect()
            return tracemalloc.get_traced_memory()[0] / number
    finally:
        tracemalloc.stop()


@pytest.mark.some_of(3)
@pytest.mark.parametrize("protocol", STACKS)
def test_the_memory_of_a_node_does_not_grow_with_the_group(protocol: str) -> None:
    bytes_a_node(STACKS[protocol], 10)  # what is kept for all is there now
    small, large = (bytes_a_node(STACKS[protocol], number) for number in (300, 1200))

    assert large < 1.1 * small
    assert large < 12_000


@pytest.mark.parametrize(
    "given", [range(4), (0, 1, 2, 3), [3, 2, 1, 0], {0, 1, 2, 3}, dict.fromkeys(range(4))]
)
def test_nodes_that_name_the_same_group_share_one_tuple(given: range) -> None:
    network = SimulatedNetwork(Simulation())

    first = network.shared_group(given)

    assert first == (0, 1, 2, 3)
    assert network.shared_group(range(4)) is first
    assert network.shared_group([0, 1, 2, 3]) is first
    assert network.shared_group((0, 1, 2, 3)) is first


def test_a_group_that_was_changed_in_between_is_another_group() -> None:
    network = SimulatedNetwork(Simulation())
    growing = [0, 1]

    assert network.shared_group(growing) == (0, 1)
    growing.append(2)
    assert network.shared_group(growing) == (0, 1, 2)
    assert network.shared_group(range(2)) == (0, 1)


@given(st.sets(st.integers(-50, 50), min_size=1), st.data())
def test_the_others_are_the_tuple_of_the_others(addresses: set[int], data: st.DataObject) -> None:
    """In all that a tuple can do: length, order, places from both ends, parts, membership, equality."""
    group = tuple(sorted(addresses))
    place = data.draw(st.integers(0, len(group) - 1))
    expected = tuple(address for address in group if address != group[place])
    others = Others(group, place)

    assert (list(others), len(others), hash(others)) == (list(expected), len(expected), hash(expected))
    assert others == expected
    assert repr(others) == repr(expected)
    assert others != (*expected, 99)
    for index in range(-len(expected), len(expected)):
        assert others[index] == expected[index]
    assert others[1:-1] == expected[1:-1]
    assert all((address in others) == (address in expected) for address in range(-51, 52))
    for index in (len(expected), -len(expected) - 1):
        with pytest.raises(IndexError, match=f"there are {len(expected)} others"):
            others[index]


def test_a_node_that_is_not_in_its_group_is_refused() -> None:
    simulation = Simulation()
    with pytest.raises(UnknownNode, match="node 5 is not in its own group"):
        Node(
            simulation,
            SimulatedNetwork(simulation),
            5,
            group=range(5),
            move_in=lambda node: Stack().settle(node),
        )

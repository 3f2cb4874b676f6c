"""What is wrong about peers, places and real nodes is told in one sentence, before anything is sent."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kumi.devs import Simulation
from kumi.network import NetworkError, Node, RealNetwork, TcpNetwork, UdpNetwork
from kumi.network.running import SharedFolder, run_node, serve_node
from kumi.protocols import Stack
from tests.network.hearers import Hearer
from tests.network.processes import comes_true

HERE = ("127.0.0.1", 7000)
BOTH: list[type[RealNetwork]] = [UdpNetwork, TcpNetwork]

PEERS: list[tuple[Any, str]] = [
    (
        [HERE, HERE],
        'peers are addresses with their places, such as {0: ("127.0.0.1", 7000), 1: None}, not [(',
    ),
    (None, "peers are addresses with their places"),
    ({"0": HERE}, "an address on a real network is a whole number of 32 bits, not '0'"),
    ({-1: HERE}, "an address on a real network is a whole number of 32 bits, not -1"),
    ({1 << 32: HERE}, "an address on a real network is a whole number of 32 bits, not 4294967296"),
    ({True: HERE}, "an address on a real network is a whole number of 32 bits, not True"),
    ({0: None, 1: ("127.0.0.1", 65_536)}, "node 1 has port 65536, but ports go from 1 to 65535"),
    ({0: ("127.0.0.1", -1)}, "node 0 has port -1, but ports go from 1 to 65535"),
    ({0: ("127.0.0.1", "7000")}, "the place of node 0 is a host and a port, such as"),
    ({0: ("127.0.0.1", 7000.0)}, "the place of node 0 is a host and a port, such as"),
    ({0: ("127.0.0.1", True)}, "the place of node 0 is a host and a port, such as"),
    ({0: "127.0.0.1:7000"}, "the place of node 0 is a host and a port, such as"),
    ({0: ["127.0.0.1", 7000]}, "the place of node 0 is a host and a port, such as"),
    ({0: ("127.0.0.1",)}, "the place of node 0 is a host and a port, such as"),
    ({0: ("", 7000)}, "the place of node 0 is a host and a port, such as"),
    ({0: (b"127.0.0.1", 7000)}, "the place of node 0 is a host and a port, such as"),
    ({0: 7000}, "the place of node 0 is a host and a port, such as"),
]

OPENING: list[tuple[Any, str]] = [
    (
        {0: HERE, 1: HERE},
        "nodes 0 and 1 are both at port 7000 of 127.0.0.1, but node 1 is not in this process; each process needs a port",
    ),
    ({0: None, 1: ("127.0.0.1", 0)}, "node 1 has port 0, which stands for any free one"),
    (
        {0: None, 1: ("no.such.host.invalid", 7000)},
        "there is no host 'no.such.host.invalid' for the port 7000",
    ),
    ({0: ("no.such.host.invalid", 7000)}, "there is no host 'no.such.host.invalid' for the port 7000"),
    ({0: None, 1: ("x" * 300, 7000)}, "there is no host 'xxx"),
    ({0: None, 1: ("a\0b", 7000)}, "there is no host 'a\\x00b' for the port 7000"),
    ({0: ("203.0.113.1", 7000)}, "port 7000 of 203.0.113.1 cannot be used"),
]


def move_in(node: Node) -> Stack:
    return Stack().settle(node)


async def opened(kind: type[RealNetwork], peers: Any) -> None:
    with Simulation() as simulation:
        network = kind(simulation, peers)
        network.join(0, Hearer())
        async with network:
            pass


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(("peers", "words"), PEERS)
def test_peers_that_cannot_be_are_refused_when_the_network_is_made(
    kind: type[RealNetwork], peers: Any, words: str
) -> None:
    with pytest.raises((TypeError, NetworkError), match=f"^{re.escape(words)}"):
        kind(Simulation(), peers)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(("peers", "words"), OPENING)
def test_places_that_cannot_be_are_refused_when_the_network_opens(
    kind: type[RealNetwork], peers: Any, words: str
) -> None:
    with pytest.raises(NetworkError, match=f"^{re.escape(words)}"):
        asyncio.run(opened(kind, peers))


@pytest.mark.parametrize("kind", BOTH)
def test_a_port_that_is_taken_is_told_by_its_number(kind: type[RealNetwork]) -> None:
    sort = socket.SOCK_DGRAM if kind is UdpNetwork else socket.SOCK_STREAM
    with socket.socket(type=sort) as taken:
        taken.bind(("127.0.0.1", 0))
        if kind is TcpNetwork:
            taken.listen()
        place = taken.getsockname()
        with pytest.raises(NetworkError, match=f"^port {place[1]} of 127.0.0.1 cannot be used"):
            asyncio.run(opened(kind, {0: place}))


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("1000", "the limit of a message's size in bytes is a whole number, not '1000'"),
        (0, "the limit of a message's size in bytes is a whole number >= 1, not 0"),
        (1 << 25, "on a real network a message takes at most 16777216 bytes, not 33554432"),
    ],
)
def test_a_limit_that_cannot_be_is_refused(kind: type[RealNetwork], limit: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError, NetworkError), match=re.escape(words)):
        kind(Simulation(), {0: None}, limit=limit)


@pytest.mark.parametrize("kind", BOTH)
def test_a_network_without_a_simulation_is_refused(kind: type[RealNetwork]) -> None:
    with pytest.raises(TypeError, match="a real network takes a Simulation first"):
        kind({0: None}, {0: None})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (lambda: run_node(2, {0: None, 1: None}, move_in), "node 2 is not among the peers, which are 0, 1"),
        (lambda: run_node("0", {0: None}, move_in), "node '0' is not among the peers, which are 0"),  # type: ignore[arg-type]
        (lambda: run_node(0, [HERE], move_in), "peers are addresses with their places"),  # type: ignore[arg-type]
        (lambda: run_node(0, {0: None}, Stack()), "what lives on a node is made by a function of the node"),  # type: ignore[arg-type]
        (lambda: run_node(0, {0: None}, Stack), "what lives on a node is made by a function of the node"),  # type: ignore[arg-type]
        (
            lambda: run_node(0, {0: None}, move_in, over="tcp"),  # type: ignore[arg-type]
            "a node runs over a class of real networks, such as UdpNetwork, not over 'tcp'",
        ),
        (
            lambda: run_node(0, {0: HERE, 1: HERE}, move_in, over=TcpNetwork),
            "nodes 0 and 1 are both at port 7000 of 127.0.0.1",
        ),
    ],
)
def test_a_node_that_cannot_be_run_is_refused(run: Callable[[], object], words: str) -> None:
    with pytest.raises((TypeError, NetworkError), match=f"^{re.escape(words)}"):
        run()


@pytest.mark.parametrize("kind", BOTH)
def test_a_node_that_is_found_where_it_cannot_be_is_counted(kind: type[RealNetwork], tmp_path: Path) -> None:
    """Others write what a discovery reads; it ends no run."""
    (tmp_path / "1").write_text("127.0.0.1 99999")
    (tmp_path / "2").write_text("no.such.host.invalid 7000")

    async def check() -> RealNetwork:
        nodes: list[Node] = []
        serving = asyncio.create_task(
            serve_node(
                0,
                dict.fromkeys(range(3)),
                move_in,
                over=kind,
                discovery=SharedFolder(tmp_path),
                opened=nodes.append,
            )
        )
        await comes_true(lambda: nodes and nodes[0].network.dropped.total() == 2, "both are found")
        nodes[0].simulation.stop()
        return (await serving).network

    network = asyncio.run(check())
    assert network.complaints == {
        "node 1 was found where it cannot be": "node 1 has port 99999, but ports go from 1 to 65535",
        "node 2 was found where it cannot be": network.complaints["node 2 was found where it cannot be"],
    }
    assert network.complaints["node 2 was found where it cannot be"].startswith("there is no host")

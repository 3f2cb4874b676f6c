"""Nodes over UDP: everything arrives once on perfect links, and nothing that a peer sends can harm a node."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from kumi.contract.messages import Address, Message
from kumi.devs import Simulation
from kumi.network import inbox
from kumi.network.errors import NetworkError, NotAMessage, TooLarge, UnknownNode
from kumi.network.real import MARK, MESSAGE_HEAD, QUOTA, Place
from kumi.network.recorded import replay
from kumi.network.udp import UdpNetwork
from kumi.network.wire import encode
from tests.network.hearers import Hearer, running
from tests.network.peer import Talk, stack
from tests.network.processes import Peer, comes_true


@dataclass(frozen=True, slots=True)
class UdpWord(Message):
    text: str


class Other:
    """A socket that pretends to be a node, or does not."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))

    @property
    def place(self) -> Place:
        host, port = self.socket.getsockname()
        return host, port

    def say(self, message: Message, at: UdpNetwork, sender: Address = 1, to: Address = 0) -> None:
        self.say_raw(MESSAGE_HEAD.pack(MARK, sender, to) + encode(message), at)

    def say_raw(self, data: bytes, at: UdpNetwork) -> None:
        self.socket.sendto(data, at.place)


@contextmanager
def others(count: int = 1) -> Iterator[list[Other]]:
    made = [Other() for _ in range(count)]
    yield made
    for other in made:
        other.socket.close()


@asynccontextmanager
async def node(*peers: Other, limit: int | None = None) -> AsyncIterator[tuple[UdpNetwork, Hearer]]:
    """Open a network with node 0 on it; the others are nodes 1, 2, and so on."""
    places: dict[Address, Place | None] = {0: None}
    places.update({number: peer.place for number, peer in enumerate(peers, 1)})
    hearer = Hearer()
    with Simulation() as simulation:
        network = UdpNetwork(simulation, places, limit=limit)
        network.join(0, hearer)
        async with network:
            yield network, hearer


# Between processes.


@pytest.mark.slow
def test_five_processes_over_a_network_that_loses_a_fifth_deliver_everything_once(tmp_path: Path) -> None:
    """Perfect links on UDP; and each recorded process does the same again when it is replayed."""
    peers = [Peer("talk", address, 5, "lossy", 20, tmp_path) for address in range(5)]
    for peer in peers:
        peer.wait_until(lambda peer: len(peer.got) >= 100)
    for peer in peers:
        peer.terminate()

    everything = [(sender, number) for sender in range(5) for number in range(20)]
    for address, peer in enumerate(peers):
        assert sorted(peer.got) == everything
        assert peer.process.returncode == 0
        assert peer.over is not None
        assert peer.over[1]["loss"] > 0
        again = replay(tmp_path / f"{address}.recording", partial(stack, count=20)).check()
        assert again.node.resident[Talk].got == peer.got  # type: ignore[index]


# What comes from outside.


def test_what_a_peer_sends_arrives() -> None:
    async def check() -> None:
        with others() as [peer]:
            async with node(peer) as (network, hearer), running(network):
                peer.say(UdpWord("hello"), network)
                await comes_true(lambda: hearer.heard, "the word arrives")

        assert hearer.heard == [(UdpWord("hello"), 1)]

    asyncio.run(check())


def test_malformed_packets_are_counted_and_dropped_with_a_reason() -> None:
    """The node goes on: the word after them arrives."""

    async def check() -> None:
        with others() as [peer]:
            async with node(peer) as (network, hearer), running(network):
                peer.say_raw(b"", network)
                peer.say_raw(b"nonsense", network)
                peer.say_raw(MESSAGE_HEAD.pack(MARK, 1, 0) + b"\xff\x00", network)
                peer.say_raw(MESSAGE_HEAD.pack(MARK, 1, 0) + b"\x92\xa7UdpWord\x91\x05", network)
                peer.say(UdpWord("hello"), network)
                await comes_true(lambda: hearer.heard, "the word arrives")

        assert hearer.heard == [(UdpWord("hello"), 1)]
        assert network.dropped == {"malformed from node 1": 4}
        assert network.complaints == {
            "malformed from node 1": "a packet is no UdpWord: Expected `str`, got `int` - at `$[0]`"
        }

    asyncio.run(check())


def test_strangers_and_forgers_are_not_heard() -> None:
    """A datagram counts only from where the node it names is known to be."""

    async def check() -> None:
        with others(3) as [peer, second, stranger]:
            async with node(peer, second) as (network, hearer), running(network):
                stranger.say(UdpWord("I am node 1"), network, sender=1)
                peer.say(UdpWord("I am node 2"), network, sender=2)
                peer.say(UdpWord("I am node 9"), network, sender=9)
                peer.say(UdpWord("to node 2"), network, to=2)
                peer.say(UdpWord("hello"), network)
                await comes_true(lambda: hearer.heard, "the word arrives")

        assert hearer.heard == [(UdpWord("hello"), 1)]
        assert network.dropped == {
            "from nobody on the list": 1,
            "forged by node 1": 2,
            "misdirected by node 1": 1,
        }

    asyncio.run(check())


def test_a_message_over_the_limit_is_dropped_when_it_comes() -> None:
    async def check() -> None:
        with others() as [peer]:
            async with node(peer, limit=30) as (network, hearer), running(network):
                peer.say(UdpWord("x" * 20), network)
                peer.say(UdpWord("hello"), network)
                await comes_true(lambda: hearer.heard, "the word arrives")

        assert hearer.heard == [(UdpWord("hello"), 1)]
        assert network.dropped == {"too large a message from node 1": 1}

    asyncio.run(check())


def test_a_flood_fills_the_queue_of_its_sender_alone() -> None:
    """The flood is cut to its queue; one who sends ten messages is heard within the first instants."""

    async def check() -> None:
        with others(2) as [flooder, quiet]:
            async with node(flooder, quiet) as (network, hearer):
                for _ in range(30):
                    for _ in range(100):
                        flooder.say(UdpWord("flood"), network)
                    await asyncio.sleep(0)  # the network reads what came
                for number in range(10):
                    quiet.say(UdpWord(f"{number}"), network, sender=2)
                dropped = "node 1 sends faster than this node takes"
                waiting = inbox.MOST_MESSAGES + 10
                await comes_true(lambda: len(network._inbox) == waiting, "all has come")
                await comes_true(lambda: network.dropped[dropped] == 3000 - inbox.MOST_MESSAGES, "all came")
                async with running(network):
                    await comes_true(lambda: len(hearer.heard) == waiting, "all is delivered")

        places = [place for place, (_, sender) in enumerate(hearer.heard) if sender == 2]
        assert places == list(range(1, 21, 2))
        assert places[-1] < QUOTA

    asyncio.run(check())


# What is sent.


def test_a_peer_that_is_not_there_does_no_harm() -> None:
    """The system may say that nobody listens; the node goes on, and hears the other one."""

    async def check() -> None:
        with others(2) as [gone, peer]:
            async with node(gone, peer) as (network, hearer), running(network):
                gone.socket.close()
                for _ in range(5):
                    network.send(0, 1, UdpWord("anybody?"))
                peer.say(UdpWord("hello"), network, sender=2)
                await comes_true(lambda: hearer.heard, "the word arrives")

        assert network.sent == 5
        assert hearer.heard == [(UdpWord("hello"), 2)]

    asyncio.run(check())


def test_what_is_sent_to_a_node_that_has_not_been_found_is_counted() -> None:
    async def check() -> None:
        with Simulation() as simulation:
            network = UdpNetwork(simulation, {0: None, 1: None})
            network.join(0, Hearer())
            async with network:
                network.send(0, 1, UdpWord("where are you?"))
            network.send(0, 1, UdpWord("I was closed"))

        assert network.dropped == {"node 1 has not been found": 1, "the network is closed": 1}

    asyncio.run(check())


def test_nodes_of_one_process_hear_each_other_and_themselves() -> None:
    async def check() -> None:
        here = ("127.0.0.1", 0)
        hearers = [Hearer(), Hearer()]
        with Simulation() as simulation:
            network = UdpNetwork(simulation, {0: here, 1: here})
            for address, hearer in enumerate(hearers):
                network.join(address, hearer)
            async with network, running(network):
                network.send(0, 0, UdpWord("me"))
                network.broadcast(0, UdpWord("all"))
                await comes_true(lambda: network.delivered == 2, "both arrive")

        assert [hearer.heard for hearer in hearers] == [[(UdpWord("me"), 0)], [(UdpWord("all"), 0)]]

    asyncio.run(check())


def test_wrong_use_is_refused() -> None:
    simulation = Simulation()
    network = UdpNetwork(simulation, {0: None, 1: ("127.0.0.1", 9)}, limit=50)
    network.join(0, Hearer())

    with pytest.raises(UnknownNode, match=r"there is no node 7 to receive .*; there are 0, 1"):
        network.send(0, 7, UdpWord("hello"))
    with pytest.raises(NotAMessage, match="a message is a frozen dataclass"):
        network.send(0, 1, "hello")  # type: ignore[arg-type]
    with pytest.raises(TooLarge, match="a UdpWord takes 112 bytes; at most 50 are allowed"):
        network.send(0, 1, UdpWord("x" * 100))
    with pytest.raises(UnknownNode, match="node 2 is not among the peers 0, 1"):
        network.join(2, Hearer())
    with pytest.raises(NetworkError, match="the network is not open"):
        _ = network.place
    with pytest.raises(NetworkError, match="a message takes at most 16777216 bytes, not 16777217"):
        UdpNetwork(simulation, {0: None}, limit=(1 << 24) + 1)


def test_a_port_that_is_taken_is_told() -> None:
    async def check() -> None:
        with others() as [taken], Simulation() as simulation:
            network = UdpNetwork(simulation, {0: taken.place})
            network.join(0, Hearer())
            with pytest.raises(NetworkError, match=r"port .* of 127.0.0.1 cannot be used"):
                async with network:
                    pass

    asyncio.run(check())


def test_a_host_that_is_not_there_is_told() -> None:
    async def check() -> None:
        with Simulation() as simulation:
            network = UdpNetwork(simulation, {0: ("no host of this name.invalid", 0)})
            network.join(0, Hearer())
            with pytest.raises(NetworkError, match=r"there is no host 'no host of this name.invalid'"):
                async with network:
                    pass

    asyncio.run(check())

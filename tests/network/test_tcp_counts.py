"""Every frame that was sent over TCP is delivered or counted, however its connection ends.

The law is of all networks together: what was sent is what was delivered and what was dropped, at either end.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from random import Random

import pytest

from kumi.contract.messages import Address
from kumi.devs import Simulation
from kumi.network import tcp
from kumi.network.outgoing import TAKEN
from kumi.network.real import UNREAD, Place
from kumi.network.tcp import GREETING, TcpNetwork
from tests.network.hearers import Hearer, running
from tests.network.peer import PeerSaid
from tests.network.processes import comes_true
from tests.waiting import free_port

LOST = "lost with the connection to node 1"


def make(own: Address, peers: dict[Address, Place | None]) -> TcpNetwork:
    """Make a network with one node on it, which is not open yet."""
    network = TcpNetwork(Simulation(), {own: None, **peers})
    network.join(own, Hearer())
    return network


def check_counts(*networks: TcpNetwork) -> None:
    """The law, with what was dropped in words where it does not hold."""
    sent = sum(network.sent for network in networks)
    delivered = sum(network.delivered for network in networks)
    dropped = sum(network.dropped.total() for network in networks)
    assert sent == delivered + dropped, (sent, delivered, [dict(network.dropped) for network in networks])


def reset(writer: asyncio.StreamWriter) -> None:
    """End a connection with a reset: what is under way in it is thrown away."""
    own = writer.get_extra_info("socket")
    with suppress(OSError):
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@asynccontextmanager
async def breaking(target: Place, cuts: list[int]) -> AsyncIterator[Place]:
    """Pass connections on to a place; reset each at both ends after so many bytes, and let those after the last be."""
    left = list(cuts)

    async def pass_on(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, budget: list[int], end: Callable[[], None]
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(4096):
                budget[0] -= len(data)
                if budget[0] < 0:
                    end()
                    return
                writer.write(data)
                await writer.drain()
            writer.write_eof()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        budget = [left.pop(0) if left else 1 << 60]
        there_reader, there = await asyncio.open_connection(*target)

        def end() -> None:
            reset(writer)
            reset(there)

        await asyncio.gather(pass_on(reader, there, budget, end), pass_on(there_reader, writer, budget, end))
        writer.close()
        there.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[:2]


def test_nodes_that_close_at_once_lose_nothing() -> None:
    """Forty nodes open, send a hundred messages each, and close, before they are even connected."""

    async def check() -> None:
        hub = make(0, dict.fromkeys(range(1, 41)))
        nodes: list[TcpNetwork] = []
        async with hub, running(hub):
            for address in range(1, 41):
                network = make(address, {0: hub.place})
                nodes.append(network)
                async with network:
                    await hub.meet(address, network.place)
                    for number in range(100):
                        network.send(address, 0, PeerSaid(address, number))
            await comes_true(lambda: hub.delivered == 4000, "all are delivered")

        check_counts(hub, *nodes)
        assert not any(network.dropped for network in nodes)

    asyncio.run(check())


@pytest.mark.parametrize("turns", [0, 1, 2, 5, 20, 100])
def test_a_receiver_that_closes_amid_a_stream_has_said_what_it_took(turns: int) -> None:
    async def check() -> None:
        sender, receiver = make(0, {1: None}), make(1, {0: None})
        async with sender, running(sender):
            async with receiver, running(receiver):
                await sender.meet(1, receiver.place)
                await receiver.meet(0, sender.place)
                await comes_true(lambda: sender.connections, "it is connected")
                for number in range(800):
                    sender.send(0, 1, PeerSaid(0, number))
                    if turns and number % turns == 0:
                        await asyncio.sleep(0)
            for number in range(50):
                sender.send(0, 1, PeerSaid(0, number))

        check_counts(sender, receiver)

    asyncio.run(check())


def test_networks_that_close_at_the_same_time_count_what_crossed() -> None:
    async def check() -> None:
        one, other = make(0, {1: None}), make(1, {0: None})
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(one)
            await stack.enter_async_context(other)
            await one.meet(1, other.place)
            await other.meet(0, one.place)
            async with running(one, other):
                await comes_true(lambda: one.connections and other.connections, "they are connected")
                for number in range(500):
                    one.send(0, 1, PeerSaid(0, number))
                    other.send(1, 0, PeerSaid(1, number))
                    if number % 100 == 0:
                        await asyncio.sleep(0)
            await asyncio.gather(one.close(), other.close())

        check_counts(one, other)

    asyncio.run(check())


def test_what_came_and_was_not_delivered_is_counted() -> None:
    """The receiver has no run, so all of it waits until it closes."""

    async def check() -> None:
        sender, receiver = make(0, {1: None}), make(1, {0: None})
        async with sender, receiver:
            await sender.meet(1, receiver.place)
            await receiver.meet(0, sender.place)
            for number in range(10):
                sender.send(0, 1, PeerSaid(0, number))
            await comes_true(lambda: len(receiver._inbox) == 10, "all have come")

        assert receiver.dropped == {UNREAD: 10}
        check_counts(sender, receiver)

    asyncio.run(check())


@pytest.mark.some_of(5)
@pytest.mark.parametrize("seed", range(8))
def test_resets_lose_what_was_under_way_and_every_frame_of_it_is_counted(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy resets the first connections at random places, in the middle of frames and of words.

    The receiver may have taken frames of which the sender never hears on that connection: the next welcome tells.
    """
    monkeypatch.setattr(tcp, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(tcp, "LAST_PAUSE", 0.01)
    chance = Random(seed)
    cuts = [chance.randrange(0, 4000) for _ in range(20)]

    async def check() -> None:
        receiver = make(1, {0: ("127.0.0.1", free_port())})
        async with receiver, running(receiver), breaking(receiver.place, cuts) as between:
            sender = make(0, {1: between})
            async with sender, running(sender):
                number = 0
                while sender.connections <= len(cuts):
                    for _ in range(chance.randrange(1, 60)):
                        sender.send(0, 1, PeerSaid(0, number))
                        number += 1
                    await asyncio.sleep(0.001)

        check_counts(sender, receiver)
        numbers = [message.number for message, _ in receiver._receivers[1].heard]  # type: ignore[attr-defined]
        assert numbers == sorted(set(numbers))
        assert sender.dropped[LOST] > 0

    asyncio.run(check())


def test_what_a_peer_reads_without_a_word_counts_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have died with it; nobody can know more."""
    monkeypatch.setattr(tcp, "LINGER", 0.05)

    async def check() -> None:
        async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(TAKEN.pack(0))
            with suppress(OSError):
                while await reader.read(4096):
                    pass
            writer.close()

        async with await asyncio.start_server(swallow, "127.0.0.1", 0) as server:
            network = make(0, {1: server.sockets[0].getsockname()[:2]})
            async with network, running(network):
                await comes_true(lambda: network.connections, "it is connected")
                for number in range(30):
                    network.send(0, 1, PeerSaid(0, number))

        assert network.dropped == {LOST: 30}

    asyncio.run(check())


def test_a_half_open_connection_is_left_and_its_frames_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other end neither reads nor closes."""
    monkeypatch.setattr(tcp, "LINGER", 0.05)

    async def check() -> None:
        with socket.socket() as deaf:
            deaf.bind(("127.0.0.1", 0))
            deaf.listen(1)
            network = make(0, {1: deaf.getsockname()[:2]})
            async with network, running(network):
                await comes_true(lambda: network.connections, "it is connected")
                for number in range(30):
                    network.send(0, 1, PeerSaid(0, number))

        assert network.dropped.total() == network.sent == 30

    asyncio.run(check())


def test_a_peer_that_comes_back_at_its_place_counts_anew() -> None:
    """What its former life did not take is lost; what the new one says is not taken for more."""

    async def check() -> None:
        port = free_port()
        sender = make(0, {1: ("127.0.0.1", port)})
        receivers: list[TcpNetwork] = []
        async with sender, running(sender):
            for life in range(3):
                receiver = TcpNetwork(Simulation(), {0: sender.place, 1: ("127.0.0.1", port)})
                receiver.join(1, Hearer())
                receivers.append(receiver)
                async with receiver, running(receiver):
                    await comes_true(lambda life=life: sender.connections == life + 1, "it is connected")  # type: ignore[misc]
                    for number in range(100):
                        sender.send(0, 1, PeerSaid(0, number))
                        if number % 10 == 0:
                            await asyncio.sleep(0)

        check_counts(sender, *receivers)

    asyncio.run(check())


def test_nodes_at_one_place_share_a_connection() -> None:
    """Nodes 1 and 2 are in one process: two connections to it would replace each other for ever."""

    async def check() -> None:
        there = TcpNetwork(Simulation(), {0: None, 1: None, 2: None})
        hearers = [Hearer(), Hearer()]
        there.join(1, hearers[0])
        there.join(2, hearers[1])
        async with there, running(there):
            here = make(0, {1: there.place, 2: there.place})
            async with here, running(here):
                await there.meet(0, here.place)
                for number in range(100):
                    here.send(0, 1 + number % 2, PeerSaid(0, number))
                await comes_true(lambda: there.delivered == 100, "all are delivered")

        check_counts(here, there)
        assert here.connections == 1
        assert [len(hearer.heard) for hearer in hearers] == [50, 50]

    asyncio.run(check())


def test_a_stranger_learns_nothing() -> None:
    """Who is not welcome gets no word of what was taken."""

    async def check() -> None:
        network = make(0, {1: ("127.0.0.2", free_port())})
        async with network, running(network):
            reader, writer = await asyncio.open_connection(*network.place)
            writer.write(GREETING.pack(tcp.HELLO, tcp.VERSION, 1, 7))
            heard = b""
            with suppress(ConnectionError):
                heard = await reader.read()
            writer.close()

        assert heard == b""

    asyncio.run(check())

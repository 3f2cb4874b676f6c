"""Nodes over TCP: in order while a connection lasts, opened again when it breaks, unharmed by what comes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from kumi.contract.messages import Address, Message
from kumi.devs import Simulation
from kumi.network import inbox, outgoing, tcp
from kumi.network.errors import NetworkError
from kumi.network.framing import LENGTH
from kumi.network.outgoing import MOST_FRAMES, TAKEN, OutgoingFrames
from kumi.network.real import MARK, MESSAGE_HEAD, Place
from kumi.network.tcp import GREETING, HELLO, VERSION, TcpNetwork
from kumi.network.wire import encode
from tests.network.hearers import Hearer, running
from tests.network.peer import PeerSaid
from tests.network.processes import Peer, comes_true
from tests.waiting import PATIENCE, free_port

SESSION = 7


@dataclass(frozen=True, slots=True)
class TcpWord(Message):
    text: str


def greeting(address: Address) -> bytes:
    return GREETING.pack(HELLO, VERSION, address, SESSION)


def frame(message: Message, sender: Address = 1, to: Address = 0) -> bytes:
    body = MESSAGE_HEAD.pack(MARK, sender, to) + encode(message)
    return LENGTH.pack(len(body)) + body


def hole() -> socket.socket:
    """Listen without ever accepting or reading."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.bind(("127.0.0.1", 0))
    made.listen(8)
    return made


@asynccontextmanager
async def node(
    peers: dict[Address, Place | None], own: Address = 0, limit: int | None = None
) -> AsyncIterator[tuple[TcpNetwork, Hearer]]:
    """Open a network with one node on it, and run it."""
    hearer = Hearer()
    with Simulation() as simulation:
        network = TcpNetwork(simulation, {own: None, **peers}, limit=limit)
        network.join(own, hearer)
        async with network:
            yield network, hearer


@asynccontextmanager
async def listening(limit: int | None = None) -> AsyncIterator[tuple[TcpNetwork, Hearer]]:
    """Open node 0, which knows that node 1 is on this host."""
    with hole() as nobody:
        async with node({1: nobody.getsockname()}, limit=limit) as opened:
            yield opened


@asynccontextmanager
async def connection(network: TcpNetwork) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(*network.place)
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def words(reader: asyncio.StreamReader) -> list[int]:
    """Return how many frames were taken in all, by each word until the connection ends; a reset may swallow them."""
    heard: list[int] = []
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        async with asyncio.timeout(PATIENCE):
            while True:
                heard += TAKEN.unpack(await reader.readexactly(TAKEN.size))
    return heard


# Between processes.


@pytest.mark.slow
def test_a_peer_that_is_killed_and_comes_back_is_heard_and_told_again(tmp_path: Path) -> None:
    """The other never stops; all that the killed process did not deliver, the new one does, and once."""
    count = 150
    first, second = (Peer("talk", address, 2, "tcp", count, tmp_path) for address in range(2))
    second.wait_until(lambda peer: len(numbers_from(0, peer)) >= 20)
    second.kill()
    first.listen()
    before = len(first.got)
    missing = set(range(count)) - set(numbers_from(0, second))
    back = Peer("talk", 1, 2, "tcp", 5, tmp_path)
    back.wait_until(lambda peer: missing.issubset(numbers_from(0, peer)))
    first.wait_until(lambda peer: {(1, number) for number in range(5)}.issubset(peer.got[before:]))
    first.terminate()
    back.terminate()

    told = numbers_from(0, back)
    assert sorted(told) == sorted(set(told))
    assert numbers_from(0, first) == list(range(count))
    assert first.process.returncode == back.process.returncode == 0


def numbers_from(sender: Address, peer: Peer) -> list[int]:
    return [number for one, number in peer.got if one == sender]


# Connections.


def test_messages_arrive_in_the_order_they_were_sent() -> None:
    async def check() -> None:
        async with node({1: None}) as (one, _), node({0: one.place}, own=1) as (other, hearer):
            await one.meet(1, other.place)
            async with running(one, other):
                for number in range(500):
                    one.send(0, 1, PeerSaid(0, number))
                await comes_true(lambda: len(hearer.heard) == 500, "all arrive")

        assert hearer.heard == [(PeerSaid(0, number), 0) for number in range(500)]

    asyncio.run(check())


def test_a_connection_that_breaks_is_opened_again() -> None:
    """The other side closes its network and opens it again at the same port."""

    async def check() -> None:
        async with node({1: None}) as (one, _), running(one):
            async with node({0: one.place}, own=1) as (other, hearer):
                place = other.place
                await one.meet(1, place)
                async with running(other):
                    one.send(0, 1, TcpWord("before"))
                    await comes_true(lambda: hearer.heard, "the first arrives")
            hearer = Hearer()
            with Simulation() as simulation:
                again = TcpNetwork(simulation, {0: one.place, 1: place})
                again.join(1, hearer)
                async with again, running(again):
                    await comes_true(lambda: one.connections >= 2, "it is connected again")
                    one.send(0, 1, TcpWord("after"))
                    await comes_true(lambda: (TcpWord("after"), 0) in hearer.heard, "the second arrives")

    asyncio.run(check())


@pytest.mark.slow
def test_a_peer_that_does_not_read_fills_its_own_queue_alone() -> None:
    """Nothing waits for it: sending returns at once, and what finds no room is counted."""

    async def check() -> None:
        with hole() as deaf:
            async with node({1: deaf.getsockname()}) as (network, _), running(network):
                await comes_true(lambda: network.connections == 1, "it is connected")
                sent = 0
                while not network.dropped:
                    network.send(0, 1, TcpWord("x" * 60_000))
                    sent += 1
                    assert sent < 10_000
                    if sent % 10 == 0:
                        await asyncio.sleep(0)

        assert network.dropped["too much waits for node 1"] == 1
        assert network.dropped.total() == network.sent

    asyncio.run(check())


def test_what_is_sent_to_a_peer_that_is_away_waits_in_a_bounded_queue() -> None:
    async def check() -> None:
        async with node({1: ("127.0.0.1", free_port())}) as (network, _):
            for _ in range(MOST_FRAMES + 7):
                network.send(0, 1, TcpWord("are you there?"))
            await comes_true(lambda: network.complaints, "it cannot be connected")

        assert network.dropped == {"too much waits for node 1": 7, "the network is closed": MOST_FRAMES}
        assert "no connection to node 1" in network.complaints

    asyncio.run(check())


def test_so_many_bytes_wait_for_a_peer_and_no_more() -> None:
    waiting = OutgoingFrames(("127.0.0.1", 1), lambda _frames: None)

    assert waiting.put(bytes(outgoing.MOST_BYTES))
    assert not waiting.put(b"x")


def test_what_has_been_sent_does_not_wait_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room for 200 bytes; ten messages of more than 100 go through, one after the other."""
    monkeypatch.setattr(outgoing, "MOST_BYTES", 200)

    async def check() -> None:
        async with node({1: None}) as (one, _), node({0: one.place}, own=1) as (other, hearer):
            await one.meet(1, other.place)
            async with running(one, other):
                for number in range(1, 11):
                    one.send(0, 1, TcpWord("x" * 100))
                    await comes_true(lambda number=number: len(hearer.heard) == number, "it arrives")  # type: ignore[misc]

        assert one.dropped == {}

    asyncio.run(check())


# What comes from outside.


def test_nodes_at_one_place_speak_for_each_other_and_for_nobody_else() -> None:
    """Nodes 1 and 2 are in one process, and share its connection."""
    here, there = ("127.0.0.1", 5001), ("127.0.0.1", 5002)
    with Simulation() as simulation:
        network = TcpNetwork(simulation, {0: None, 1: here, 2: here, 3: there})
        network.join(0, Hearer())

        assert [network._may_come(1, claimed, 0) for claimed in (1, 2, 3)] == [True, True, False]


def test_malformed_messages_are_counted_and_the_connection_goes_on() -> None:
    async def check() -> None:
        async with (
            listening() as (network, hearer),
            running(network),
            connection(network) as (_, writer),
        ):
            bad = MESSAGE_HEAD.pack(MARK, 1, 0) + b"\xff\x00"
            writer.write(greeting(1) + LENGTH.pack(len(bad)) + bad + LENGTH.pack(3) + b"bad")
            writer.write(frame(TcpWord("hello")))
            await comes_true(lambda: hearer.heard, "the word arrives")

        assert hearer.heard == [(TcpWord("hello"), 1)]
        assert network.dropped == {"malformed from node 1": 2}

    asyncio.run(check())


def test_a_message_that_comes_byte_by_byte_arrives() -> None:
    async def check() -> None:
        async with (
            listening() as (network, hearer),
            running(network),
            connection(network) as (_, writer),
        ):
            for byte in greeting(1) + frame(TcpWord("a")) + frame(TcpWord("b")):
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0)
            await comes_true(lambda: len(hearer.heard) == 2, "both arrive")

        assert hearer.heard == [(TcpWord("a"), 1), (TcpWord("b"), 1)]

    asyncio.run(check())


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "from nobody on the list"),
        (b"?", "from nobody on the list"),
        (GREETING.pack(HELLO, VERSION + 1, 1, SESSION), "from nobody on the list"),
        (greeting(9), "from nobody on the list"),
        (greeting(0), "from nobody on the list"),
        (greeting(1) + LENGTH.pack(1 << 31), "too large a message from node 1"),
    ],
)
def test_a_connection_that_begins_or_goes_on_wrongly_is_closed_and_counted(data: bytes, reason: str) -> None:
    async def check() -> None:
        async with (
            listening() as (network, _),
            running(network),
            connection(network) as (reader, writer),
        ):
            writer.write(data)
            assert await words(reader) == ([0, 1] if reason.startswith("too large") else [])

        assert network.dropped == {reason: 1}

    asyncio.run(check())


def test_a_node_cannot_speak_for_another() -> None:
    async def check() -> None:
        async with (
            listening() as (network, hearer),
            running(network),
            connection(network) as (_, writer),
        ):
            writer.write(greeting(1) + frame(TcpWord("I am node 0"), sender=0) + frame(TcpWord("hello")))
            await comes_true(lambda: hearer.heard, "the word arrives")

        assert hearer.heard == [(TcpWord("hello"), 1)]
        assert network.dropped == {"forged by node 1": 1}

    asyncio.run(check())


def test_the_newest_connection_of_a_peer_replaces_the_one_before() -> None:
    """A process that came back is heard, though its former connection still looks alive."""

    async def check() -> None:
        async with (
            listening() as (network, hearer),
            running(network),
            connection(network) as (old_reader, old),
            connection(network) as (_, new),
        ):
            old.write(greeting(1) + frame(TcpWord("old")))
            await comes_true(lambda: hearer.heard, "the old one is heard")
            new.write(greeting(1) + frame(TcpWord("new")))
            await comes_true(lambda: len(hearer.heard) == 2, "the new one is heard")
            assert await words(old_reader) in ([], [0, 1])

    asyncio.run(check())


def test_a_connection_that_ends_does_not_take_the_newer_one_with_it() -> None:
    """The first of three ends when the second comes; the second is still known then, and ends with the third."""

    async def check() -> None:
        async with (
            listening() as (network, hearer),
            running(network),
            connection(network) as (first_reader, first),
            connection(network) as (second_reader, second),
            connection(network) as (_, third),
        ):
            for number, writer in enumerate((first, second, third), start=1):
                writer.write(greeting(1) + frame(TcpWord(str(number))))
                await comes_true(lambda number=number: len(hearer.heard) == number, "it is heard")  # type: ignore[misc]
                reader = {2: first_reader, 3: second_reader}.get(number)
                if reader is not None:
                    assert await words(reader) in ([], [number - 2, number - 1])

    asyncio.run(check())


def test_a_peer_that_comes_before_it_has_been_found_is_heard_when_it_is() -> None:
    """Its connection waits; nothing of what it says is lost, and nothing is delivered before."""

    async def check() -> None:
        async with (
            node({1: None, 2: None}) as (network, hearer),
            running(network),
            connection(network) as (_, writer),
            connection(network) as (reader, other),
        ):
            writer.write(greeting(1) + frame(TcpWord("early")))
            other.write(greeting(2) + frame(TcpWord("from elsewhere"), sender=2))
            await comes_true(lambda: len(network._early) == 2, "both wait")
            assert hearer.heard == []
            with hole() as nobody:
                await network.meet(1, nobody.getsockname())
                await network.meet(2, ("127.0.0.2", nobody.getsockname()[1]))
                await comes_true(lambda: hearer.heard, "it is heard")
                assert await words(reader) == []

        assert hearer.heard == [(TcpWord("early"), 1)]
        assert network.dropped == {"from nobody on the list": 1}

    asyncio.run(check())


def test_a_flood_is_held_back_and_nothing_of_it_is_lost() -> None:
    """What cannot wait here waits at its sender: the queue stays bounded, and all arrives in order."""

    async def check() -> None:
        most = 0
        async with listening() as (network, hearer), connection(network) as (_, writer):
            writer.write(greeting(1) + b"".join(frame(PeerSaid(1, number)) for number in range(5000)))
            await comes_true(lambda: network._inbox.is_full(1), "its queue is full")
            async with running(network):
                while len(hearer.heard) < 5000:
                    most = max(most, len(network._inbox))
                    await asyncio.sleep(0)

        assert most <= inbox.MOST_MESSAGES
        assert [message.number for message, _ in hearer.heard] == list(range(5000))  # type: ignore[attr-defined]
        assert not network.dropped

    asyncio.run(asyncio.wait_for(check(), PATIENCE))


@pytest.mark.slow
def test_connections_without_a_greeting_are_few_and_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "CONNECTING_TIMEOUT", 1.0)
    monkeypatch.setattr(tcp, "STRANGERS", 2)

    async def check() -> None:
        with ExitStack() as stack:
            async with listening() as (network, _), running(network):
                for _ in range(5):
                    silent = stack.enter_context(socket.socket())
                    silent.setblocking(False)
                    await asyncio.get_running_loop().sock_connect(silent, network.place)
                reason = "too many connections without a greeting"
                await comes_true(lambda: network.dropped[reason] == 3, "three are too many")
                await comes_true(lambda: network.strangers == 0, "the others are given up")

    asyncio.run(check())


def test_a_port_that_is_taken_is_told() -> None:
    async def check() -> None:
        with hole() as taken, Simulation() as simulation:
            network = TcpNetwork(simulation, {0: taken.getsockname()})
            network.join(0, Hearer())
            with pytest.raises(NetworkError, match=r"port .* of 127.0.0.1 cannot be used"):
                async with network:
                    pass

    asyncio.run(check())

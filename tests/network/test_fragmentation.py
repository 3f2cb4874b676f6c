"""Messages larger than a datagram: any order and copies of their pieces will do, a gap will not, and garbage does no harm."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.contract.messages import Address, Message
from kumi.devs import Simulation
from kumi.network.errors import Malformed, TooLarge
from kumi.network.node import Node
from kumi.network.udp import (
    FRAGMENT_BYTES,
    MOST_BYTES,
    MOST_MESSAGES,
    MOST_WHOLE_BYTES,
    PIECE_MARK,
    UNFINISHED_FOR,
    UdpNetwork,
    UnfinishedMessages,
    cut_message,
    read_piece,
)
from kumi.network.wire import MOST_WIRE_BYTES, encode
from kumi.protocols import Acknowledged, Gossip, Layer, PerfectLinks, Stack
from tests.network.hearers import Hearer, running
from tests.network.processes import comes_true
from tests.network.test_udp import Other, UdpWord, node, others


@dataclass(frozen=True, slots=True)
class Bulk(Message):
    """A lot of bytes."""

    content: bytes


# Cutting and putting together.


@given(st.integers(1, 5 * FRAGMENT_BYTES), st.randoms(use_true_random=False))
def test_pieces_in_any_order_and_with_copies_make_the_message(length: int, random: object) -> None:
    message = bytes(number % 251 for number in range(length))
    datagrams = [*cut_message(3, 4, message)]
    assert len(datagrams) == -(-length // FRAGMENT_BYTES)
    assert all(len(datagram) <= 1200 for datagram in datagrams)
    shuffled = datagrams[1:] * 2
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    unfinished = UnfinishedMessages(MOST_WIRE_BYTES)
    for datagram in shuffled:
        assert (
            unfinished.put(read_piece(datagram, MOST_WIRE_BYTES), 0.0) is None
        )  # the first piece is missing
    assert unfinished.put(read_piece(datagrams[0], MOST_WIRE_BYTES), 0.0) == message
    assert len(unfinished) == 0


@given(st.binary(max_size=1300))
def test_whatever_bytes_come_as_a_piece_nothing_else_is_raised(data: bytes) -> None:
    unfinished = UnfinishedMessages(100_000)
    with suppress(Malformed, TooLarge):
        assert unfinished.put(read_piece(PIECE_MARK + data, 100_000), 0.0) is None
    assert len(unfinished) <= 1


def test_a_piece_that_cannot_be_right_is_refused() -> None:
    first, second = cut_message(1, 0, bytes(FRAGMENT_BYTES + 10))
    with pytest.raises(Malformed, match=r"piece 1 of a message of 1178 bytes has 9 bytes"):
        read_piece(second[:-1], MOST_WIRE_BYTES)
    with pytest.raises(Malformed, match="32 bytes are no piece"):
        read_piece(first[:32], MOST_WIRE_BYTES)
    with pytest.raises(TooLarge, match="a piece of a message of 1178 bytes came; at most 1000 are read"):
        read_piece(first, 1000)

    changed = read_piece(second, MOST_WIRE_BYTES)._replace(data=bytes([1] * 10))
    unfinished = UnfinishedMessages(MOST_WIRE_BYTES)
    unfinished.put(read_piece(first, MOST_WIRE_BYTES), 0.0)
    with pytest.raises(Malformed, match="do not fit each other"):
        unfinished.put(changed, 0.0)
    assert len(unfinished) == 0


def test_of_one_peer_only_so_many_messages_and_bytes_wait_and_none_for_long() -> None:
    def begin(number: int, at: float, size: int = FRAGMENT_BYTES) -> None:
        data = number.to_bytes(2) * (size // 2)
        unfinished.put(read_piece(next(cut_message(1, 0, data + bytes(FRAGMENT_BYTES))), MOST_WIRE_BYTES), at)

    unfinished = UnfinishedMessages(10 * FRAGMENT_BYTES)
    for number in range(10):
        begin(number, 0.0)
        assert unfinished.drop_old(0.0) == 0
    begin(10, 0.0)
    assert unfinished.drop_old(0.0) == 1, "eleven pieces are more than ten"
    begin(11, 5.0)
    assert unfinished.drop_old(5.0) == 1

    assert unfinished.drop_old(UNFINISHED_FOR - 0.1) == 0
    assert unfinished.drop_old(UNFINISHED_FOR) == 9, "all but the one that was begun at 5 s"
    assert unfinished.drop_old(UNFINISHED_FOR + 5.0) == 1

    unfinished = UnfinishedMessages(MOST_WIRE_BYTES)
    for number in range(MOST_MESSAGES + 3):
        begin(number, 0.0)
    assert unfinished.drop_old(0.0) == 3
    assert len(unfinished) == MOST_MESSAGES


# Over sockets.


class RoughUdp(UdpNetwork):
    """Loses one datagram in ten on its way out, sends one in ten twice, and lets one in ten be overtaken."""

    held: tuple[Address, bytes] | None = None

    def _put(self, to: Address, datagram: bytes) -> str | None:
        fate = self.simulation.chance("rough").integer(0, 9)
        if fate == 0:
            return None
        if fate == 1 and self.held is None:
            self.held = to, datagram
            return None
        reason = super()._put(to, datagram)
        if fate == 2:
            reason = super()._put(to, datagram)
        if self.held is not None:
            held, self.held = self.held, None
            super()._put(*held)
        return reason


async def pair(
    kind: type[UdpNetwork],
    move_in: Callable[[Node], Stack],
    do: Callable[[list[Node]], object],
    is_done: Callable[[list[Node]], object],
) -> list[UdpNetwork]:
    """Run two nodes until something is so."""
    networks = [kind(Simulation(seed=own), {0: None, 1: None}) for own in range(2)]
    nodes = [
        Node(network.simulation, network, own, group=(0, 1), move_in=move_in)
        for own, network in enumerate(networks)
    ]
    async with networks[0], networks[1]:
        for own in range(2):
            await networks[own].meet(1 - own, networks[1 - own].place)
            nodes[own].start()
        async with running(*networks):
            networks[0].simulation.bring(lambda _time: do(nodes))
            await comes_true(lambda: is_done(nodes), "it is so")
    for network in networks:
        network.simulation.close()
    return networks


class Heard(Layer[()]):
    """Keeps what comes over perfect links."""

    links: PerfectLinks

    def begin(self) -> None:
        self.heard: list[Message] = []
        self.links.listen(lambda message, _sender: self.heard.append(message))


def heard_by(node: Node) -> list[Message]:
    return node.resident[Heard].heard  # type: ignore[index,no-any-return]


@pytest.mark.slow
def test_a_message_far_larger_than_a_datagram_arrives() -> None:
    """Of 3 MB, and of as many bytes as are allowed; a small one is not kept waiting by them."""

    async def check() -> None:
        with Simulation() as simulation, Simulation() as other:
            one = UdpNetwork(simulation, {0: None, 1: None})
            two = UdpNetwork(other, {0: None, 1: None})
            hearer = Hearer()
            one.join(0, Hearer())
            two.join(1, hearer)
            full = MOST_WIRE_BYTES - len(encode(Bulk(b""))) - 3  # a length of 32 bits in place of one of 8
            async with one, two:
                await one.meet(1, two.place)
                await two.meet(0, one.place)
                async with running(one, two):
                    for size in (3_000_000, full):
                        large, small = Bulk(bytes([7]) * size), UdpWord(f"after {size}")
                        one.send(0, 1, large)
                        one.send(0, 1, small)
                        await comes_true(lambda: len(hearer.heard), "the small one arrives")
                        assert hearer.heard == [(small, 0)]
                        while (large, 0) not in hearer.heard:  # a piece may be lost on a busy machine
                            await asyncio.sleep(0.01)
                            if not one._outgoing:
                                one.send(0, 1, large)
                        hearer.heard.clear()
                    with pytest.raises(
                        TooLarge, match=f"takes {MOST_WIRE_BYTES + 1} bytes; at most {MOST_WIRE_BYTES} are"
                    ):
                        one.send(0, 1, Bulk(bytes(full + 1)))

    asyncio.run(check())


def test_on_a_rough_network_pieces_of_later_tries_fill_the_gaps() -> None:
    """Of 172 pieces all would come at once in one try of 70 million; over perfect links they do in a few."""
    message = Bulk(bytes(range(250)) * 800)

    networks = asyncio.run(
        pair(
            RoughUdp,
            lambda node: Stack(Heard(), Acknowledged(retry_after=0.1)).settle(node),
            lambda nodes: nodes[0].resident[Heard].links.send(message, 1),  # type: ignore[index]
            lambda nodes: heard_by(nodes[1]),
        )
    )
    assert networks[0].sent > 1, "it took more than one try"


def test_a_layer_with_a_lot_to_tell_is_not_ended_by_it() -> None:
    """Ninety entries of 1 KB in one update of gossip are more than a datagram."""

    def write(nodes: list[Node]) -> None:
        for number in range(90):
            nodes[0].resident[Gossip].put(f"key {number}", "x" * 1000)  # type: ignore[index]

    asyncio.run(
        pair(
            UdpNetwork,
            lambda node: Stack(Gossip(period=0.05)).settle(node),
            write,
            lambda nodes: len(nodes[1].resident[Gossip]._entries) == 90,  # type: ignore[index]
        )
    )


def test_garbage_pieces_fill_no_memory_and_keep_nobody_from_being_heard() -> None:
    async def check() -> None:
        with others() as [peer]:
            async with node(peer) as (network, hearer), running(network):
                for number in range(40):
                    for datagram in list(cut_message(1, 0, number.to_bytes(2) * 2000))[:2]:
                        peer.say_raw(datagram, network)
                    peer.say_raw(next(cut_message(2, 0, bytes(9000))), network)
                    peer.say_raw(next(cut_message(1, 7, bytes(9000))), network)
                    peer.say_raw(PIECE_MARK + bytes([number]) * 100, network)
                    peer.say_raw(PIECE_MARK, network)
                    await asyncio.sleep(0)
                say_in_pieces(peer, UdpWord("x" * 5000), network)
                await comes_true(lambda: hearer.heard, "the word arrives")

                assert hearer.heard == [(UdpWord("x" * 5000), 1)]
                assert len(network._unfinished[1]) == MOST_MESSAGES - 1
        dropped = "pieces of a message from node 1 did not come"
        assert network.dropped["forged by node 1"] == network.dropped["misdirected by node 1"] == 40
        assert network.dropped[dropped] == 40 + 1 - MOST_MESSAGES
        assert (
            network.dropped["malformed from node 1"] + network.dropped["too large a message from node 1"]
            == 80
        )

    asyncio.run(check())


def say_in_pieces(peer: Other, message: Message, network: UdpNetwork) -> None:
    for datagram in reversed([*cut_message(1, 0, encode(message))]):
        peer.say_raw(datagram, network)


def test_pieces_whose_others_do_not_come_are_dropped_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kumi.network.udp.UNFINISHED_FOR", 0.05)

    async def check() -> None:
        with others() as [peer]:
            async with node(peer) as (network, _):
                peer.say_raw(next(cut_message(1, 0, bytes(9000))), network)
                dropped = "pieces of a message from node 1 did not come"
                await comes_true(lambda: network.dropped[dropped] == 1, "it is dropped")
                assert len(network._unfinished[1]) == 0

    asyncio.run(check())


def test_what_waits_for_a_peer_is_bounded_and_what_is_left_at_the_end_is_counted() -> None:
    async def check() -> None:
        with others() as [peer]:
            async with node(peer) as (network, _):
                large = Bulk(bytes(MOST_WHOLE_BYTES + 1))
                taken = -(-MOST_BYTES // len(encode(large)))
                for _ in range(taken + 2):
                    network.send(0, 1, large)
        assert network.dropped == {"too much waits for node 1": 2, "the network is closed": taken}

    asyncio.run(check())

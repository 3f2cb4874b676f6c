"""A recorded real run does the same again, exactly; where it does not, the first difference is told."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi import sleep
from kumi.contract.messages import Address, Message
from kumi.devs import Simulation
from kumi.devs.ranks import MESSAGE_RANK
from kumi.network.errors import NetworkError
from kumi.network.frames import framed
from kumi.network.inbox import RawMessage
from kumi.network.node import Node
from kumi.network.real import MARK, MESSAGE_HEAD
from kumi.network.recorded import (
    MAGIC,
    RecordedRun,
    Recording,
    RecordingHead,
    ReplayDiffers,
    ReplayNetwork,
    Went,
    read_recording,
    replay,
)
from kumi.network.running import RealRun, head_of, serve_node
from kumi.network.storage import Storage
from kumi.network.tcp import TcpNetwork
from kumi.network.udp import UdpNetwork
from kumi.network.wire import decode, encode
from kumi.protocols.guarantees import FairLossLinks
from kumi.protocols.layer import Layer
from kumi.protocols.stack import Stack
from tests.network.hearers import running
from tests.network.peer import Talk, stack
from tests.network.processes import Peer, comes_true


@dataclass(frozen=True, slots=True)
class ReplayTick(Message):
    number: int
    names: frozenset[str] = frozenset({"a", "b", "c", "d"})


class Busy(Layer[()]):
    """Answers, has timers and a program, draws, stores, and is often late: each tenth tick takes long."""

    links: FairLossLinks

    def __init__(self, last: int = 60) -> None:
        self.last = last
        self.number = 0
        self.log: list[tuple[float, Address, int]] = []

    def begin(self) -> None:
        self.number = self.node.storage.get("number", 0)
        self.links.listen(self._receive)
        self.node.after(0.0, self._tick)

    async def run(self) -> None:
        for _ in range(self.last):
            await sleep(0.007)
            self._send(-2)

    def _tick(self) -> None:
        self.number += 1
        self.node.storage.put("number", self.number)
        self._send(self.number)
        if self.number % 10 == 0:
            time.sleep(0.015)
        if self.number < self.last:
            self.node.after(self.node.chance.uniform(0.0, 0.01), self._tick)

    def _receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, ReplayTick)
        self.log.append((self.node.now, sender, message.number))
        if message.number > 0:
            self.links.send(ReplayTick(-message.number), sender)

    def _send(self, number: int) -> None:
        for address in self.node.group:
            self.links.send(ReplayTick(number), address)


def busy(node: Node, last: int = 60) -> Stack:
    return Stack(Busy(last)).settle(node)


def real_runs(
    folder: Path, over: type[UdpNetwork | TcpNetwork], move_in: Callable[[Node], Stack]
) -> list[RealRun]:
    """Run three nodes of one process in real time and record them."""

    async def run() -> list[RealRun]:
        places: dict[Address, tuple[str, int]] = {}
        nodes: list[Node] = []

        async def one(address: Address) -> RealRun:
            return await serve_node(
                address,
                dict.fromkeys(range(3)),
                move_in,
                over=over,
                until=1.0,
                storage=None,
                discovery=Directory(places),
                record=folder / f"{address}.recording",
                opened=nodes.append,
            )

        return list(await asyncio.gather(*map(one, range(3))))

    return asyncio.run(run())


class Directory:
    """A discovery inside one process."""

    def __init__(self, places: dict[Address, tuple[str, int]]) -> None:
        self.places = places

    async def run(self, address: Address, place: tuple[str, int], found: Callable[..., object]) -> None:
        self.places[address] = place
        known: set[Address] = {address}
        while True:
            for other in self.places.keys() - known:
                known.add(other)
                await found(other, self.places[other])  # type: ignore[misc]
            await asyncio.sleep(0.001)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[RealRun]]:
    folder = tmp_path_factory.mktemp("recorded")
    return folder, real_runs(folder, UdpNetwork, busy)


# The same again.


@pytest.mark.slow
@pytest.mark.parametrize("over", [UdpNetwork, TcpNetwork])
def test_a_real_run_that_was_often_late_is_replayed_exactly(
    tmp_path: Path, over: type[UdpNetwork | TcpNetwork]
) -> None:
    """Timers, a program, draws, arrivals and answers: the same sends at the same times, the same arrivals."""
    runs = real_runs(tmp_path, over, busy)

    for address, real in enumerate(runs):
        again = replay(tmp_path / f"{address}.recording", busy).check()
        assert real.run.lateness.max > 0.005
        assert len(again.sent) == real.network.sent
        assert again.node.resident[Busy].log == real.node.resident[Busy].log  # type: ignore[index]
        assert {sender for _, sender, _ in real.node.resident[Busy].log} == {0, 1, 2}  # type: ignore[index]


class Grid(Layer[()]):
    """Sends at each half second, and half a second after each arrival: everything happens at the same times."""

    links: FairLossLinks

    def begin(self) -> None:
        self.links.listen(self._receive)
        self.node.after(0.5, self._tick)

    async def run(self) -> None:
        while True:
            await sleep(0.5)
            self.links.send(ReplayTick(-1), 1)

    def _tick(self) -> None:
        self.links.send(ReplayTick(0), 1)
        self.links.send(ReplayTick(0), 0)
        self.node.after(0.5, self._tick)

    def _receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, ReplayTick)
        if sender == 1:
            self.links.send(message, 1)
            self.node.after(0.5, partial(self.links.send, message, 1))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 2)), max_size=6))
def test_what_happens_at_the_same_instant_keeps_its_order(steps: list[tuple[int, int, int]]) -> None:
    """Arrivals are planned at a time for the same time or a later one; timers and a program are due then, too."""

    def grid(node: Node) -> Stack:
        return Stack(Grid()).settle(node)

    with TemporaryDirectory() as folder, Simulation(seed=3) as simulation:
        path = Path(folder) / "recording"
        network = ReplayNetwork(simulation, {0: None, 1: None}, limit=1000)
        node = Node(simulation, network, 0, group=(0, 1), move_in=grid)
        recording = network.recorder = Recording(path, head_of(node, network, 3))
        node.start()
        time = 0.0
        for number, (pause, later, count) in enumerate(steps, 1):
            time += 0.5 * pause
            simulation.run(until=time)
            packets = [RawMessage(1, 0, encode(ReplayTick(number)))] * count
            time += 0.5 * later
            simulation.schedule(time, partial(network.deliver, simulation.now, packets), rank=MESSAGE_RANK)
        simulation.run(until=time + 1.0)
        recording.over(simulation.now)
        network.recorder = None

        assert replay(path, grid).difference is None
        assert len(replay(path, grid).sent) == network.sent


def test_what_comes_before_the_first_instant_waits_for_its_end(tmp_path: Path) -> None:
    """A program sends at the first instant; what lay in the inbox is delivered after that, here and in the replay."""

    class Early(Layer[()]):
        links: FairLossLinks

        def begin(self) -> None:
            self.links.listen(self.links.send)

        async def run(self) -> None:
            self.links.send(ReplayTick(0), 1)
            self.node.after(0.0, lambda: self.links.send(ReplayTick(1), 1))

    def early(node: Node) -> Stack:
        return Stack(Early()).settle(node)

    async def run() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer, Simulation(seed=3) as simulation:
            peer.bind(("127.0.0.1", 0))
            network = UdpNetwork(simulation, {0: None, 1: peer.getsockname()})
            node = Node(simulation, network, 0, group=(0, 1), move_in=early)
            recording = network.recorder = Recording(tmp_path / "early", head_of(node, network, 3))
            async with network:
                peer.sendto(MESSAGE_HEAD.pack(MARK, 1, 0) + encode(ReplayTick(2)), network.place)
                await comes_true(lambda: network._inbox, "it has come")
                node.start()
                async with running(network):
                    await comes_true(lambda: network.delivered, "it is delivered")
            recording.over(simulation.now)

    asyncio.run(run())
    again = replay(tmp_path / "early", early).check()

    assert [decode(sent.packet.data) for sent in again.sent] == [ReplayTick(number) for number in range(3)]


def test_what_was_stored_before_the_run_is_part_of_it(tmp_path: Path) -> None:
    """The run begins with number 41 from the storage, and so does the replay."""
    storage = Storage()
    storage.put("number", 40)

    async def run() -> None:
        await serve_node(0, {0: None}, busy, until=0.05, storage=storage, record=tmp_path / "recording")

    asyncio.run(run())
    again = replay(tmp_path / "recording", busy).check()

    assert again.sent
    assert storage.get("number") > 40
    assert again.node.storage.get("number") == storage.get("number")


def test_a_process_that_was_killed_leaves_a_recording_that_replays(tmp_path: Path) -> None:
    peers = [Peer("talk", address, 2, "udp", 10_000, tmp_path) for address in range(2)]
    for peer in peers:
        peer.wait_until(lambda peer: len({sender for sender, _ in peer.got}) == 2 and len(peer.got) > 50)
    for peer in peers:
        peer.kill()

    for address, peer in enumerate(peers):
        run = read_recording(tmp_path / f"{address}.recording")
        again = replay(run, partial(stack, count=10_000)).check()
        assert run.end is None
        got = again.node.resident[Talk].got  # type: ignore[index]
        assert got[: len(peer.got)] == peer.got


# Not the same.


@pytest.mark.slow
def test_the_first_difference_is_told(recorded: tuple[Path, list[RealRun]]) -> None:
    """A tick counts by two: the second round of sends differs."""

    class Wrong(Busy):
        def _tick(self) -> None:
            super()._tick()
            self.number += 1

    again = replay(recorded[0] / "0.recording", lambda node: Stack(Wrong()).settle(node))

    assert again.difference is not None
    assert "differs: recorded was ReplayTick(number=2," in again.difference
    assert "replayed ReplayTick(number=3," in again.difference
    with pytest.raises(ReplayDiffers, match="differs: recorded was"):
        again.check()


def test_a_send_at_another_time_differs(recorded: tuple[Path, list[RealRun]]) -> None:
    """The recorded time of one send is a nanosecond later."""
    run = read_recording(recorded[0] / "0.recording")
    entries = list(run.entries)
    place = [number for number, entry in enumerate(entries) if isinstance(entry, Went)][4]
    entries[place] = Went(entries[place].time + 1e-9, entries[place].packet)  # type: ignore[union-attr]
    again = replay(RecordedRun(run.head, tuple(entries), run.end), busy)

    assert (again.difference or "").startswith("send 4 differs: recorded was ")


def test_sends_that_are_missing_or_too_many_are_told(recorded: tuple[Path, list[RealRun]]) -> None:
    class Silent(Busy):
        def begin(self) -> None: ...

        async def run(self) -> None: ...

    again = replay(recorded[0] / "0.recording", lambda node: Stack(Silent()).settle(node))
    assert (again.difference or "").startswith("send 0 is missing: recorded was ReplayTick(number=1")

    run = read_recording(recorded[0] / "0.recording")
    short = RecordedRun(run.head, (), run.end)
    assert (replay(short, busy).difference or "").startswith("send 0 is one too many: ReplayTick(number=1")


# The file.


def test_a_recording_that_was_cut_anywhere_is_read_up_to_its_last_whole_record(
    recorded: tuple[Path, list[RealRun]], tmp_path: Path
) -> None:
    data = (recorded[0] / "0.recording").read_bytes()
    run = read_recording(recorded[0] / "0.recording")
    path = tmp_path / "cut"
    lengths: list[int] = []
    cut = run
    for length in range(len(MAGIC) + 200, 3000, 23):
        path.write_bytes(data[:length])
        cut = read_recording(path)
        assert cut.head == run.head
        assert cut.end is None
        assert cut.entries == run.entries[: len(cut.entries)]
        lengths.append(len(cut.entries))

    assert lengths == sorted(lengths)
    assert lengths[-1] > 20
    assert replay(cut, busy).check().recorded == [entry for entry in cut.entries if isinstance(entry, Went)]


def test_what_follows_a_damaged_record_is_not_read(
    recorded: tuple[Path, list[RealRun]], tmp_path: Path
) -> None:
    data = bytearray((recorded[0] / "0.recording").read_bytes())
    data[2000] ^= 1
    path = tmp_path / "damaged"
    path.write_bytes(data)

    assert 0 < len(read_recording(path).entries) < len(read_recording(recorded[0] / "0.recording").entries)


def test_other_files_and_versions_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a diary")
    with pytest.raises(NetworkError, match="is no recording of a real run"):
        read_recording(path)
    path.write_bytes(MAGIC)
    with pytest.raises(NetworkError, match="is a recording without a head"):
        read_recording(path)
    path.write_bytes(MAGIC + framed(b"\x91\xa4book"))
    with pytest.raises(NetworkError, match="is a recording that this version does not read"):
        read_recording(path)
    Recording(path, RecordingHead(7, 0, (0,), "node 0", 0, 100, False, False, 0.0, 1.0, {})).close()
    with pytest.raises(NetworkError, match="has version 7 of recordings; this reads version 1"):
        read_recording(path)

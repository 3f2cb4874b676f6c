"""What happened to a real node, on disk, and does the same code do the same again?

The run of a node depends on its seed, its storage at the start, and what came when; all of that is written, so
`kumi.network.replay` can do the run again. What counts as *when* is the time of the run, not of the wall: a paced
run may be late, but its instants have exact times and an order. With each arrival stands the time at which the
run was when the arrival was planned, since that settles its place among timers of the same instant.

A record is given to the system before what it tells of happens, so a killed process loses none; one that is cut
off at the end is left out when the file is read. The file is not forced to the disk: that a machine loses power
is not provided for.

In a replay, what is planned, when and in which order, is the same as in the real run: timers because the code and the seed are
the same, arrivals because each is planned when the run is where it was, for the time that it had. So every send
must be the same as in the recording, at the same time and in the same order. Where it is not, the code depends on
something that was not recorded, such as the wall clock or the order of a set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, TypeAlias

import msgspec

from kumi.contract.messages import Address
from kumi.devs import Simulation
from kumi.devs.ranks import MESSAGE_RANK
from kumi.network.clock import Clock
from kumi.network.errors import Malformed, NetworkError
from kumi.network.frames import framed, whole
from kumi.network.inbox import RawMessage
from kumi.network.node import Node, Resident
from kumi.network.real import Place, RealNetwork
from kumi.network.storage import Storage
from kumi.network.wire import decode, decode_value

MAGIC = b"kumi real run\n"
VERSION = 1


class RecordingHead(msgspec.Struct, frozen=True, array_like=True, tag="head"):
    """The node of a record, and how it was started."""

    version: int
    address: Address
    group: tuple[Address, ...]
    name: str
    seed: int
    limit: int
    is_reliable: bool
    is_in_order: bool
    offset: float
    rate: float
    storage: dict[str, bytes]


class Came(msgspec.Struct, frozen=True, array_like=True, tag="came"):
    """Packets that came together at a time; they were planned when the run was at `planned`."""

    planned: float
    time: float
    packets: tuple[RawMessage, ...]


class Went(msgspec.Struct, frozen=True, array_like=True, tag="went"):
    """A packet that was sent, whether it arrived or not."""

    time: float
    packet: RawMessage


class RecordingEnd(msgspec.Struct, frozen=True, array_like=True, tag="over"):
    """The run ended by itself; nothing is missing."""

    time: float


Entry: TypeAlias = RecordingHead | Came | Went | RecordingEnd

_write = msgspec.msgpack.Encoder().encode
_read = msgspec.msgpack.Decoder(Entry).decode


class Recording:
    """Writes a real run into a file, as a `Recorder`; use it in a `with` block, or close it."""

    def __init__(self, path: Path | str, head: RecordingHead) -> None:
        self._file: IO[bytes] = Path(path).open("wb", buffering=0)  # noqa: SIM115  # it is open as long as the run lasts
        self._file.write(MAGIC + framed(_write(head)))

    def came(self, planned: float, time: float, packets: list[RawMessage]) -> None:
        """Write down what is about to be delivered."""
        self._put(Came(planned, time, tuple(packets)))

    def went(self, time: float, packet: RawMessage) -> None:
        """Write down what was sent."""
        self._put(Went(time, packet))

    def over(self, time: float) -> None:
        """Write down that the run ended, and close the file."""
        self._put(RecordingEnd(time))
        self.close()

    def close(self) -> None:
        """Close the file; what happens from now on is not written down."""
        self._file.close()

    def _put(self, entry: Entry) -> None:
        if not self._file.closed:
            self._file.write(framed(_write(entry)))


class RecordedRun(msgspec.Struct, frozen=True):
    """A recording that was read. `end` is None if the process was ended from outside."""

    head: RecordingHead
    entries: tuple[Came | Went, ...]
    end: float | None

    @property
    def last(self) -> float:
        """The time up to which the run is known."""
        if self.end is not None:
            return self.end
        return self.entries[-1].time if self.entries else 0.0


def read_recording(path: Path | str) -> RecordedRun:
    """Read a real run up to its last whole record."""
    data = Path(path).read_bytes()
    if not data.startswith(MAGIC):
        raise NetworkError(f"{path} is no recording of a real run")
    records, _ = whole(data, len(MAGIC))
    try:
        entries = [_read(record) for record in records]
    except msgspec.MsgspecError as error:
        raise NetworkError(f"{path} is a recording that this version does not read: {error}") from error
    match entries:
        case [RecordingHead(version=version), *_] if version != VERSION:
            raise NetworkError(f"{path} has version {version} of recordings; this reads version {VERSION}")
        case [RecordingHead() as head, *middle, RecordingEnd(time)]:
            end: float | None = time
        case [RecordingHead() as head, *middle]:
            end = None
        case _:
            raise NetworkError(f"{path} is a recording without a head")
    return RecordedRun(head, tuple(entry for entry in middle if isinstance(entry, Came | Went)), end)


class ReplayDiffers(NetworkError):
    """A replay that sent something else than the recorded run."""


@dataclass
class Replay:
    """What came of a replay; `difference` is the first one, or None."""

    node: Node
    recorded: list[Went]
    sent: list[Went] = field(default_factory=list)
    difference: str | None = None

    def check(self) -> Replay:
        """Raise if there was a difference."""
        if self.difference is not None:
            raise ReplayDiffers(self.difference)
        return self


class ReplayNetwork(RealNetwork):
    """A network without sockets: what is sent goes nowhere, and what came is brought by hand."""

    async def _open(self, home: Place) -> None:
        raise NetworkError("a replay has no sockets to open")

    async def _meet(self, address: Address, place: Place) -> None:
        raise NetworkError("a replay meets nobody")

    async def _close(self) -> None:
        """Do nothing."""

    def _transmit(self, sender: Address, to: Address, data: bytes) -> str | None:
        return None


def replay(recording: RecordedRun | Path | str, move_in: Callable[[Node], Resident]) -> Replay:
    """Run the node of a recording again, and compare what it sends."""
    run = recording if isinstance(recording, RecordedRun) else read_recording(recording)
    head = run.head
    with Simulation(seed=head.seed) as simulation:
        network = ReplayNetwork(simulation, dict.fromkeys(head.group), limit=head.limit)
        network.is_reliable, network.is_in_order = head.is_reliable, head.is_in_order
        storage = Storage()
        for name, value in head.storage.items():
            storage.put(name, decode_value(value))
        node = Node(
            simulation,
            network,
            head.address,
            group=head.group,
            move_in=move_in,
            name=head.name,
            clock=Clock(head.offset, head.rate),
            storage=storage,
        )
        outcome = Replay(node, [entry for entry in run.entries if isinstance(entry, Went)])
        network.recorder = ReplayComparison(outcome, run)
        node.start()
        for entry in run.entries:
            if isinstance(entry, Came):
                simulation.run(until=entry.planned)
                deliver = partial(network.deliver, entry.planned, list(entry.packets))
                simulation.schedule(entry.time, deliver, rank=MESSAGE_RANK)
        simulation.run(until=run.last)
        network.recorder = None  # what tasks send while they are ended is in no recording
    if outcome.difference is None and len(outcome.sent) < len(outcome.recorded):
        missing = outcome.recorded[len(outcome.sent)]
        outcome.difference = f"send {len(outcome.sent)} is missing: recorded was {_told(missing)}"
    return outcome


class ReplayComparison:
    """Holds each send against the recorded one, as a `Recorder`."""

    def __init__(self, outcome: Replay, run: RecordedRun) -> None:
        self._outcome = outcome
        self._end, self._last = run.end, run.last

    def came(self, planned: float, time: float, packets: list[RawMessage]) -> None:
        """Do nothing: it came from the recording."""

    def went(self, time: float, packet: RawMessage) -> None:
        """Compare a send with the one of the same number."""
        outcome, sent = self._outcome, Went(time, packet)
        number = len(outcome.sent)
        outcome.sent.append(sent)
        if outcome.difference is not None:
            return
        if number >= len(outcome.recorded):
            if self._end is None and time >= self._last:
                return  # the process may have been killed before it could send this
            outcome.difference = f"send {number} is one too many: {_told(sent)}"
        elif not _same(outcome.recorded[number], sent):
            outcome.difference = f"send {number} differs: recorded was {_told(outcome.recorded[number])}, replayed {_told(sent)}"


def _same(one: Went, other: Went) -> bool:
    if one == other:
        return True
    if one.time != other.time or one.packet[:2] != other.packet[:2]:
        return False
    try:
        return decode(one.packet.data) == decode(other.packet.data)  # a set may be written in any order
    except Malformed:
        return False


def _told(sent: Went) -> str:
    try:
        message: object = decode(sent.packet.data)
    except Malformed:
        message = sent.packet.data
    return f"{message!r} from node {sent.packet.sender} to node {sent.packet.to} at t = {sent.time!r} s"

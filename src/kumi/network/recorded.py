"""A real run of a node on disk: all that came from outside, and all that it sent.

The run of a node depends on its seed, its storage at the start, and what came when; all of that is written, so
`kumi.network.replay` can do the run again. What counts as *when* is the time of the run, not of the wall: a paced
run may be late, but its instants have exact times and an order. With each arrival stands the time at which the
run was when the arrival was planned, since that settles its place among timers of the same instant.

A record is given to the system before what it tells of happens, so a killed process loses none; one that is cut
off at the end is left out when the file is read. The file is not forced to the disk: that a machine loses power
is not provided for.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, TypeAlias

import msgspec

from kumi.contract.messages import Address
from kumi.network.errors import NetworkError
from kumi.network.frames import framed, whole
from kumi.network.inbox import Packet

MAGIC = b"kumi real run\n"
VERSION = 1


class Head(msgspec.Struct, frozen=True, array_like=True, tag="head"):
    """Who ran, and with what."""

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
    packets: tuple[Packet, ...]


class Went(msgspec.Struct, frozen=True, array_like=True, tag="went"):
    """A packet that was sent, whether it arrived or not."""

    time: float
    packet: Packet


class Over(msgspec.Struct, frozen=True, array_like=True, tag="over"):
    """The run ended by itself; nothing is missing."""

    time: float


Entry: TypeAlias = Head | Came | Went | Over

_write = msgspec.msgpack.Encoder().encode
_read = msgspec.msgpack.Decoder(Entry).decode


class Recording:
    """Writes a real run into a file, as a `Recorder`; use it in a `with` block, or close it."""

    def __init__(self, path: Path | str, head: Head) -> None:
        self._file: IO[bytes] = Path(path).open("wb", buffering=0)  # noqa: SIM115  # it is open as long as the run lasts
        self._file.write(MAGIC + framed(_write(head)))

    def came(self, planned: float, time: float, packets: list[Packet]) -> None:
        """Write down what is about to be delivered."""
        self._put(Came(planned, time, tuple(packets)))

    def went(self, time: float, packet: Packet) -> None:
        """Write down what was sent."""
        self._put(Went(time, packet))

    def over(self, time: float) -> None:
        """Write down that the run ended, and close the file."""
        self._put(Over(time))
        self.close()

    def close(self) -> None:
        """Close the file; what happens from now on is not written down."""
        self._file.close()

    def _put(self, entry: Entry) -> None:
        if not self._file.closed:
            self._file.write(framed(_write(entry)))


class RecordedRun(msgspec.Struct, frozen=True):
    """A recording that was read. `end` is None if the process was ended from outside."""

    head: Head
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
        case [Head(version=version), *_] if version != VERSION:
            raise NetworkError(f"{path} has version {version} of recordings; this reads version {VERSION}")
        case [Head() as head, *middle, Over(time)]:
            end: float | None = time
        case [Head() as head, *middle]:
            end = None
        case _:
            raise NetworkError(f"{path} is a recording without a head")
    return RecordedRun(head, tuple(entry for entry in middle if isinstance(entry, Came | Went)), end)

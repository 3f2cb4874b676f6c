"""How is a run file put together, so that what was written stays readable whatever happens later?

A run file is a signature and then chunks, each complete in itself: a head that says what the chunk is, how
long, and from which time on it holds, then its bytes. Chunks are only ever added at the end, each in one
write. A file that ends in the middle of a chunk is read up to the one before.

The last chunk of a finished file is its index, and the last bytes tell where the index begins. Without
them the chunks are found by going from head to head.
"""

from __future__ import annotations

import struct
import zlib
from enum import IntEnum
from typing import BinaryIO

import msgspec

from kumi.devs import KumiError

SIGNATURE = b"\x93KUMIRUN\r\n\x1a\n"
FORMAT = 3
READABLE = (2, FORMAT)
"""Format 3 has one kind of record more: what programs publish."""
OPENING = struct.Struct("<12sI")
CHUNK_HEAD = struct.Struct("<BBIIdI")
HEAD_CHECK = struct.Struct("<I")
CLOSING = struct.Struct("<Q8s")
CLOSED = b"KUMI.END"


class RunFileError(KumiError):
    """A file that is no run file, is damaged, or does not hold what is asked of it."""


class ChunkKind(IntEnum):
    """What a chunk holds."""

    META = 1
    KEYFRAME = 2
    JOURNAL = 3
    INDEX = 4


class ChunkHead(msgspec.Struct, frozen=True):
    """What stands before the bytes of a chunk, and where they begin in the file."""

    kind: ChunkKind
    is_packed: bool
    length: int
    time: float
    check: int
    begin: int

    @property
    def end(self) -> int:
        """Return the place in the file after the chunk."""
        return self.begin + self.length


class ChunkEntry(msgspec.Struct, frozen=True, array_like=True):
    """Where a chunk begins in the file, and from which time on it holds."""

    kind: ChunkKind
    time: float
    at: int


def pack(kind: ChunkKind, time: float, data: bytes, *, packed: bool = True) -> bytes:
    """Make a chunk of some bytes; packing makes it smaller and takes time."""
    inside = zlib.compress(data, 1) if packed else data
    head = CHUNK_HEAD.pack(kind, packed, len(inside), len(data), time, zlib.crc32(inside))
    return b"".join((head, HEAD_CHECK.pack(zlib.crc32(head)), inside))


def read_head(file: BinaryIO, at: int) -> ChunkHead | None:
    """Read the head of a chunk; None where no whole head stands."""
    file.seek(at)
    data = file.read(CHUNK_HEAD.size + HEAD_CHECK.size)
    if len(data) < CHUNK_HEAD.size + HEAD_CHECK.size:
        return None
    if HEAD_CHECK.unpack_from(data, CHUNK_HEAD.size) != (zlib.crc32(data[: CHUNK_HEAD.size]),):
        return None
    kind, packed, length, _, time, check = CHUNK_HEAD.unpack_from(data)
    return ChunkHead(ChunkKind(kind), bool(packed), length, time, check, at + len(data))


def read_inside(file: BinaryIO, head: ChunkHead) -> bytes:
    """Read what a chunk holds, or say that it is damaged."""
    file.seek(head.begin)
    data = file.read(head.length)
    if len(data) < head.length or zlib.crc32(data) != head.check:
        raise RunFileError(f"{file.name} is damaged at byte {head.begin}")
    return zlib.decompress(data) if head.is_packed else data


def is_intact(file: BinaryIO, head: ChunkHead) -> bool:
    """Tell whether the bytes of a chunk are those that were written."""
    file.seek(head.begin)
    return zlib.crc32(file.read(head.length)) == head.check


def read_opening(file: BinaryIO) -> None:
    """Check that a file is a run file that this version can read."""
    data = file.read(OPENING.size)
    if not data:
        raise RunFileError(f"{file.name} is empty; a run file is expected")
    if not SIGNATURE.startswith(data[: len(SIGNATURE)]):
        raise RunFileError(f"{file.name} is not a run file of kumi")
    if len(data) < OPENING.size:
        raise RunFileError(f"{file.name} was cut off before the run began")
    _, version = OPENING.unpack(data)
    if version not in READABLE:
        known = " and ".join(map(str, READABLE))
        raise RunFileError(
            f"{file.name} has format {version} of run files, and this kumi reads formats {known}; "
            "use the kumi it was written with"
        )


def find_index(file: BinaryIO, size: int) -> ChunkHead | None:
    """Return the head of the index, if the file was finished."""
    if size < OPENING.size + CLOSING.size:
        return None
    file.seek(size - CLOSING.size)
    at, closed = CLOSING.unpack(file.read(CLOSING.size))
    if closed != CLOSED or at > size:
        return None
    head = read_head(file, at)
    if head is None or head.kind is not ChunkKind.INDEX or head.end + CLOSING.size != size:
        return None
    return head if is_intact(file, head) else None


def scan(file: BinaryIO, size: int) -> list[ChunkEntry]:
    """Return all whole chunks, found one after the other."""
    entries: list[ChunkEntry] = []
    at = OPENING.size
    last = None
    while (head := read_head(file, at)) and head.end <= size:
        entries.append(ChunkEntry(head.kind, head.time, at))
        at, last = head.end, head
    if last and not is_intact(file, last):
        entries.pop()
    return entries

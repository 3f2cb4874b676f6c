"""How is a run file put together, so that what was written stays readable whatever happens later?

A run file is a signature and then chunks, each complete in itself: a head that says what the chunk is, how
long, and from which time on it holds, then its bytes. Chunks are only ever added at the end, each in one
write. A file that ends in the middle of a chunk is read up to the one before.

The last chunk of a finished file is its index, and the last bytes tell where the index begins. Without
them the chunks are found by going from head to head.

A journal is packed by what its records foretell of each other; the outline of that is compressed as all else is.
"""

from __future__ import annotations

import struct
import zlib
from enum import IntEnum
from typing import BinaryIO

import msgspec

from kumi._core import pack_journal, unpack_journal
from kumi.devs import KumiError

SIGNATURE = b"\x93KUMIRUN\r\n\x1a\n"
FORMAT = 4
READABLE = (2, 3, FORMAT)
"""Format 3 has one kind of record more: what programs publish. Format 4 has one kind of packing more: that of journals."""
OPENING = struct.Struct("<12sI")
CHUNK_HEAD = struct.Struct("<BBIIdI")
HEAD_CHECK = struct.Struct("<I")
OUTLINE = struct.Struct(
    "<I?"
)  # how long it is, compressed; whether the numbers behind it are compressed, too
CLOSING = struct.Struct("<Q8s")
CLOSED = b"KUMI.END"
SAMPLE = 1 << 13
PAYS = 0.8
"""The share of a sample that is left where the rest of the numbers is compressed, too."""


class RunFileError(KumiError):
    """A file that is no run file, is damaged, or does not hold what is asked of it."""


class ChunkKind(IntEnum):
    """What a chunk holds."""

    META = 1
    KEYFRAME = 2
    JOURNAL = 3
    INDEX = 4


class Packing(IntEnum):
    """How the bytes of a chunk are made smaller: not at all, by zlib, or as a journal."""

    NONE = 0
    ZLIB = 1
    JOURNAL = 2


class ChunkHead(msgspec.Struct, frozen=True):
    """What stands before the bytes of a chunk, and where they begin in the file."""

    kind: ChunkKind
    packing: Packing
    length: int
    unpacked: int
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


def pack(kind: ChunkKind, time: float, data: bytes, packing: Packing) -> bytes:
    """Make a chunk of some bytes; packing makes it smaller and takes time."""
    inside = data
    if packing is Packing.JOURNAL and (packed := _packed_journal(data)):
        inside = packed
    elif packing is not Packing.NONE:
        packing, inside = Packing.ZLIB, zlib.compress(data, 1)
    head = CHUNK_HEAD.pack(kind, packing, len(inside), len(data), time, zlib.crc32(inside))
    return b"".join((head, HEAD_CHECK.pack(zlib.crc32(head)), inside))


def _packed_journal(journal: bytes) -> bytes:
    """Pack whole records; what are none gives nothing."""
    parts = pack_journal(journal)
    if parts is None:
        return b""
    outline, numbers = zlib.compress(parts[0], 1), parts[1]
    # Numbers that were worked out are as good as random; those that somebody chose are not.
    sample = numbers[len(numbers) // 2 :][:SAMPLE]
    pays = len(zlib.compress(sample, 1)) < len(sample) * PAYS
    if pays:
        numbers = zlib.compress(numbers, 1)
    return b"".join((OUTLINE.pack(len(outline), pays), outline, numbers))


def _unpacked_journal(inside: bytes, length: int) -> bytes | None:
    """Give back a journal of a length; None where it is damaged."""
    size, is_compressed = OUTLINE.unpack_from(inside)
    begin = OUTLINE.size + size
    numbers = inside[begin:]
    return unpack_journal(
        zlib.decompress(inside[OUTLINE.size : begin]),
        zlib.decompress(numbers) if is_compressed else numbers,
        length,
    )


def read_head(file: BinaryIO, at: int) -> ChunkHead | None:
    """Read the head of a chunk; None where no whole head stands."""
    file.seek(at)
    data = file.read(CHUNK_HEAD.size + HEAD_CHECK.size)
    if len(data) < CHUNK_HEAD.size + HEAD_CHECK.size:
        return None
    if HEAD_CHECK.unpack_from(data, CHUNK_HEAD.size) != (zlib.crc32(data[: CHUNK_HEAD.size]),):
        return None
    kind, packing, length, unpacked, time, check = CHUNK_HEAD.unpack_from(data)
    return ChunkHead(ChunkKind(kind), Packing(packing), length, unpacked, time, check, at + len(data))


def read_inside(file: BinaryIO, head: ChunkHead) -> bytes:
    """Read what a chunk holds, or say that it is damaged."""
    file.seek(head.begin)
    data = file.read(head.length)
    if len(data) < head.length or zlib.crc32(data) != head.check:
        raise RunFileError(f"{file.name} is damaged at byte {head.begin}")
    match head.packing:
        case Packing.NONE:
            return data
        case Packing.ZLIB:
            return zlib.decompress(data)
    journal = _unpacked_journal(data, head.unpacked)
    if journal is None:
        raise RunFileError(f"{file.name} is damaged at byte {head.begin}")
    return journal


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
        known = f"{', '.join(map(str, READABLE[:-1]))} and {FORMAT}"
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

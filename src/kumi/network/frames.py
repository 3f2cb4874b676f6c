"""Records in a file that may end in the middle: each with its length and a checksum.

A process that is killed leaves whole records and perhaps a piece of one at the end. `whole` gives the records up
to the first that is not whole, and where that one begins. If there are whole ones after it, which `after_damage`
looks for, it was not cut short: the file is damaged.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

FRAME = struct.Struct("<II")
"""The length of a record and the checksum of it."""


def framed(record: bytes) -> bytes:
    """Return a record as it stands in a file."""
    return FRAME.pack(len(record), zlib.crc32(record)) + record


def whole(data: bytes, start: int = 0) -> tuple[list[bytes], int]:
    """Return all whole records from a place on, and the place where the last of them ends."""
    records: list[bytes] = []
    place = start
    while place + FRAME.size <= len(data):
        length, checksum = FRAME.unpack_from(data, place)
        end = place + FRAME.size + length
        record = data[place + FRAME.size : end]
        if end > len(data) or zlib.crc32(record) != checksum:
            break
        records.append(record)
        place = end
    return records, place


def after_damage(data: bytes, start: int, is_record: Callable[[bytes], bool]) -> int | None:
    """Return where the first whole record begins that lies anywhere after a place; None if there is none."""
    for place in range(start + 1, len(data) - FRAME.size):
        length, checksum = FRAME.unpack_from(data, place)
        end = place + FRAME.size + length
        if 0 < length and end <= len(data):
            record = data[place + FRAME.size : end]
            if zlib.crc32(record) == checksum and is_record(record):
                return place
    return None

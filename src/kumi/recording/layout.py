"""How are the records of a run laid out as bytes?

A journal is one record after another, little-endian and without padding: a tag of one byte, then fields
whose number the tag tells. Only a few kinds say their own length. A record `T` gives the time of all
that follow it. The layout of every record stands in docs/recording.md.
"""

from __future__ import annotations

import struct

from kumi.devs import KumiError

TIME, ADDED, GONE, RESIZED, JUMPED, COMMANDED, MOVES, ENDED, TOUCHED, NOTE = b"TARSJKMECN"
STANDS, CLEARED = b"OX"
WAY, RESERVED, PUBLISHED, COUNTED = b"WZPI"
SENT, RECEIVED, DROPPED = b"QGD"
LONGEST_WORD = 0xFFFF
LONGEST_CONTENT = 1_000_000
NOBODY = 0xFFFFFFFF
NOTHING = -1

INSTANT = struct.Struct("<d")
NUMBER = struct.Struct("<I")
PLACED = struct.Struct("<I3d")
LEFT = struct.Struct("<IB")
ORDERED = struct.Struct("<IB6d")
MOVED = struct.Struct("<I2d")
STOPPED = struct.Struct("<IB3d")
CONTACT = struct.Struct("<IIi2d")
NOTED = struct.Struct("<II")
PLACE = struct.Struct("<2d")
SENDING = struct.Struct("<QIIHI")  # number, sender; how many receivers, bytes of the kind, of the content
ARRIVAL = struct.Struct("<QI")
LOSS = struct.Struct("<QIH")  # number, receiver, bytes of the reason
ZONE = struct.Struct("<BdH")  # whether it is granted, radius, how many places
COUNTS = struct.Struct("<4I")  # body; contacts, messages sent, received
PIECE = 97
SPEEDS = struct.Struct("<3d")
SPEEDS_AT = 1 + 5 * 8

# How long a record is with its tag; 0 where the record itself says how long.
LENGTHS = [-1] * 256
LENGTHS[TIME] = 1 + INSTANT.size
LENGTHS[ADDED] = 0
LENGTHS[GONE] = 1 + LEFT.size
LENGTHS[RESIZED] = 0
LENGTHS[JUMPED] = 1 + PLACED.size
LENGTHS[COMMANDED] = 1 + ORDERED.size
LENGTHS[MOVES] = 1 + MOVED.size + PIECE
LENGTHS[ENDED] = 1 + STOPPED.size
LENGTHS[TOUCHED] = 1 + CONTACT.size
LENGTHS[NOTE] = 0
LENGTHS[STANDS] = 0
LENGTHS[WAY] = 0
LENGTHS[RESERVED] = 0
LENGTHS[PUBLISHED] = 0
LENGTHS[COUNTED] = 1 + COUNTS.size
LENGTHS[CLEARED] = 1 + NUMBER.size
LENGTHS[SENT] = 0
LENGTHS[RECEIVED] = 1 + ARRIVAL.size
LENGTHS[DROPPED] = 0


class JournalError(KumiError, ValueError):
    """Bytes that are no journal."""


def record_length(data: bytes, at: int) -> int:
    """Return how long the record at a place is, or say why there is none."""
    length = LENGTHS[data[at]]
    try:
        length = length or long_record_length(data, at)
    except (IndexError, struct.error):
        length = len(data) + 1
    if length < 0:
        raise JournalError(f"byte {at} of a journal begins no record: there is none with tag {data[at]}")
    if at + length > len(data):
        raise JournalError(f"the record at byte {at} of a journal is cut short")
    return length


def long_record_length(data: bytes, at: int) -> int:
    """Return how long a record is that says so itself."""
    if data[at] in {NOTE, STANDS, WAY, RESERVED, PUBLISHED}:
        length: int = NOTED.unpack_from(data, at + 1)[1]
        return 1 + NOTED.size + length
    if data[at] == SENT:
        _, _, receivers, kind, content = SENDING.unpack_from(data, at + 1)
        size: int = 1 + SENDING.size + 4 * receivers + kind + content
        return size
    if data[at] == DROPPED:
        reason: int = LOSS.unpack_from(data, at + 1)[2]
        return 1 + LOSS.size + reason
    head = 1 + (PLACED.size if data[at] == ADDED else NUMBER.size)
    return head + shape_length(data, at + head)


def shape_length(data: bytes, at: int) -> int:
    """Return how many bytes a shape takes."""
    match data[at]:
        case 0:
            return 1 + 8
        case 1:
            corners: int = struct.unpack_from("<H", data, at + 1)[0]
            return 3 + 16 * corners
        case 2:
            return 1 + 16
    raise JournalError(f"byte {at} of a journal begins no shape: there is none of kind {data[at]}")


def last_time(data: bytes, time: float) -> float:
    """Return the time in force at the end of a journal; `time` is that at its beginning."""
    at = 0
    while at < len(data):
        if data[at] == TIME:
            (time,) = INSTANT.unpack_from(data, at + 1)
        at += record_length(data, at)
    return time

"""How are the records of a run written as bytes, and read back?

A journal is one record after another, little-endian and without padding: a tag of one byte, then fields
whose number the tag tells. Only shapes and notes say their own length. A record `T` gives the time of all
that follow it. The layout of every record stands in docs/recording.md.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from kumi.geometry import BodyShape, Disc, Ellipse, Point, Polygon, Pose
from kumi.kernel import KumiError
from kumi.motion import Piece
from kumi.recording.records import (
    Added,
    Cleared,
    Commanded,
    Dropped,
    Ended,
    Ending,
    Gone,
    Jumped,
    Leaving,
    Moves,
    Note,
    Order,
    Received,
    Record,
    Resized,
    Sent,
    Stands,
    Touched,
    Way,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Reading: TypeAlias = Callable[[bytes, int, float], Record]

TIME, ADDED, GONE, RESIZED, JUMPED, COMMANDED, MOVES, ENDED, TOUCHED, NOTE = b"TARSJKMECN"
STANDS, CLEARED, WAY = b"OXW"
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
LENGTHS[CLEARED] = 1 + NUMBER.size
LENGTHS[SENT] = 0
LENGTHS[RECEIVED] = 1 + ARRIVAL.size
LENGTHS[DROPPED] = 0


class JournalError(KumiError, ValueError):
    """Bytes that are no journal."""


class JournalReader:
    """Reads a journal that comes in pieces of whole records; `time` is the one in force."""

    def __init__(self, time: float = 0.0) -> None:
        self.time = time

    def read(self, data: bytes) -> Iterator[Record]:
        """Go through the records of the next piece."""
        at = 0
        while at < len(data):
            end = at + record_length(data, at)
            tag = data[at]
            if tag == TIME:
                (self.time,) = INSTANT.unpack_from(data, at + 1)
            else:
                yield READINGS[tag](data, at + 1, self.time)
            at = end


def last_time(data: bytes, time: float) -> float:
    """Return the time in force at the end of a journal; `time` is that at its beginning."""
    at = 0
    while at < len(data):
        if data[at] == TIME:
            (time,) = INSTANT.unpack_from(data, at + 1)
        at += record_length(data, at)
    return time


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
    if data[at] in {NOTE, STANDS, WAY}:
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


@lru_cache(4096)
def read_shape(data: bytes) -> BodyShape:
    """Read a shape. Robots of a kind share one."""
    match data[0]:
        case 0:
            return Disc(*INSTANT.unpack_from(data, 1))
        case 1:
            return Polygon([Point(x, y) for x, y in struct.iter_unpack("<2d", data[3:])])
    a, b = struct.unpack_from("<2d", data, 1)
    return Ellipse(2.0 * a, 2.0 * b)


def shape_at(data: bytes, at: int) -> BodyShape:
    """Read the shape at a place."""
    return read_shape(data[at : at + shape_length(data, at)])


def read_added(data: bytes, at: int, time: float) -> Added:
    """Read what follows the tag `A`."""
    body, x, y, heading = PLACED.unpack_from(data, at)
    return Added(time, body, Pose(Point(x, y), heading), shape_at(data, at + PLACED.size))


def read_gone(data: bytes, at: int, time: float) -> Gone:
    """Read what follows the tag `R`."""
    body, why = LEFT.unpack_from(data, at)
    return Gone(time, body, Leaving(why))


def read_resized(data: bytes, at: int, time: float) -> Resized:
    """Read what follows the tag `S`."""
    (body,) = NUMBER.unpack_from(data, at)
    return Resized(time, body, shape_at(data, at + NUMBER.size))


def read_jumped(data: bytes, at: int, time: float) -> Jumped:
    """Read what follows the tag `J`."""
    body, x, y, heading = PLACED.unpack_from(data, at)
    return Jumped(time, body, Pose(Point(x, y), heading))


def read_commanded(data: bytes, at: int, time: float) -> Commanded:
    """Read what follows the tag `K`."""
    body, order, x, y, angle, distance, turn_speed, speed = ORDERED.unpack_from(data, at)
    return Commanded(time, body, Order(order), Point(x, y), angle, distance, turn_speed, speed)


def read_moves(data: bytes, at: int, time: float) -> Moves:
    """Read what follows the tag `M`."""
    body, rate, since = MOVED.unpack_from(data, at)
    at += MOVED.size
    piece = Piece.from_bytes(data[at : at + PIECE])
    return Moves(time, body, rate, since, piece, *SPEEDS.unpack_from(data, at + SPEEDS_AT))


def read_ended(data: bytes, at: int, time: float) -> Ended:
    """Read what follows the tag `E`."""
    body, why, x, y, heading = STOPPED.unpack_from(data, at)
    return Ended(time, body, Ending(why), Pose(Point(x, y), heading))


def read_touched(data: bytes, at: int, time: float) -> Touched:
    """Read what follows the tag `C`."""
    body, other, obstacle, x, y = CONTACT.unpack_from(data, at)
    return Touched(
        time, body, None if other == NOBODY else other, None if obstacle == NOTHING else obstacle, Point(x, y)
    )


def read_note(data: bytes, at: int, time: float) -> Note:
    """Read what follows the tag `N`."""
    body, length = NOTED.unpack_from(data, at)
    text = data[at + NOTED.size : at + NOTED.size + length].decode(errors="replace")
    return Note(time, None if body == NOBODY else body, text)


def read_way(data: bytes, at: int, time: float) -> Way:
    """Read what follows the tag `W`."""
    body, length = NOTED.unpack_from(data, at)
    at += NOTED.size
    if length % PLACE.size:
        raise JournalError(
            f"the way at byte {at} of a journal has {length} bytes; places take {PLACE.size} each"
        )
    return Way(time, body, tuple(Point(x, y) for x, y in PLACE.iter_unpack(data[at : at + length])))


def read_stands(data: bytes, at: int, time: float) -> Stands:
    """Read what follows the tag `O`."""
    obstacle, length = NOTED.unpack_from(data, at)
    text = data[at + NOTED.size : at + NOTED.size + length]
    try:
        table = msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise JournalError(f"the obstacle at byte {at} of a journal is no JSON: {error}") from error
    return Stands(time, obstacle, table)


def read_cleared(data: bytes, at: int, time: float) -> Cleared:
    """Read what follows the tag `X`."""
    return Cleared(time, *NUMBER.unpack_from(data, at))


def read_sent(data: bytes, at: int, time: float) -> Sent:
    """Read what follows the tag `Q`."""
    number, sender, receivers, kind, content = SENDING.unpack_from(data, at)
    at += SENDING.size
    to = struct.unpack_from(f"<{receivers}I", data, at)
    at += 4 * receivers
    words = data[at : at + kind].decode(errors="replace")
    said = data[at + kind : at + kind + content].decode(errors="replace")
    return Sent(time, number, sender, to, words, said)


def read_received(data: bytes, at: int, time: float) -> Received:
    """Read what follows the tag `G`."""
    number, receiver = ARRIVAL.unpack_from(data, at)
    return Received(time, number, receiver)


def read_dropped(data: bytes, at: int, time: float) -> Dropped:
    """Read what follows the tag `D`."""
    number, receiver, reason = LOSS.unpack_from(data, at)
    at += LOSS.size
    return Dropped(time, number, receiver, data[at : at + reason].decode(errors="replace"))


def sent_record(number: int, sender: int, receivers: Sequence[int], kind: str, content: str) -> bytes:
    """Write the record of a message that was sent."""
    words, said = (
        kind.encode(errors="replace")[:LONGEST_WORD],
        content.encode(errors="replace")[:LONGEST_CONTENT],
    )
    head = SENDING.pack(number, sender, len(receivers), len(words), len(said))
    return bytes([SENT]) + head + struct.pack(f"<{len(receivers)}I", *receivers) + words + said


def received_record(number: int, receiver: int) -> bytes:
    """Write the record of a message that arrived."""
    return bytes([RECEIVED]) + ARRIVAL.pack(number, receiver)


def dropped_record(number: int, receiver: int, reason: str) -> bytes:
    """Write the record of a message that did not arrive."""
    words = reason.encode(errors="replace")[:LONGEST_WORD]
    return bytes([DROPPED]) + LOSS.pack(number, receiver, len(words)) + words


def note_record(body: int | None, text: str) -> bytes:
    """Write the record of a note of a body, or of the run."""
    words = text.encode(errors="replace")
    return bytes([NOTE]) + NOTED.pack(NOBODY if body is None else body, len(words)) + words


def way_record(body: int, places: Sequence[Point]) -> bytes:
    """Write the record of a way that a body is about to go."""
    data = b"".join(PLACE.pack(place.x, place.y) for place in places)
    return bytes([WAY]) + NOTED.pack(body, len(data)) + data


READINGS: dict[int, Reading] = {
    ADDED: read_added,
    GONE: read_gone,
    RESIZED: read_resized,
    JUMPED: read_jumped,
    COMMANDED: read_commanded,
    MOVES: read_moves,
    ENDED: read_ended,
    TOUCHED: read_touched,
    NOTE: read_note,
    WAY: read_way,
    STANDS: read_stands,
    CLEARED: read_cleared,
    SENT: read_sent,
    RECEIVED: read_received,
    DROPPED: read_dropped,
}

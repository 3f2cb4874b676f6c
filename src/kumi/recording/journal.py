"""What happened, read back from the bytes of a journal: one frozen record after the other.

How the bytes are laid out is told in `kumi.recording.layout`.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from kumi.geometry import BodyShape, Disc, Ellipse, Point, Polygon, Pose
from kumi.motion import Piece
from kumi.recording.layout import (
    ADDED,
    ARRIVAL,
    CLEARED,
    COMMANDED,
    CONTACT,
    COUNTED,
    COUNTS,
    DROPPED,
    ENDED,
    GONE,
    INSTANT,
    JUMPED,
    LEFT,
    LOSS,
    MOVED,
    MOVES,
    NOBODY,
    NOTE,
    NOTED,
    NOTHING,
    NUMBER,
    ORDERED,
    PIECE,
    PLACE,
    PLACED,
    PUBLISHED,
    RECEIVED,
    RESERVED,
    RESIZED,
    SENDING,
    SENT,
    SPEEDS,
    SPEEDS_AT,
    STANDS,
    STOPPED,
    TIME,
    TOUCHED,
    WAY,
    ZONE,
    JournalError,
    record_length,
    shape_length,
)
from kumi.recording.published import read_published
from kumi.recording.records import (
    Added,
    Cleared,
    Commanded,
    CommandKind,
    Counted,
    Dropped,
    Ended,
    Ending,
    Gone,
    Jumped,
    Leaving,
    Moves,
    Note,
    PlannedWay,
    Received,
    Record,
    Reserved,
    ReservedZone,
    Resized,
    Sent,
    Stands,
    Touched,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Reading: TypeAlias = Callable[[bytes, int, float], Record]


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
    return Commanded(time, body, CommandKind(order), Point(x, y), angle, distance, turn_speed, speed)


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


def read_way(data: bytes, at: int, time: float) -> PlannedWay:
    """Read what follows the tag `W`."""
    body, length = NOTED.unpack_from(data, at)
    at += NOTED.size
    if length % PLACE.size:
        raise JournalError(
            f"the way at byte {at} of a journal has {length} bytes; places take {PLACE.size} each"
        )
    return PlannedWay(time, body, tuple(Point(x, y) for x, y in PLACE.iter_unpack(data[at : at + length])))


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


def read_reserved(data: bytes, at: int, time: float) -> Reserved:
    """Read what follows the tag `Z`."""
    body, length = NOTED.unpack_from(data, at)
    inside, at = data[at + NOTED.size : at + NOTED.size + length], 0
    zones: list[ReservedZone] = []
    while at < length:
        try:
            is_granted, radius, count = ZONE.unpack_from(inside, at)
            floats = struct.unpack_from(f"<{2 * count}d", inside, at + ZONE.size)
        except struct.error:
            raise JournalError(f"a zone of robot {body} in a journal is cut short") from None
        at += ZONE.size + count * PLACE.size
        path = tuple(Point(x, y) for x, y in zip(floats[::2], floats[1::2], strict=True))
        zones.append(ReservedZone(path, radius, bool(is_granted)))
    return Reserved(time, body, tuple(zones))


def read_counted(data: bytes, at: int, time: float) -> Counted:
    """Read what follows the tag `I`."""
    return Counted(time, *COUNTS.unpack_from(data, at))


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
    RESERVED: read_reserved,
    PUBLISHED: read_published,
    COUNTED: read_counted,
    STANDS: read_stands,
    CLEARED: read_cleared,
    SENT: read_sent,
    RECEIVED: read_received,
    DROPPED: read_dropped,
}

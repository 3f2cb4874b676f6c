"""How are records written that the plane does not write itself: of messages, notes, ways, and reserved floor?

They go into the journal of a run and not into its trace: a run that is recorded is the same as one that is not.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from kumi.recording.layout import (
    ARRIVAL,
    DROPPED,
    LONGEST_CONTENT,
    LONGEST_WORD,
    LOSS,
    NOBODY,
    NOTE,
    NOTED,
    PLACE,
    RECEIVED,
    RESERVED,
    SENDING,
    SENT,
    WAY,
    ZONE,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kumi.geometry import Point
    from kumi.recording.records import ReservedZone


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


def reserved_record(body: int, zones: Sequence[ReservedZone]) -> bytes:
    """Write the record of all floor that a body has reserved, or waits for, from now on."""
    data = b"".join(
        ZONE.pack(zone.is_granted, zone.radius, len(zone.path))
        + b"".join(PLACE.pack(place.x, place.y) for place in zone.path)
        for zone in zones
    )
    return bytes([RESERVED]) + NOTED.pack(body, len(data)) + data

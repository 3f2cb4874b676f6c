"""Where is every body at an instant, if all records up to then are known?

A body rests where its last record put it, or follows the piece of motion that began last. So of all the
records of a body the last few are enough. They are kept as the bytes they came in, and decoded when
somebody asks: going through a journal is cheap, and a keyframe gives back the same bits.
"""

from __future__ import annotations

import struct
from math import inf
from typing import TYPE_CHECKING, Any

from kumi.geometry import Point, Pose
from kumi.recording import layout
from kumi.recording.journal import read_reserved, read_shape, read_stands
from kumi.recording.latest import SPOT, BodyState, LatestRecords, LostBody
from kumi.recording.layout import (
    ADDED,
    ARRIVAL,
    CLEARED,
    COMMANDED,
    COUNTED,
    COUNTS,
    DROPPED,
    ENDED,
    GONE,
    INSTANT,
    LEFT,
    LENGTHS,
    MOVES,
    NOBODY,
    NOTE,
    NOTED,
    NUMBER,
    PLACED,
    PUBLISHED,
    RECEIVED,
    RESERVED,
    SENDING,
    SENT,
    STANDS,
    TIME,
    TOUCHED,
    JournalError,
    record_length,
)
from kumi.recording.published import name_in, read_published, takes_away
from kumi.recording.records import Leaving, Published, Reserved

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOVES, _ENDED, _COMMANDED = LENGTHS[MOVES], LENGTHS[ENDED], LENGTHS[COMMANDED]


class Bodies:
    """All bodies, as they are after the records taken so far."""

    def __init__(self) -> None:
        self.time = 0.0
        self._latest: dict[int, LatestRecords] = {}
        self._obstacles: dict[int, tuple[float, bytes]] = {}
        self._reserved: dict[int, tuple[float, bytes]] = {}
        self._published: dict[tuple[int, bytes], tuple[float, bytes]] = {}
        self._lost: dict[int, tuple[float, bytes, bytes]] = {}
        self._counts: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._latest)

    def take(self, data: bytes, at: int = 0, until: float = inf) -> int:
        """Take the records of a journal from a place on, and return the place of the first one later than `until`."""
        latest, time, end = self._latest, self.time, len(data)
        number, instant = NUMBER.unpack_from, INSTANT.unpack_from
        try:
            while at < end:
                tag = data[at]
                if tag == MOVES:
                    body = latest[number(data, at + 1)[0]]
                    body.motion = data[at : at + _MOVES]
                    body.moved = time
                    body.moves = None
                    at += _MOVES
                elif tag == TIME:
                    (later,) = instant(data, at + 1)
                    if later > until:
                        break
                    time = later
                    at += 9
                elif tag == ENDED:
                    latest[number(data, at + 1)[0]].put(time, data[at + 6 : at + _ENDED])
                    at += _ENDED
                elif tag == COMMANDED:
                    latest[number(data, at + 1)[0]].obey(time, data[at : at + _COMMANDED])
                    at += _COMMANDED
                else:
                    at = self._take_other(data, at, time)
        except KeyError as unknown:
            raise JournalError(
                f"the record at byte {at} of a journal is of body {unknown}, which was never added"
            ) from None
        except struct.error:
            at = end + 1
        if at > end:
            raise JournalError("the last record of a journal is cut short")
        self.time = time
        return at

    def _take_other(self, data: bytes, at: int, time: float) -> int:
        """Take a record of a kind that is rare, and return the place after it."""
        tag, after = data[at], at + record_length(data, at)
        if tag in COUNTINGS:
            COUNTINGS[tag](self._counts, data, at + 1)
            return after
        (number,) = NUMBER.unpack_from(data, at + 1)
        if tag in {NOTE, DROPPED}:
            return after
        if tag in {STANDS, CLEARED}:
            self._obstacles[number] = time, data[at:after]
            return after
        if tag == RESERVED:
            self._reserved[number] = time, data[at:after]
            return after
        if tag == PUBLISHED:
            self._publish(number, data[at:after], time)
            return after
        self._take_of_body(number, data[at:after], time)
        return after

    def _publish(self, number: int, record: bytes, time: float) -> None:
        """Let something stand under a name, or no more."""
        key = number, name_in(record)
        if takes_away(record):
            self._published.pop(key, None)
        else:
            self._published[key] = time, record

    def _take_of_body(self, number: int, record: bytes, time: float) -> None:
        """Take a rare record of a body."""
        place = 1 + NUMBER.size
        match record[0]:
            case layout.ADDED:
                shape = 1 + PLACED.size
                self._latest[number] = LatestRecords(time, record[place:shape], record[shape:])
            case layout.WAY:
                if (going := self._latest.get(number)) is not None:
                    going.way, going.wayed, going.moves = record, time, None
            case layout.GONE:
                gone = self._latest.pop(number)
                for key in [key for key in self._published if key[0] == number]:
                    del self._published[key]
                if record[place] == Leaving.FELL:
                    pose = gone.state(number, time).pose
                    self._lost[number] = time, SPOT.pack(*pose.position, pose.heading), gone.shape
            case layout.RESIZED:
                body = self._latest[number]
                body.shape, body.still, body.moves = record[place:], None, None
            case _:
                assert record[0] == layout.JUMPED
                self._latest[number].put(time, record[place:])

    def states(self, instant: float) -> list[BodyState]:
        """Return all bodies as they are at an instant, which is not before the last record taken."""
        return [body.state(number, instant) for number, body in sorted(self._latest.items())]

    def lost(self) -> list[LostBody]:
        """Return the bodies that fell into holes, in the order in which they did."""
        return [
            LostBody(time, number, Pose(Point(x, y), heading), read_shape(shape))
            for number, (time, place, shape) in sorted(self._lost.items(), key=lambda one: one[1][0])
            for x, y, heading in [SPOT.unpack(place)]
        ]

    def reserved(self) -> list[Reserved]:
        """Return the floor that bodies have reserved or wait for, by number; those without any are left out."""
        return [
            read_reserved(record, 1, time)
            for _, (time, record) in sorted(self._reserved.items())
            if len(record) > 1 + NOTED.size
        ]

    def published(self) -> list[Published]:
        """Return what stands under names: of bodies by number, and of the run at last."""
        return [read_published(record, 1, time) for _, (time, record) in sorted(self._published.items())]

    def scenery(self, table: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the table of a map with the obstacles that have come and without those that are gone."""
        if not self._obstacles:
            return table
        things = dict(enumerate(table.get("obstacles", ())))
        for number, (time, record) in sorted(self._obstacles.items()):
            if record[0] == STANDS:
                things[number] = read_stands(record, 1, time).table
            else:
                things.pop(number, None)
        return {**table, "obstacles": list(things.values())}

    def keyframe(self) -> bytes:
        """Return a journal from which exactly these bodies can be made, in the order of its times."""
        parts: list[bytes] = []
        present = None
        records = [record for number, body in self._latest.items() for record in body.records(number)]
        records += [(time, 4, number, record) for number, (time, record) in self._obstacles.items()]
        records += [(time, 5, number, record) for number, (time, record) in self._reserved.items()]
        records += [(time, 8, number, record) for (number, _), (time, record) in self._published.items()]
        for number, (time, place, shape) in self._lost.items():
            head = bytes([ADDED]) + NUMBER.pack(number)
            records.append((time, 0, number, head + place + shape))
            records.append((time, 6, number, bytes([GONE]) + LEFT.pack(number, Leaving.FELL)))
        for number, counts in self._counts.items():
            records.append((self.time, 7, number, bytes([COUNTED]) + COUNTS.pack(number, *counts)))
        for time, _, _, record in sorted(records):
            if time != present:
                parts.append(bytes([TIME]) + INSTANT.pack(time))
                present = time
            parts.append(record)
        return b"".join(parts)


def _touch(counts: dict[int, list[int]], data: bytes, at: int) -> None:
    for body in struct.unpack_from("<2I", data, at):
        if body != NOBODY:
            counts.setdefault(body, [0, 0, 0])[0] += 1


def _send(counts: dict[int, list[int]], data: bytes, at: int) -> None:
    counts.setdefault(SENDING.unpack_from(data, at)[1], [0, 0, 0])[1] += 1


def _receive(counts: dict[int, list[int]], data: bytes, at: int) -> None:
    counts.setdefault(ARRIVAL.unpack_from(data, at)[1], [0, 0, 0])[2] += 1


def _count(counts: dict[int, list[int]], data: bytes, at: int) -> None:
    body, *known = COUNTS.unpack_from(data, at)
    counts[body] = known


COUNTINGS = {TOUCHED: _touch, SENT: _send, RECEIVED: _receive, COUNTED: _count}
"""What records of contacts and messages do to the counts of bodies: contacts, messages sent, received."""

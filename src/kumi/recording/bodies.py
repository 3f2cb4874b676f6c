"""Where is every body at an instant, if all records up to then are known?

A body rests where its last record put it, or follows the piece of motion that began last. So of all the
records of a body the last few are enough. They are kept as the bytes they came in, and decoded when
somebody asks: going through a journal is cheap, and a keyframe gives back the same bits.
"""

from __future__ import annotations

import struct
from math import inf, isnan
from typing import TYPE_CHECKING, Any

import msgspec

from kumi.geometry import BodyShape, Point, Pose
from kumi.recording.journal import (
    ADDED,
    CLEARED,
    COMMANDED,
    DROPPED,
    ENDED,
    GONE,
    INSTANT,
    JUMPED,
    LENGTHS,
    MOVES,
    NOTE,
    NUMBER,
    PLACED,
    RECEIVED,
    RESIZED,
    SENT,
    STANDS,
    TIME,
    TOUCHED,
    WAY,
    JournalError,
    read_commanded,
    read_moves,
    read_shape,
    read_stands,
    record_length,
)
from kumi.recording.records import Commanded, Moves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOVES, _ENDED, _COMMANDED = LENGTHS[MOVES], LENGTHS[ENDED], LENGTHS[COMMANDED]
_PLACE = struct.Struct("<3d")


class BodyState(msgspec.Struct, frozen=True):
    """A body at an instant. A resting one has no destination, nor has one that only turns or steers."""

    number: int
    pose: Pose
    shape: BodyShape
    is_moving: bool
    destination: Point | None = None


OF_NO_BODY = frozenset({TOUCHED, NOTE, WAY, SENT, RECEIVED, DROPPED})
"""Records that change nothing about where bodies are."""


class _Latest:
    """The last records of one body, each with its tag and number, and what was decoded of them."""

    __slots__ = (
        "command",
        "commanded",
        "goal",
        "motion",
        "moved",
        "moves",
        "place",
        "placed",
        "shape",
        "still",
    )

    def __init__(self, placed: float, place: bytes, shape: bytes) -> None:
        self.shape = shape
        self.put(placed, place)

    def put(self, placed: float, place: bytes) -> None:
        """Let the body rest at a place, which is three numbers as bytes."""
        self.placed = placed
        self.place = place
        self.motion: bytes | None = None
        self.moved = placed
        self.command: bytes | None = None
        self.commanded = placed
        self.still: BodyState | None = None
        self.moves: tuple[Moves, BodyShape] | None = None
        self.goal: Point | None = None

    def state(self, number: int, instant: float) -> BodyState:
        """Return where the body is at an instant not before its last record."""
        if self.motion is None:
            if self.still is None:
                x, y, heading = _PLACE.unpack(self.place)
                self.still = BodyState(number, Pose(Point(x, y), heading), read_shape(self.shape), False)
            return self.still
        if self.moves is None:
            self.moves = read_moves(self.motion, 1, self.moved), read_shape(self.shape)
            self.goal = destination(read_commanded(self.command, 1, 0.0)) if self.command else None
        moves, shape = self.moves
        return BodyState(number, moves.pose(instant), shape, True, self.goal)

    def records(self, number: int) -> Iterator[tuple[float, int, int, bytes]]:
        """Give the records, each with its time and a rank, from which the body can be made again."""
        head = bytes([ADDED]) + NUMBER.pack(number)
        yield self.placed, 0, number, head + self.place + self.shape
        if self.command is not None:
            yield self.commanded, 1, number, self.command
        if self.motion is not None:
            yield self.moved, 2, number, self.motion


class Bodies:
    """All bodies, as they are after the records taken so far."""

    def __init__(self) -> None:
        self.time = 0.0
        self._latest: dict[int, _Latest] = {}
        self._obstacles: dict[int, tuple[float, bytes]] = {}

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
                    body = latest[number(data, at + 1)[0]]
                    body.command = data[at : at + _COMMANDED]
                    body.commanded = time
                    body.moves = None
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
        if tag in OF_NO_BODY:
            return after
        if tag in {STANDS, CLEARED}:
            (obstacle,) = NUMBER.unpack_from(data, at + 1)
            self._obstacles[obstacle] = time, data[at:after]
            return after
        (number,) = NUMBER.unpack_from(data, at + 1)
        place = at + 1 + NUMBER.size
        if tag == ADDED:
            shape = at + 1 + PLACED.size
            self._latest[number] = _Latest(time, data[place:shape], data[shape:after])
        elif tag == GONE:
            del self._latest[number]
        elif tag == RESIZED:
            body = self._latest[number]
            body.shape, body.still, body.moves = data[place:after], None, None
        else:
            assert tag == JUMPED
            self._latest[number].put(time, data[place:after])
        return after

    def states(self, instant: float) -> list[BodyState]:
        """Return all bodies as they are at an instant, which is not before the last record taken."""
        return [body.state(number, instant) for number, body in sorted(self._latest.items())]

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
        records += [(time, 3, number, record) for number, (time, record) in self._obstacles.items()]
        for time, _, _, record in sorted(records):
            if time != present:
                parts.append(bytes([TIME]) + INSTANT.pack(time))
                present = time
            parts.append(record)
        return b"".join(parts)


def destination(command: Commanded) -> Point | None:
    """Return where a command leads, if it says so."""
    return None if isnan(command.goal.x) or isnan(command.goal.y) else command.goal

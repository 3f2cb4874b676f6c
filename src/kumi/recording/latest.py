"""Where is one body at an instant, if its last few records are known?

They are kept as the bytes they came in, and decoded when somebody asks.
"""

from __future__ import annotations

import struct
from math import isnan
from typing import TYPE_CHECKING

import msgspec

from kumi.geometry import BodyShape, Point, Pose, wrapped
from kumi.recording.journal import read_commanded, read_moves, read_shape, read_way
from kumi.recording.layout import ADDED, NUMBER
from kumi.recording.records import Commanded, Moves

if TYPE_CHECKING:
    from collections.abc import Iterator

SPOT = struct.Struct("<3d")


class BodyState(msgspec.Struct, frozen=True):
    """A body at an instant. A resting one has no destination, nor has one that only turns or steers.

    `way` are the places that its command leads to, one after the other, where they are known.
    """

    number: int
    pose: Pose
    shape: BodyShape
    is_moving: bool
    destination: Point | None = None
    way: tuple[Point, ...] = ()


class LostBody(msgspec.Struct, frozen=True):
    """A body that fell into a hole: when, where, and how it was shaped."""

    time: float
    number: int
    pose: Pose
    shape: BodyShape


class LatestRecords:
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
        "way",
        "wayed",
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
        self.way: bytes | None = None
        self.wayed = placed
        self.still: BodyState | None = None
        self.moves: tuple[Moves, BodyShape] | None = None
        self.goal: tuple[Point | None, tuple[Point, ...]] = (None, ())

    def obey(self, time: float, command: bytes) -> None:
        """Take a command; a way that was noted before it is another one's."""
        self.command, self.commanded, self.moves = command, time, None
        if self.wayed < time:
            self.way = None

    def state(self, number: int, instant: float) -> BodyState:
        """Return where the body is at an instant not before its last record."""
        if self.motion is None:
            if self.still is None:
                x, y, heading = SPOT.unpack(self.place)
                self.still = BodyState(
                    number, Pose(Point(x, y), wrapped(heading)), read_shape(self.shape), False
                )
            return self.still
        if self.moves is None:
            self.moves = read_moves(self.motion, 1, self.moved), read_shape(self.shape)
            self.goal = (
                destination(read_commanded(self.command, 1, 0.0)) if self.command else None,
                read_way(self.way, 1, 0.0).places if self.way else (),
            )
        moves, shape = self.moves
        return BodyState(number, moves.pose(instant), shape, True, *self.goal)

    def records(self, number: int) -> Iterator[tuple[float, int, int, bytes]]:
        """Give the records, each with its time and a rank, from which the body can be made again."""
        head = bytes([ADDED]) + NUMBER.pack(number)
        yield self.placed, 0, number, head + self.place + self.shape
        if self.command is not None:
            yield self.commanded, 1, number, self.command
        if self.motion is not None:
            yield self.moved, 2, number, self.motion
        if self.way is not None:
            yield self.wayed, 3, number, self.way


def destination(command: Commanded) -> Point | None:
    """Return where a command leads, if it says so."""
    return None if isnan(command.goal.x) or isnan(command.goal.y) else command.goal

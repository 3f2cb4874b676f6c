"""Journals for tests: written record by record, as the native plane writes them."""

from __future__ import annotations

import math
import struct
from typing import Self

from kumi.recording.records import CommandKind, Ending, Leaving

NAN = math.nan


class Journal:
    """Collects records as bytes. Every method gives the journal back, so that calls can be chained."""

    def __init__(self) -> None:
        self.data = b""

    def _record(self, layout: str, *values: object, tail: bytes = b"") -> Self:
        self.data += struct.pack("<" + layout, *values) + tail
        return self

    def time(self, time: float) -> Self:
        return self._record("cd", b"T", time)

    def add(self, body: int, x: float, y: float, heading: float = 0.0, shape: bytes | None = None) -> Self:
        return self._record("cI3d", b"A", body, x, y, heading, tail=shape or disc(0.5))

    def gone(self, body: int, why: Leaving = Leaving.REMOVED) -> Self:
        return self._record("cIB", b"R", body, why)

    def resize(self, body: int, shape: bytes) -> Self:
        return self._record("cI", b"S", body, tail=shape)

    def jump(self, body: int, x: float, y: float, heading: float = 0.0) -> Self:
        return self._record("cI3d", b"J", body, x, y, heading)

    def command(
        self,
        body: int,
        order: CommandKind,
        goal: tuple[float, float] = (NAN, NAN),
        angle: float = NAN,
        distance: float = NAN,
        turn_speed: float = NAN,
        speed: float = NAN,
    ) -> Self:
        return self._record("cIB6d", b"K", body, order, *goal, angle, distance, turn_speed, speed)

    def move(self, body: int, piece: bytes, *, rate: float = 1.0, since: float = 0.0) -> Self:
        return self._record("cI2d", b"M", body, rate, since, tail=piece)

    def end(self, body: int, x: float, y: float, heading: float = 0.0, why: Ending = Ending.ARRIVED) -> Self:
        return self._record("cIB3d", b"E", body, why, x, y, heading)

    def touch(self, body: int, x: float, y: float, *, other: int = 0xFFFFFFFF, obstacle: int = -1) -> Self:
        return self._record("cIIi2d", b"C", body, other, obstacle, x, y)

    def note(self, body: int | None, text: str) -> Self:
        data = text.encode()
        return self._record("cII", b"N", 0xFFFFFFFF if body is None else body, len(data), tail=data)


def disc(radius: float) -> bytes:
    return struct.pack("<Bd", 0, radius)


def polygon(*corners: tuple[float, float]) -> bytes:
    return struct.pack("<BH", 1, len(corners)) + b"".join(struct.pack("<2d", *corner) for corner in corners)


def ellipse(a: float, b: float) -> bytes:
    return struct.pack("<B2d", 2, a, b)


def line(x: float, y: float, heading: float, length: float, speed: float, acceleration: float = 0.0) -> bytes:
    """Write a straight piece along the heading; with an acceleration it begins at rest."""
    ux, uy = math.cos(heading), math.sin(heading)
    duration = math.sqrt(2.0 * length / acceleration) if acceleration else length / speed
    begin = 0.0 if acceleration else speed
    last = (x + ux * length, y + uy * length, heading)
    return struct.pack("<B12d", 0, x, y, heading, ux, uy, begin, acceleration, 0.0, duration, *last)


def spin(x: float, y: float, heading: float, angle: float, speed: float) -> bytes:
    """Write a turn on the spot."""
    rate = math.copysign(speed, angle)
    return struct.pack(
        "<B12d", 0, x, y, heading, 0.0, 0.0, 0.0, 0.0, rate, abs(angle) / speed, x, y, heading + angle
    )


def arc(x: float, y: float, heading: float, radius: float, angle: float, speed: float) -> bytes:
    """Write a piece of a circle whose centre lies to the left for a positive radius."""
    cx, cy = x - math.sin(heading) * radius, y + math.cos(heading) * radius
    way = abs(radius * angle)
    c, s = math.cos(angle), math.sin(angle)
    last = (cx + c * (x - cx) - s * (y - cy), cy + s * (x - cx) + c * (y - cy), heading + angle)
    rate = math.copysign(1.0 / abs(radius), angle)
    ahead = math.copysign(1.0, angle * radius)
    along = (ahead * math.cos(heading), ahead * math.sin(heading))
    return struct.pack("<B12d", 1, x, y, heading, *along, speed, 0.0, rate, way / speed, *last)

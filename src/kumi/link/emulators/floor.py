"""How do emulated robots of several processes stand on one floor?

A floor is a file of places, one for each address: where a robot is and how it moves, with the wall time at which that
was so. Its own process alone writes it, often, and others read it. What is read is carried on to the present; what is
older than `STALE` seconds is not: a process that was killed leaves its robot standing. A place is so short that it is written and read
in one go; a checksum tells one that was not.

The wall time is that of the machine's monotonic clock, so a floor serves the processes of one machine.
"""

from __future__ import annotations

import os
import struct
from math import cos, sin
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Self
from zlib import crc32

from kumi.geometry import Disc, Point, Polygon, Pose

STALE = 0.2
"""Seconds for which a robot is taken to go on as it did; its process writes ten times as often."""

ADDRESSES = 15
TRIES = 5
_PLACE = struct.Struct("=10d")  # wall time, x, y, heading, speed, turning, and the outline
_SIZE = _PLACE.size + 4


class Outline(NamedTuple):
    """How far a body reaches ahead, behind (below 0) and to either side of its place; a round one is a disc."""

    front: float
    back: float
    half: float
    is_round: bool

    @property
    def shape(self) -> Disc | Polygon:
        """The shape of the body."""
        if self.is_round:
            return Disc(self.half)
        front, back, half = self.front, self.back, self.half
        return Polygon([(back, -half), (front, -half), (front, half), (back, half)])


class Standing(NamedTuple):
    """Where a robot is, how fast it moves along its heading and turns, a second of wall time, and its outline."""

    pose: Pose
    speed: float
    turning: float
    outline: Outline


class Floor:
    """A floor that processes share; made where there is none yet."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def write(self, address: int, standing: Standing) -> None:
        """Tell where a robot is now."""
        pose = standing.pose
        data = _PLACE.pack(
            monotonic(),
            pose.position.x,
            pose.position.y,
            pose.heading,
            standing.speed,
            standing.turning,
            *standing.outline,
        )
        os.pwrite(self._file, data + crc32(data).to_bytes(4, "big"), _SIZE * self._checked(address))

    def read(self, address: int) -> Standing | None:
        """Return where a robot is now; None where no robot of that address was ever put on this floor."""
        at = _SIZE * self._checked(address)
        for _ in range(TRIES):
            data = os.pread(self._file, _SIZE, at)
            if len(data) == _SIZE and crc32(data[:-4]) == int.from_bytes(data[-4:], "big"):
                return _present(*_PLACE.unpack(data[:-4]))
        return None

    def _checked(self, address: int) -> int:
        if not 0 <= address < ADDRESSES:
            raise ValueError(f"a robot on a floor has an address from 0 to {ADDRESSES - 1}, not {address!r}")
        return address

    def close(self) -> None:
        """Let the file go; it stays for the others."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _present(
    stamp: float, x: float, y: float, heading: float, speed: float, turning: float, *outline: float
) -> Standing:
    """Carry a place on to the present."""
    since = max(monotonic() - stamp, 0.0)
    if since > STALE:  # its process is gone; where it was last is the best that is known
        speed = turning = since = 0.0
    mean = heading + turning * since / 2
    way = speed * since
    return Standing(
        Pose(Point(x + way * cos(mean), y + way * sin(mean)), heading + turning * since),
        speed,
        turning,
        Outline(outline[0], outline[1], outline[2], bool(outline[3])),
    )

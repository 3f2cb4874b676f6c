"""Where is a robot drawn of which only reports are known?

With each report it goes on from where it is drawn to where it will be when the next report is due, if it keeps its speed and
its turning; there it rests until it is heard again. So it never jumps without a reason, and is never drawn farther ahead than one
report. A robot whose reports are the same rests where it says, exactly.

A report that would need more than 20 m/s was not driven: the robot was carried, or its position corrected, and it is put there.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import hypot, pi

from kumi.recording.layout import ADDED, JUMPED, MOVED, MOVES, PLACED

FASTEST = 20.0
"""Metres a second beyond which a robot did not drive."""
USUAL, LONGEST = 0.1, 1.0
"""Seconds between two reports: where nothing is known, and after which a robot is lost."""
NEW = 0.5
"""The share of the newest report in what is known of the speed: clocks and positions are noisy."""
_PIECE = struct.Struct("<B12d")
_DISC = struct.Struct("<Bd")

Place = tuple[float, float, float]
"""x and y in metres, and the heading in radians."""


def disc(radius: float) -> bytes:
    """Return a round shape as a journal has it."""
    return _DISC.pack(0, radius)


@dataclass
class Track:
    """The motion of one robot, as it is drawn. `slack` is how late a report may be noticed, in seconds."""

    number: int
    radius: float
    place: Place
    slack: float
    at: float | None = None
    begun: float = 0.0
    duration: float = 0.0

    def __post_init__(self) -> None:
        self.target = self.reported = self.place
        self.velocity: Place = (0.0, 0.0, 0.0)

    def pose(self, now: float) -> Place:
        """Return where it is drawn at an instant."""
        if now >= self.begun + self.duration:
            return self.target
        share = (now - self.begun) / self.duration
        (x, y, heading), (to_x, to_y, to_heading) = self.place, self.target
        return x + share * (to_x - x), y + share * (to_y - y), heading + share * (to_heading - heading)

    def report(self, place: Place, at: float, now: float) -> bytes:
        """Take a report that was made `at`, and return what is new in the journal: nothing where nothing changed."""
        if at == self.at:
            return b""
        passed = None if self.at is None else at - self.at
        (x, y, heading), before, self.reported, self.at = place, self.reported, place, at
        step = (x - before[0], y - before[1], turn(before[2], heading))
        if passed is None or not 0.0 < passed <= 2 * LONGEST:
            self.velocity = (0.0, 0.0, 0.0)
            passed = USUAL
        elif hypot(step[0], step[1]) > FASTEST * passed:
            return self.put(place, now)
        elif step == (0.0, 0.0, 0.0):
            self.velocity = step
        else:
            old, new = (1.0 - NEW, NEW) if any(self.velocity) else (0.0, 1.0)
            vx, vy, turning = self.velocity
            self.velocity = (
                old * vx + new * step[0] / passed,
                old * vy + new * step[1] / passed,
                old * turning + new * step[2] / passed,
            )
        return self._go_on(min(passed, LONGEST) + self.slack, now)

    def put(self, place: Place, now: float) -> bytes:
        """Put it somewhere else, where it rests."""
        self.place = self.target = self.reported = place
        self.velocity, self.begun, self.duration = (0.0, 0.0, 0.0), now, 0.0
        return bytes([JUMPED]) + PLACED.pack(self.number, *place)

    def state(self, now: float) -> bytes:
        """Return the records that make it as it is at an instant."""
        added = bytes([ADDED]) + PLACED.pack(self.number, *self.pose(now)) + disc(self.radius)
        return added if now >= self.begun + self.duration else added + self._moves(now - self.begun)

    def _go_on(self, due: float, now: float) -> bytes:
        x, y, heading = self.pose(now)
        vx, vy, turning = self.velocity
        rx, ry, rh = self.reported
        ahead = heading + turn(heading, rh) + turning * due
        target = (rx + vx * due, ry + vy * due, ahead)
        if target == (x, y, heading) == self.target:
            return b""
        self.place, self.target, self.begun, self.duration = (x, y, heading), target, now, due
        return self._moves(0.0)

    def _moves(self, since: float) -> bytes:
        (x, y, heading), (to_x, to_y, to_heading) = self.place, self.target
        way = hypot(to_x - x, to_y - y)
        ux, uy = ((to_x - x) / way, (to_y - y) / way) if way > 0.0 else (1.0, 0.0)
        speed, turning = way / self.duration, (to_heading - heading) / self.duration
        piece = _PIECE.pack(
            0, x, y, heading, ux, uy, speed, 0.0, turning, self.duration, to_x, to_y, to_heading
        )
        return bytes([MOVES]) + MOVED.pack(self.number, 1.0, since) + piece


def turn(one: float, other: float) -> float:
    """Return the short turn from one heading to another."""
    return (other - one + pi) % (2.0 * pi) - pi

"""How does a car follow a way over a map, and get out of where it is stuck?

It steers to a point a little ahead on its way (pure pursuit, Coulter 1992). If that lies behind it, it turns on the
spot as cars do: back with the wheel to one side, forward with it to the other, until it looks along its way. What its
beams see near it counts more than the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, hypot, inf, radians, remainder, sin, tau

from kumi._core import Point
from kumi.geometry import Pose
from kumi.mapping.models import PACKET_BEAMS, Beam

SHARPEST = radians(38.0)
"""The greatest steering angle; the packet robot's servo ends at 40 degrees."""

AHEAD = 0.28
"""Metres along the way to the point that it steers to."""

NEAR, CLOSE = 0.17, 0.13
"""Metres before it at which it turns back, and behind it or aside at which it stops going that way."""

ESCAPE = 8
"""Scans for which it goes back the way it came when it is stuck."""

AGAIN = 40
"""Scans within which getting stuck a second time is the same trouble."""

WIDE, NARROW = radians(70.0), radians(30.0)
"""It begins to turn on the spot when its way is more than the first off, and ends at the second."""


@dataclass(frozen=True, slots=True)
class Drive:
    """What a robot is told: metres a second, and the angle of its front wheel, to the left positive."""

    speed: float
    steering: float


STAND = Drive(0.0, 0.0)


class Driver:
    """Follows a way; the beams say which of the ranges look ahead, back, to the left and to the right."""

    def __init__(self, wheelbase: float, speed: float, beams: Sequence[Beam] = PACKET_BEAMS) -> None:
        self.wheelbase = wheelbase
        self.speed = speed
        off = [remainder(beam.bearing, tau) for beam in beams]
        self._ahead = [index for index, angle in enumerate(off) if abs(angle) < radians(60.0)]
        self._behind = [index for index, angle in enumerate(off) if abs(angle) > radians(150.0)]
        self._left = [index for index, angle in enumerate(off) if 0.0 < angle < radians(120.0)]
        self._right = [index for index, angle in enumerate(off) if radians(-120.0) < angle < 0.0]
        self._turning = 0.0
        self._is_backing = False
        self._backed = 0
        self._escape = 0
        self._since = AGAIN
        self._last = STAND

    def drive(
        self, pose: Pose, way: Sequence[Point], ranges: Sequence[float | None], *, is_stuck: bool
    ) -> Drive:
        """Return what to do next; `is_stuck` tells that it did not move although it was told to."""
        self._since += 1
        if is_stuck and self._last.speed != 0.0 and self._escape == 0:
            self._turn_back()
        ahead, back = self._room(ranges)
        if self._escape and (ahead if self._last.speed > 0.0 else back) > CLOSE:
            self._escape -= 1
            return self._last
        self._escape = 0
        self._last = self._wanted(pose, way, ranges)
        return self._last

    def _turn_back(self) -> None:
        """Go back the way it came, which is free: something touches it that no beam sees.

        A turn goes on with its other half, and if it got stuck just before, to the other side.
        """
        self._escape, self._backed = ESCAPE, 0
        self._is_backing = self._last.speed > 0.0
        if self._since < AGAIN:
            self._turning = -self._turning
        self._since = 0
        self._last = Drive(-self._last.speed, self._last.steering)

    def _room(self, ranges: Sequence[float | None]) -> tuple[float, float]:
        """Return how far it is to what is ahead, and to what is behind."""
        seen = [inf if reading is None else reading for reading in ranges]
        ahead, back = (
            min((seen[index] for index in side), default=inf) for side in (self._ahead, self._behind)
        )
        return ahead, back

    def stand(self) -> Drive:
        """Stand; what was begun is over."""
        self._turning, self._backed, self._escape, self._last = 0.0, 0, 0, STAND
        return STAND

    def _wanted(self, pose: Pose, way: Sequence[Point], ranges: Sequence[float | None]) -> Drive:
        ahead, back = self._room(ranges)
        target = point_ahead(pose.position, way)
        step = target - pose.position
        off = remainder(step.direction - pose.heading, tau)
        if self._turning == 0.0 and abs(off) > WIDE:
            self._turning = 1.0 if off > 0 else -1.0
            self._is_backing = back > CLOSE
        elif self._turning and abs(off) < NARROW:
            self._turning = 0.0
        if self._turning:
            return self._turn(ahead, back)
        if ahead < NEAR or self._backed:
            left, right = (
                min((ranges[index] or inf for index in side), default=inf)
                for side in (self._left, self._right)
            )
            return self._back_off(off, back, is_left_free=left > right)
        distance = max(hypot(step.x, step.y), 0.05)
        angle = atan2(2.0 * self.wheelbase * sin(off), distance)
        return Drive(self.speed, min(max(angle, -SHARPEST), SHARPEST))

    def _turn(self, ahead: float, back: float) -> Drive:
        if self._is_backing and back < CLOSE:
            self._is_backing = False
        elif not self._is_backing and ahead < NEAR:
            self._is_backing = True
        if self._is_backing:
            return Drive(-self.speed, -self._turning * SHARPEST)
        return Drive(self.speed, self._turning * SHARPEST)

    def _back_off(self, off: float, back: float, *, is_left_free: bool) -> Drive:
        """Go back a little, so that it then looks to where its way leads, or to where there is room."""
        self._backed = self._backed - 1 if self._backed else 9
        if back < CLOSE:
            self._backed = 0
            return STAND
        side = 1.0 if (off > 0 if abs(off) > radians(10.0) else is_left_free) else -1.0
        return Drive(-self.speed, -side * SHARPEST)


def point_ahead(here: Point, way: Sequence[Point], ahead: float = AHEAD) -> Point:
    """Return the point of a way that lies a little ahead of the point nearest to a place."""
    nearest = min(range(len(way)), key=lambda index: abs(way[index] - here))
    walked, before = 0.0, way[nearest]
    for place in way[nearest + 1 :]:
        walked += abs(place - before)
        before = place
        if walked >= ahead:
            break
    return before

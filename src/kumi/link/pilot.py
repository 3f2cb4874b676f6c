"""How is a stroke driven over a link that takes its time?

In three phases. The wheel is turned while the robot stands. The motor drives, and the steering is put right at
each look. The motor is stopped so much before the end as the robot rolls on: it follows its motor with a lag of
first order, so a speed u left at the stop takes it u times the lag farther, and what is read is as old, and what
is told comes as late, as the link takes. When the wheel stands, the stroke is over.

Pure: it is told the time, looks at the reckoning, and says which bytes motor and servo should have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from math import exp, inf, radians

from kumi.link.car_strokes import Stroke, bytes_for
from kumi.link.devices import STOP
from kumi.link.reckoning import Reckoning

LOOK_EVERY = 0.03
"""Seconds from one look to the next, where the link is fast enough."""
AIMED = radians(1.5)
"""How near the wheel comes to its angle before the motor drives, if it does within `AIM_WITHIN` seconds."""
AIM_WITHIN = 0.6
STILL_WITHIN = 1.0
"""Seconds after which a robot whose motor was stopped is taken to stand."""


class Phase(Enum):
    """What a stroke is at."""

    AIMING = auto()
    GOING = auto()
    ROLLING = auto()


class Pilot:
    """Drives strokes, one after the other. `lag` is the motor's, in seconds."""

    def __init__(self, reckoning: Reckoning, lag: float) -> None:
        self._reckoning = reckoning
        self._calibration = reckoning.calibration
        self._lag = lag
        self._strokes: Iterator[Stroke] = iter(())
        self._stroke: Stroke | None = None
        self._phase = Phase.ROLLING
        self._since = self._moved = self._start = 0.0
        self._stop_at = inf
        self._servo: int | None = None
        self.is_backward = False
        """Whether it drives back, or did last."""
        self._speed = self._speed_then = self._changed = 0.0  # told, had when that changed, and when

    @property
    def is_over(self) -> bool:
        """Whether no stroke is left."""
        return self._stroke is None

    @property
    def is_driving(self) -> bool:
        """Whether the motor has been told to drive."""
        return self._phase is Phase.GOING and self._stroke is not None

    def stalled(self, now: float) -> float:
        """Return for how many seconds the wheel has stood although the motor was told to drive."""
        return now - max(self._since, self._moved) if self.is_driving else 0.0

    def begin(self, strokes: Iterable[Stroke], now: float) -> bool:
        """Drive strokes from now on; tell whether there is one. A robot that drives already does not stop first."""
        self._strokes = iter(strokes)
        return self._next(now, Phase.GOING if self.is_driving else Phase.AIMING)

    def halt(self, now: float) -> None:
        """Drop all strokes and stop."""
        self._strokes = iter(())
        self._stroke = None
        self._enter(Phase.ROLLING, now)
        self._tell_speed(0.0, now)

    def orders(self, now: float) -> tuple[int, int | None]:
        """Return the bytes of motor and servo for now; None leaves the servo."""
        if self._phase is Phase.GOING and now >= self._stop_at:
            self._enter(Phase.ROLLING, now)
        motor, speed = STOP, 0.0
        if self._stroke is not None and self._phase is not Phase.ROLLING:
            going, self._servo, going_speed = self._bytes(self._stroke)
            if self._phase is Phase.GOING:
                motor, speed = going, going_speed
        self._tell_speed(speed, now)
        return motor, self._servo

    def look(self, now: float, took: float) -> float:
        """Go by a fresh reading, which took the link so many seconds; return when the next order is due."""
        stroke = self._stroke
        if self._reckoning.has_moved:
            self._moved = now
        if stroke is None:
            return inf
        due = now + max(0.0, LOOK_EVERY - took)
        if self._phase is Phase.AIMING:
            return self._aim(stroke, now, due)
        if self._phase is Phase.GOING:
            return self._go(stroke, now, took, due)
        if self._reckoning.has_moved and now - self._since <= STILL_WITHIN:
            return due
        return now if self._next(now, Phase.AIMING) else inf

    def _bytes(self, stroke: Stroke) -> tuple[int, int, float]:
        wanted = stroke.drive(self._reckoning.pose, self._reckoning.way - self._start)
        return bytes_for(wanted, self._calibration)

    def _next(self, now: float, phase: Phase) -> bool:
        self._stroke = next(self._strokes, None)
        self._start, self._stop_at = self._reckoning.way, inf
        self._enter(phase if self._stroke is not None else Phase.ROLLING, now)
        return self._stroke is not None

    def _enter(self, phase: Phase, now: float) -> None:
        self._phase, self._since = phase, now

    def _aim(self, stroke: Stroke, now: float, due: float) -> float:
        """Drive once the wheel is where it should be."""
        _, servo, _ = self._bytes(stroke)
        gap = abs(self._reckoning.steering - self._calibration.angle_of(servo))
        if servo == self._servo and (gap <= AIMED or now - self._since > AIM_WITHIN):
            self._enter(Phase.GOING, now)
            return now
        return due

    def _go(self, stroke: Stroke, now: float, took: float, due: float) -> float:
        """Plan to stop in time if that is before another look could be taken."""
        rest = stroke.drive(self._reckoning.pose, self._reckoning.way - self._start).rest
        if rest == inf:
            return due
        speed = abs(self._bytes(stroke)[2])
        left = (rest - abs(self._speed_at(now)) * self._lag) / speed - took
        if left > due - now + took:
            return due
        self._stop_at = now + max(0.0, left)
        return self._stop_at

    def _tell_speed(self, speed: float, now: float) -> None:
        if speed != 0.0:
            self.is_backward = speed < 0.0
        if speed != self._speed:
            self._speed_then, self._speed, self._changed = self._speed_at(now), speed, now

    def _speed_at(self, now: float) -> float:
        """Return how fast the robot is by now, going by its lag."""
        fade = exp(-(now - self._changed) / self._lag) if self._lag > 0.0 else 0.0
        return self._speed + (self._speed_then - self._speed) * fade

"""How is a stroke driven over a link that takes its time?

In three phases. The wheel is turned while the robot stands. The motor drives, and the steering is put right at
each look. The motor is stopped so much before the end as the robot rolls on: it follows its motor with a lag of
first order, so a speed u left at the stop takes it u times the lag farther, and what is read is as old, and what
is told comes as late, as the link takes where nothing is damaged. How fast the robot is, it measures on its way. When
the wheel stands, the stroke is over.

A stop that had to be told again comes too late, and one that was planned from old numbers comes too early. So the last
stroke of a motion is measured once the robot stands, and what is missing, or too much, is driven slowly, as often as
it takes: so slowly that a stop which has to be told twice still leaves less than there was. Where the motor is too weak
for that and the wheel stands, it is driven faster. What ended beside its way is not put right by driving on: it goes
back a little and comes again. A robot that does not come near enough even so is off its target.

Pure: it is told the time, looks at the reckoning, and says which bytes motor and servo should have.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from enum import Enum, auto
from math import copysign, inf, radians

from kumi.link.car_maneuvers import Heading, Stroke, bytes_for
from kumi.link.devices import STOP
from kumi.link.reckoning import Reckoning
from kumi.maths import exp

LOOK_PERIOD = 0.03
"""Seconds from one look to the next, where the link is fast enough."""
AIMED = radians(1.5)
"""How near the wheel comes to its angle before the motor drives, if it does within `AIM_WITHIN` seconds."""
AIM_WITHIN = 0.6
STILL_FOR = 2.0
"""Lags of the motor without a count of the encoder after which a robot stands: what is left to roll is a sixth of a count."""
STILL_WITHIN = 2.0
"""Seconds after which a robot whose motor was stopped is taken to stand, whatever its encoder counts."""
MOST_PUT_RIGHT = 12
"""How often the end of a motion is put right. One that has come no nearer by then is not getting there."""
MOST_TRIES = 5
"""How often a motion that ended beside its way is tried again with a run-up."""
CREEP_FOR = 0.8
"""Seconds that it takes to put the end of a motion right; some times as long as a link takes to say something twice."""
TOO_WEAK = 0.4
"""Seconds for which the wheel stands until a motor that creeps is told to drive faster."""
STEADY_AFTER = 3.0
"""Lags of the motor after which it has its speed."""
MEASURED_FOR = 0.1
"""Seconds over which a speed is measured, at least."""
MOST_DEVIATION = 2.0
"""How many times as fast, or as slow, as its calibration says a motor is taken to be at most."""
ROUNDS = 8
"""Questions and answers of which the quickest tells what the link takes, and the slowest what it may take."""


class StrokePhase(Enum):
    """What a stroke is at."""

    AIMING = auto()
    GOING = auto()
    ROLLING = auto()


class Pilot:
    """Drives strokes, one after the other."""

    def __init__(self, reckoning: Reckoning) -> None:
        self._reckoning = reckoning
        self._calibration = reckoning.calibration
        self._lag = reckoning.calibration.motor_lag
        self._near_enough = reckoning.calibration.near_enough
        self._strokes: deque[Stroke] = deque()
        self._stroke: Stroke | None = None
        self._phase = StrokePhase.ROLLING
        self._since = self._moved = self._start = 0.0
        self._stop_at = inf
        self._put_right = 0  # how often its end has been put right
        self._tries = 0  # how often it was driven to anew, since it was beside its way
        self._creep = 0.0  # how fast that is done, below 0 where back; 0 on the way there
        self._least = 0.0  # how fast at least, since slower the wheel stands
        self._was_left = 0.0  # how far it was before it was put right the last time
        self._rounds: deque[float] = deque(maxlen=ROUNDS)
        self._steady: tuple[int, float, float] | None = None  # with which byte, from when and which way on
        self._pace = 1.0  # how many times as fast as its byte says the wheel turns, as measured
        self._servo: int | None = None
        self.off: Heading | None = None
        """How far off, and to which side, the last motion ended; None where it is near enough."""
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
        return self._phase is StrokePhase.GOING and self._stroke is not None

    def stalled(self, now: float) -> float:
        """Return for how many seconds the wheel has stood although the motor was told to drive."""
        return now - max(self._since, self._moved) if self.is_driving else 0.0

    def begin(self, strokes: Iterable[Stroke], now: float) -> bool:
        """Drive strokes from now on; tell whether there is one. A robot that drives already does not stop first."""
        self._strokes, self.off, self._tries = deque(strokes), None, 0
        return self._next(now, StrokePhase.GOING if self.is_driving else StrokePhase.AIMING)

    def halt(self, now: float) -> None:
        """Drop all strokes and stop."""
        self._strokes.clear()
        self._stroke = None
        self._enter(StrokePhase.ROLLING, now)
        self._tell_speed(0.0, now)

    def orders(self, now: float) -> tuple[int, int | None]:
        """Return the bytes of motor and servo for now; None leaves the servo."""
        if self._phase is StrokePhase.GOING and now >= self._stop_at:
            self._enter(StrokePhase.ROLLING, now)
        motor, speed = STOP, 0.0
        if self._stroke is not None and self._phase is not StrokePhase.ROLLING:
            going, self._servo, going_speed = bytes_for(self._wanted(self._stroke), self._calibration)
            if self._phase is StrokePhase.GOING:
                motor, speed = going, going_speed
        self._tell_speed(speed, now)
        return motor, self._servo

    def look(self, now: float, took: float) -> float:
        """Go by a fresh reading, which took the link so many seconds; return when the next order is due."""
        stroke = self._stroke
        self._rounds.append(took)
        if self._reckoning.has_moved:
            self._moved = now
        if stroke is None:
            return inf
        due = now + max(0.0, LOOK_PERIOD - took)
        if self._phase is StrokePhase.AIMING:
            return self._aim(stroke, now, due)
        if self._phase is StrokePhase.GOING:
            return self._go(stroke, now, due)
        if not self._is_standing(now):
            return due
        return now if self._go_back(stroke, now) or self._next(now, StrokePhase.AIMING) else inf

    def _is_standing(self, now: float) -> bool:
        quiet = now - max(self._since, self._moved)
        return quiet >= STILL_FOR * self._lag or now - self._since > STILL_WITHIN

    def _go_back(self, stroke: Stroke, now: float) -> bool:
        """Put the end of the last stroke right; tell whether that is necessary, and can be hoped for."""
        end = stroke.put_right(self._reckoning.pose, self._reckoning.way - self._start)
        rest, is_there = end.rest, abs(end.rest) <= self._near_enough
        if self._strokes or rest == inf or (is_there and end.beside <= self._near_enough):
            return False
        if is_there and self._tries < MOST_TRIES:
            self._tries += 1
            self._strokes.extend(stroke.again(self._reckoning.pose))
        if is_there or self._put_right == MOST_PUT_RIGHT:
            self.off = None if self._strokes else end
            return False
        self._put_right += 1
        is_moved = abs(rest - self._was_left) >= self._near_enough / 3
        if self._put_right > 1 and not is_moved:
            self._least = 2.0 * abs(self._creep)
        self._creep = copysign(max(abs(rest) / CREEP_FOR, self._least), rest)
        self._was_left, self._stop_at = rest, inf
        self._enter(StrokePhase.AIMING, now)
        return True

    def _wanted(self, stroke: Stroke) -> Heading:
        """Return how to drive now, on the way to the end of a stroke or to put that right."""
        pose, way = self._reckoning.pose, self._reckoning.way - self._start
        if not self._creep:
            return stroke.drive(pose, way, max(self._rounds, default=0.0))
        wanted = stroke.put_right(pose, way)
        sense = copysign(1.0, self._creep)
        slow = min(self._slowest(sense * wanted.speed), abs(self._creep))
        return replace(wanted, speed=copysign(slow, sense * wanted.speed), rest=sense * wanted.rest)

    def _slowest(self, speed: float) -> float:
        return self._calibration.slowest(is_back=speed < 0.0)

    def _next(self, now: float, phase: StrokePhase) -> bool:
        self._stroke = self._strokes.popleft() if self._strokes else None
        self._start, self._stop_at = self._reckoning.way, inf
        self._put_right, self._creep, self._least = 0, 0.0, 0.0
        self._enter(phase if self._stroke is not None else StrokePhase.ROLLING, now)
        return self._stroke is not None

    def _enter(self, phase: StrokePhase, now: float) -> None:
        self._phase, self._since = phase, now

    def _aim(self, stroke: Stroke, now: float, due: float) -> float:
        """Drive once the wheel is where it should be."""
        _, servo, _ = bytes_for(self._wanted(stroke), self._calibration)
        gap = abs(self._reckoning.steering - self._calibration.angle_of(servo))
        if servo == self._servo and (gap <= AIMED or now - self._since > AIM_WITHIN):
            self._enter(StrokePhase.GOING, now)
            return now
        return due

    def _go(self, stroke: Stroke, now: float, due: float) -> float:
        """Plan to stop in time if that may be before another look is taken, as slow as the link has been of late."""
        wanted = self._wanted(stroke)
        if 0.0 < abs(self._creep) < self._slowest(wanted.speed) and self.stalled(now) > TOO_WEAK:
            self._creep *= 2.0
            self._least, self._since = abs(self._creep), now
            wanted = self._wanted(stroke)
        if wanted.rest == inf:
            return due
        motor, _, speed = bytes_for(wanted, self._calibration)
        if not self._creep:
            self._measure(motor, now)
        rolls = abs(self._speed_at(now)) * self._pace * self._lag
        left = (wanted.rest - rolls) / (abs(speed) * self._pace) - min(self._rounds)
        if left > due - now + max(self._rounds):
            return due
        self._stop_at = now + max(0.0, left)
        return self._stop_at

    def _measure(self, motor: int, now: float) -> None:
        """Learn how fast the wheel turns with a byte, once it has come to its speed."""
        way = self._calibration.distance_of(self._reckoning.counts)
        if self._steady is None or self._steady[0] != motor or now < self._since + STEADY_AFTER * self._lag:
            self._steady = motor, now, way
            return
        _, since, before = self._steady
        told = self._calibration.speed_of(motor) * (now - since)
        if now - since >= MEASURED_FOR and way * told > before * told:
            self._pace = min(max((way - before) / told, 1.0 / MOST_DEVIATION), MOST_DEVIATION)

    def _tell_speed(self, speed: float, now: float) -> None:
        if speed != 0.0:
            self.is_backward = speed < 0.0
        if speed != self._speed:
            self._speed_then, self._speed, self._changed = self._speed_at(now), speed, now

    def _speed_at(self, now: float) -> float:
        """Return how fast the robot is by now, going by its lag."""
        fade = exp(-(now - self._changed) / self._lag) if self._lag > 0.0 else 0.0
        return self._speed + (self._speed_then - self._speed) * fade

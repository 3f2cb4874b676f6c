"""How far was a motor told to drive, how far did its wheel go, and how far the robot?

A motor follows its byte with a lag of first order, so the way that it was told is known at any instant from the bytes
and their instants, and its wheel should have gone exactly that. A `DrivenPiece` is a piece of a run from one rest to the next,
or, of a robot that does not rest, some seconds of it. Its time is the robot's own, by its clock, or by the wall clock
where it has none: what the computer was late is no part of it, and is told beside it.

A `DrivenWay` leads from one rest to the next: how far and by how much the robot went and turned by its own reckoning, and in
truth, where somebody knows that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import copysign, radians, remainder, tau
from typing import Literal

from kumi.geometry import Point, Pose
from kumi.link.clocks import CLOCK_TICK, WRAP
from kumi.link.devices import STOP, Answer, Device, DeviceValue
from kumi.link.reckoning import Reckoning
from kumi.loop.comparing.witness import Exchange, RobotEvidence
from kumi.maths import exp, hypot

REST_SECONDS = 0.15
"""Seconds without a count after which a robot whose motor is off stands."""
DRIVE_TIMEOUT = 2.0
"""Seconds after which a drive is cut, where the motor has its speed."""
STEADY = 0.01
"""Share of its speed that a motor may still lack where a drive is cut."""
ALONE = 0.8
"""Seconds without a word after which a robot may have stopped by itself."""
STALLED = 0.5
"""Seconds for which a wheel stands although its motor should drive."""
SETTLED = 0.6
"""Seconds in which the front wheel comes to where it was told."""
ANEW = 5.0
"""Seconds after which the angle of a wheel that was not turned is looked at anew."""
ACROSS = radians(45.0)
"""A front wheel that is turned farther turns the robot on the spot."""

Why = Literal["", "contact", "stall", "silence", "missed"]


@dataclass(frozen=True)
class DrivenPiece:
    """A piece of a run: metres of the front wheel, and seconds.

    `told` and `driven` are above 0 where it went the way that it should. `late` is by how much the robot's time was
    longer than the run's. `why` says why it tells nothing of the motor: the robot touched something, its wheel stood
    although nothing told of a contact, it may have stopped by itself, or the run missed a deadline meanwhile.
    """

    told: float
    driven: float
    seconds: float
    late: float
    why: Why


@dataclass(frozen=True)
class DrivenWay:
    """A way from one rest to the next: metres of the robot's place, radians, and what the motor was told.

    `reckoned` and `true` are chords, `length` is the way along its bends, and `reckoned_turn` and `true_turn` are turns.
    """

    told: float
    length: float
    reckoned: float
    true: float
    reckoned_turn: float
    true_turn: float
    is_spin: bool
    is_free: bool
    """Whether the robot touched nothing, and was neither silent nor late."""


@dataclass(frozen=True)
class DrivenRun:
    """All that a robot drove in a run."""

    drives: tuple[DrivenPiece, ...]
    ways: tuple[DrivenWay, ...]
    angles: tuple[tuple[float, float], ...]
    """The angle that the front wheel was told and the one that it told, in radians, each time that it had come to rest."""


@dataclass(frozen=True)
class _Mark:
    """An instant: what was told and counted until then, and where the robot was."""

    told: float
    counts: int
    way: float
    robot: float
    run: float
    missed: int
    pose: Pose
    true: Pose | None = None


def driven_by(account: RobotEvidence) -> DrivenRun:
    """Return what a robot drove in a run."""
    cutter = _Cutter(account)
    cutter.cut()
    return DrivenRun(tuple(cutter.drives), tuple(cutter.ways), tuple(settled_angles(cutter.states, account)))


class _Cutter:
    """Goes through what a robot answered, and cuts it into drives and ways."""

    def __init__(self, account: RobotEvidence) -> None:
        self.drives: list[DrivenPiece] = []
        self.ways: list[DrivenWay] = []
        self._number = account.robot.number
        self._calibration = account.calibration
        self._reckoning = Reckoning(
            self._calibration, account.start or Pose(Point(0.0, 0.0)), fade=account.robot.fade
        )
        self.states = states_of(account)
        self._times = own_times(self.states, 1.0 if account.clock is None else account.clock.rate)
        self._motor = STOP
        self._told = self._speed = 0.0
        self._switches = 0xFF
        self._is_touched = False
        self._why: Why = ""
        self._is_free = True  # since the last rest
        self._spun = self._turned = 0  # counts of the wheel across, and in all, since the last rest
        self._start: _Mark | None = None
        self._rest: _Mark | None = None

    def cut(self) -> None:
        """Go through all states."""
        then = moved = 0.0
        for one, now in zip(self.states, self._times, strict=True):
            before, was_off = self._reckoning.counts, self._motor == STOP
            self._advance(now - then)
            self._reckoning.take(_answer(one), one.asked, one.heard)
            step = abs(self._reckoning.counts - before)
            self._feel(one)
            self._look(one, now - then, now - moved, step)
            self._obey(one)
            if step or (was_off and self._motor != STOP):
                moved = now
            is_resting = was_off and now - moved >= REST_SECONDS
            mark = self._mark(one, now)
            if self._start is not None and (is_resting or self._is_long(now - self._start.robot)):
                self._end(self._start, mark)
            if self._start is None and self._motor != STOP:
                self._start, self._why = mark, ""
            if mark.true is not None:
                self._come_to_rest(mark)
            then = now

    def _advance(self, seconds: float) -> None:
        """Let the motor follow its byte."""
        wanted, lag = self._wanted, self._calibration.motor_lag
        gap = self._speed - wanted
        fade = exp(-seconds / lag) if lag > 0.0 else 0.0
        self._told += wanted * seconds + gap * lag * (1.0 - fade)
        self._speed = wanted + gap * fade

    @property
    def _wanted(self) -> float:
        return 0.0 if self._motor == STOP else self._calibration.speed_of(self._motor)

    def _feel(self, one: Exchange) -> None:
        """Look for a contact: one that the robot reports, or a switch that was open before."""
        before, self._switches = self._switches, one.values[Device.SWITCHES]
        self._is_touched = one.has_collided or bool(self._switches & ~before)

    def _look(self, one: Exchange, seconds: float, stood: float, step: int) -> None:
        """Look whether what is driven tells something of the motor."""
        self._turned += step
        self._spun += step if abs(self._reckoning.steering) > ACROSS else 0
        few = 4 * self._calibration.distance_of(1)
        if self._is_touched:
            self._why = "contact"
        elif seconds > ALONE or one.tries > 1:
            self._why = self._why or "silence"
        elif self._motor != STOP and stood > STALLED and abs(self._speed) * STALLED > few:
            self._why = self._why or "stall"
        self._is_free &= not self._why

    def _obey(self, one: Exchange) -> None:
        """Take the byte that was written; a robot that touched something stopped by itself."""
        if self._is_touched:
            self._speed, self._motor = 0.0, STOP
        self._motor = one.values.get(Device.MOTOR, self._motor)

    def _mark(self, one: Exchange, now: float) -> _Mark:
        wheel, true = self._reckoning, None
        if one.after is not None and self._motor == STOP:
            true = one.after.get(self._number)
        return _Mark(self._told, wheel.counts, wheel.way, now, one.read, one.missed, wheel.pose, true)

    def _is_long(self, seconds: float) -> bool:
        wanted = self._wanted
        return seconds >= DRIVE_TIMEOUT and 0.0 < abs(wanted) >= abs(self._speed - wanted) / STEADY

    def _end(self, start: _Mark, end: _Mark) -> None:
        """End the drive under way."""
        told = end.told - start.told
        sense = copysign(1.0, told)
        seconds = end.robot - start.robot
        self.drives.append(
            DrivenPiece(
                told=sense * told,
                driven=sense * self._calibration.distance_of(end.counts - start.counts),
                seconds=seconds,
                late=max(0.0, seconds - (end.run - start.run)),
                why="missed" if end.missed > start.missed else self._why,
            )
        )
        self._start = None

    def _come_to_rest(self, here: _Mark) -> None:
        """End the way that led here, if there is one."""
        start, self._rest = self._rest, here
        is_free, self._is_free = self._is_free, True
        spun, turned = self._spun, self._turned
        self._spun = self._turned = 0
        if start is None or start.true is None or here.true is None:
            return
        reckoned_turn = here.pose.heading - start.pose.heading
        true_turn = here.true.heading - start.true.heading
        self.ways.append(
            DrivenWay(
                told=abs(here.told - start.told),
                length=abs(here.way - start.way),
                reckoned=_chord(start.pose, here.pose),
                true=_chord(start.true, here.true),
                reckoned_turn=reckoned_turn,
                true_turn=reckoned_turn + remainder(true_turn - reckoned_turn, tau),
                is_spin=spun > turned / 2,
                is_free=is_free and here.missed == start.missed,
            )
        )


def settled_angles(states: Sequence[Exchange], account: RobotEvidence) -> Iterator[tuple[float, float]]:
    """Give what the potentiometer told last before the wheel was turned anew, if it had time to turn; and now and then."""
    calibration = account.calibration
    told: int | None = None
    since, last = 0.0, None
    for one in states:
        servo = one.values.get(Device.SERVO, told)
        if last is not None and told is not None and (servo != told or one.heard - since > ANEW):
            yield calibration.angle_of(told), calibration.pot_angle(last)
            since, last = one.heard, None
        if servo != told:
            told, since, last = servo, one.heard, None
        elif told is not None and one.read - since >= SETTLED:
            last = one.values[Device.POTENTIOMETER]


def _answer(one: Exchange) -> Answer:
    return Answer(tuple(DeviceValue(device, value) for device, value in one.values.items()))


def _chord(before: Pose, after: Pose) -> float:
    gap = after.position - before.position
    return hypot(gap.x, gap.y)


def states_of(account: RobotEvidence) -> list[Exchange]:
    """Return the exchanges that tell the state of a robot; a contact that another one told comes with the next of them."""
    needed = {Device.ENCODER, Device.POTENTIOMETER, Device.SWITCHES}
    if account.robot.has_clock:
        needed.add(Device.CLOCK)
    found, has_collided = [], False
    for one in account.exchanges:
        has_collided |= one.has_collided
        if needed <= one.values.keys():
            found.append(replace(one, has_collided=has_collided))
            has_collided = False
    return found


def own_times(states: Sequence[Exchange], rate: float) -> list[float]:
    """Return when a robot told its states, by its own clock of a rate, or by the wall clock where it has none.

    In simulated time nothing is late, and the time of the run is exact.
    """
    is_simulated = all(one.wall == one.heard for one in states)
    if is_simulated or any(Device.CLOCK not in one.values for one in states):
        return [one.read + one.wall - one.heard for one in states]
    found = [0.0]
    for before, after in pairwise(states):
        ticks = after.values[Device.CLOCK] - before.values[Device.CLOCK]
        expected = rate * (after.read - before.read)
        passed = expected + remainder(ticks * CLOCK_TICK - expected, WRAP * CLOCK_TICK)
        found.append(found[-1] + passed / rate)
    return found

"""A robot at the other end of a link, as a body: what runs on a simulated body runs on it unchanged.

It asks for encoder, potentiometer and switches again and again, often on the way and now and then at rest, and
reckons from them where it is. A command falls into strokes, which a pilot drives by the same answers. A motion
gives where the robot stands in the end, by its own reckoning, within 1.5 mm of where it should along its way and
beside it, or raises OffTarget; one that is stopped or left gives where it was then.

A switch that closes is a contact: it is told, and the motion under way ends with Blocked. So is a wheel that
stands for some seconds although its motor should drive. When the link is lost the motion raises LinkLost, and so
does each that is begun until the robot is back; the robot itself stops by its watchdog.
"""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import pi
from typing import Any

from kumi.contract import Asked, Blocked, Busy, Command, Contact, LinkLost, OffTarget, Pushed
from kumi.devs import Chance, Event, Signal
from kumi.geometry import Point, PointLike, Pose, as_point, wrapped
from kumi.geometry.points import as_number
from kumi.link.calibration import Calibration
from kumi.link.car_maneuvers import CarDrive
from kumi.link.clocks import ClockWatch
from kumi.link.devices import STOP, Answer, Device, Entry, Read, Switch, Write
from kumi.link.happenings import Collided, Happening, Reached, Unreachable
from kumi.link.linked_sensors import LinkedBumper, linked_sensors
from kumi.link.pilot import Pilot
from kumi.link.reckoning import Reckoning
from kumi.link.remote import Outcome, Remote

IDLE_EVERY = 0.25
"""Seconds from one answer to the next question at rest; less than the watchdog of a robot."""

TELL_AGAIN = 0.6
"""Seconds for which the wheel stands until the motor is told again: its watchdog may have stopped it."""
STUCK_AFTER = 2.5
"""Seconds for which the wheel stands until the robot is taken to be blocked by what no switch feels."""

STATE = (Read(Device.ENCODER), Read(Device.POTENTIOMETER), Read(Device.SWITCHES))
SIDES = {Switch.FRONT: 0.0, Switch.LEFT: pi / 2, Switch.BACK: pi, Switch.RIGHT: -pi / 2}
"""In which direction the switches are."""


class OtherSpeed(UserWarning):
    """A robot drives at another speed than it is told, since its motor has none that is nearer."""


@dataclass(frozen=True, eq=False)
class LinkedMotion:
    """A motion under way, and who is told of its end: None, or why it ended early."""

    command: Command
    is_awaited: bool
    ended: Signal[Exception | None]


class LinkedBody:
    """A packet robot as a body.

    `aliases` gives sensors further names, by which a program asks for them: {"left": "back_left"}. With `has_clock`
    the robot is asked for its clock, too, and `clock` learns by how much that is off.
    """

    def __init__(
        self,
        remote: Remote,
        calibration: Calibration | None = None,
        *,
        at: PointLike = (0.0, 0.0),
        heading: float = 0.0,
        name: str | None = None,
        number: int | None = None,
        aliases: Mapping[str, str] | None = None,
        has_clock: bool = False,
    ) -> None:
        self.remote = remote
        self.calibration = calibration or Calibration.default()
        self.name = remote.name if name is None else name
        self.number = remote.address if number is None else number
        self.contacts: Signal[Contact] = Signal(f"{self.name}.contacts")
        self.chance: Chance = remote.simulation.chance(self.name)
        pose = Pose(as_point(at, "where a body is"), as_number(heading, "a heading"))
        self.reckoning = Reckoning(self.calibration, pose, fade=remote.fade)
        self.odometry = Reckoning(self.calibration, Pose(Point(0.0, 0.0)), fade=remote.fade)
        self.clock = ClockWatch() if has_clock else None
        """What is known of the robot's clock; None where it has none."""
        self.read_at = 0.0
        """When the state was read of which the last answer told, by the clock of the run."""
        self.on_state: Callable[[], object] | None = None
        """Called after each answer, when position and heading are reckoned."""
        self._state = (*STATE, Read(Device.CLOCK)) if has_clock else STATE
        self.bumper = LinkedBumper(f"{self.name}.bumper")
        self.sensors: Mapping[str, Asked[Any] | Pushed[Any]] = linked_sensors(self, aliases or {})
        self._simulation = remote.simulation
        self._drive = CarDrive(self.calibration, self._drives_otherwise)
        self.on_other_speed: Callable[[str], object] = _warn
        """Called once for each unit that drives at another speed than commanded: a warning of Python."""
        self.other_speeds: dict[str, str] = {}
        """What was told, by the unit of the speed."""
        self._pilot = Pilot(self.reckoning)
        self._motion: LinkedMotion | None = None
        self._switches: int | None = None
        self._has_collided = self._is_held = False
        self._told: dict[Device, int] = {}
        self._asked = 0.0
        self._questions = self._missed = 0
        self._timer: Event | None = None
        self._lost: LinkLost | None = LinkLost(f"{self.name} is not connected yet")
        remote.watch(self._happened)
        if remote.is_connected:
            self._found()
        remote.open()

    @property
    def position(self) -> Point:
        """Where it believes it is."""
        return self.reckoning.pose.position

    @property
    def heading(self) -> float:
        """Where it believes it looks, in radians."""
        return wrapped(self.reckoning.pose.heading)

    @property
    def is_moving(self) -> bool:
        """Whether a motion is under way."""
        return self._motion is not None

    @property
    def is_there(self) -> bool:
        """Whether the robot answers."""
        return self._lost is None

    def drive_as_car(self, min_radius: float) -> None:
        """Drive no arcs tighter than a radius from now on, and do not turn on the spot, although it could."""
        self._drive = CarDrive(self.calibration, self._drives_otherwise, min_radius=min_radius)

    def carry_out(self, command: Command) -> Awaitable[Point]:
        """Make the motion to await: it begins then, and gives where it ended."""
        return self._carry_out(command)

    async def _carry_out(self, command: Command) -> Point:
        motion = self._begin(command, is_awaited=True)
        if motion is not None:
            try:
                error = await motion.ended.next()
            finally:
                if self._motion is motion:
                    self.stop()
            if error is not None:
                raise error
        return self.position

    def steer(self, command: Command) -> None:
        """Drive on without being awaited; a new command takes the place of the one before."""
        if self._begin(command, is_awaited=False) is None:
            self.stop()

    def stop(self) -> None:
        """End the motion under way: the motor is told so at once, and who waits gets the place."""
        self._pilot.halt(self._simulation.now)
        if self._motion is not None:
            self._ask(is_urgent=True)
            self._end(None)

    def hold(self) -> None:
        """Stop the motor at once, and keep the motion: `go_on` takes it up again."""
        self._is_held = True
        if self._lost is None:
            self._ask(is_urgent=True)

    def go_on(self) -> None:
        """Take up the motion that was held, if there is one."""
        self._is_held = False
        self._ask_soon()

    def _begin(self, command: Command, *, is_awaited: bool) -> LinkedMotion | None:
        """Begin a motion, or raise; None where there is nothing to drive."""
        if self._lost is not None:
            raise LinkLost(str(self._lost))
        if self._motion is not None and self._motion.is_awaited:
            raise Busy(self.name, self._motion.command, command)
        strokes = self._drive.strokes(command, self.reckoning.pose)
        if not self._pilot.begin(strokes, self._simulation.now):
            return None
        self._motion = motion = LinkedMotion(command, is_awaited, Signal(f"{self.name}.motion", once=True))
        self._ask_soon()
        return motion

    def _drives_otherwise(self, asked: str, driven: str) -> None:
        """Tell that a speed is another than the one asked for."""
        unit = asked.partition(" ")[2]
        if unit not in self.other_speeds:
            words = (
                f"{self.name} is told {asked} and drives at {driven}, the nearest speed that its motor has"
            )
            self.other_speeds[unit] = words
            self.on_other_speed(words)

    def _end(self, error: Exception | None) -> None:
        """Tell whoever waits for the motion that it is over."""
        motion, self._motion = self._motion, None
        if motion is not None:
            motion.ended.fire(error)

    def _happened(self, happening: Happening) -> None:
        match happening:
            case Reached():
                self._found()
            case Unreachable(reason):
                self._lose(LinkLost(reason))
            case Collided():
                self._has_collided = True
                self._ask_soon()

    def _found(self) -> None:
        self._lost = None
        self._told.clear()  # the robot may have begun anew
        self._ask_soon()

    def _lose(self, lost: LinkLost) -> None:
        self._lost = lost
        self._pilot.halt(self._simulation.now)
        self._cancel()
        self._end(lost)

    def _ask_soon(self) -> None:
        """Ask now, or right after the answer under way."""
        if self._lost is None:
            self._cancel()
            if not self._questions:
                self._ask()

    def _ask(self, *, is_urgent: bool = False) -> None:
        """Ask for the robot's state, and tell motor and servo what is new."""
        self._cancel()
        if self._lost is not None:
            return
        self._asked = self._simulation.now
        motor, servo = self._pilot.orders(self._asked)
        if self._is_held:
            motor = STOP
        wanted = {Device.SERVO: servo, Device.MOTOR: motor}
        news = {
            device: value
            for device, value in wanted.items()
            if value is not None and self._told.get(device) != value
        }
        self._told.update(news)
        writes = (Write(device, value) for device, value in news.items())
        self._questions += 1
        entries = (*writes, *self._state)
        self.remote.submit(entries, partial(self._answered, self._asked, entries), first=is_urgent)

    def _answered(self, asked: float, entries: tuple[Entry, ...], outcome: Outcome) -> None:
        self._questions -= 1
        now = self._simulation.now
        if isinstance(outcome, LinkLost):
            if self._lost is None:
                self._lose(outcome)
            return
        self.read_at = self._when(asked, entries, outcome, now)
        self.reckoning.take(outcome, asked, now)
        self.odometry.take(outcome, asked, now)
        if self.on_state is not None:
            self.on_state()
        self._feel(outcome[Device.SWITCHES])
        due = self._pilot.look(now, now - self._asked)
        stalled = self._pilot.stalled(now)
        if stalled > STUCK_AFTER:
            self._touch(0)
        elif stalled > TELL_AGAIN:
            self._told.pop(Device.MOTOR, None)
        if self._motion is not None and self._pilot.is_over:
            off, command = self._pilot.off, self._motion.command
            self._end(None if off is None else OffTarget(self.name, command, off.rest, off.beside))
        if not self._questions and self._timer is None:
            self._timer = self._simulation.schedule(min(due, now + IDLE_EVERY), self._ask)

    def _when(self, asked: float, entries: tuple[Entry, ...], answer: Answer, now: float) -> float:
        """Return when the robot read what it answered."""
        there, back = self.remote.line_times(entries)
        earliest, latest = asked + there, now - back
        if earliest > latest:  # the line is faster than its baud rate says, as one that is only simulated
            earliest, latest = asked, now
        missed = self._simulation.lateness.misses.count
        if self.clock is None or missed != self._missed:
            # The run was late, so time may have stood still in it between the question and the answer.
            self._missed = missed
            if self.clock is not None:
                self.clock.jump()
            return (earliest + latest) / 2
        return self.clock.take(answer[Device.CLOCK], earliest, latest)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.withdraw()
            self._timer = None

    def _feel(self, switches: int) -> None:
        """Look for a contact: a switch that has closed, or one that the robot reports again while it drives."""
        before, self._switches = self._switches, switches
        fresh = 0 if before is None else switches & ~before
        is_again = self._has_collided and self._pilot.is_driving
        self._has_collided = False
        if fresh or is_again:
            self._touch(fresh or switches)

    def _touch(self, switches: int) -> None:
        ahead = Switch.BACK if self._pilot.is_backward else Switch.FRONT
        closed = next((side for side in (ahead, *Switch) if switches & side), ahead)
        bearing, now = SIDES[closed], self._simulation.now
        at = self.position + self._side(bearing).turned(self.heading)
        self._told[Device.MOTOR] = STOP  # the robot stopped by itself
        self._pilot.halt(now)
        self.contacts.fire(Contact(now, at, bearing, "something"))
        self.bumper.press(now, bearing)
        self._end(Blocked(at, "something", bearing, None))

    def _side(self, bearing: float) -> Point:
        """Return the middle of the body's side in a direction, from its place."""
        corners = self.calibration.shape.corners
        middle = sum(corners, Point(0.0, 0.0)) / len(corners)
        along = Point.polar(1.0, bearing)
        return middle + along * (max(corner.dot(along) for corner in corners) - middle.dot(along))


def _warn(words: str) -> None:
    warnings.warn(words, OtherSpeed, stacklevel=2)

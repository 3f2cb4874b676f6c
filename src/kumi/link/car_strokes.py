"""Into which strokes does a command fall that a car is to carry out by dead reckoning?

A stroke is driven in one direction until it is over: a straight way, a bend to a heading, or a way to a place.
Asked again and again on the way, with where the car believes to be, it tells how to steer and how far it still
is; so what was driven wrongly is corrected. The place of a car is the middle of its back axle.

One whose driven front wheel can be turned across turns on the spot, about the middle of its back axle, and turns to a
goal before it drives there, as wheels do. Another car cannot. It turns in short bends, forward with the wheel to one side and back with it to
the other, and ends within some centimetres of where it was. Speeds beyond what the motor can are driven at
the fastest it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan, ceil, copysign, cos, inf, isfinite, isnan, pi, radians, remainder, sin, tau
from typing import Protocol

from kumi.contract import Arc, CannotDo, Command, Follow, Forward, MoveTo, Steer, Turn
from kumi.geometry import Point, PointLike, Pose, as_point
from kumi.geometry.points import as_number
from kumi.link.arcs import steering_of
from kumi.link.calibration import Calibration
from kumi.motion.drives import arc_towards, stated
from kumi.motion.pursuit import APART, Curve, is_curve, last_arc

SPIN = 0.6
"""Radians a second of a turn on the spot where no speed is stated: a twentieth of a second too late is two degrees."""

SHORT_BEND = radians(15.0)
"""How far one bend turns, at most, where a car turns about."""

AHEAD = radians(2.0)
"""A goal so little beside the way ahead is steered for; to turn to it first would take longer."""

THERE = 0.005
"""Metres from a place that are none."""

REACH = 0.75
"""Turning radii over which an error beside a curve is put right."""

NEAR = 0.02
"""Metres from a place that are near enough where it cannot be reached without going around."""


@dataclass(frozen=True, slots=True)
class Heading:
    """How to drive on: the speed of the back axle, backward below 0, the steering, and how far it still is.

    Of a turn on the spot, speed and rest are those of the front wheel.
    """

    speed: float
    steering: float
    rest: float
    is_spin: bool = False


class Stroke(Protocol):
    """A part of a motion in one direction."""

    def drive(self, pose: Pose, way: float) -> Heading:
        """Tell how to drive on from a pose, after a way since the stroke began, backward below 0."""


@dataclass(frozen=True)
class Straight:
    """A straight way, backward below 0; inf goes on without end."""

    distance: float
    speed: float

    def drive(self, pose: Pose, way: float) -> Heading:
        """Drive straight."""
        rest = copysign(1.0, self.distance) * (self.distance - way)
        return Heading(copysign(self.speed, self.distance), 0.0, rest)


@dataclass(frozen=True)
class Bend:
    """An arc to a heading, around a centre on the left (radius above 0) or right; forward or back."""

    radius: float
    heading: float
    speed: float
    forward: bool
    wheelbase: float

    def drive(self, pose: Pose, way: float) -> Heading:
        """Keep the wheel turned."""
        side = copysign(1.0, self.radius) * (1.0 if self.forward else -1.0)
        rest = side * (self.heading - pose.heading) * abs(self.radius)
        steering = steering_of(self.radius, self.wheelbase)
        return Heading(self.speed if self.forward else -self.speed, steering, rest)


@dataclass(frozen=True)
class Spin:
    """A turn on the spot to a heading, to the left or right, with the front wheel across."""

    heading: float
    speed: float
    is_left: bool
    wheelbase: float

    def drive(self, pose: Pose, way: float) -> Heading:
        """Drive around the back axle."""
        side = 1.0 if self.is_left else -1.0
        rest = side * (self.heading - pose.heading) * self.wheelbase
        return Heading(self.speed, side * pi / 2, rest, is_spin=True)


@dataclass(frozen=True)
class Towards:
    """A way forward to a place: on one arc where it can be, else with the wheel turned fully at first."""

    goal: Point
    speed: float
    min_radius: float
    wheelbase: float

    def drive(self, pose: Pose, way: float) -> Heading:
        """Steer for the goal from here."""
        step = self.goal - pose.position
        distance = abs(step)
        if distance <= THERE:
            return Heading(self.speed, 0.0, 0.0)
        bearing = remainder(step.direction - pose.heading, tau)
        curve = 2.0 * sin(bearing) / distance
        if abs(bearing) <= pi / 2 and abs(curve) * self.min_radius <= 1.0:
            rest = distance if curve == 0.0 else 2.0 * bearing / curve
            return Heading(self.speed, atan(self.wheelbase * curve), rest)
        if distance <= NEAR:
            return Heading(self.speed, 0.0, 0.0)
        angle, radius, straight = arc_towards(step, pose.heading, self.min_radius)
        return Heading(self.speed, steering_of(radius, self.wheelbase), abs(angle * radius) + straight)


@dataclass(frozen=True)
class Along:
    """A drive with a fixed steering, without end."""

    speed: float
    steering: float

    def drive(self, pose: Pose, way: float) -> Heading:
        """Drive on."""
        return Heading(self.speed, self.steering, inf)


@dataclass(frozen=True)
class AlongCurve:
    """A way forward along a curve, with its errors put right on the way, to its last place."""

    curve: Curve
    speed: float
    min_radius: float
    wheelbase: float

    def drive(self, pose: Pose, way: float) -> Heading:
        """Steer for the curve from here."""
        here = self._way(pose.position, way)
        left = self.curve.length - here
        last = last_arc(self.curve.end - pose.position, pose.heading, self.min_radius)
        if left <= self.min_radius / 2 and last is not None:
            return Heading(self.speed, atan(self.wheelbase * last[0]), last[1])
        curvature = self.curve.steered(
            pose.position, pose.heading, here, REACH * self.min_radius, self.min_radius
        )
        return Heading(self.speed, atan(self.wheelbase * curvature), left)

    def _way(self, place: Point, driven: float) -> float:
        """Return how far along the curve a place is that was reached after a way of about that length."""
        room = self.min_radius + 0.2 * abs(driven)
        near = [
            (abs(one - place), way)
            for one, way in zip(self.curve.places, self.curve.ways, strict=True)
            if abs(way - driven) <= room
        ]
        return self.curve.nearest(place, min(near, default=(0.0, self.curve.length))[1])


class CarDrive:
    """Turns commands into strokes for a car with a calibration."""

    def __init__(self, calibration: Calibration) -> None:
        self._calibration = calibration
        self._wheelbase = calibration.wheelbase
        self._min_radius = calibration.min_radius

    def strokes(self, command: Command, pose: Pose) -> list[Stroke]:
        """Give the strokes that carry a command out, or raise CannotDo."""
        match command:
            case MoveTo(goal, speed, turn_speed):
                return self._towards([goal], speed, turn_speed, pose)
            case Follow(path, speed, turn_speed):
                return self._follow(path, speed, turn_speed, pose)
            case Forward(distance, speed):
                way = _checked(distance, "a distance")
                return [Straight(way, self._pace(speed, way < 0.0))] if way else []
            case Arc(radius, angle, speed):
                return self._arc(
                    command, as_number(radius, "a radius"), _checked(angle, "an angle"), speed, pose
                )
            case Turn(angle, speed) if self._calibration.turns_on_the_spot:
                return self._spin(as_number(angle, "an angle"), speed, pose)
            case Turn(angle, _):
                return self._about(as_number(angle, "an angle"), pose)
            case Steer(speed, turn_speed):
                return self._along(
                    command, as_number(speed, "a speed"), as_number(turn_speed, "a turning speed")
                )
            case _:
                raise CannotDo(f"a car at the other end of a link cannot carry out {command}")

    def _towards(
        self, path: Sequence[PointLike], speed: float | None, turn_speed: float | None, pose: Pose
    ) -> list[Stroke]:
        """Drive to goals one after the other; what turns on the spot turns to each, as wheels do."""
        pace = self._pace(speed, False)
        strokes: list[Stroke] = []
        for place in path:
            goal = as_point(place, "a goal")
            step = goal - pose.position
            if self._calibration.turns_on_the_spot and abs(step) > THERE:
                angle = remainder(step.direction - pose.heading, tau)
                strokes += self._spin(angle, turn_speed, pose) if abs(angle) > AHEAD else []
                pose = Pose(goal, pose.heading + angle)
            strokes.append(Towards(goal, pace, self._min_radius, self._wheelbase))
        return strokes

    def _follow(
        self, path: Sequence[PointLike], speed: float | None, turn_speed: float | None, pose: Pose
    ) -> list[Stroke]:
        """Drive along a curve, once its first place is near; or to goals one after the other."""
        places = [as_point(place, "a goal") for place in path]
        if not is_curve(places, self._min_radius):
            return self._towards(places, speed, turn_speed, pose)
        pace, strokes = self._pace(speed, False), list[Stroke]()
        if abs(places[0] - pose.position) > APART * self._min_radius:
            strokes += self._towards(places[:1], speed, turn_speed, pose)
        return [*strokes, AlongCurve(Curve(places), pace, self._min_radius, self._wheelbase)]

    def _arc(
        self, command: Command, radius: float, angle: float, speed: float | None, pose: Pose
    ) -> list[Stroke]:
        self._check_radius(radius, command)
        is_forward = radius * angle > 0.0
        pace = self._pace(speed, not is_forward)
        if not isfinite(angle):
            return [Along(pace if is_forward else -pace, steering_of(radius, self._wheelbase))]
        return [Bend(radius, pose.heading + angle, pace, is_forward, self._wheelbase)] if angle else []

    def _spin(self, angle: float, speed: float | None, pose: Pose) -> list[Stroke]:
        pace = self._pace(stated(speed, SPIN) * self._wheelbase, False)
        return [Spin(pose.heading + angle, pace, angle > 0.0, self._wheelbase)] if angle else []

    def _about(self, angle: float, pose: Pose) -> list[Stroke]:
        """Turn by bends to and fro; the speed of turning follows from that."""
        count = ceil(abs(angle) / SHORT_BEND)
        strokes: list[Stroke] = []
        for number in range(count):
            is_forward = number % 2 == 0
            side = copysign(1.0, angle) * (1.0 if is_forward else -1.0)
            heading = pose.heading + angle * (number + 1) / count
            pace = self._pace(None, not is_forward)
            strokes.append(Bend(side * self._min_radius, heading, pace, is_forward, self._wheelbase))
        return strokes

    def _along(self, command: Command, speed: float, turn_speed: float) -> list[Stroke]:
        if speed == 0.0 and turn_speed == 0.0:
            return []
        if speed == 0.0 and self._calibration.turns_on_the_spot:
            pace = self._pace(abs(turn_speed) * self._wheelbase, False)
            return [Spin(copysign(inf, turn_speed), pace, turn_speed > 0.0, self._wheelbase)]
        if turn_speed != 0.0:
            self._check_radius(speed / turn_speed, command)
        steering = atan(self._wheelbase * turn_speed / speed)
        return [Along(copysign(self._pace(abs(speed), speed < 0.0), speed), steering)]

    def _check_radius(self, radius: float, command: Command) -> None:
        if abs(radius) < self._min_radius * (1.0 - 1e-9):
            raise CannotDo(
                f"a car with a turning radius of {self._min_radius:.3g} m cannot carry out {command}: "
                f"its radius is {abs(radius):g} m"
            )

    def _pace(self, speed: float | None, is_back: bool) -> float:
        """Return the speed to drive at, above 0: the one stated, or the robot's own, or the fastest it can."""
        usual = self._calibration.reverse if is_back else self._calibration.cruise
        motor = self._calibration.motor
        return min(stated(speed, usual), -motor.lowest if is_back else motor.highest)


def bytes_for(heading: Heading, calibration: Calibration) -> tuple[int, int, float]:
    """Return the bytes of motor and servo for a heading, and the speed of the back axle that they give."""
    steering = min(max(heading.steering, calibration.servo.lowest), calibration.servo.highest)
    servo = calibration.servo_byte(steering)
    share = 1.0 if heading.is_spin else cos(calibration.angle_of(servo))
    wheel = heading.speed / share  # the motor's table tells the speed of the front wheel
    motor = calibration.motor_byte(min(max(wheel, calibration.motor.lowest), calibration.motor.highest))
    return motor, servo, calibration.speed_of(motor) * share


def _checked(value: float, name: str) -> float:
    """Return a number that may be infinite."""
    if isnan(value):
        raise ValueError(f"{name} is a number, not {value!r}")
    return float(value)

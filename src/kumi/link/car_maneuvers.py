"""Into which maneuvers is a command split that a car carries out by dead reckoning?

A maneuver, or stroke, is driven in one direction to its end: a lane (straight or an arc), a bend to a heading, or the
approach to a point. It is asked again and again with the estimated pose of the car, and returns the steering angle and
the remaining distance, so errors are corrected on the way. The position of a car is the middle of its back axle.

A car whose driven front wheel can be turned by 90 degrees turns on the spot, about the middle of its back axle, and
turns towards a goal before it drives there, as a differential drive does. Any other car refuses a turn on the spot, as
a simulated one does. A speed that the motor does not have is replaced by its nearest speed, and reported.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import copysign, inf, isnan, pi, radians, remainder, tau

from kumi.contract import Arc, CannotDo, Command, Follow, Forward, MoveTo, Steer, Turn
from kumi.geometry import Point, PointLike, Pose, as_point
from kumi.geometry.points import as_number
from kumi.link.calibration import Calibration
from kumi.link.reckoning import steering_of
from kumi.maths import atan, cos, sin
from kumi.motion.car import no_turn
from kumi.motion.drives import arc_towards, stated
from kumi.motion.pursuit import MOST_SPACING, PursuitCurve, after_arc, is_curve, last_arc

SPIN = 2 / 3
"""Default speed of a turn on the spot, in rad/s: a stop that comes 0.05 s late costs two degrees."""

OTHER_SPEED = 0.1
"""Relative deviation of the motor's nearest speed that is not reported: speeds are whole bytes."""

AHEAD_BEARING = radians(2.0)
"""Bearing of a goal up to which the car steers towards it on the way; turning first would take longer."""

ARRIVAL_TOLERANCE = 0.005
"""Tolerance of a position, in metres."""

CORRECTION_RADII = 0.75
"""Turning radii over which a lateral error on a curve is corrected."""

FOLLOWS_IN = 0.3
"""Response time of the steering in seconds, with a margin: an error is corrected over no less, and more where the link is slow."""

RUN_UP = 2.0
"""Wheelbases to back up before a second approach to a missed point."""

STRAIGHT_CURVATURE = 1e-6
"""Curvature in 1/m below which a line counts as straight: it deviates by 0.05 mm over ten metres."""

DETOUR_TOLERANCE = 0.02
"""Tolerance in metres of a point that could be reached only by going around."""


@dataclass(frozen=True, slots=True)
class Heading:
    """How to drive on: the speed of the back axle, backward below 0, the steering, and how far it still is.

    Of a turn on the spot, speed and rest are those of the front wheel. `beside` is how many metres beside its way an
    axle is, as the heading leads the front one aside: what is not put right by driving on.
    """

    speed: float
    steering: float
    rest: float
    is_spin: bool = False
    beside: float = 0.0


class Stroke(ABC):
    """A part of a motion in one direction."""

    @abstractmethod
    def drive(self, pose: Pose, way: float, late: float = 0.0) -> Heading:
        """Tell how to drive on from a pose, after a way since the stroke began, backward below 0.

        `late` are the seconds after which that is carried out, where the link is as slow as it was of late.
        """

    def put_right(self, pose: Pose, way: float) -> Heading:
        """Tell how to come from a pose nearby to where the stroke ends; a rest below 0 is to be driven the other way."""
        return self.drive(pose, way)

    def again(self, pose: Pose) -> list[Stroke]:
        """Give the strokes that come from a pose beside the end to the end, with a run-up; none where that is no help."""
        return []


@dataclass(frozen=True)
class Lane(Stroke):
    """A way from a pose on, back where its length is below 0: straight, or on an arc to the left (curvature above 0) or right.

    A servo has few bytes, so the wheel stands at no angle exactly. Now a little more and now a little less, the car stays
    on its lane: e metres beside it and turned off by φ, it drives the curvature κ - 2φ/ℓ - e/ℓ² (see `motion.pursuit`),
    with φ the other way round going back.
    """

    start: Pose
    curvature: float
    length: float
    speed: float
    wheelbase: float

    def drive(self, pose: Pose, way: float, late: float = 0.0) -> Heading:
        """Steer along the lane."""
        along, beside, turned = self._place(pose)
        left = self.length - along
        sense = copysign(1.0, left)
        reach = max(self.wheelbase / 2, (FOLLOWS_IN + late) * self.speed)
        aside = min(max(beside / reach, -1.0), 1.0)  # farther off, it comes back at half a radian
        bend = self.curvature - (2.0 * sense * turned + aside) / reach
        ahead, off = copysign(1.0, self.length), max(abs(beside), abs(turned) * self.wheelbase)
        return Heading(ahead * self.speed, atan(self.wheelbase * bend), ahead * left, beside=off)

    def again(self, pose: Pose) -> list[Stroke]:
        """Go back along the lane, no farther than to its start, and come again."""
        back = min(RUN_UP * self.wheelbase, abs(self.length))
        end = Pose(*after_arc(self.start.position, self.start.heading, self.curvature, self.length))
        return [replace(self, start=end, length=copysign(back, -self.length)), self]

    def _place(self, pose: Pose) -> tuple[float, float, float]:
        """Return how far along the lane a pose is, how far to its left, and by how much it is turned to its left."""
        if abs(self.curvature) < STRAIGHT_CURVATURE:
            off = (pose.position - self.start.position).turned(-self.start.heading)
            return off.x, off.y, pose.heading - self.start.heading
        radius = 1.0 / self.curvature
        off = pose.position - self.start.position - Point.polar(radius, self.start.heading + pi / 2)
        radial = off.direction + copysign(pi / 2, self.curvature)
        turned = remainder(pose.heading - radial, tau)
        along = (pose.heading - turned - self.start.heading) * radius
        return along, radius - copysign(abs(off), radius), turned


@dataclass(frozen=True)
class Spin(Stroke):
    """A turn on the spot to a heading, to the left or right, with the front wheel across."""

    heading: float
    speed: float
    is_left: bool
    wheelbase: float

    def drive(self, pose: Pose, way: float, late: float = 0.0) -> Heading:
        """Drive around the back axle."""
        side = 1.0 if self.is_left else -1.0
        rest = side * (self.heading - pose.heading) * self.wheelbase
        return Heading(self.speed, side * pi / 2, rest, is_spin=True)


@dataclass(frozen=True)
class Towards(Stroke):
    """A way forward to a place: on one arc where it can be, else with the wheel turned fully at first."""

    goal: Point
    speed: float
    min_radius: float
    wheelbase: float

    def drive(self, pose: Pose, way: float, late: float = 0.0) -> Heading:
        """Steer for the goal from here."""
        step = self.goal - pose.position
        distance = abs(step)
        if distance <= ARRIVAL_TOLERANCE:
            return Heading(self.speed, 0.0, 0.0)
        bearing = remainder(step.direction - pose.heading, tau)
        curve = 2.0 * sin(bearing) / distance
        if abs(bearing) <= pi / 2 and abs(curve) * self.min_radius <= 1.0:
            rest = distance if curve == 0.0 else 2.0 * bearing / curve
            return Heading(self.speed, atan(self.wheelbase * curve), rest)
        if distance <= DETOUR_TOLERANCE:
            return Heading(self.speed, 0.0, 0.0)
        angle, radius, straight = arc_towards(step, pose.heading, self.min_radius)
        return Heading(self.speed, steering_of(radius, self.wheelbase), abs(angle * radius) + straight)

    def put_right(self, pose: Pose, way: float) -> Heading:
        """Drive straight until it is beside the goal."""
        return _beside(self.goal, self.speed, pose)

    def again(self, pose: Pose) -> list[Stroke]:
        """Go back straight, and come again."""
        back = RUN_UP * self.wheelbase
        if _beside(self.goal, self.speed, pose).beside > back / 3:
            return []
        return [Lane(pose, 0.0, -back, self.speed, self.wheelbase), self]


@dataclass(frozen=True)
class Along(Stroke):
    """A drive with a fixed steering, without end."""

    speed: float
    steering: float

    def drive(self, pose: Pose, way: float, late: float = 0.0) -> Heading:
        """Drive on."""
        return Heading(self.speed, self.steering, inf)


@dataclass(frozen=True)
class AlongCurve(Stroke):
    """A way forward along a curve, with its errors put right on the way, to its last place."""

    curve: PursuitCurve
    speed: float
    min_radius: float
    wheelbase: float

    def drive(self, pose: Pose, way: float, late: float = 0.0) -> Heading:
        """Steer for the curve from here."""
        here = self._way(pose.position, way)
        left = self.curve.length - here
        last = last_arc(self.curve.end - pose.position, pose.heading, self.min_radius)
        if left <= self.min_radius / 2 and last is not None:
            return Heading(self.speed, atan(self.wheelbase * last[0]), last[1])
        curvature = self.curve.steered(
            pose.position, pose.heading, here, CORRECTION_RADII * self.min_radius, self.min_radius
        )
        return Heading(self.speed, atan(self.wheelbase * curvature), left)

    def put_right(self, pose: Pose, way: float) -> Heading:
        """Drive straight until it is beside the last place."""
        return _beside(self.curve.end, self.speed, pose)

    def again(self, pose: Pose) -> list[Stroke]:
        """Go back straight, and come again to the last place."""
        return Towards(self.curve.end, self.speed, self.min_radius, self.wheelbase).again(pose)

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
    """Turns commands into strokes for a car with a calibration.

    `on_other_speed` is told of each motion whose speed the motor does not have: what was asked for and what is driven.
    With a `min_radius` it drives no tighter arcs, and does not turn on the spot, although it could.
    """

    def __init__(
        self,
        calibration: Calibration,
        on_other_speed: Callable[[str, str], object] = lambda _asked, _driven: None,
        *,
        min_radius: float | None = None,
    ) -> None:
        self._calibration = calibration
        self._on_other_speed = on_other_speed
        self._turns_on_the_spot = calibration.turns_on_the_spot and min_radius is None
        self._wheelbase = calibration.wheelbase
        self._min_radius = max(calibration.min_radius, min_radius or 0.0)

    def strokes(self, command: Command, pose: Pose) -> list[Stroke]:
        """Give the strokes that carry a command out, or raise CannotDo."""
        match command:
            case MoveTo(goal, speed, turn_speed):
                return self._towards([goal], speed, turn_speed, pose)
            case Follow(path, speed, turn_speed):
                return self._follow(path, speed, turn_speed, pose)
            case Forward(distance, speed):
                way = _checked(distance, "a distance")
                return self._lane(pose, 0.0, way, speed)
            case Arc(radius, angle, speed):
                return self._arc(
                    command, as_number(radius, "a radius"), _checked(angle, "an angle"), speed, pose
                )
            case Turn(angle, speed) if self._turns_on_the_spot:
                return self._spin(as_number(angle, "an angle"), speed, pose)
            case Turn():
                raise CannotDo(no_turn(command))
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
            if self._turns_on_the_spot and abs(step) > ARRIVAL_TOLERANCE:
                angle = remainder(step.direction - pose.heading, tau)
                strokes += self._spin(angle, turn_speed, pose) if abs(angle) > AHEAD_BEARING else []
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
        if abs(places[0] - pose.position) > MOST_SPACING * self._min_radius:
            strokes += self._towards(places[:1], speed, turn_speed, pose)
        return [*strokes, AlongCurve(PursuitCurve(places), pace, self._min_radius, self._wheelbase)]

    def _arc(
        self, command: Command, radius: float, angle: float, speed: float | None, pose: Pose
    ) -> list[Stroke]:
        self._check_radius(radius, command)
        return self._lane(pose, 1.0 / radius, radius * angle, speed)

    def _lane(self, pose: Pose, curvature: float, length: float, speed: float | None) -> list[Stroke]:
        pace = self._pace(speed, length < 0.0)
        return [Lane(pose, curvature, length, pace, self._wheelbase)] if length else []

    def _spin(self, angle: float, speed: float | None, pose: Pose) -> list[Stroke]:
        pace = self._spin_pace(stated(speed, SPIN))
        return [Spin(pose.heading + angle, pace, angle > 0.0, self._wheelbase)] if angle else []

    def _along(self, command: Command, speed: float, turn_speed: float) -> list[Stroke]:
        if speed == 0.0 and turn_speed == 0.0:
            return []
        if speed == 0.0 and self._turns_on_the_spot:
            pace = self._spin_pace(abs(turn_speed))
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
        asked = stated(speed, self._calibration.reverse if is_back else self._calibration.cruise)
        return self._nearest(asked, is_back, 1.0, "m/s")

    def _spin_pace(self, turn_speed: float) -> float:
        """Return the speed of the front wheel that turns the robot so fast, or as fast as it can."""
        return self._nearest(turn_speed * self._wheelbase, False, self._wheelbase, "rad/s")

    def _nearest(self, asked: float, is_back: bool, share: float, unit: str) -> float:
        """Return the speed that is asked for, or the fastest there is; tell where the motor has none that is near."""
        motor, side = self._calibration.motor, -1.0 if is_back else 1.0
        pace = min(asked, -motor.lowest if is_back else motor.highest)
        driven = side * self._calibration.speed_of(self._calibration.motor_byte(side * pace))
        if abs(driven - asked) > OTHER_SPEED * asked:
            self._on_other_speed(f"{asked / share:.3g} {unit}", f"{driven / share:.3g} {unit}")
        return pace


def bytes_for(heading: Heading, calibration: Calibration) -> tuple[int, int, float]:
    """Return the bytes of motor and servo for a heading, and the speed of the back axle that they give."""
    steering = min(max(heading.steering, calibration.servo.lowest), calibration.servo.highest)
    servo = calibration.servo_byte(steering)
    share = 1.0 if heading.is_spin else cos(calibration.angle_of(servo))
    wheel = heading.speed / share  # the motor's table tells the speed of the front wheel
    motor = calibration.motor_byte(min(max(wheel, calibration.motor.lowest), calibration.motor.highest))
    return motor, servo, calibration.speed_of(motor) * share


def _beside(goal: Point, speed: float, pose: Pose) -> Heading:
    """Return how to drive straight until a goal nearby is neither ahead nor behind."""
    step = (goal - pose.position).turned(-pose.heading)
    return Heading(speed, 0.0, step.x, beside=abs(step.y))


def _checked(value: float, name: str) -> float:
    """Return a number that may be infinite."""
    if isnan(value):
        raise ValueError(f"{name} is a number, not {value!r}")
    return float(value)

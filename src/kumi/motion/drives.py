"""How does a command become motion?

A drive turns a command into legs: straight ways, turns, arcs. It knows the body's place and heading and
nothing of the world. A drive of one's own is a class with `plan`: it gives legs for the commands it can
carry out and raises `CannotDo` for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import atan2, copysign, cos, hypot, inf, isfinite, isinf, pi, remainder, sin, sqrt, tau
from typing import Protocol, TypeAlias

from kumi._core import Chance, Leg, Point
from kumi.contract import Arc, CannotDo, Command, Follow, Forward, MoveTo, Sample, Steer, Track, Turn
from kumi.geometry import as_point
from kumi.geometry.points import as_number, as_size
from kumi.motion.noise import Noise

Legs: TypeAlias = Leg | Sequence[Leg]


class Moving(Protocol):
    """What a drive may know of its body."""

    @property
    def position(self) -> Point:
        """Where it is."""

    @property
    def heading(self) -> float:
        """Where it looks, in radians."""

    @property
    def chance(self) -> Chance:
        """Its own random numbers."""


class Drive(Protocol):
    """Turns commands into legs."""

    def plan(self, command: Command, body: Moving, /) -> Legs:
        """Give the legs that carry the command out, from where the body is."""


class Wheel:
    """Two wheels side by side: turns on the spot, goes straight, drives arcs.

    `speed` and `turn_speed` are used where a command states none. With an `acceleration`, straight ways
    begin and end at rest; without one, speed is there at once.
    """

    def __init__(
        self,
        speed: float = 1.0,
        turn_speed: float = pi / 2,
        acceleration: float | None = None,
        noise: Noise | None = None,
    ) -> None:
        self.speed = positive("speed", speed)
        self.turn_speed = positive("turn_speed", turn_speed)
        self.acceleration = None if acceleration is None else positive("acceleration", acceleration)
        self.noise = noise

    def plan(self, command: Command, body: Moving, /) -> Legs:
        """Give the legs that carry the command out."""
        match command:
            case MoveTo(goal, speed, turn_speed):
                return self._towards([goal], speed, turn_speed, body)
            case Forward(distance, speed):
                pace = stated(speed, self.speed)
                return self._straight(distance, pace, body.chance if self.noise else None)
            case Turn(angle, speed):
                return Leg.spin(self._turned(angle, body), stated(speed, self.turn_speed))
            case Arc(radius, angle, speed):
                return Leg.arc(radius, self._turned(angle, body), stated(speed, self.speed))
            case Follow(path, speed, turn_speed):
                return self._towards(path, speed, turn_speed, body)
            case Steer(speed, turn_speed):
                return steered(speed, turn_speed)
            case _:
                raise CannotDo(f"wheels cannot carry out {command}: they turn on the spot and go straight")

    def _towards(
        self,
        goals: Sequence[Point | tuple[float, float]],
        speed: float | None,
        turn_speed: float | None,
        body: Moving,
    ) -> list[Leg]:
        x, y = body.position
        heading = body.heading
        pace, rate = stated(speed, self.speed), stated(turn_speed, self.turn_speed)
        legs = []
        for goal in goals:
            goal_x, goal_y = as_point(goal, "a goal")
            distance = hypot(goal_x - x, goal_y - y)
            if distance == 0.0:
                continue
            angle = remainder(atan2(goal_y - y, goal_x - x) - heading, tau)
            heading += angle
            if angle != 0.0:
                legs.append(Leg.spin(self._turned(angle, body), rate))
            if self.noise is None and self.acceleration is None:
                legs.append(Leg.line((goal_x, goal_y), pace))
            elif self.noise is None:
                legs.extend(eased((x, y), (goal_x, goal_y), pace, self.acceleration or inf))
            else:
                legs.extend(self._straight(distance, pace, body.chance))
            x, y = goal_x, goal_y
        return legs

    def _straight(self, distance: float, speed: float, chance: Chance | None) -> list[Leg]:
        drift = 0.0
        if self.noise is not None and chance is not None and isfinite(distance):
            drift = self.noise.drift(distance, chance)
            distance = self.noise.way(distance, chance)
        if drift != 0.0 and distance != 0.0:
            return [Leg.arc(distance / drift, drift, speed)]
        if self.acceleration is None or not isfinite(distance):
            return [Leg.forward(distance, speed)]
        return [
            Leg.forward(copysign(way, distance), first, rate)
            for way, first, rate in eased_ways(abs(distance), speed, self.acceleration)
        ]

    def _turned(self, angle: float, body: Moving) -> float:
        return angle if self.noise is None else self.noise.turn(angle, body.chance)

    def __repr__(self) -> str:
        return f"Wheel(speed={self.speed}, turn_speed={self.turn_speed})"


class Omni:
    """Wheels that go in any direction at once, whatever the heading."""

    def __init__(self, speed: float = 1.0, turn_speed: float = pi / 2, noise: Noise | None = None) -> None:
        self.speed = positive("speed", speed)
        self.turn_speed = positive("turn_speed", turn_speed)
        self.noise = noise

    def plan(self, command: Command, body: Moving, /) -> Legs:
        """Give the legs that carry the command out."""
        if type(command) is MoveTo and self.noise is None:  # by far the most frequent
            return Leg.line(command.goal, self.speed if command.speed is None else command.speed)
        match command:
            case MoveTo(goal, speed):
                return Leg.line(self._missed(body.position, goal, body.chance), stated(speed, self.speed))
            case Forward(distance, speed):
                return Leg.forward(distance, stated(speed, self.speed))
            case Turn(angle, speed):
                return Leg.spin(angle, stated(speed, self.turn_speed))
            case Follow(path, speed):
                return [Leg.line(as_point(place, "a goal"), stated(speed, self.speed)) for place in path]
            case Track():
                return glides(command)
            case Arc(radius, angle, speed):
                return Leg.arc(radius, angle, stated(speed, self.speed))
            case Steer(speed, turn_speed):
                return steered(speed, turn_speed)
            case _:
                raise CannotDo(f"an omnidirectional drive cannot carry out {command}")

    def _missed(self, start: Point, goal: Point | tuple[float, float], chance: Chance) -> Point:
        """Return where the robot ends that was told a goal."""
        assert self.noise is not None
        step = as_point(goal, "a goal") - start
        distance = abs(step)
        off = self.noise.drift(distance, chance)
        return start + Point.polar(self.noise.way(distance, chance), step.direction + off)

    def __repr__(self) -> str:
        return f"Omni(speed={self.speed})"


class Car:
    """Steered wheels: drives straight and in arcs no tighter than `min_radius`, and cannot turn on the spot."""

    def __init__(self, min_radius: float = 0.5, speed: float = 1.0, noise: Noise | None = None) -> None:
        self.min_radius = positive("min_radius", min_radius)
        self.speed = positive("speed", speed)
        self.noise = noise

    def plan(self, command: Command, body: Moving, /) -> Legs:
        """Give the legs that carry the command out."""
        match command:
            case MoveTo(goal, speed):
                return self._towards([goal], stated(speed, self.speed), body)
            case Follow(path, speed):
                return self._towards(path, stated(speed, self.speed), body)
            case Forward(distance, speed):
                return self._straight(distance, stated(speed, self.speed), body)
            case Arc(radius, angle, speed):
                self._check(radius, command)
                return Leg.arc(radius, angle, stated(speed, self.speed))
            case Steer(speed, turn_speed):
                if turn_speed != 0.0:
                    self._check(speed / turn_speed, command)
                return steered(speed, turn_speed)
            case Turn():
                raise CannotDo(
                    f"a car cannot turn on the spot, so it cannot carry out {command}; drive an arc"
                )
            case _:
                raise CannotDo(f"a car cannot carry out {command}")

    def _check(self, radius: float, command: Command) -> None:
        if abs(radius) < self.min_radius:
            raise CannotDo(
                f"a car with a turning radius of {self.min_radius:g} m cannot carry out {command}: "
                f"its radius is {abs(radius):g} m"
            )

    def _straight(self, distance: float, speed: float, body: Moving) -> Legs:
        if self.noise is None or not isfinite(distance):
            return Leg.forward(distance, speed)
        drift = self.noise.drift(distance, body.chance)
        distance = self.noise.way(distance, body.chance)
        return Leg.arc(distance / drift, drift, speed) if drift else Leg.forward(distance, speed)

    def _towards(self, goals: Sequence[Point | tuple[float, float]], speed: float, body: Moving) -> list[Leg]:
        """Arc and straight way to each goal, whichever side is shorter."""
        at, heading = body.position, body.heading
        legs: list[Leg] = []
        for place in goals:
            goal = as_point(place, "a goal")
            angle, radius = arc_towards(at, heading, goal, self.min_radius)
            if angle:
                legs.append(Leg.arc(radius, angle, speed))
            legs.append(Leg.line(goal, speed))
            at, heading = goal, heading + angle
        return legs

    def __repr__(self) -> str:
        return f"Car(min_radius={self.min_radius}, speed={self.speed})"


def arc_towards(at: Point, heading: float, goal: Point, radius: float) -> tuple[float, float]:
    """Return by which angle to turn, on which signed radius, so that the goal then lies straight ahead."""
    best: tuple[float, float, float] | None = None
    for side in (1.0, -1.0):
        centre = at + Point.polar(radius, heading + side * pi / 2)
        to_goal = goal - centre
        away = abs(to_goal)
        if away < radius * (1.0 - 1e-12):
            continue  # inside the turning circle: only the other side can reach it
        straight = sqrt(max(0.0, away * away - radius * radius))
        final = to_goal.direction + side * atan2(radius, straight)
        angle = side * (side * (final - heading) % tau)
        if tau - abs(angle) < 1e-9:
            angle = 0.0
        length = abs(angle) * radius + straight
        if best is None or length < best[0]:
            best = (length, angle, side * radius)
    assert best is not None, "a point cannot be inside both turning circles"
    return best[1], best[2]


def steered(speed: float, turn_speed: float) -> Leg:
    """Return the leg of a drive at a speed and a turning rate, without end."""
    speed, turn_speed = as_number(speed, "a speed"), as_number(turn_speed, "a turning speed")
    if speed == 0.0 and turn_speed == 0.0:
        return Leg.rest(inf)
    if turn_speed == 0.0:
        return Leg.forward(copysign(inf, speed), abs(speed))
    if speed == 0.0:
        return Leg.spin(copysign(inf, turn_speed), abs(turn_speed))
    return Leg.arc(speed / turn_speed, copysign(inf, turn_speed), abs(speed))


def eased_ways(distance: float, speed: float, acceleration: float) -> list[tuple[float, float, float]]:
    """Return (way, first speed, acceleration) of the parts of a way that begins and ends at rest."""
    if isinf(acceleration):
        return [(distance, speed, 0.0)]
    ramp = speed * speed / (2.0 * acceleration)
    if 2.0 * ramp >= distance:
        top = sqrt(acceleration * distance)
        return [(distance / 2, 0.0, acceleration), (distance / 2, top, -acceleration)]
    return [(ramp, 0.0, acceleration), (distance - 2.0 * ramp, speed, 0.0), (ramp, speed, -acceleration)]


def eased(
    start: tuple[float, float], goal: tuple[float, float], speed: float, acceleration: float
) -> list[Leg]:
    """Return the legs of a straight way that begins and ends at rest."""
    (x, y), (goal_x, goal_y) = start, goal
    direction = atan2(goal_y - y, goal_x - x)
    distance = hypot(goal_x - x, goal_y - y)
    legs, done = [], 0.0
    parts = eased_ways(distance, speed, acceleration)
    for index, (way, first, rate) in enumerate(parts):
        done += way
        is_last = index == len(parts) - 1
        end = (goal_x, goal_y) if is_last else (x + done * cos(direction), y + done * sin(direction))
        legs.append(Leg.line(end, first, rate))
    return legs


def glides(track: Track) -> list[Leg]:
    """Return the legs that are at each sample at its time."""
    legs, before = [], 0.0
    for sample in in_order(track):
        legs.append(Leg.glide(sample.at, sample.heading, sample.time - before))
        before = sample.time
    return legs


def in_order(track: Track) -> Iterator[Sample]:
    """Give the samples of a trajectory; what is no sample, or comes before the one before it, is refused."""
    before = 0.0
    for sample in track.samples:
        if not isinstance(sample, Sample):
            raise TypeError(f"a trajectory is made of Samples, not {sample!r}")
        time = as_number(sample.time, "the time of a sample")
        if time < before:
            raise ValueError(f"the times of a trajectory grow, but {time:g} s follows {before:g} s")
        yield sample
        before = time


def stated(speed: float | None, usual: float) -> float:
    """Return the speed that a command states, or the drive's own."""
    return usual if speed is None else as_size(speed, "a speed")


def positive(name: str, value: float) -> float:
    """Return a finite number above 0."""
    return as_size(value, name)

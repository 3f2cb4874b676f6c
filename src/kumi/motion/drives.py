"""How does a command become motion?

A drive turns a command into legs: straight ways, turns, arcs. It knows the body's place and heading and
nothing of the world. A drive of one's own is a class with `plan`: it gives legs for the commands it can
carry out and raises `CannotDo` for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import copysign, inf, isfinite, isinf, pi, remainder, sqrt, tau
from typing import Protocol, TypeAlias

from kumi._core import Chance, Leg, Point, provide
from kumi.contract import Arc, CannotDo, Command, Follow, Forward, MoveTo, Sample, Steer, Track, Turn
from kumi.geometry import PointLike, as_point
from kumi.geometry.points import as_number, as_size
from kumi.maths import atan2
from kumi.motion.noise import MotionNoise
from kumi.teaching import taught

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

    `speed` and `turn_speed` are used where a command states none. With an `acceleration`, each way begins
    and ends at rest; without one, speed is there at once.
    """

    @taught
    def __init__(
        self,
        speed: float = 1.0,
        turn_speed: float = pi / 2,
        acceleration: float | None = None,
        noise: MotionNoise | None = None,
    ) -> None:
        self.speed = positive("speed", speed)
        self.turn_speed = positive("turn_speed", turn_speed)
        self.acceleration = inf if acceleration is None else positive("acceleration", acceleration)
        self.noise = noise

    def plan(self, command: Command, body: Moving, /) -> Legs:
        """Give the legs that carry the command out."""
        match command:
            case MoveTo(goal, speed, turn_speed):
                return self._towards([goal], speed, turn_speed, body)
            case Forward(distance, speed):
                pace = stated(speed, self.speed)
                return straight(distance, pace, body, self.noise, self.acceleration)
            case Turn(angle, speed):
                return Leg.spin(turned(angle, body, self.noise), stated(speed, self.turn_speed))
            case Arc(radius, angle, speed):
                pace = stated(speed, self.speed)
                return curved(radius, angle, pace, body, self.noise, self.acceleration)
            case Follow(path, speed, turn_speed):
                return self._towards(path, speed, turn_speed, body)
            case Steer(speed, turn_speed):
                return steered(speed, turn_speed)
            case Track():
                raise CannotDo(f"wheels cannot carry out {command}; a Follower or an Omni does")
            case _:
                raise CannotDo(f"wheels cannot carry out {command}: they turn on the spot and go straight")

    def _towards(
        self, goals: Sequence[PointLike], speed: float | None, turn_speed: float | None, body: Moving
    ) -> list[Leg]:
        at, heading = body.position, body.heading
        pace, rate = stated(speed, self.speed), stated(turn_speed, self.turn_speed)
        legs: list[Leg] = []
        for place in goals:
            goal = as_point(place, "a goal")
            step = goal - at
            distance = abs(step)
            if distance == 0.0:
                continue
            angle = remainder(step.direction - heading, tau)
            if angle != 0.0:
                legs.append(Leg.spin(turned(angle, body, self.noise), rate))
            if self.noise is None:
                legs.extend(eased(at, goal, pace, self.acceleration))
            else:
                legs.extend(straight(distance, pace, body, self.noise, self.acceleration))
            at, heading = goal, heading + angle
        return legs

    def __repr__(self) -> str:
        return f"Wheel(speed={self.speed}, turn_speed={self.turn_speed})"


class Omni:
    """Wheels that go in any direction at once, whatever the heading."""

    @taught
    def __init__(
        self, speed: float = 1.0, turn_speed: float = pi / 2, noise: MotionNoise | None = None
    ) -> None:
        self.speed = positive("speed", speed)
        self.turn_speed = positive("turn_speed", turn_speed)
        self.noise = noise

    def plan(self, command: Command, body: Moving, /) -> Legs:
        """Give the legs that carry the command out."""
        if type(command) is MoveTo and self.noise is None:  # by far the most frequent
            return Leg.line(command.goal, self.speed if command.speed is None else command.speed)
        match command:
            case MoveTo(goal, speed):
                return self._through([goal], stated(speed, self.speed), body)
            case Follow(path, speed):
                return self._through(path, stated(speed, self.speed), body)
            case Forward(distance, speed):
                return straight(distance, stated(speed, self.speed), body, self.noise)
            case Turn(angle, speed):
                return Leg.spin(turned(angle, body, self.noise), stated(speed, self.turn_speed))
            case Arc(radius, angle, speed):
                return curved(radius, angle, stated(speed, self.speed), body, self.noise)
            case Track():
                return glides(command, body.heading)
            case Steer(speed, turn_speed):
                return steered(speed, turn_speed)
            case _:
                raise CannotDo(f"an omnidirectional drive cannot carry out {command}")

    def _through(self, goals: Sequence[PointLike], speed: float, body: Moving) -> list[Leg]:
        at, believed = body.position, body.position
        legs = []
        for place in goals:
            goal = as_point(place, "a goal")
            if self.noise is None:
                legs.append(Leg.line(goal, speed))
                continue
            step = goal - believed
            distance = abs(step)
            off = self.noise.drift(distance, body.chance)
            at += Point.polar(self.noise.way(distance, body.chance), step.direction + off)
            legs.append(Leg.line(at, speed))
            believed = goal
        return legs

    def __repr__(self) -> str:
        return f"Omni(speed={self.speed})"


provide("Wheel", Wheel)  # the core plans what both do most often itself
provide("Omni", Omni)


def arc_towards(to_goal: Point, heading: float, radius: float) -> tuple[float, float, float]:
    """Return by which angle to turn, on which signed radius, and how far the goal then is straight ahead."""
    best = (inf, 0.0, radius, abs(to_goal))
    for side in (1.0, -1.0):
        from_centre = to_goal - Point.polar(radius, heading + side * pi / 2)
        away = abs(from_centre)
        # A point inside one turning circle is outside the other; by rounding it may seem inside both.
        rest = sqrt(max(0.0, (away - radius) * (away + radius)))
        is_inside = away < radius * (1.0 - 1e-9)
        final = from_centre.direction + side * atan2(radius, rest)
        angle = side * (side * (final - heading) % tau)
        if tau - abs(angle) < 1e-9:
            angle = 0.0
        length = abs(angle) * radius + rest
        if not is_inside and length < best[0]:
            best = (length, angle, side * radius, rest)
    return best[1:]


def straight(
    distance: float, speed: float, body: Moving, noise: MotionNoise | None = None, acceleration: float = inf
) -> list[Leg]:
    """Return the legs of a way straight ahead, or back; noise bends it."""
    if noise is not None and isfinite(distance):
        drift = noise.drift(distance, body.chance)
        distance = noise.way(distance, body.chance)
        if drift != 0.0 and distance != 0.0:
            return bent(distance / drift, drift, speed, acceleration)
    if not isfinite(distance):
        return [Leg.forward(distance, speed)]
    return [
        Leg.forward(copysign(way, distance), first, rate)
        for way, first, rate in eased_ways(abs(distance), speed, acceleration)
    ]


def curved(
    radius: float,
    angle: float,
    speed: float,
    body: Moving,
    noise: MotionNoise | None = None,
    acceleration: float = inf,
) -> list[Leg]:
    """Return the legs of an arc; noise changes its length and its curve."""
    if noise is not None and isfinite(angle):
        whole = radius * angle
        way, drift = noise.way(whole, body.chance), noise.drift(whole, body.chance)
        angle = angle * (way / whole if whole else 1.0) + drift
        if angle == 0.0:
            return straight(way, speed, body, None, acceleration)
        radius = way / angle
    return bent(radius, angle, speed, acceleration)


def bent(radius: float, angle: float, speed: float, acceleration: float) -> list[Leg]:
    """Return the legs of an arc that begins and ends at rest where there is an acceleration."""
    whole = abs(radius * angle)
    if not isfinite(whole) or isinf(acceleration) or whole == 0.0:
        return [Leg.arc(radius, angle, speed)]
    return [
        Leg.arc(radius, angle * way / whole, first, rate)
        for way, first, rate in eased_ways(whole, speed, acceleration)
    ]


def turned(angle: float, body: Moving, noise: MotionNoise | None) -> float:
    """Return how far a robot turns that was told an angle."""
    return angle if noise is None or not isfinite(angle) else noise.turn(angle, body.chance)


def steered(speed: float, turn_speed: float) -> Leg:
    """Return the leg of a drive at a speed and a turning rate, without end."""
    speed, turn_speed = as_number(speed, "a speed"), as_number(turn_speed, "a turning speed")
    if speed == 0.0 and turn_speed == 0.0:
        return Leg.rest(inf)
    if turn_speed == 0.0 or (speed != 0.0 and isinf(speed / turn_speed)):
        return Leg.forward(copysign(inf, speed), abs(speed))
    if speed == 0.0 or isinf(turn_speed / speed):
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


def eased(start: Point, goal: Point, speed: float, acceleration: float) -> list[Leg]:
    """Return the legs of a straight way to a place that begins and ends at rest."""
    if isinf(acceleration):
        return [Leg.line(goal, speed)]
    step = goal - start
    distance = abs(step)
    legs, done = [], 0.0
    parts = eased_ways(distance, speed, acceleration)
    for index, (way, first, rate) in enumerate(parts):
        done += way
        is_last = index == len(parts) - 1
        legs.append(Leg.line(goal if is_last else start + step * (done / distance), first, rate))
    return legs


def glides(track: Track, heading: float) -> list[Leg]:
    """Return the legs that are at each sample at its time, turning the shorter way."""
    legs, before = [], 0.0
    for sample in in_order(track):
        heading += remainder(as_number(sample.heading, "the heading of a sample") - heading, tau)
        legs.append(Leg.glide(as_point(sample.at, "the place of a sample"), heading, sample.time - before))
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

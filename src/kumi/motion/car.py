"""How does a car drive that steers its wheels?

Along arcs and straight ways. To a goal it drives an arc and then straight; goals that are close together need not lie
where it can go, so it may drive in a circle between them. Places that are meant as a curve it follows instead,
and so it does with the samples of a trajectory: see `pursuit`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from kumi._core import Leg, Point, provide
from kumi.contract import Arc, CannotDo, Command, Follow, Forward, MoveTo, Steer, Track, Turn
from kumi.geometry import PointLike, as_point
from kumi.motion.drives import (
    Legs,
    Moving,
    arc_towards,
    curved,
    in_order,
    positive,
    stated,
    steered,
    straight,
)
from kumi.motion.noise import MotionNoise
from kumi.motion.pursuit import MOST_SPACING, NEW, PursuitCurve, after_arc, arcs_along, is_curve, last_arc

OFF = 20.0
"""A car that would leave a trajectory by more than this part of its turning radius does not set out."""


class Car:
    """Steered wheels: drives straight and in arcs no tighter than `min_radius`, and cannot turn on the spot."""

    def __init__(self, min_radius: float = 0.5, speed: float = 1.0, noise: MotionNoise | None = None) -> None:
        self.min_radius = positive("min_radius", min_radius)
        self.speed = positive("speed", speed)
        self.noise = noise

    def plan(self, command: Command, body: Moving, /) -> Legs:
        """Give the legs that carry the command out."""
        match command:
            case MoveTo(goal, speed):
                return self._towards([goal], stated(speed, self.speed), body)
            case Follow(path, speed):
                return self._along(path, stated(speed, self.speed), body)
            case Forward(distance, speed):
                return straight(distance, stated(speed, self.speed), body, self.noise)
            case Arc(radius, angle, speed):
                self._check(radius, command)
                return curved(radius, angle, stated(speed, self.speed), body, self.noise)
            case Steer(speed, turn_speed):
                if turn_speed != 0.0:
                    self._check(speed / turn_speed, command)
                return steered(speed, turn_speed)
            case Turn():
                raise CannotDo(no_turn(command))
            case Track():
                return self._tracked(command, body)
            case _:
                raise CannotDo(f"a car cannot carry out {command}")

    def _check(self, radius: float, command: Command) -> None:
        if abs(radius) < self.min_radius:
            raise CannotDo(
                f"a car with a turning radius of {self.min_radius:g} m cannot carry out {command}: "
                f"its radius is {abs(radius):g} m"
            )

    def _towards(self, goals: Sequence[PointLike], speed: float, body: Moving) -> list[Leg]:
        """Arc and straight way to each goal, whichever side is shorter."""
        at, heading = body.position, body.heading
        legs: list[Leg] = []
        for place in goals:
            goal = as_point(place, "a goal")
            if goal == at:
                continue
            angle, radius, rest = arc_towards(goal - at, heading, self.min_radius)
            if angle != 0.0:
                legs.extend(curved(radius, angle, speed, body, self.noise))
            if self.noise is None:
                legs.append(Leg.line(goal, speed))
            else:
                legs.extend(straight(rest, speed, body, self.noise))
            at, heading = goal, heading + angle
        return legs

    def _along(self, path: Sequence[PointLike], speed: float, body: Moving) -> list[Leg]:
        """Drive along a curve, once its first place is near; or to goals one after the other."""
        places = [as_point(place, "a goal") for place in path]
        if not is_curve(places, self.min_radius):
            return self._towards(places, speed, body)
        if abs(places[0] - body.position) > MOST_SPACING * self.min_radius:
            angle, radius, rest = arc_towards(places[0] - body.position, body.heading, self.min_radius)
            arcs = [(1.0 / radius, abs(angle * radius)), (0.0, rest)]
            place, heading = places[0], body.heading + angle
        else:
            arcs, place, heading = [], body.position, body.heading
            if abs(places[0] - place) > NEW and is_curve([place, *places], self.min_radius):
                places.insert(0, place)
        arcs += arcs_along(PursuitCurve(places), place, heading, self.min_radius)
        return [leg for arc in arcs for leg in self._arc(*arc, speed, body)]

    def _arc(self, curvature: float, length: float, speed: float, body: Moving) -> list[Leg]:
        if length <= 0.0:
            return []
        if abs(curvature) * length < 1e-12:
            return straight(length, speed, body, self.noise)
        return curved(1.0 / curvature, curvature * length, speed, body, self.noise)

    def _tracked(self, track: Track, body: Moving) -> Legs:
        """Drive along the samples, and be as far along them at each as its time asks for."""
        samples = list(in_order(track))
        places = [body.position, *(as_point(sample.at, "the place of a sample") for sample in samples)]
        if all(abs(place - places[0]) <= NEW for place in places):
            return Leg.rest(samples[-1].time if samples else 0.0)
        curve = PursuitCurve(places)
        place, heading, way, due, time = body.position, body.heading, 0.0, 0.0, 0.0
        legs: list[Leg] = []
        off = 0.0
        for before, there, sample in zip(places[:-1], places[1:], samples, strict=True):
            due += abs(there - before) if abs(there - before) > NEW else 0.0
            span, time = sample.time - time, sample.time
            if span <= 0.0:
                continue
            ahead = due - way
            if ahead <= NEW:
                legs.append(Leg.rest(span))
                continue
            for _ in range(parts := ceil(ahead / (self.min_radius / 20))):
                bend, length = self._part(curve, place, heading, way, ahead / parts)
                legs.extend(self._arc(bend, length, length * parts / span, body))
                place, heading = after_arc(place, heading, bend, length)
                way = curve.nearest(place, way + ahead / parts)
                off = max(off, abs(place - curve.at(way)[0]))
        off = max(off, abs(place - curve.end))
        if off > self.min_radius / OFF:
            raise CannotDo(
                f"a car with a turning radius of {self.min_radius:g} m cannot carry out {track}: "
                f"it would leave it by {off:.3g} m"
            )
        return legs

    def _part(
        self, curve: PursuitCurve, place: Point, heading: float, way: float, step: float
    ) -> tuple[float, float]:
        """Return curvature and length of a step along a curve, the last ones on the arc to its end."""
        left = curve.length - way
        last = last_arc(curve.end - place, heading, self.min_radius) if left <= self.min_radius / 4 else None
        if last is None:
            return curve.steered(place, heading, way, self.min_radius / 2, self.min_radius, step), step
        return last[0], last[1] * min(1.0, step / left) if left > step else last[1]

    def __repr__(self) -> str:
        return f"Car(min_radius={self.min_radius}, speed={self.speed})"


provide("Car", Car)  # the core steers it where the curve is wide enough


def no_turn(command: Command) -> str:
    """Say why a car, simulated or not, refuses a turn on the spot."""
    return f"a car cannot turn on the spot, so it cannot carry out {command}; drive an arc"

"""Which turns and straight ways carry a command out on a robot that can do nothing else?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import copysign, inf, isfinite, remainder, tau

from kumi.contract import CannotDo, Command, Follow, Forward, MoveTo, Steer, Turn
from kumi.geometry import Point, PointLike, as_point
from kumi.link.er1_dialect import Go, Rotate
from kumi.motion import Leg

FAR = 1000.0
"""Metres, or radians: how far a motion without an end is told to go."""

LEAST = 1e-7
"""Metres or radians of the smallest stroke: an ER1 hears millionths, and never ends a stroke of none."""


@dataclass(frozen=True)
class Stroke:
    """One straight way or turn: what is asked for, and the motion it should be."""

    request: Go | Rotate
    leg: Leg


def stated_speeds(command: Command) -> tuple[float | None, float | None]:
    """Return how fast a command says to drive and to turn, always above 0; None where it does not say."""
    match command:
        case MoveTo(_, speed, turn_speed) | Follow(_, speed, turn_speed):
            return speed, turn_speed
        case Forward(_, speed):
            return speed, None
        case Turn(_, turn_speed):
            return None, turn_speed
        case Steer(ahead, turning):
            return abs(ahead) or None, abs(turning) or None
        case _:
            return None, None


def strokes_of(command: Command, at: Point, heading: float, speeds: tuple[float, float]) -> list[Stroke]:
    """Return what carries a command out from a place and heading, with these speeds to drive and to turn."""
    speed, turn_speed = speeds
    match command:
        case Forward(distance):
            return [straight(distance, speed)]
        case Turn(angle):
            return [turn(angle, turn_speed)]
        case MoveTo(goal):
            return list(through([goal], at, heading, speeds))
        case Follow(path):
            return list(through(path, at, heading, speeds))
        case Steer(ahead, 0.0) if ahead:
            return [straight(copysign(inf, ahead), speed)]
        case Steer(0.0, turning) if turning:
            return [turn(copysign(inf, turning), turn_speed)]
        case _:
            raise CannotDo(f"an ER1 turns on the spot and goes straight; it cannot carry out {command}")


def through(
    goals: Iterable[PointLike], at: Point, heading: float, speeds: tuple[float, float]
) -> Iterator[Stroke]:
    """Go through the strokes from place to place."""
    speed, turn_speed = speeds
    for place in goals:
        goal = as_point(place, "a goal")
        step = goal - at
        if abs(step) < LEAST:
            continue
        angle = remainder(step.direction - heading, tau)
        if abs(angle) >= LEAST:
            yield turn(angle, turn_speed)
        yield straight(abs(step), speed)
        at, heading = goal, heading + angle


def straight(distance: float, speed: float) -> Stroke:
    """Return the stroke of a straight way, back where it is below 0."""
    told = distance if isfinite(distance) else copysign(FAR, distance)
    return Stroke(Go(told), Leg.forward(distance, speed))


def turn(angle: float, speed: float) -> Stroke:
    """Return the stroke of a turn on the spot."""
    told = angle if isfinite(angle) else copysign(FAR, angle)
    return Stroke(Rotate(told), Leg.spin(angle, speed))

"""Which velocity do several wishes add up to?

A motor schema is a wish, as a vector in shares of the cruising speed: go on, keep the place, keep off what is near.
The wishes are added, and the sum, limited to the top speed, is what the robot tries to do. Each schema is a
function of what a robot perceives now; nothing is remembered.

The wish to keep a place has three zones: none in the dead zone around the place, one in proportion to the distance
in the controlled zone, and a full one in the ballistic zone beyond. The wish to keep off grows from nothing at the
edge of a sphere to a full one at a margin. It pushes away, and also aside where the robot would else stand still
before the obstacle: to the side on which it would pass anyway, or to the left where it heads for the very middle.

Source: the schemas are those of Balch and Arkin (1998), with the push aside in place of their noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, pi, remainder, tau

from kumi.geometry import Point
from kumi.geometry.points import as_number, as_size
from kumi.maths import cos

NO_PUSH = Point(0.0, 0.0)
PANIC = 10.0
"""How many times a full wish it is to keep off what is within the margin."""
RESPONSE = 0.3
"""Seconds within which wheels turn to where they are to go."""
FASTEST_TURN = pi
"""Radians a second."""


@dataclass(frozen=True)
class SchemaZones:
    """How far from its place a robot wishes nothing, how far a full wish begins, in metres; and how strong it is."""

    dead: float
    controlled: float
    gain: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 <= as_number(self.dead, "a dead zone") < as_number(self.controlled, "a controlled zone"):
            raise ValueError(
                f"the controlled zone goes beyond the dead zone, not from {self.dead:g} m to {self.controlled:g} m"
            )
        as_size(self.gain, "a gain")

    def keep_place(self, here: Point, place: Point) -> Point:
        """Return the wish to be at a place."""
        step = place - here
        off = abs(step)
        if off <= self.dead:
            return NO_PUSH
        strength = min(1.0, off / self.controlled)
        return step * (self.gain * strength / off)


@dataclass(frozen=True)
class Sphere:
    """How far from a surface the wish to keep off begins, and where it is full, in metres; and how strong it is."""

    reach: float
    margin: float
    gain: float = 3.0

    def __post_init__(self) -> None:
        if not 0.0 <= as_number(self.margin, "a margin") < as_number(self.reach, "the reach of a sphere"):
            raise ValueError(
                f"a sphere reaches beyond its margin, not from {self.reach:g} m to {self.margin:g} m"
            )
        as_size(self.gain, "a gain")

    def keep_off(self, distance: float, direction: float, onward: float) -> Point:
        """Return the wish to keep off something in a direction, with a surface so far away, on the way onward.

        Both directions are in radians.
        """
        if distance >= self.reach:
            return NO_PUSH
        near = (self.reach - distance) / (self.reach - self.margin)
        strength = self.gain * (near * near if near < 1.0 else PANIC)
        away = Point.polar(-strength, direction)
        turn = remainder(onward - direction, tau)
        if abs(turn) >= pi / 2:
            return away
        return away + Point.polar(strength * cos(turn), direction + copysign(pi / 2, turn))


def limited(wish: Point, most: float) -> Point:
    """Return a wish that is no longer than the most."""
    length = abs(wish)
    return wish * (most / length) if length > most else wish


def wheel_speeds(velocity: Point, heading: float, slow: float, at_rest: float) -> tuple[float, float]:
    """Return the speed and the turning rate with which two wheels follow a velocity.

    They turn to it within about the response time, and drive as fast as the part of the velocity that is along
    their heading. What points backwards and is slower than `slow` they follow in reverse. Where there is no
    velocity they turn to the heading that they are to have at rest.
    """
    speed = abs(velocity)
    angle = remainder((velocity.direction if speed else at_rest) - heading, tau)
    if abs(angle) > pi / 2 and 0.0 < speed < slow:
        angle = remainder(angle + pi, tau)
        speed = -speed
    turn = max(-FASTEST_TURN, min(FASTEST_TURN, angle / RESPONSE))
    return speed * max(0.0, cos(angle)), turn

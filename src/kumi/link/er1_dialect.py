"""Which turns and straight ways carry a command out on an ER1, and what is said to it and heard from it?

The control centre of an ER1 takes lines of text and answers each with `OK` or `Error …`. What happens later,
such as the end of a motion, is an event: a line of its own, sent while events are on. A line is written as
Skadsem (2006) wrote it (`move -30 cm`, `move 90 degrees`, `stop`, `set v 10`, `sense front`, `events`, an empty
line to turn events off); units may stand close to their number and be cut short (`move 90d`, `set v10`).

Lengths are metres and angles radians here, centimetres and degrees on the wire. There are also
the longer names of speeds that other programs for the ER1 use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import copysign, degrees, inf, isfinite, radians, remainder, tau
from typing import TypeAlias

from kumi.contract import CannotDo, Command, Follow, Forward, MoveTo, Steer, Turn
from kumi.devs.errors import KumiError
from kumi.geometry import Point, PointLike, as_point
from kumi.motion import Leg

OK = "OK"
DONE = "move done"
MOVE_ERROR = "move error"
ERROR = "Error"
END = "\r\n"

RANGERS = ("front", "left", "right", "down")
"""The four ultrasonic rangers of Skadsem (2006)."""

METRES = {
    "cm": 0.01,
    "m": 1.0,
    "foot": 0.3048,
    "feet": 0.3048,
    "ft": 0.3048,
    "inch": 0.0254,
    "inches": 0.0254,
}
DEGREES = ("d", "deg", "degree", "degrees")
SPEEDS = ("v", "linear velocity")
TURN_SPEEDS = ("w", "angular velocity")

NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+))"
MOVE = re.compile(rf"move\s*{NUMBER}\s*([a-z]+)")
SET = re.compile(rf"set\s+([a-z ]*[a-z])\s*{NUMBER}")
SENSE = re.compile(r"sense\s+(\w+)(\s+off)?")


class DialectError(KumiError, ValueError):
    """A line that an ER1 does not understand."""


@dataclass(frozen=True)
class Er1Go:
    """Drive straight ahead, or back where the distance is negative."""

    distance: float


@dataclass(frozen=True)
class Rotate:
    """Turn on the spot, to the left where the angle is positive."""

    angle: float


@dataclass(frozen=True)
class Er1Halt:
    """Stop any motion."""


@dataclass(frozen=True)
class SetSpeed:
    """Drive so fast from now on."""

    speed: float


@dataclass(frozen=True)
class SetTurnSpeed:
    """Turn so fast from now on, in radians a second."""

    speed: float


@dataclass(frozen=True)
class Sense:
    """Let a ranger report, or no longer."""

    ranger: str
    is_on: bool = True


@dataclass(frozen=True)
class Er1Events:
    """Send events from now on, or keep them back."""

    is_on: bool = True


@dataclass(frozen=True)
class Clear:
    """Forget the events that were not sent yet."""


Request: TypeAlias = Er1Go | Rotate | Er1Halt | SetSpeed | SetTurnSpeed | Sense | Er1Events | Clear


def parse(line: str) -> Request:
    """Read a line, or say what about it is not understood."""
    words = " ".join(line.lower().split())
    match words:
        case "":
            return Er1Events(is_on=False)
        case "stop":
            return Er1Halt()
        case "events":
            return Er1Events()
        case "clear":
            return Clear()
    if found := MOVE.fullmatch(words):
        return _move(float(found[1]), found[2])
    if found := SET.fullmatch(words):
        return _set(found[1], float(found[2]))
    if found := SENSE.fullmatch(words):
        if found[1] not in RANGERS:
            raise DialectError(f"there is no sensor {found[1]!r}; there are {', '.join(RANGERS)}")
        return Sense(found[1], is_on=found[2] is None)
    raise DialectError(f"{line.strip()[:60]!r} is no command: move, stop, set, sense, events and clear are")


def _move(amount: float, unit: str) -> Request:
    if unit in DEGREES:
        return Rotate(radians(amount))
    if unit in METRES:
        return Er1Go(amount * METRES[unit])
    raise DialectError(f"{unit!r} is no unit: {', '.join([*METRES, *DEGREES])} are")


def _set(what: str, amount: float) -> Request:
    if what not in SPEEDS + TURN_SPEEDS:
        raise DialectError(f"{what!r} cannot be set: {', '.join(SPEEDS + TURN_SPEEDS)} can")
    if amount <= 0:
        raise DialectError(f"a velocity is above 0, not {amount:g}")
    return SetSpeed(amount / 100) if what in SPEEDS else SetTurnSpeed(radians(amount))


def text_of(request: Request) -> str:
    """Write a request as a line, without its end."""
    match request:
        case Er1Go(distance):
            return f"move {_number(100 * distance)} cm"
        case Rotate(angle):
            return f"move {_number(degrees(angle))} degrees"
        case Er1Halt():
            return "stop"
        case SetSpeed(speed):
            return f"set v {_number(100 * speed)}"
        case SetTurnSpeed(speed):
            return f"set angular velocity {_number(degrees(speed))}"
        case Sense(ranger, is_on):
            return f"sense {ranger}" if is_on else f"sense {ranger} off"
        case Er1Events(is_on):
            return "events" if is_on else ""
        case Clear():
            return "clear"


def range_line(ranger: str, distance: float) -> str:
    """Write what a ranger reports; inf is nothing within reach."""
    return f"{ranger} {'none' if distance == inf else _number(100 * distance)}"


def parse_range(line: str) -> tuple[str, float] | None:
    """Read what a ranger reports, or return None where a line is something else."""
    ranger, _, said = line.partition(" ")
    if ranger not in RANGERS:
        return None
    if said == "none":
        return ranger, inf
    try:
        distance = float(said) / 100
    except ValueError:
        return None
    return (ranger, distance) if isfinite(distance) and distance >= 0 else None


def without_telnet(data: bytes) -> bytes:
    """Take out what telnet programs agree upon between themselves: 255, a verb, and what it is about."""
    return re.sub(rb"\xff(?:\xfa.*?\xff\xf0|[\xfb-\xfe].|[^\xfa-\xfe])", b"", data, flags=re.DOTALL)


def _number(value: float) -> str:
    """Write a number without an exponent, to a millionth."""
    return f"{value:.6f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"


LONGEST_STROKE = 1000.0
"""Metres, or radians: how far a motion without an end is told to go."""

LEAST_STROKE = 1e-7
"""Metres or radians of the smallest stroke: an ER1 hears millionths, and never ends a stroke of none."""


@dataclass(frozen=True)
class Er1Stroke:
    """One straight way or turn: what is asked for, and the motion it should be."""

    request: Er1Go | Rotate
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


def strokes_of(command: Command, at: Point, heading: float, speeds: tuple[float, float]) -> list[Er1Stroke]:
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
) -> Iterator[Er1Stroke]:
    """Go through the strokes from place to place."""
    speed, turn_speed = speeds
    for place in goals:
        goal = as_point(place, "a goal")
        step = goal - at
        if abs(step) < LEAST_STROKE:
            continue
        angle = remainder(step.direction - heading, tau)
        if abs(angle) >= LEAST_STROKE:
            yield turn(angle, turn_speed)
        yield straight(abs(step), speed)
        at, heading = goal, heading + angle


def straight(distance: float, speed: float) -> Er1Stroke:
    """Return the stroke of a straight way, back where it is below 0."""
    told = distance if isfinite(distance) else copysign(LONGEST_STROKE, distance)
    return Er1Stroke(Er1Go(told), Leg.forward(distance, speed))


def turn(angle: float, speed: float) -> Er1Stroke:
    """Return the stroke of a turn on the spot."""
    told = angle if isfinite(angle) else copysign(LONGEST_STROKE, angle)
    return Er1Stroke(Rotate(told), Leg.spin(angle, speed))

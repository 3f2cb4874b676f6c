"""What can be said to an ER1, and what does it answer?

The control centre of an ER1 takes lines of text and answers each with `OK` or `Error …`. What happens later,
such as the end of a motion, is an event: a line of its own, sent while events are on. A line is written as
Skadsem (2006) wrote it (`move -30 cm`, `move 90 degrees`, `stop`, `set v 10`, `sense front`, `events`, an empty
line to turn events off); units may stand close to their number and be cut short (`move 90d`, `set v10`).

Lengths are metres and angles radians here, centimetres and degrees on the wire. There are also
the longer names of speeds that other programs for the ER1 use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import degrees, inf, isfinite, radians
from typing import TypeAlias

from kumi.devs.errors import KumiError

OK = "OK"
DONE = "move done"
STUCK = "move error"
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
class Go:
    """Drive straight ahead, or back where the distance is negative."""

    distance: float


@dataclass(frozen=True)
class Rotate:
    """Turn on the spot, to the left where the angle is positive."""

    angle: float


@dataclass(frozen=True)
class Halt:
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
class Events:
    """Send events from now on, or keep them back."""

    is_on: bool = True


@dataclass(frozen=True)
class Clear:
    """Forget the events that were not sent yet."""


Request: TypeAlias = Go | Rotate | Halt | SetSpeed | SetTurnSpeed | Sense | Events | Clear


def parse(line: str) -> Request:
    """Read a line, or say what about it is not understood."""
    words = " ".join(line.lower().split())
    match words:
        case "":
            return Events(is_on=False)
        case "stop":
            return Halt()
        case "events":
            return Events()
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
        return Go(amount * METRES[unit])
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
        case Go(distance):
            return f"move {_number(100 * distance)} cm"
        case Rotate(angle):
            return f"move {_number(degrees(angle))} degrees"
        case Halt():
            return "stop"
        case SetSpeed(speed):
            return f"set v {_number(100 * speed)}"
        case SetTurnSpeed(speed):
            return f"set angular velocity {_number(degrees(speed))}"
        case Sense(ranger, is_on):
            return f"sense {ranger}" if is_on else f"sense {ranger} off"
        case Events(is_on):
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

"""What does the control program tell while it goes on?

Everything is a value: a person sees it as a line, a machine as JSON, the run file keeps it as a note. Times
are seconds since the session began, lengths metres, headings and steering degrees.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec


class RobotNotice(msgspec.Struct, frozen=True, tag_field="kind", tag=str.lower):
    """Something about a robot, at a time."""

    time: float
    robot: str


class RobotValues(RobotNotice, frozen=True, tag="values"):
    """Where a robot believes it is, and what it reads. A range is None where nothing is within reach."""

    x: float
    y: float
    heading: float
    speed: float
    steering: float
    way: float
    ranges: tuple[float | None, ...]
    switches: int

    def __str__(self) -> str:
        ranges = " ".join("-" if one is None else f"{100 * one:.0f}" for one in self.ranges)
        return (
            f"at ({self.x:.3f}, {self.y:.3f}) heading {self.heading:.1f}°, {100 * self.speed:.1f} cm/s, "
            f"wheel {self.steering:.1f}°, way {100 * self.way:.1f} cm, rangers {ranges} cm"
        )


class Began(RobotNotice, frozen=True):
    """A robot began a step."""

    step: str

    def __str__(self) -> str:
        return self.step


class Looked(RobotNotice, frozen=True):
    """A robot read what it was asked to, as raw numbers by name."""

    values: dict[str, int]

    def __str__(self) -> str:
        return "read " + ", ".join(f"{name} {value}" for name, value in self.values.items())


class Warned(RobotNotice, frozen=True):
    """A robot will hit another, or a wall, if the present commands go on."""

    other: str
    seconds: float
    x: float
    y: float

    def __str__(self) -> str:
        return f"will hit {self.other} in {self.seconds:.1f} s at ({self.x:.2f}, {self.y:.2f})"


class WarningCleared(RobotNotice, frozen=True, tag="cleared"):
    """A warning no longer holds."""

    other: str

    def __str__(self) -> str:
        return f"will no longer hit {self.other}"


class Trouble(RobotNotice, frozen=True):
    """Something went wrong with a robot; the others go on."""

    sentence: str

    def __str__(self) -> str:
        return self.sentence


class ListEnded(RobotNotice, frozen=True, tag="ended"):
    """A robot has done all it was told, gave its list up, or was stopped."""

    end: Literal["done", "gave up", "stopped"]

    def __str__(self) -> str:
        return self.end


Telling: TypeAlias = RobotValues | Began | Looked | Warned | WarningCleared | Trouble | ListEnded


def words_of(told: Telling) -> str:
    """Return what was told, and what kind of thing it is where that matters."""
    mark = {Warned: "warning: ", Trouble: "trouble: "}.get(type(told), "")
    return f"{mark}{told}"


def line_of(told: Telling) -> str:
    """Return what a person reads."""
    return f"{told.time:8.2f} s  {told.robot}: {words_of(told)}"


def json_of(told: Telling) -> str:
    """Return what a machine reads, on one line."""
    return msgspec.json.encode(told).decode()

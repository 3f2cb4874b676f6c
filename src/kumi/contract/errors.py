"""What can go wrong between a program and a body."""

from __future__ import annotations

from math import degrees

from kumi._core import BlockedBase, provide
from kumi.devs.errors import KumiError
from kumi.geometry import Point


def place(at: Point) -> str:
    """Return a point for people, to the micrometre."""
    return f"({round(at.x, 6) + 0.0:g}, {round(at.y, 6) + 0.0:g})"


class Blocked(KumiError, BlockedBase):
    """A motion ended at a contact: `Blocked(at, by, bearing, number)`.

    `at` is the point of contact, `by` names what was touched, `bearing` is the direction to it from the
    robot's heading in radians, and `number` is the number of the robot that was touched, or None.

    Contacts are common, so this error is as cheap to raise as an error can be: what it says is made when it
    is read.
    """

    def __str__(self) -> str:
        angle = round(degrees(self.bearing), 3) + 0.0
        return f"blocked by {self.by} at {place(self.at)}, {angle:g}° from ahead"

    def __repr__(self) -> str:
        return f"Blocked(at={self.at!r}, by={self.by!r}, bearing={self.bearing!r}, number={self.number!r})"


class Busy(KumiError):
    """A second motion was asked for while one is under way: a body makes one motion at a time."""

    def __init__(self, robot: str, under_way: object, asked: object) -> None:
        super().__init__(
            f"{robot} is busy with {under_way} and cannot carry out {asked}: one motion at a time; "
            f"await the first, or stop() it"
        )


class Lost(KumiError):
    """The body is gone: it fell into a hole, or was removed."""

    def __init__(self, robot: str, at: Point) -> None:
        super().__init__(f"{robot} is lost: it left the world at {place(at)}")
        self.at = at


class LinkLost(KumiError):
    """The robot no longer answers."""


class OffTarget(KumiError):
    """A motion ended farther from where it should than the robot can tell, and could not be put right.

    It ended `short_by` metres short of its end, below 0 where too far, and `beside` metres beside its way.
    """

    def __init__(self, robot: str, motion: object, short_by: float, beside: float = 0.0) -> None:
        side = "short of" if short_by > 0.0 else "beyond"
        if beside > abs(short_by):
            side = "beside"
        super().__init__(
            f"{robot} ended '{motion}' {1000 * max(abs(short_by), beside):.1f} mm {side} where it should, and came no "
            f"nearer by putting it right: its line is too disturbed to be steered in time, or its wheel slips"
        )
        self.short_by = short_by
        self.beside = beside


class BadGoal(KumiError, ValueError):
    """A goal is outside the world or inside an obstacle."""

    def __init__(self, robot: str, goal: Point) -> None:
        super().__init__(
            f"{robot} cannot go to {place(goal)}: the place is outside the world, inside an obstacle or on "
            "forbidden ground"
        )
        self.goal = goal


class CannotDo(KumiError, ValueError):
    """A drive was given a command that it cannot carry out."""


# The errors that the core raises.
for _error in (BadGoal, Blocked, Busy, Lost):
    provide(_error.__name__, _error)

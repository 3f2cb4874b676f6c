"""What a body reports on its own."""

from __future__ import annotations

import msgspec

from kumi._core import provide
from kumi.geometry import Point


class Contact(msgspec.Struct, frozen=True):
    """Two things touch: when and where, in which direction from the heading, and with whom.

    `by` names what was touched; `number` is the number of the robot, or None for a wall or the border.
    """

    time: float
    at: Point
    bearing: float
    by: str
    number: int | None = None


provide("Contact", Contact)  # the core makes them


class Parting(msgspec.Struct, frozen=True):
    """Two things that touched are apart: since when, and from whom.

    `by` names what was touched; `number` is the number of the robot, or None for a wall or the border.
    """

    time: float
    by: str
    number: int | None = None


provide("Parting", Parting)


class Entered(msgspec.Struct, frozen=True):
    """Somebody came within range."""

    time: float
    who: str
    number: int
    at: Point | None = None


provide("Entered", Entered)


class Left(msgspec.Struct, frozen=True):
    """Somebody went out of range."""

    time: float
    who: str
    number: int
    at: Point | None = None


provide("Left", Left)

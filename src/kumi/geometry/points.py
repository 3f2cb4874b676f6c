"""Where is something, and where does it look?

A point is two numbers in metres, a heading an angle in radians, counter-clockwise from the first axis.
Wherever a point is asked for, a pair of numbers does as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import msgspec

from kumi._core import Point
from kumi.geometry.headings import warn_of_degrees

PointLike: TypeAlias = Point | tuple[float, float]

MOST_CHARACTERS = 60
"""Letters of a value in a sentence, at most."""


class Pose(msgspec.Struct, frozen=True):
    """A place and the direction in which a body there looks."""

    position: Point
    heading: float = 0.0

    def __post_init__(self) -> None:
        at: Any = self.position
        heading: Any = self.heading
        # Most poses are made by kumi itself, of what needs no second look.
        if (
            type(at) is Point
            and type(heading) is float
            and -math.tau < heading < math.tau
            and math.isfinite(at.x)
            and math.isfinite(at.y)
        ):
            return
        msgspec.structs.force_setattr(self, "position", as_point(self.position))
        msgspec.structs.force_setattr(self, "heading", as_angle(self.heading, "a heading"))


def as_point(value: PointLike, name: str = "a point") -> Point:
    """Return the point that a Point or a pair of numbers stands for."""
    point = value if isinstance(value, Point) else _point_of(value, name)
    if not (math.isfinite(point.x) and math.isfinite(point.y)):
        raise ValueError(f"{name} has finite coordinates, not {value!r}")
    return point


def _point_of(value: Any, name: str) -> Point:
    try:
        x, y = value
        return Point(as_float(x), as_float(y))
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a Point or a pair of numbers, not {value!r}") from None


def as_points(values: Sequence[PointLike], least: int, owner: str) -> tuple[Point, ...]:
    """Return the corners of a figure, which needs at least so many."""
    try:
        corners = tuple(as_point(value, f"a corner of {owner}") for value in values)
    except TypeError as error:
        if isinstance(values, Sequence):
            raise
        raise TypeError(f"the corners of {owner} are a sequence of points, not {values!r}") from error
    if len(corners) < least:
        raise ValueError(f"{owner} has at least {least} corners, not {len(corners)}")
    return corners


def as_float(value: Any) -> float:
    """Return what counts as a number, such as one of numpy, as a float."""
    if isinstance(value, str | bytes):
        raise TypeError(f"a number is needed, not {value!r}")
    return float(value)


def as_real(value: float, name: str) -> float:
    """Return a number, which may be inf or NaN."""
    try:
        return as_float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number, not {value!r}") from None


def as_number(value: float, name: str) -> float:
    """Return a finite number."""
    number = as_real(value, name)
    if not math.isfinite(number):
        raise ValueError(f"{name} is a finite number, not {value!r}")
    return number


def as_angle(value: float, name: str) -> float:
    """Return a finite number of radians; one that seems to be meant in degrees is warned of."""
    number = as_number(value, name)
    warn_of_degrees(number, name)
    return number


def as_size(value: float, name: str) -> float:
    """Return a finite number above 0."""
    number = as_number(value, name)
    if number <= 0:
        raise ValueError(f"{name} is a finite number > 0, not {value!r}")
    return number


def shown(value: object) -> str:
    """Return a value in words that are not too long."""
    words = repr(value).replace("\n", " ")
    return words if len(words) <= MOST_CHARACTERS else f"{words[: MOST_CHARACTERS - 3]}..."


def as_several(values: Any, name: str) -> tuple[Any, ...]:
    """Return what can be gone through, or raise TypeError; words cannot."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TypeError(f"{name} are a list, not {shown(values)}")
    try:
        return tuple(values)
    except TypeError:
        raise TypeError(f"{name} are a list, not {shown(values)}") from None

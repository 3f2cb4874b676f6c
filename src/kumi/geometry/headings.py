"""Which number stands for a direction, and was it meant in radians?

An angle is in radians, counter-clockwise. Many numbers are one direction; what bodies, sensors and records tell is the one
that `wrapped` gives. Angles that people give in degrees by mistake are known by their numbers: whole or half, and beyond
a revolution. What is computed from pi is never such a number, so long turns are left alone.
"""

from __future__ import annotations

import sys
import warnings
from math import pi, remainder, tau
from typing import TypeGuard

PACKAGE = "kumi"
"""The package whose own lines are not those that a warning names."""


class DegreesForRadians(UserWarning):
    """An angle in radians that seems to be meant in degrees."""


def wrapped(angle: float) -> float:
    """Return the number for a direction that headings have: above -pi, up to pi.

    What is taken off is a multiple of `math.tau`, without rounding.
    """
    if -pi < angle <= pi:
        return angle
    rest = remainder(angle, tau)
    return pi if rest == -pi else rest


def seems_degrees(angle: object) -> TypeGuard[float]:
    """Tell whether a number of radians seems to be meant in degrees: a whole or half number beyond a revolution."""
    return isinstance(angle, int | float) and abs(angle) > tau and (2.0 * angle).is_integer()


def warn_of_degrees(angle: float, name: str) -> None:
    """Warn once for each line of a program that gives an angle which seems to be meant in degrees; refuse what is none."""
    if not (hasattr(angle, "__float__") or hasattr(angle, "__index__")):
        raise TypeError(f"{name} is a number, not {angle!r}")
    if seems_degrees(angle):
        warnings.warn(in_degrees(angle, name), DegreesForRadians, stacklevel=2 + _depth())


def in_degrees(angle: float, name: str, instead: str | None = None) -> str:
    """Say that an angle seems to be meant in degrees, and what to write instead."""
    given = f"{angle:g}"
    return (
        f"{name} is {given} radians, which is {abs(angle) / tau:.1f} revolutions; "
        f"for {given} degrees write {instead or f'radians({given})'}"
    )


def _depth() -> int:
    """Return how many calls of kumi's own lie between the caller and the line of a program that led to it."""
    frame, depth = sys._getframe(2), 0
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == PACKAGE:
        frame, depth = frame.f_back, depth + 1
    return depth

"""Is a direction within a field of view, and what is a thing called?

A field of view is the bearing of its middle and its whole width, in radians.
"""

from __future__ import annotations

from math import remainder, tau

from kumi.geometry.headings import seems_degrees
from kumi.geometry.points import as_number
from kumi.world.world import Thing


def name_of(thing: Thing) -> str:
    """Return the name of a robot or an obstacle."""
    return thing if isinstance(thing, str) else thing.name


def off(direction: float, middle: float) -> float:
    """Return how far a direction is from another, between -pi and pi, positive to the left."""
    return remainder(direction - middle, tau)


def is_within(direction: float, middle: float, width: float) -> bool:
    """Tell whether a direction lies in a field of view, its edges included."""
    return abs(off(direction, middle)) <= width / 2


def as_view(value: float, name: str = "a field of view", most: float = tau) -> float:
    """Return a width above 0, no wider than a full turn."""
    number = as_number(value, name)
    if not 0 < number <= most:
        hint = f"; for {number:g} degrees write radians({number:g})" if seems_degrees(number) else ""
        raise ValueError(f"{name} is an angle > 0 and <= {most:.5g} radians, not {value!r}{hint}")
    return number

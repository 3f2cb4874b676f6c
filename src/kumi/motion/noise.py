"""How far is a motion from what was commanded?

A noise changes the length of a straight way and lets the robot turn a little while it drives. The errors
grow with the way, as those of wheels do.
"""

from __future__ import annotations

from math import isfinite, radians
from typing import Protocol

from kumi._core import Chance, provide


class MotionNoise(Protocol):
    """What a drive asks for each straight way and each turn."""

    def way(self, distance: float, chance: Chance) -> float:
        """Return how far the robot goes when told a distance."""

    def drift(self, distance: float, chance: Chance) -> float:
        """Return by how many radians it turns while it goes that far."""

    def turn(self, angle: float, chance: Chance) -> float:
        """Return how far it turns when told an angle."""


class UniformErrors:
    """Errors evenly spread up to a largest one.

    `dnf` is the largest error of a distance as a share of it; `anf` the largest turn while driving, in
    degrees for each metre of the way: with 0.1, a way of 60 m ends at most 6 degrees off.
    """

    def __init__(self, dnf: float = 0.0, anf: float = 0.0) -> None:
        self.dnf = _share("dnf", dnf)
        self.anf = _share("anf", anf)

    def way(self, distance: float, chance: Chance) -> float:
        """Return the distance with an error of up to `dnf` of it."""
        return distance * (1.0 + self.dnf * chance.uniform(-1.0, 1.0))

    def drift(self, distance: float, chance: Chance) -> float:
        """Return a turn of up to `anf` degrees for each metre."""
        return radians(self.anf * abs(distance) * chance.uniform(-1.0, 1.0))

    def turn(self, angle: float, chance: Chance) -> float:
        """Return the angle as it is: these factors count the way alone."""
        return angle

    def __repr__(self) -> str:
        return f"Uniform(dnf={self.dnf}, anf={self.anf})"


class GaussianErrors:
    """Normally distributed errors, by their standard deviations.

    `distance` is a share of the way, `drift` radians for each metre of it, `angle` a share of a turn.
    """

    def __init__(self, distance: float = 0.0, drift: float = 0.0, angle: float = 0.0) -> None:
        self.of_distance = _share("distance", distance)
        self.of_drift = _share("drift", drift)
        self.of_angle = _share("angle", angle)

    def way(self, distance: float, chance: Chance) -> float:
        """Return the distance with a normal error."""
        return distance * (1.0 + chance.normal(0.0, self.of_distance))

    def drift(self, distance: float, chance: Chance) -> float:
        """Return a normally distributed turn."""
        return abs(distance) * chance.normal(0.0, self.of_drift)

    def turn(self, angle: float, chance: Chance) -> float:
        """Return the angle with a normal error."""
        return angle * (1.0 + chance.normal(0.0, self.of_angle))

    def __repr__(self) -> str:
        return f"Gaussian(distance={self.of_distance}, drift={self.of_drift}, angle={self.of_angle})"


def _share(name: str, value: float) -> float:
    if not (isfinite(value) and value >= 0.0):
        raise ValueError(f"{name} is a finite number >= 0, not {value!r}")
    return float(value)


provide("UniformErrors", UniformErrors)  # the core draws both as they do
provide("GaussianErrors", GaussianErrors)

NOISES = {"uniform": UniformErrors, "gaussian": GaussianErrors}

"""How far is a reading from the truth?

A noise is a function of the true value and of the body's chance. Sensors that measure several things, such
as a distance and a bearing, have a noise for each.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import inf, radians
from typing import Protocol

from kumi import _core
from kumi._core import Chance
from kumi.geometry.points import as_number


class Noise(Protocol):
    """What makes a reading of a true value."""

    def __call__(self, value: float, chance: Chance, /) -> float:
        """Return what is read."""


class Exact:
    """No error at all, and no draw of chance."""

    def __call__(self, value: float, chance: Chance, /) -> float:
        """Return the value."""
        return value

    def __repr__(self) -> str:
        return "Exact()"


class UniformNoise:
    """Errors evenly spread up to a largest one.

    The largest error is `width` in the unit of the value, plus `share` of the value.
    """

    def __init__(self, width: float = 0.0, share: float = 0.0) -> None:
        self.width = not_negative(width, "the width of a noise")
        self.share = not_negative(share, "the share of a noise")

    def __call__(self, value: float, chance: Chance, /) -> float:
        """Return the value with an error."""
        return value + (self.width + self.share * abs(value)) * chance.uniform(-1.0, 1.0)

    def __repr__(self) -> str:
        return f"UniformNoise(width={self.width}, share={self.share})"


class GaussianNoise:
    """Normally distributed errors.

    The standard deviation is `deviation` in the unit of the value, plus `share` of the value.
    """

    def __init__(self, deviation: float = 0.0, share: float = 0.0) -> None:
        self.deviation = not_negative(deviation, "the deviation of a noise")
        self.share = not_negative(share, "the share of a noise")

    def __call__(self, value: float, chance: Chance, /) -> float:
        """Return the value with an error."""
        return value + (self.deviation + self.share * abs(value)) * chance.normal()

    def __repr__(self) -> str:
        return f"GaussianNoise(deviation={self.deviation}, share={self.share})"


EXACT = Exact()
"""Shared, since it has nothing to keep."""

NOISES: dict[str, Callable[..., Noise]] = {
    "exact": Exact,
    "uniform": UniformNoise,
    "gaussian": GaussianNoise,
}
"""The noises that ship, by the name a scenario gives them."""


def read_noise(text: str) -> Noise:
    """Return the noise that a text such as "gaussian:2" or "uniform:0.05" names: its kind and its size."""
    kind, _, size = text.partition(":")
    kinds: dict[str, Callable[[float], Noise]] = {"gaussian": GaussianNoise, "uniform": UniformNoise}
    try:
        return kinds[kind](float(size))
    except (KeyError, ValueError):
        raise ValueError(
            f"{text!r} is not a noise such as gaussian:2 or uniform:3, with a size >= 0"
        ) from None


def misread(
    distances: bytes, noise: Noise, dropout: float, least: float, reach: float, chance: Chance
) -> bytes:
    """Return what is read of true distances, doubles both: inf beyond the reach and for a dropout, none below `least`."""
    known = in_core(noise)
    if known is not None:
        return _core.misread(distances, chance, *known, dropout, least, reach)

    def read(distance: float) -> float:
        if distance > reach or (dropout and chance.happens(dropout)):
            return inf
        return min(max(noise(distance, chance), least), reach)

    return array("d", map(read, memoryview(distances).cast("d"))).tobytes()


def in_core(noise: Noise) -> tuple[int, float, float] | None:
    """Return how the core knows a noise: the kind of its spread, its size and its share; None for one of a user's own."""
    if type(noise) is GaussianNoise:
        return 1, noise.deviation, noise.share
    if type(noise) is UniformNoise:
        return -1, noise.width, noise.share
    return (0, 0.0, 0.0) if type(noise) is Exact else None


def in_radians(noise: Noise) -> Noise:
    """Return the noise of an angle whose size was given in degrees."""
    match noise:
        case GaussianNoise():
            return GaussianNoise(radians(noise.deviation), noise.share)
        case UniformNoise():
            return UniformNoise(radians(noise.width), noise.share)
    return noise


def as_noise(value: Noise | float, name: str = "noise") -> Noise:
    """Return a noise; a plain number is the standard deviation of a normal one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return GaussianNoise(value) if value else EXACT
    if not callable(value):
        kinds = ", ".join(NOISES)
        raise TypeError(f"{name} is a standard deviation or a noise ({kinds}), not {value!r}")
    return value


def not_negative(value: float, name: str) -> float:
    """Return a finite number of at least 0."""
    number = as_number(value, name)
    if number < 0:
        raise ValueError(f"{name} is a finite number >= 0, not {value!r}")
    return number


def as_share(value: float, name: str) -> float:
    """Return a number from 0 to 1."""
    number = as_number(value, name)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} is a number from 0 to 1, not {value!r}")
    return number

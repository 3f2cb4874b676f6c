"""By how much does one quantity grow with another, and how does a cost grow with the size of a team?

`power_law` fits y = a N^b to pairs of size and value by a line through their logarithms, with an interval for
b: 1 is proportional, 2 quadratic, 0 no growth. `scaling` weighs four laws against each other: constant,
logarithmic, linear and power, by Akaike's criterion for few values (AICc). The weight of a law is how far the
data speak for it among the four; it says nothing about laws that were not tried.

The power law takes deviations to be proportional to the value, the others to be of one size. Their
likelihoods are made comparable by the Jacobian of the logarithm, 2 Σ ln y (Burnham and Anderson, Model
Selection, 6.7). Sizes are above zero, and so must values be for a power law; where one is not, that law is
left out.

Runs that share their seeds over all sizes deviate together; the interval of b is then wider than it need be.

`line_through` is a line of least squares, whose intervals also hold where values spread more at one end than at the
other: the errors are those that are consistent under heteroscedasticity, in the form HC3, which leaves each value out once
and so does not flatter few values. `ratio_of` is for values that all belong to about the same x, by which no slope could
be told: the line is taken to go through the origin, or to pass it by no more than is known.

Source: MacKinnon and White, J. Econometrics 29 (1985).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import exp, inf, log, sqrt
from typing import Any

import numpy as np

from kumi.study.statistics.intervals import LEVEL, Interval, around
from kumi.study.statistics.values import Numbers, StatisticsError, level_of, numbers

EXACT = 1e-24


@dataclass(frozen=True)
class PowerLaw:
    """y = factor · N^exponent; `r_squared` is the share of the spread of ln y that it explains."""

    factor: float
    exponent: Interval
    r_squared: float

    def __call__(self, size: float) -> float:
        """Return the value at a size."""
        return float(self.factor * size**self.exponent.mean)

    def __str__(self) -> str:
        return f"{self.factor:.3g} · N^{self.exponent}"


@dataclass(frozen=True)
class Law:
    """A law with its coefficients, its AICc, and its weight among those tried.

    `formula` is readable: y is the value, N the size.
    """

    name: str
    coefficients: tuple[float, ...]
    formula: str
    aicc: float
    weight: float

    def __call__(self, size: float) -> float:
        """Return the value at a size."""
        return SHAPES[self.name](self.coefficients, size)


SHAPES: dict[str, Callable[[tuple[float, ...], float], float]] = {
    "constant": lambda by, _: by[0],
    "logarithmic": lambda by, size: by[0] + by[1] * log(size),
    "linear": lambda by, size: by[0] + by[1] * size,
    "power": lambda by, size: by[0] * size ** by[1],
}


def power_law(sizes: Iterable[Any], values: Iterable[Any], level: float = LEVEL) -> PowerLaw:
    """Fit y = a N^b, with an interval for b."""
    by, found = _pairs(sizes, values)
    if found.min() <= 0:
        raise StatisticsError(f"a power law has values above zero, and one is {found.min():g}.")
    return _power(by, found, level_of(level))


def scaling(sizes: Iterable[Any], values: Iterable[Any]) -> tuple[Law, ...]:
    """Fit constant, logarithmic, linear and power laws; the best supported comes first."""
    by, found = _pairs(sizes, values, least=6)
    fits = {
        "constant": _straight(np.zeros(len(by)), found)[:1],
        "logarithmic": _straight(np.log(by), found),
        "linear": _straight(by, found),
    }
    size = float(found @ found)
    criteria = {
        name: _aicc(_left(name, fit, by, found), size, len(by), len(fit) + 1) for name, fit in fits.items()
    }
    if found.min() > 0:
        law = _power(by, found, LEVEL)
        fits["power"] = law.factor, law.exponent.mean
        left = float(np.sum((np.log(found) - log(law.factor) - law.exponent.mean * np.log(by)) ** 2))
        criteria["power"] = _aicc(left, len(by), len(by), 3) + 2 * float(np.log(found).sum())
    best = min(criteria.values())
    odds = {name: 1.0 if one == best else exp((best - one) / 2) for name, one in criteria.items()}
    laws = [
        Law(name, fits[name], _written(name, fits[name]), criteria[name], odds[name] / sum(odds.values()))
        for name in fits
    ]
    return tuple(sorted(laws, key=lambda law: law.aicc))


def _pairs(sizes: Iterable[Any], values: Iterable[Any], least: int = 3) -> tuple[Numbers, Numbers]:
    """Return sizes and values, or say why nothing can be fitted to them."""
    by, found = numbers(sizes, what="sizes"), numbers(values, least=least)
    if len(by) != len(found):
        raise StatisticsError(f"{len(by)} sizes do not go with {len(found)} values.")
    if by.min() <= 0:
        raise StatisticsError(f"sizes are above zero, and one is {by.min():g}.")
    if len(np.unique(by)) < 3:
        raise StatisticsError(f"{len(np.unique(by))} different sizes show no law; at least 3 are needed.")
    return by, found


def _straight(by: Numbers, found: Numbers) -> tuple[float, ...]:
    """Return where the line of least squares meets zero, and its slope."""
    away = by - by.mean()
    spread = float(away @ away)
    slope = float(away @ found) / spread if spread else 0.0
    return float(found.mean()) - slope * float(by.mean()), slope


def _power(by: Numbers, found: Numbers, level: float) -> PowerLaw:
    x, y = np.log(by), np.log(found)
    start, slope = _straight(x, y)
    left = float(np.sum((y - start - slope * x) ** 2))
    whole = float(np.sum((y - y.mean()) ** 2))
    error = sqrt(left / (len(x) - 2) / float(np.sum((x - x.mean()) ** 2)))
    exponent = around(slope, error, len(x) - 2, level, len(x))
    return PowerLaw(exp(start), exponent, 1 - left / whole if whole else 1.0)


def _left(name: str, fit: tuple[float, ...], by: Numbers, found: Numbers) -> float:
    """Return the sum of squares that a law leaves unexplained."""
    return float(sum((y - SHAPES[name](fit, x)) ** 2 for x, y in zip(by, found, strict=True)))


def _aicc(left: float, size: float, count: int, parameters: int) -> float:
    """Return Akaike's criterion for normal deviations, corrected for few values.

    A law that leaves no more than rounding does, beside the sum of squares `size`, is perfect.
    """
    if left <= EXACT * size:
        return -inf
    few = 2 * parameters * (parameters + 1) / (count - parameters - 1)
    return count * log(left / count) + 2 * parameters + few


def _written(name: str, by: tuple[float, ...]) -> str:
    if name == "constant":
        return f"y = {by[0]:.4g}"
    if name == "power":
        return f"y = {by[0]:.4g} · N^{by[1]:.4g}"
    sign, of = ("-" if by[1] < 0 else "+"), ("ln N" if name == "logarithmic" else "N")
    return f"y = {by[0]:.4g} {sign} {abs(by[1]):.4g} · {of}"


@dataclass(frozen=True)
class FittedLine:
    """y = height + slope · (x - middle), where `middle` is the mean of x."""

    slope: Interval
    height: Interval
    middle: float


def line_through(x: Iterable[Any], y: Iterable[Any], level: float = LEVEL) -> FittedLine:
    """Return the line of least squares through three pairs of values or more, with two different x."""
    across, up = _point_pairs(x, y)
    count, middle = len(across), float(across.mean())
    off = across - middle
    squares = float(off @ off)
    if not squares:
        raise StatisticsError("a line needs two different x.")
    slope, height = float(off @ up) / squares, float(up.mean())
    rest = up - height - slope * off
    leverage = 1.0 / count + off * off / squares
    weighed = (rest / np.maximum(1.0 - leverage, 1e-3)) ** 2
    errors = sqrt(float(off * off @ weighed)) / squares, sqrt(float(weighed.sum())) / count
    return FittedLine(
        around(slope, errors[0], count - 2, level_of(level), count),
        around(height, errors[1], count - 2, level, count),
        middle,
    )


def ratio_of(x: Iterable[Any], y: Iterable[Any], level: float = LEVEL, *, by: float = 0.0) -> Interval:
    """Return the slope of a line that passes the origin by a height of a standard deviation `by`: mean y over mean x."""
    across, up = _point_pairs(x, y)
    count, middle = len(across), float(across.mean())
    if not middle:
        raise StatisticsError("a ratio needs a mean of x that is not 0.")
    slope = float(up.mean()) / middle
    rest = up - slope * across
    error = sqrt(float(rest @ rest) / (count * (count - 1)) + by * by) / abs(middle)
    return around(slope, error, count - 1, level_of(level), count)


def _point_pairs(x: Iterable[Any], y: Iterable[Any]) -> tuple[Numbers, Numbers]:
    across = numbers(x, least=3, what="values of x")
    up = numbers(y, least=3, what="values of y")
    if len(up) != len(across):
        raise StatisticsError(f"a line needs as many values of y as of x, not {len(up)} and {len(across)}.")
    return across, up

"""By how much does one quantity grow with another, whatever the spread of single values?

`line_through` is a line of least squares, whose intervals also hold where values spread more at one end than at the
other: the errors are those that are consistent under heteroscedasticity, in the form HC3, which leaves each value out once
and so does not flatter few values. `ratio_of` is for values that all belong to about the same x, by which no slope could
be told: the line is taken to go through the origin, or to pass it by no more than is known.

Source: MacKinnon and White, J. Econometrics 29 (1985).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from kumi.study.statistics.errors import StatisticsError
from kumi.study.statistics.intervals import LEVEL, Interval, around
from kumi.study.statistics.values import Numbers, level_of, numbers


@dataclass(frozen=True)
class Line:
    """y = height + slope · (x - middle), where `middle` is the mean of x."""

    slope: Interval
    height: Interval
    middle: float


def line_through(x: Iterable[Any], y: Iterable[Any], level: float = LEVEL) -> Line:
    """Return the line of least squares through three pairs of values or more, with two different x."""
    across, up = _pairs(x, y)
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
    return Line(
        around(slope, errors[0], count - 2, level_of(level), count),
        around(height, errors[1], count - 2, level, count),
        middle,
    )


def ratio_of(x: Iterable[Any], y: Iterable[Any], level: float = LEVEL, *, by: float = 0.0) -> Interval:
    """Return the slope of a line that passes the origin by a height of a standard deviation `by`: mean y over mean x."""
    across, up = _pairs(x, y)
    count, middle = len(across), float(across.mean())
    if not middle:
        raise StatisticsError("a ratio needs a mean of x that is not 0.")
    slope = float(up.mean()) / middle
    rest = up - slope * across
    error = sqrt(float(rest @ rest) / (count * (count - 1)) + by * by) / abs(middle)
    return around(slope, error, count - 1, level_of(level), count)


def _pairs(x: Iterable[Any], y: Iterable[Any]) -> tuple[Numbers, Numbers]:
    across = numbers(x, least=3, what="values of x")
    up = numbers(y, least=3, what="values of y")
    if len(up) != len(across):
        raise StatisticsError(f"a line needs as many values of y as of x, not {len(up)} and {len(across)}.")
    return across, up

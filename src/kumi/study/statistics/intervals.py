"""Within which bounds does the true mean lie, given some values of it?

`interval` takes independent values, such as one from each run, and uses Student's t, exact for normal values; where
they are skewed, its bound on the side of the long tail lies further out, by a bootstrap (see `skewed`).
`student_interval` is t alone, for differences, whose test is that of t, too. `proportion` takes a count of successes
and uses Wilson's score interval, which stays within 0 and 1 and holds for few and for rare ones. `batch_means` takes
one long series, whose values are not independent, and counts means of long stretches instead.

One value has a mean and no interval: its bounds are infinite, and it says so.

Sources: Law, Simulation Modeling and Analysis, 4.5 and 9.5.3; Wilson, J. Am. Stat. Assoc. 22 (1927).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import floor, fsum, inf, isfinite, log10, nan, sqrt
from operator import index
from statistics import NormalDist
from typing import Any

import numpy as np

from kumi.study.statistics.errors import StatisticsError
from kumi.study.statistics.skewed import long_side, skewness
from kumi.study.statistics.student import half_width
from kumi.study.statistics.values import level_of, numbers

LEVEL = 0.95
ROUNDING = 1e-12
"""What rounding may do to a number, as a share of it."""


@dataclass(frozen=True)
class Interval:
    """A mean and the bounds between which the true one lies, in a share `level` of all such intervals.

    `count` values were used. `error` is the standard error of the mean, unknown (nan) for one value.
    """

    mean: float
    low: float
    high: float
    level: float
    count: int
    error: float

    @property
    def is_known(self) -> bool:
        """Whether there were values enough for bounds."""
        return isfinite(self.low) and isfinite(self.high)

    @property
    def half_width(self) -> float:
        """Half the distance between the bounds."""
        return (self.high - self.low) / 2

    @property
    def relative(self) -> float:
        """The half width as a share of the mean, infinite where the mean is zero and the width is not."""
        if self.half_width == 0:
            return 0.0
        return self.half_width / abs(self.mean) if self.mean else inf

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def is_centred(self) -> bool:
        """Whether the mean is in the middle of its interval, up to what two digits show."""
        return abs((self.low + self.high) / 2 - self.mean) <= 0.02 * self.half_width

    def __str__(self) -> str:
        if not self.is_known:
            return f"{self.mean:.4g} (one value, no interval)"
        if self.half_width <= ROUNDING * abs(self.mean):
            return f"{self.mean:.4g} ± 0"
        places = decimals(self.half_width)
        if not self.is_centred:
            return f"{fixed(self.mean, places)} [{fixed(self.low, places)}, {fixed(self.high, places)}]"
        return f"{fixed(self.mean, places)} ± {fixed(self.half_width, places)}"


def interval(values: Iterable[Any], level: float = LEVEL) -> Interval:
    """Return the mean of independent values with its interval; that of skewed ones reaches further to one side."""
    plain, away = _plain(values, level)
    if not away:
        return plain
    skew = skewness(away)
    reach = long_side(plain.count, skew, plain.level) * plain.error
    if skew > 0:
        return replace(plain, high=plain.mean + reach)
    return replace(plain, low=plain.mean - reach)


def student_interval(values: Iterable[Any], level: float = LEVEL) -> Interval:
    """Return the mean of independent values with its t interval, whether they are skewed or not."""
    return _plain(values, level)[0]


def _plain(values: Iterable[Any], level: float) -> tuple[Interval, list[float]]:
    """Return the t interval, and how far each value lies from the mean; nothing where there is no spread.

    Sums are exact, so that they do not depend on the machine: a study may be ended by an interval.
    """
    found, level = numbers(values).tolist(), level_of(level)
    count = len(found)
    if count == 1:
        return Interval(found[0], -inf, inf, level, 1, nan), []
    if min(found) == max(found):  # Rounding would give them a spread.
        return around(found[0], 0.0, count - 1, level, count), []
    mean = fsum(found) / count
    away = [value - mean for value in found]
    error = sqrt(fsum(one * one for one in away) / (count - 1) / count)
    return around(mean, error, count - 1, level, count), away if error else []


def around(mean: float, error: float, freedom: float, level: float, count: int) -> Interval:
    """Return the t interval of an estimate with its standard error and degrees of freedom."""
    half = half_width(level, freedom) * error if error else 0.0
    return Interval(mean, mean - half, mean + half, level, count, error)


def proportion(successes: int, of: int, level: float = LEVEL) -> Interval:
    """Return the share of successes with its Wilson interval."""
    successes, of, level = index(successes), index(of), level_of(level)
    if not 0 <= successes <= of or of == 0:
        raise StatisticsError(f"{successes} successes of {of} make no sense; of one or more, none to all.")
    z, share = NormalDist().inv_cdf((1 + level) / 2), successes / of
    centre = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    low = centre - half if successes else 0.0
    high = centre + half if successes < of else 1.0
    return Interval(share, low, high, level, of, sqrt(share * (1 - share) / of))


@dataclass(frozen=True)
class BatchMeans:
    """The mean of one long series by the means of its batches.

    `size` values are in a batch; `left_out` came before the first. `correlation` is that of each batch with
    the next: beyond `bound` in either direction, batches are not independent, and the interval is not to be
    trusted.
    """

    interval: Interval
    size: int
    left_out: int
    correlation: float

    @property
    def bound(self) -> float:
        """What the correlation of independent batches exceeds in one case of twenty."""
        return 1.96 / sqrt(self.interval.count)

    @property
    def is_trusted(self) -> bool:
        """Whether the batches look independent."""
        return abs(self.correlation) <= self.bound


def batch_means(series: Iterable[Any], batches: int = 20, level: float = LEVEL) -> BatchMeans:
    """Return the mean of a long series, its warm-up removed, with an interval from the means of batches.

    Values are spaced evenly in time. Those that fill no batch are left out, from the beginning.
    """
    found = numbers(series, what="values of the series")
    if batches < 2:
        raise StatisticsError(f"{batches} batches have no spread; take at least 2, better 20.")
    size = len(found) // batches
    if not size:
        raise StatisticsError(f"{len(found)} values do not fill {batches} batches.")
    left_out = len(found) - size * batches
    means = found[left_out:].reshape(batches, size).mean(axis=1)
    return BatchMeans(interval(means, level), size, left_out, lag_one(means))


def lag_one(values: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    """Return the correlation of each value with the next; none where all are equal."""
    away = values - values.mean()
    spread = float(away @ away)
    return float(away[:-1] @ away[1:]) / spread if spread else 0.0


def decimals(width: float) -> int:
    """Return how many decimals show a width with two digits that count."""
    return 1 - floor(log10(width)) if width else 0


def fixed(number: float, places: int) -> str:
    """Write a number with so many decimals; fewer than none means tens and more."""
    if abs(places) > 6:
        return f"{number:.4g}"
    return f"{round(number, places) + 0.0:.{max(places, 0)}f}"

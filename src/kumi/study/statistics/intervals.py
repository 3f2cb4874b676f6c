"""Within which bounds does the true mean lie, given some values of it?

`interval` takes independent values, such as one from each run, and uses Student's t, exact for normal values; where
they are skewed, its bound on the side of the long tail lies further out, by a bootstrap (see `skewed`).
`student_interval` is t alone, for differences, whose test is that of t, too. `proportion` takes a count of successes
and uses Wilson's score interval, which stays within 0 and 1 and holds for few and for rare ones. `batch_means` takes
one long series, whose values are not independent, and counts means of long stretches instead.

One value has a mean and no interval: its bounds are infinite, and it says so.

Sources: Law, Simulation Modeling and Analysis, 4.5 and 9.5.3; Wilson, J. Am. Stat. Assoc. 22 (1927).

Student's t takes values to be normal. A mean of values with a long tail is mostly too low, and its standard error with
it, because the tail is mostly missed: of lognormal values, 20 at a time, t holds the true mean in 87 of 100 cases. So
on that side the bound is found by a parametric bootstrap: t is drawn 4,000 times for samples of as many values of a
lognormal law whose samples are, in the median, as skewed as the one at hand. On the other side the bound stays that of
t, and so do both where the skewness is no more than that of four in five normal samples.

Draws come from one fixed stream, so the same values have the same bounds. They are made for up to 64 values; with more,
what matters is the skewness over the root of their number. The law is never more skewed than one with σ = 1.25: fewer
than a hundred values tell little of heavier tails, and with those the bounds are too narrow still.

Sources: Johnson, J. Am. Stat. Assoc. 73 (1978); Hall, J. R. Statist. Soc. B 54 (1992); Zhou and Gao, Am. Statistician
54 (2000).

That is Student's t. Its tail is a regularised incomplete beta function, summed here as a continued fraction
(Lentz's method; Press et al., Numerical Recipes, 6.4), and its quantiles are found by bisection. This is
written out because the base install has no SciPy, and importing that part of it takes longer than many a
study.

The degrees of freedom may be any positive number, as Welch's test needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import erfc, floor, fsum, inf, isfinite, lgamma, log, log1p, log10, nan, sqrt
from operator import index
from statistics import NormalDist
from typing import Any

import numpy as np

from kumi.devs.chance import stream
from kumi.maths import exp, interp, total
from kumi.study.statistics.values import Numbers, StatisticsError, level_of, numbers

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


LEAST_VALUES = 5
"""Values below which nothing is said of their skewness."""
PLAIN = 1.2816
"""Standard deviations of the skewness of normal samples within which four in five lie."""
MOST_DRAWN = 64
PAIRS = 2000
"""Samples that are drawn, each with its mirror image."""
SIGMAS = tuple(step / 8 for step in range(11))


def skewness(away: list[float]) -> float:
    """Return the skewness of values, given their distances from their mean."""
    count, square = len(away), fsum(one * one for one in away)
    return sqrt(count) * fsum(one * one * one for one in away) / (square * sqrt(square)) if square else 0.0


def long_side(count: int, skew: float, level: float) -> float:
    """Return how many standard errors the bound lies out on the side of the long tail; on the other side it is t."""
    plain = half_width(level, count - 1)
    size = abs(skew)
    if count < LEAST_VALUES or size <= PLAIN * sqrt(6 * (count - 2) / ((count + 1) * (count + 3))):
        return plain
    drawn = _drawn(min(count, MOST_DRAWN))
    ratios = drawn.quantiles((1 - level) / 2)
    alike = size * sqrt(drawn.count / count)
    return plain * max(1.0, float(interp(np.array([alike]), drawn.skewness, ratios)[0]))


@dataclass(frozen=True)
class SkewedLaws:
    """The t of drawn samples of `count` values, in order, and their median skewness, for each law of `SIGMAS`."""

    count: int
    skewness: Numbers
    ts: Numbers

    def quantiles(self, tail: float) -> Numbers:
        """Return for each law the t below which a share `tail` lies, over that of the normal one."""
        at = self.ts[:, min(int(tail * 2 * PAIRS), PAIRS - 1)]
        ratios: Numbers = np.maximum.accumulate(at / at[0])
        return ratios


@lru_cache(maxsize=32)
def _drawn(count: int) -> SkewedLaws:
    normal = _normal()[:, :count]
    laws = [_law(normal, sigma) for sigma in SIGMAS]
    medians = np.maximum.accumulate(np.array([max(0.0, median) for median, _ in laws]))
    return SkewedLaws(count, medians, np.array([ts for _, ts in laws]))


@lru_cache(maxsize=1)
def _normal() -> Numbers:
    chance = stream(0, "skewed means")
    drawn = np.array([chance.normal() for _ in range(PAIRS * MOST_DRAWN)]).reshape(PAIRS, MOST_DRAWN)
    return np.concatenate([drawn, -drawn])


def _law(normal: Numbers, sigma: float) -> tuple[float, Numbers]:
    """Return the median skewness of samples of a law, and their t in order; σ = 0 is the normal law."""
    count = normal.shape[1]
    values, mean = (exp(sigma * normal), exp(sigma * sigma / 2)) if sigma else (normal, 0.0)
    found = total(values, 1) / count
    away = values - found[:, None]
    square = total(away * away, 1)
    skewnesses = sqrt(count) * total(away * away * away, 1) / (square * np.sqrt(square))
    ts = (found - mean) / np.sqrt(square / (count * (count - 1)))
    return float(np.sort(skewnesses)[PAIRS]), np.sort(ts)


TINY = 1e-300
TAIL_TOLERANCE = 1e-15
NORMAL_FROM = 1e8
"""Degrees of freedom from which on t is taken as normal; 20 errors out they differ by a thousandth."""


def both_tails(t: float, freedom: float) -> float:
    """Return the probability that |T| is at least |t|."""
    if t == 0:
        return 1.0
    if abs(t) == inf:
        return 0.0
    if freedom >= NORMAL_FROM:
        return erfc(abs(t) / sqrt(2))
    square = t * t
    return _beta(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square))


@lru_cache(maxsize=4096)
def half_width(level: float, freedom: float) -> float:
    """Return the t within which a share `level` of all lies, on both sides of zero."""
    wanted = 1 - level
    low, high = 0.0, 1.0
    while both_tails(high, freedom) > wanted:
        low, high = high, 2 * high
    while high - low > 4e-16 * high:
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        low, high = (middle, high) if both_tails(middle, freedom) > wanted else (low, middle)
    return (low + high) / 2


def _beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function at x, where `rest` is 1 - x without rounding."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    front = lgamma(a + b) - lgamma(a) - lgamma(b)
    front += a * (log(x) if x < 0.5 else log1p(-rest)) + b * log(rest)
    if x < (a + 1) / (a + b + 2):
        return exp(front) * _fraction(a, b, x) / a
    return 1 - exp(front) * _fraction(b, a, rest) / b


def _fraction(a: float, b: float, x: float) -> float:
    """Sum the continued fraction of the incomplete beta function."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 1000 + int(20 * sqrt(max(a, b)))):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / _away(1 + even * d)
        c = _away(1 + even / c)
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / _away(1 + odd * d)
        c = _away(1 + odd / c)
        value *= d * c
        if abs(d * c - 1) < TAIL_TOLERANCE:
            break
    return value


def _away(number: float) -> float:
    """Keep a number away from zero, by which it would be divided."""
    return number if abs(number) > TINY else TINY

"""Do two sets of runs behave alike, metric by metric?

Each metric is tested twice: for equal means (Welch's t, which does not ask for equal spreads) and for equal
distributions (Kolmogorov and Smirnov, exact also with ties). So many tests find something by chance, so their
p are corrected together by Holm's method: where nothing differs at all, a difference is claimed in at most 1
- level of all comparisons.

Not to find a difference is no proof of equality. The interval of the difference tells how large one may still
be; with few runs it is wide, and `compare` says so rather than "equal".

Sources: Welch, Biometrika 34 (1947); Hodges, Arkiv för Matematik 3 (1958); Holm, Scand. J. Statistics 6
(1979).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, sqrt
from typing import Any

import numpy as np

from kumi.study.statistics.intervals import LEVEL, Interval, around, interval
from kumi.study.statistics.paired import p_of
from kumi.study.statistics.values import StatisticsError, level_of, numbers

EXACT_UP_TO = 20_000_000
"""Product of the two counts up to which the test of distributions is exact: about a second."""


@dataclass(frozen=True)
class Difference:
    """The mean of `other` less that of `one`, and how likely one so far from zero is by chance."""

    difference: Interval
    p: float


@dataclass(frozen=True)
class Compared:
    """One metric in two sets of runs: its mean in each, the difference, and both tests, corrected.

    `p_means` and `p_distributions` are Holm's, over all metrics that were compared together.
    """

    metric: str
    one: Interval
    other: Interval
    difference: Interval
    p_means: float
    p_distributions: float

    @property
    def is_different(self) -> bool:
        """Whether a difference was found, at the level of the intervals."""
        return min(self.p_means, self.p_distributions) <= 1 - self.difference.level

    def __str__(self) -> str:
        if not self.is_different:
            most = max(abs(self.difference.low), abs(self.difference.high))
            return f"{self.metric}: no difference found; one of {most:.3g} is not excluded"
        if self.p_means <= 1 - self.difference.level:
            return f"{self.metric}: different by {self.difference}"
        return f"{self.metric}: the same mean as far as seen, but distributed differently"


def compare(
    one: Mapping[str, Iterable[Any]], other: Mapping[str, Iterable[Any]], level: float = LEVEL
) -> tuple[Compared, ...]:
    """Compare the metrics of two sets of runs, which must have the same names."""
    if not one or one.keys() != other.keys():
        raise StatisticsError(
            f"the metrics to compare are {', '.join(one) or 'none'} and {', '.join(other) or 'none'}; "
            "both sides need the same."
        )
    values = {name: (list(one[name]), list(other[name])) for name in one}
    means = {name: welch_test(*pair, level) for name, pair in values.items()}
    ps = [found.p for found in means.values()] + [kolmogorov_smirnov(*pair) for pair in values.values()]
    fair = holm(ps)
    return tuple(
        Compared(
            name,
            interval(values[name][0], level),
            interval(values[name][1], level),
            means[name].difference,
            fair[place],
            fair[place + len(values)],
        )
        for place, name in enumerate(values)
    )


def welch_test(one: Iterable[Any], other: Iterable[Any], level: float = LEVEL) -> Difference:
    """Test whether two independent sets of values have the same mean, whatever their spreads."""
    left, right = _sides(one, other, level)
    mean, error, freedom = _welch(left, right)
    return Difference(
        around(mean, error, freedom, level, left.count + right.count), p_of(mean, error, freedom)
    )


def p_farther(mean: float, error: float, freedom: float, margin: float) -> float:
    """Return p of the test whether an estimate with its standard error is farther from zero than a margin.

    It is the greatest likelihood of an estimate so far off by chance that any value within the margin has: that of one as
    large as the margin. Without a margin it is that of Student's test.
    """
    if not 0.0 <= margin < inf:
        raise StatisticsError(f"a margin is a number >= 0, not {margin!r}.")
    if not error:
        return 0.0 if abs(mean) > margin else 1.0
    near = p_of(abs(mean) - margin, error, freedom) / 2
    far = p_of(abs(mean) + margin, error, freedom) / 2
    return min(1.0, far + (near if abs(mean) > margin else 1.0 - near))


def _sides(one: Iterable[Any], other: Iterable[Any], level: float) -> tuple[Interval, Interval]:
    left = interval(numbers(one, least=2, what="values of one side"), level_of(level))
    return left, interval(numbers(other, least=2, what="values of the other side"), level)


def _welch(left: Interval, right: Interval) -> tuple[float, float, float]:
    """Return the difference of two means, its standard error, and its degrees of freedom."""
    parts = left.error**2, right.error**2
    error, freedom = sqrt(sum(parts)), float(left.count + right.count - 2)
    if error:
        shares = [part / sum(parts) for part in parts]
        freedom = 1 / (shares[0] ** 2 / (left.count - 1) + shares[1] ** 2 / (right.count - 1))
    return right.mean - left.mean, error, freedom


def kolmogorov_smirnov(one: Iterable[Any], other: Iterable[Any]) -> float:
    """Return p of the test whether two independent sets of values have the same distribution.

    All orders in which the values may fall are equally likely if they do; p is the share of those whose
    distribution functions are as far apart somewhere as the two found.
    """
    left = np.sort(numbers(one, what="values of one side"))
    right = np.sort(numbers(other, what="values of the other side"))
    pooled = np.unique(np.concatenate([left, right]))
    ahead = np.searchsorted(left, pooled, side="right"), np.searchsorted(right, pooled, side="right")
    gap = int(np.max(np.abs(ahead[0] * len(right) - ahead[1] * len(left))))
    if len(left) * len(right) > EXACT_UP_TO:
        return _limit(gap, len(left), len(right))
    return _exact(gap, len(left), len(right), set((ahead[0] + ahead[1]).tolist()))


def _exact(gap: int, left: int, right: int, ends: set[int]) -> float:
    """Sum the orders in which a gap occurs, counted where a run of equal values ends."""
    places = np.arange(left + 1)
    likely = np.zeros(left + 1)
    likely[0], found = 1.0, 0.0
    for drawn in range(left + right):
        remaining = left + right - drawn
        to_left = likely * np.clip(left - places, 0, None) / remaining
        likely = likely * np.clip(right - (drawn - places), 0, None) / remaining
        likely[1:] += to_left[:-1]
        if drawn + 1 in ends:
            is_far = np.abs(places * right - (drawn + 1 - places) * left) >= gap
            found += float(likely[is_far].sum())
            likely[is_far] = 0.0
    return min(1.0, found)


def _limit(gap: int, left: int, right: int) -> float:
    """Return Kolmogorov's limit for many values."""
    scaled = gap / (left * right) * sqrt(left * right / (left + right))
    terms = (2 * (-1) ** (k - 1) * exp(-2 * (k * scaled) ** 2) for k in range(1, 101))
    return min(1.0, max(0.0, sum(terms))) if scaled > 0.2 else 1.0


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """Return the p of several tests, each corrected for there being several, in their order."""
    order = sorted(range(len(ps)), key=lambda place: ps[place])
    fair, most = [0.0] * len(ps), 0.0
    for rank, place in enumerate(order):
        most = max(most, min(1.0, ps[place] * (len(ps) - rank)))
        fair[place] = most
    return tuple(fair)

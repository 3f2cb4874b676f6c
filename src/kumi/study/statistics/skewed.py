"""How far may the true mean lie out on the side of the long tail, where values are skewed?

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
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import fsum, sqrt

import numpy as np

from kumi.devs.chance import stream
from kumi.maths import exp, interp, total
from kumi.study.statistics.student import half_width
from kumi.study.statistics.values import Numbers

LEAST = 5
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
    if count < LEAST or size <= PLAIN * sqrt(6 * (count - 2) / ((count + 1) * (count + 3))):
        return plain
    drawn = _drawn(min(count, MOST_DRAWN))
    ratios = drawn.quantiles((1 - level) / 2)
    alike = size * sqrt(drawn.count / count)
    return plain * max(1.0, float(interp(np.array([alike]), drawn.skewness, ratios)[0]))


@dataclass(frozen=True)
class Drawn:
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
def _drawn(count: int) -> Drawn:
    normal = _normal()[:, :count]
    laws = [_law(normal, sigma) for sigma in SIGMAS]
    medians = np.maximum.accumulate(np.array([max(0.0, median) for median, _ in laws]))
    return Drawn(count, medians, np.array([ts for _, ts in laws]))


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

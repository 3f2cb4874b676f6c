"""How far from zero does a mean stray by chance, counted in its own standard errors?

That is Student's t. Its tail is a regularised incomplete beta function, summed here as a continued fraction
(Lentz's method; Press et al., Numerical Recipes, 6.4), and its quantiles are found by bisection. This is
written out because the base install has no SciPy, and importing that part of it takes longer than many a
study.

The degrees of freedom may be any positive number, as Welch's test needs.
"""

from __future__ import annotations

from functools import lru_cache
from math import erfc, exp, inf, lgamma, log, log1p, sqrt

TINY = 1e-300
CLOSE = 1e-15
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
        if abs(d * c - 1) < CLOSE:
            break
    return value


def _away(number: float) -> float:
    """Keep a number away from zero, by which it would be divided."""
    return number if abs(number) > TINY else TINY

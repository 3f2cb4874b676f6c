"""How likely is it that so many of so many trials succeed?"""

from __future__ import annotations

from math import comb, sqrt
from statistics import NormalDist

EXACT_UP_TO = 400
"""Trials up to which the sum is exact; beyond, the normal limit serves."""


def at_least(count: int, of: int, likely: float) -> float:
    """Return how likely so many of so many independent trials succeed, or more, each with a probability."""
    if count <= 0:
        return 1.0
    if of > EXACT_UP_TO:
        mean, deviation = of * likely, sqrt(of * likely * (1.0 - likely))
        return 1.0 - NormalDist().cdf((count - 0.5 - mean) / deviation)
    terms = (comb(of, one) * likely**one * (1.0 - likely) ** (of - one) for one in range(count, of + 1))
    return min(1.0, sum(terms))


def largest_below(of: int, likely: float, doubt: float) -> int:
    """Return the largest number that trials fall short of with at most that doubt; -1 where there is none."""
    low, high = 0, of
    while low < high:
        middle = (low + high + 1) // 2
        if 1.0 - at_least(middle, of, likely) <= doubt:
            low = middle
        else:
            high = middle - 1
    return low - 1

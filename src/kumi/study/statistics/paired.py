"""Does a change make a difference, when both sides met with the same chance?

Runs with the same seed share their chance (common random numbers), so they are compared pair by pair: what
both had in common drops out of the difference, and a small effect shows in few runs. `paired` gives the mean
difference with its t interval, and two more opinions that need no normal values: by flipping the signs of the
differences, and by counting them.

The flips are all tried up to 18 pairs, and drawn from a seeded stream beyond; then p is never below 1 /
20,000. Pairs without a difference flip nothing, and do not count in the sign test; what rounding can do is no
difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from kumi.devs.chance import stream
from kumi.study.statistics.intervals import LEVEL, ROUNDING, Interval, both_tails, student_interval
from kumi.study.statistics.values import Numbers, StatisticsError, numbers

ALL_FLIPS = 18
DRAWN_FLIPS = 19_999
PERMUTATIONS_AT_ONCE = 1000
WORD = 32


@dataclass(frozen=True)
class Paired:
    """The mean of `other - one` over all pairs, and how likely one so far from zero is by chance alone.

    `p` is by Student's t, `p_flips` by flipping signs, `p_signs` by counting them; all for both directions.
    `gain` says by how much pairing narrowed the variance of the difference: 1 is not at all, below 1 it did
    harm.
    """

    difference: Interval
    p: float
    p_flips: float
    p_signs: float
    gain: float


def paired(one: Iterable[Any], other: Iterable[Any], level: float = LEVEL, *, seed: int = 0) -> Paired:
    """Compare two lists of values, of which those at the same place belong together."""
    before, after = numbers(one, what="values of one side"), numbers(other, what="values of the other side")
    if len(before) != len(after):
        raise StatisticsError(f"{len(before)} values cannot be paired with {len(after)}.")
    if len(before) < 2:
        raise StatisticsError("one pair has no spread; at least 2 are needed.")
    away = after - before
    away[np.abs(away) <= ROUNDING * (np.abs(before) + np.abs(after))] = 0.0
    found = student_interval(away, level)
    apart = float(np.var(before, ddof=1) + np.var(after, ddof=1))
    together = float(np.var(away, ddof=1))
    return Paired(
        found,
        p=p_of(found.mean, found.error, len(away) - 1),
        p_flips=flips(away, seed),
        p_signs=signs(away),
        gain=apart / together if together else inf if apart else 1.0,
    )


def p_of(mean: float, error: float, freedom: float) -> float:
    """Return how likely a mean so far from zero is by chance; without any spread it is sure or impossible."""
    if not error:
        return 0.0 if mean else 1.0
    return both_tails(mean / error, freedom)


def signs(away: Numbers) -> float:
    """Return the p of the sign test: as many or fewer of the rarer sign among fair coins."""
    up, down = int(np.sum(away > 0)), int(np.sum(away < 0))
    count = up + down
    tail = ways = 1
    for k in range(min(up, down)):
        ways = ways * (count - k) // (k + 1)  # of so many coins, k + 1 fall on the rarer side
        tail += ways
    return min(1.0, float(2 * tail / 2**count))


def flips(away: Numbers, seed: int) -> float:
    """Return the share of sign flips whose sum is as far from zero as the sum found."""
    moved = away[away != 0]
    bar = abs(float(moved.sum())) - 1e-9 * sqrt(float(moved @ moved))
    if len(moved) <= ALL_FLIPS:
        sums = np.zeros(1)
        for step in moved:
            sums = np.concatenate([sums + step, sums - step])
        return float(np.mean(np.abs(sums) >= bar))
    as_far = sum(int(np.sum(np.abs(sums) >= bar)) for sums in _drawn(moved, seed))
    return (as_far + 1) / (DRAWN_FLIPS + 1)


def _drawn(moved: Numbers, seed: int) -> Iterator[Numbers]:
    """Give the sums of drawn flips, some at a time: a bit each, eight of which at once find their sum in a table."""
    chance = stream(seed, "sign flips")
    words = -(-len(moved) // WORD)
    steps = np.zeros(words * WORD)
    steps[: len(moved)] = moved
    signs_of = 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) - 1.0
    sums = steps.reshape(-1, 8) @ signs_of.T
    eights = np.arange(len(sums))
    for begin in range(0, DRAWN_FLIPS, PERMUTATIONS_AT_ONCE):
        draws = min(PERMUTATIONS_AT_ONCE, DRAWN_FLIPS - begin)
        drawn = np.frombuffer(chance.words(draws * words), dtype=np.uint8).reshape(draws, len(sums))
        yield sums[eights, drawn].sum(axis=1)

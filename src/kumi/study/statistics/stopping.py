"""Are there runs enough, or how many more does it take?

A `Precision` says how narrow an interval is to be. Runs are added in order, and looked at after `at_least` of
them and each time their number has grown by a quarter. When to look depends on the values in their order
alone, so the same seeds are run wherever and on however many cores.

What this costs in truth: who stops at the first interval that is narrow enough prefers those that are narrow
by chance, so fewer than `level` of them hold the true mean. At a level of 0.95, with ten runs at least and
forty needed, 94 of 100 did for normal values and 92 for exponential ones; with twenty at least, 94 of both. It
comes closer the more runs are needed (Chow and Robbins, 1965).

`strict` avoids that by looking twice (Stein, 1945): the spread of the first `at_least` runs alone says how
many it takes, and gives the width at the end, by Student's t alone. For an absolute precision and normal values the
level is then kept exactly. It takes about a fifth more runs with ten at first, fewer with more.

A relative precision of γ asks for a half width of γ / (1 + γ) of the mean found, so that the mean found
differs by no more than γ of the true one, not of itself (Law, Simulation Modeling and Analysis, 9.4.1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, fsum, isfinite, sqrt
from typing import Any

from kumi.study.statistics.intervals import LEVEL, Interval, around, interval, student_interval
from kumi.study.statistics.values import Numbers, StatisticsError, level_of, numbers

GROWTH = 1.25


@dataclass(frozen=True)
class StopVerdict:
    """What a look at the values so far showed.

    `look_at` is the number of values, in all, at which to look again: the present one where it is over.
    """

    interval: Interval
    is_enough: bool
    look_at: int

    @property
    def is_over(self) -> bool:
        """Whether no more runs are to be made: the interval is narrow enough, or there are `at_most` runs."""
        return self.look_at <= self.interval.count


@dataclass(frozen=True, kw_only=True)
class Precision:
    """How narrow an interval is to be: a half width in the metric's unit, or as a share of its mean.

    With both, either suffices. At least and at most so many values are taken.
    """

    relative: float | None = None
    absolute: float | None = None
    level: float = LEVEL
    at_least: int = 10
    at_most: int = 10_000
    strict: bool = False

    def __post_init__(self) -> None:
        level_of(self.level)
        wanted = {"relative": self.relative, "absolute": self.absolute}
        if all(one is None for one in wanted.values()):
            raise StatisticsError("a precision needs `relative`, `absolute` or both.")
        for name, one in wanted.items():
            if one is not None and not (isfinite(one) and one > 0):
                raise StatisticsError(f"{name} = {one!r} makes no sense; it is above zero.")
        if self.at_least < 2:
            raise StatisticsError(f"at_least = {self.at_least} makes no sense; an interval takes 2 values.")
        if self.at_most < self.at_least:
            raise StatisticsError(f"at_most = {self.at_most} is below at_least = {self.at_least}.")

    def judge(self, values: Iterable[Any]) -> StopVerdict:
        """Say whether the values so far, in their order, are enough, and when to look again if not."""
        found = numbers(values)
        count = len(found)
        if count < self.at_least:
            return StopVerdict(interval(found, self.level), is_enough=False, look_at=self.at_least)
        seen, wanted, next_look = self._twice(found) if self.strict else self._often(found)
        is_enough = count >= wanted
        return StopVerdict(
            seen, is_enough=is_enough, look_at=count if is_enough else min(next_look, self.at_most)
        )

    def target(self, mean: float) -> float:
        """Return the half width that is narrow enough for a mean."""
        share = 0.0 if self.relative is None else self.relative / (1 + self.relative)
        return max(self.absolute or 0.0, share * abs(mean))

    def _often(self, found: Numbers) -> tuple[Interval, float, int]:
        """Judge by all values; give the interval, the number of values needed now, and the next look."""
        seen, look = interval(found, self.level), self.at_least
        while look <= len(found):
            look = ceil(look * GROWTH)
        is_narrow = seen.half_width <= self.target(seen.mean)
        return seen, (0 if is_narrow else len(found) + 1), look

    def _twice(self, found: Numbers) -> tuple[Interval, float, int]:
        """Judge by the spread of the first values."""
        first = student_interval(found[: self.at_least], self.level)
        target, spread = self.target(first.mean), first.error * sqrt(self.at_least)
        mean = fsum(found.tolist()) / len(found)
        seen = around(mean, spread / sqrt(len(found)), self.at_least - 1, self.level, len(found))
        if not spread:
            return seen, 0, self.at_least
        wanted = ceil(self.at_least * (first.half_width / target) ** 2) if target else self.at_most + 1
        return seen, wanted, wanted

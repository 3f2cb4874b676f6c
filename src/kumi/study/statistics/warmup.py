"""From when on is a series what it will be, and no longer how it began?

`warm_up_mser5` reads one series: of all beginnings that can be cut off, it takes the one that leaves the
smallest standard error of the rest, counted in means of five values (White, Cobb and Spratt, 2000).
`warm_up_welch` reads several runs of the same: it takes their mean at each place, smooths it by a moving
window, and cuts where the curve first enters the band in which it stays throughout its second half. Welch's
method is to look at that curve, which is therefore given back; the band is kumi's stand-in for the eye.

Values are spaced evenly in time; `kumi.study.statistics.series.sampled` makes them so. A series that
still drifts in its second half has not settled: it is too short, and what is cut says little.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kumi.study.statistics.errors import StatisticsError
from kumi.study.statistics.values import Numbers, numbers

BATCH = 5
LEAST_LEFT = 5
"""Batches that MSER-5 always leaves: fewer have a small spread by chance."""


@dataclass(frozen=True)
class WarmUp:
    """How many values to cut off at the beginning, and whether the series settled at all.

    `curve` is what was read: means of five values, or the smoothed mean of the runs.
    """

    cut: int
    is_settled: bool
    curve: Numbers

    def rest(self, series: Sequence[Any]) -> Sequence[Any]:
        """Return what remains of a series."""
        return series[self.cut :]


def warm_up_mser5(series: Iterable[Any]) -> WarmUp:
    """Find the warm-up of one series by the rule MSER-5."""
    least = BATCH * 2 * LEAST_LEFT
    found = numbers(series, least=least, what="values of the series")
    count = len(found) // BATCH
    means = found[: count * BATCH].reshape(count, BATCH).mean(axis=1)
    left = np.arange(count, 0, -1)
    # Sums from each place to the end; taking the mean off first keeps digits.
    away = means - means.mean()
    sums, squares = np.cumsum(away[::-1])[::-1], np.cumsum((away**2)[::-1])[::-1]
    errors = np.maximum(squares - sums**2 / left, 0) / left**2
    best = int(np.argmin(errors[: count - LEAST_LEFT + 1]))
    return WarmUp(best * BATCH, is_settled=best <= count // 2, curve=means)


def warm_up_welch(runs: Sequence[Iterable[Any]], window: int | None = None) -> WarmUp:
    """Find the warm-up of several runs by their smoothed mean; a window reaches so far to each side.

    Longer runs are read up to the end of the shortest. The window is a twentieth of that by default.
    """
    if len(runs) < 2:
        raise StatisticsError(f"Welch's method takes several runs, not {len(runs)}; for one there is MSER-5.")
    read = [numbers(run, least=20, what=f"values of run {number}") for number, run in enumerate(runs)]
    count = min(map(len, read))
    reach = max(1, count // 20) if window is None else window
    if not 0 <= reach <= count // 4:
        raise StatisticsError(f"a window of {reach} does not fit {count} values; at most a quarter of them.")
    curve = smoothed(np.mean([run[:count] for run in read], axis=0), reach)
    second = curve[count // 2 :]
    middle = float(second.mean())
    reach_of_band = float(np.abs(second - middle).max())
    cut = int(np.argmax(np.abs(curve - middle) <= reach_of_band * (1 + 1e-12)))
    return WarmUp(cut, is_settled=cut < count // 2 - 1, curve=curve)


def smoothed(values: Numbers, reach: int) -> Numbers:
    """Return the mean of each value with `reach` neighbours on each side, fewer near the ends."""
    count = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    sides = np.minimum(reach, np.minimum(np.arange(count), count - 1 - np.arange(count)))
    places = np.arange(count)
    smooth: Numbers = (sums[places + sides + 1] - sums[places - sides]) / (2 * sides + 1)
    return smooth

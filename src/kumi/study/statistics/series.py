"""How does something change in time, over many runs, and from when on is it what it will be?

A series is a list of (time, value) pairs. Each value holds until the next, as in a simulation of events, and
the last one to the end. `sampled` gives the exact means over stretches of equal length, and `band` the mean
over runs in each stretch with its interval.

Runs may end at different times. A run counts in the stretches that it fills: the further along, the fewer
runs there may be, and these are the ones that lasted.

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
from math import nan
from typing import Any

import numpy as np

from kumi.study.statistics.intervals import LEVEL, interval
from kumi.study.statistics.values import Numbers, StatisticsError, numbers

STRETCHES = 80
NEARLY = 1e-9


def sampled(
    series: Iterable[tuple[float, float]],
    width: float,
    *,
    end: float | None = None,
    start: float | None = None,
) -> Numbers:
    """Return the mean of a series over each stretch of `width` seconds between start and end.

    They are those of the series unless given; a stretch that is not full is left out.
    """
    times, values = _columns(series)
    start = float(times[0]) if start is None else start
    end = float(times[-1]) if end is None else end
    if not width > 0:
        raise StatisticsError(f"a width of {width!r} s makes no sense; it is above zero.")
    if start < times[0]:
        raise StatisticsError(f"the series begins at {times[0]:g} s, after {start:g} s.")
    edges = start + width * np.arange(int((end - start) / width + NEARLY) + 1)
    held = np.concatenate([[0.0], np.cumsum(values[:-1] * np.diff(times))])
    piece = np.clip(np.searchsorted(times, edges, side="right") - 1, 0, None)
    until = held[piece] + values[piece] * (edges - times[piece])
    means: Numbers = np.diff(until) / width
    return means


@dataclass(frozen=True)
class Band:
    """The mean of many runs in time, with an interval at each; `times` are the middles of the stretches.

    Where one run alone is left, there are no bounds (nan).
    """

    times: Numbers
    mean: Numbers
    low: Numbers
    high: Numbers
    count: tuple[int, ...]


def band(
    runs: Sequence[Iterable[tuple[float, float]]], *, stretches: int = STRETCHES, level: float = LEVEL
) -> Band:
    """Return the mean of several series over time, in stretches from the latest start to the latest end."""
    read = [_columns(run) for run in runs]
    if not read:
        raise StatisticsError("there is no series to take a mean of.")
    start = max(float(times[0]) for times, _ in read)
    end = max(float(times[-1]) for times, _ in read)
    if end <= start:
        raise StatisticsError(f"no series lasts beyond {start:g} s, so none has a course in time.")
    width = (end - start) / stretches
    lasting = [
        sampled(zip(times, values, strict=True), width, start=start)
        for times, values in read
        if times[-1] >= start + width * (1 - NEARLY)
    ]
    longest = max(map(len, lasting))
    seen = [interval([run[place] for run in lasting if len(run) > place], level) for place in range(longest)]
    return Band(
        np.array([start + width * (place + 0.5) for place in range(longest)]),
        np.array([one.mean for one in seen]),
        np.array([one.low if one.is_known else nan for one in seen]),
        np.array([one.high if one.is_known else nan for one in seen]),
        tuple(one.count for one in seen),
    )


def _columns(series: Iterable[tuple[float, float]]) -> tuple[Numbers, Numbers]:
    """Return the times and the values of a series, or say what is wrong with it."""
    pairs = list(series)
    if not pairs:
        raise StatisticsError("a series is empty; it needs one pair of time and value at least.")
    times = numbers([pair[0] for pair in pairs], what="times of the series")
    if np.any(np.diff(times) < 0):
        place = int(np.argmax(np.diff(times) < 0))
        raise StatisticsError(
            f"the time of a series goes back from {times[place]:g} s to {times[place + 1]:g} s."
        )
    return times, numbers([pair[1] for pair in pairs], what="values of the series")


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

"""How does something change in time, over many runs?

A series is a list of (time, value) pairs. Each value holds until the next, as in a simulation of events, and
the last one to the end. `sampled` gives the exact means over stretches of equal length, and `band` the mean
over runs in each stretch with its interval.

Runs may end at different times. A run counts in the stretches that it fills: the further along, the fewer
runs there may be, and these are the ones that lasted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from kumi.study.statistics.errors import StatisticsError
from kumi.study.statistics.intervals import LEVEL, interval
from kumi.study.statistics.values import Numbers, numbers

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

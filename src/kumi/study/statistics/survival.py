"""When does something happen that may not happen at all before the run ends?

A run that ended at 600 s without it says that the time is beyond 600 s, and no more: it is censored there. The mean of
the runs in which it happened is no mean of all; it leaves out the slow ones. What can be said is

- in how many runs it happened, as a share with Wilson's interval;
- the Kaplan–Meier curve: the share of runs in which it has not happened yet, at each time, with Greenwood's variance
  and bounds on the scale of log(-log), which stay within 0 and 1;
- the median, where half of the runs came so far, with the bounds of Brookmeyer and Crowley, which may be open above;
- the restricted mean: that of the time or the horizon, whichever comes first, which is the area below the curve.

The restricted mean is a mean of numbers, one for each run: the time, or the horizon if it has not happened by then.
Where a run was watched for less than the horizon, its pseudo-value stands in, by leaving that run out (Andersen, Hansen
and Klein, 2004). So all that compares means compares these, too.

When a run ends must not depend on how near it was to the event; else no curve is right.

Sources: Kaplan and Meier, J. Am. Stat. Assoc. 53 (1958); Brookmeyer and Crowley, Biometrics 38 (1982); Kalbfleisch and
Prentice, The Statistical Analysis of Failure Time Data, 1.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np

from kumi.maths import total
from kumi.study.statistics.intervals import LEVEL, Interval, interval, proportion
from kumi.study.statistics.values import StatisticsError, level_of

CELLS_AT_ONCE = 1_000_000
CENSORED = "censored_"
"""With the name of a time, the column of a table that has when runs ended in which it had not come."""
HALF = 1e-12
"""How near to a half a share counts as one, since it is a product of rounded factors."""


@dataclass(frozen=True)
class Censored:
    """A time that had not come when the run ended, `at` seconds."""

    at: float

    def __post_init__(self) -> None:
        if not is_time(self.at):
            raise StatisticsError(
                f"a time is censored at {self.at!r}; that is a finite number of seconds, 0 or more."
            )

    def __str__(self) -> str:
        return f"> {self.at:g}"


def is_time(value: Any) -> bool:
    """Tell whether a value is a finite number of seconds, 0 or more."""
    return (
        isinstance(value, int | float | np.integer | np.floating)
        and not isinstance(value, bool)
        and bool(0 <= value < inf)
    )


EventTime: TypeAlias = float | Censored


@dataclass(frozen=True)
class Step:
    """What the curve comes to at a time: of `at_risk` runs, `events` have it happen then.

    `share` is that of the runs in which it has not happened by then, between `low` and `high`.
    """

    time: float
    at_risk: int
    events: int
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Quantile:
    """When a share of the runs has it; a time or a bound is None where the runs were too short or too few to tell."""

    time: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.time is None:
            return "not reached"
        low, high = ("–" if one is None else f"{one:.3g}" for one in (self.low, self.high))
        return f"{self.time:.3g} [{low}, {high}]"


@dataclass(frozen=True)
class Survival:
    """The Kaplan–Meier curve of some runs: its steps, in how many it happened, and how long each was watched."""

    times: tuple[EventTime, ...]
    steps: tuple[Step, ...]
    level: float

    @property
    def count(self) -> int:
        """How many runs there are."""
        return len(self.times)

    @property
    def happened(self) -> int:
        """In how many of them it happened."""
        return sum(not isinstance(one, Censored) for one in self.times)

    @property
    def share(self) -> Interval:
        """The share of runs in which it happened, with Wilson's interval."""
        return proportion(self.happened, self.count, self.level)

    @property
    def horizon(self) -> float:
        """Until when the curve is known: the longest time that a run was watched."""
        return max(map(watched, self.times))

    @property
    def median(self) -> Quantile:
        """When it has happened in half of the runs."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> Quantile:
        """Return when it has happened in a share of the runs, with bounds."""
        left = 1 - level_of(share)
        place = next((n for n, one in enumerate(self.steps) if one.share <= left + HALF), None)
        time = None if place is None else self.steps[place].time
        if place is not None and abs(self.steps[place].share - left) <= HALF and place + 1 < len(self.steps):
            time = (self.steps[place].time + self.steps[place + 1].time) / 2  # the curve is flat there
        low = next((one.time for one in self.steps if one.low <= left), None)
        high = next((one.time for one in self.steps if one.high <= left), None)
        return Quantile(time, low, high)

    def at(self, time: float) -> tuple[float, float, float]:
        """Return the share in which it has not happened at a time, and its bounds."""
        passed = [one for one in self.steps if one.time <= time]
        return (passed[-1].share, passed[-1].low, passed[-1].high) if passed else (1.0, 1.0, 1.0)

    def restricted_mean(self, until: float | None = None) -> Interval:
        """Return the mean of the time or of `until`, whichever comes first, with its interval; by default the horizon."""
        end = horizon([self.times]) if until is None else until
        found = interval(restricted_values(self.times, end), self.level)
        if all(watched(one) >= end for one in self.times) and not any(one.time < end for one in self.steps):
            share = proportion(0, self.count, self.level)  # in no run by then; it may in others, and early
            return replace(found, low=end * (1 - share.high), high=end)
        moved = _area(self.steps, end) - found.mean
        bounds = max(0.0, found.low + moved), min(end, found.high + moved)
        if not found.is_known:
            bounds = found.low, found.high
        return replace(found, mean=found.mean + moved, low=bounds[0], high=bounds[1])

    def __str__(self) -> str:
        return f"{self.happened} of {self.count}, median {self.median}"


def kaplan_meier(times: Iterable[Any], level: float = LEVEL) -> Survival:
    """Return the curve of times, of which those that did not come are `Censored`."""
    found, level = event_times(times), level_of(level)
    z = NormalDist().inv_cdf((1 + level) / 2)
    steps: list[Step] = []
    share, spread = 1.0, 0.0
    for time, at_risk, events in counted(found):
        share *= (at_risk - events) / at_risk
        spread += events / (at_risk * (at_risk - events)) if at_risk > events else inf
        steps.append(Step(time, at_risk, events, share, *_bounds(share, spread, z, steps, len(found))))
    return Survival(found, tuple(steps), level)


def event_times(times: Iterable[Any]) -> tuple[EventTime, ...]:
    """Return times, each a number or `Censored`, or say which one is neither."""
    found = tuple(times)
    for place, time in enumerate(found):
        if not (is_time(time) or isinstance(time, Censored)):
            raise StatisticsError(
                f"number {place} of the times is {time!r}; each is a finite number of seconds, 0 or more, or Censored."
            )
    if not found:
        raise StatisticsError("there are 0 times; at least 1 is needed.")
    return tuple(one if isinstance(one, Censored) else float(one) for one in found)


def watched(time: EventTime) -> float:
    """Return how long a run was watched: until it happened, or until the run ended."""
    return time.at if isinstance(time, Censored) else time


def counted(times: Sequence[EventTime]) -> list[tuple[float, int, int]]:
    """Return each time at which it happened, how many runs were still watched then, and in how many it happened.

    A run that is censored at that very time counts as watched.
    """
    until = np.sort([watched(one) for one in times])
    happened = np.sort([one for one in times if not isinstance(one, Censored)])
    at, events = np.unique(happened, return_counts=True)
    at_risk = len(until) - np.searchsorted(until, at, side="left")
    return list(zip(at.tolist(), at_risk.tolist(), events.tolist(), strict=True))


def _bounds(share: float, spread: float, z: float, before: Sequence[Step], count: int) -> tuple[float, float]:
    """Return the bounds of a share on the scale of log(-log); where none are left, the upper one stays as it was."""
    if share <= 0:
        return 0.0, before[-1].high if before else proportion(0, count).high
    reach = z * sqrt(spread) / -log(share)
    return share ** exp(reach), share ** exp(-reach)


def horizon(groups: Iterable[Sequence[EventTime]]) -> float:
    """Return up to when all of several curves are known: a curve that has come down to 0 is known for ever."""
    many = [one for one in groups if one]
    ends = [max(map(watched, one)) for one in many]
    is_open = [Censored(end) in one for one, end in zip(many, ends, strict=True)]
    return min((end for end, still in zip(ends, is_open, strict=True) if still), default=max(ends))


def restricted_values(times: Sequence[EventTime], until: float) -> list[float]:
    """Return for each run the time or `until`, whichever comes first; a pseudo-value if it was watched for less."""
    if all(not isinstance(one, Censored) or one.at >= until for one in times):
        return [min(watched(one), until) for one in times]
    found = event_times(times)
    whole = _area(kaplan_meier(found).steps, until)
    return [len(found) * whole - (len(found) - 1) * one for one in _areas_without(found, until)]


def _area(steps: Sequence[Step], until: float) -> float:
    """Return the area below a curve up to a time."""
    area, share, at = 0.0, 1.0, 0.0
    for one in steps:
        if one.time >= until:
            break
        area, share, at = area + share * (one.time - at), one.share, one.time
    return area + share * (until - at)


def _areas_without(times: Sequence[EventTime], until: float) -> list[float]:
    """Return the area below the curve of all runs but one, for each one."""
    steps = np.array([one for one in counted(times) if one[0] < until]).reshape(-1, 3)
    at, at_risk, events = steps.T
    widths = np.diff(np.concatenate([[0.0], at, [until]]))
    until_of = np.array([watched(one) for one in times])
    is_event = np.array([not isinstance(one, Censored) for one in times])
    areas: list[float] = []
    size = max(1, CELLS_AT_ONCE // max(1, len(at)))
    for begin in range(0, len(times), size):
        own, own_event = until_of[begin : begin + size, None], is_event[begin : begin + size, None]
        left = at_risk - (own >= at)
        gone = events - (own_event & (own == at))
        factors = np.where(left > 0, (left - gone) / np.maximum(left, 1), 1.0)
        shares = np.concatenate([np.ones((len(own), 1)), np.cumprod(factors, axis=1)], axis=1)
        areas += total(shares * widths, 1).tolist()
    return areas

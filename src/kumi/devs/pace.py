"""How does simulated time relate to the wall clock?

A pace of 1 is real time, 2 twice as fast. An instant that happens later than its due wall time is late;
a `Lateness` counts by how much, in bins of a twentieth of a decade, so that a run of any length costs
the same memory. Percentiles are the upper edges of bins, at most 12.3 % too high.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import monotonic
from typing import Literal, TypeAlias, get_args

from kumi._core import log10, pow
from kumi.devs.deadline_causes import Blame, Miss, Misses
from kumi.devs.errors import TimeError, TooLate

Late: TypeAlias = Literal["report", "raise", "wait"]
"""What is done about an instant that misses its deadline."""

ON_TIME = 1e-3
"""Seconds of wall time behind which an instant is still on time."""

_BINS_PER_DECADE = 20
_LEAST_LATENESS = 1e-7
_BINS = 12 * _BINS_PER_DECADE


class Lateness:
    """How late instants were, in seconds of wall time."""

    def __init__(self) -> None:
        self._bins = [0] * (_BINS + 1)
        self.count = 0
        self.max = 0.0
        self.misses = Misses()
        """The instants that came later than the tolerance of their run."""

    def add(self, late: float) -> None:
        """Count one instant that was `late` seconds behind; being early counts as on time."""
        if not math.isfinite(late):
            raise ValueError(f"a lateness is a number of seconds, not {late}")
        late = max(late, 0.0)
        self.count += 1
        self.max = max(self.max, late)
        bin_ = 0 if late <= _LEAST_LATENESS else math.ceil(log10(late / _LEAST_LATENESS) * _BINS_PER_DECADE)
        self._bins[min(bin_, _BINS)] += 1

    def percentile(self, share: float) -> float:
        """Give the lateness that `share` per cent of the instants did not exceed."""
        if not 0.0 <= share <= 100.0:
            raise ValueError(f"a percentile lies between 0 and 100, but it is {share}")
        wanted = math.ceil(self.count * share / 100.0)
        seen = 0
        for bin_, count in enumerate(self._bins):
            seen += count
            if seen >= wanted and count:
                edge = _LEAST_LATENESS * pow(10.0, bin_ / _BINS_PER_DECADE) if bin_ < _BINS else math.inf
                return min(edge, self.max) if bin_ else 0.0
        return 0.0

    def histogram(self) -> list[tuple[float, int]]:
        """Give how many instants were late by at most 0.1 ms, 1 ms, ... 10 s, and not by less; the last bin is inf."""
        edges = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0]
        bins = [0] * (len(edges) + 1)
        for bin_, count in enumerate(self._bins):
            late = 0.0 if bin_ == 0 else _LEAST_LATENESS * pow(10.0, bin_ / _BINS_PER_DECADE)
            bins[sum(late > edge * (1.0 + 1e-9) for edge in edges)] += count
        return list(zip([*edges, math.inf], bins, strict=True))

    @property
    def bins(self) -> list[tuple[float, int]]:
        """Bins that are not empty: the upper edge in seconds, and how many instants fell below it."""
        return [
            (_LEAST_LATENESS * pow(10.0, bin_ / _BINS_PER_DECADE) if bin_ < _BINS else math.inf, count)
            for bin_, count in enumerate(self._bins)
            if count
        ]

    @property
    def p50(self) -> float:
        """The median."""
        return self.percentile(50.0)

    @property
    def p99(self) -> float:
        """The lateness that at most one instant in a hundred exceeded."""
        return self.percentile(99.0)

    def __repr__(self) -> str:
        if not self.count:
            return "Lateness(no paced instants)"
        return f"Lateness({self.count} instants, p50={self.p50:.6f} s, p99={self.p99:.6f} s, max={self.max:.6f} s)"


@dataclass(frozen=True)
class PaceClock:
    """The line between wall time and simulated time: simulated = origin + (wall - start) * pace."""

    pace: float
    start: float
    origin: float

    def due(self, simulated: float) -> float:
        """Give the wall time at which a simulated instant is due."""
        return self.start + (simulated - self.origin) / self.pace

    def simulated(self, wall: float) -> float:
        """Give the simulated time that belongs to a wall time."""
        return self.origin + (wall - self.start) * self.pace


@dataclass(frozen=True, kw_only=True)
class Pacing:
    """How far a run goes, and how it follows the wall clock; see `Simulation.run`."""

    until: float
    pace: float | None
    late: Late
    tolerance: float
    open_ended: bool

    def clock(self, now: float) -> PaceClock | None:
        """Check everything, and start the clock if there is a pace."""
        check_ahead(self.until, now)
        if self.late not in get_args(Late):
            raise ValueError(f"late is 'report', 'raise' or 'wait', not {self.late!r}")
        if not self.tolerance >= 0.0:
            raise ValueError(f"a tolerance is a number of seconds >= 0, not {self.tolerance}")
        if self.pace is None:
            return None
        if not (self.pace > 0.0 and math.isfinite(self.pace)):
            raise ValueError(f"a pace is a positive number (1.0 is real time), not {self.pace}")
        return PaceClock(self.pace, monotonic(), now)

    def judge(self, lateness: Lateness, instant: float, behind: float, blame: Blame) -> None:
        """Count how late an instant is, tell of one that misses its deadline, and raise if that is asked for."""
        lateness.add(behind)
        if behind > self.tolerance:
            lateness.misses.add(Miss(instant, behind, blame.cause()))
        elif behind <= ON_TIME:
            blame.forget()
        if self.late == "raise" and behind > self.tolerance:
            raise TooLate(
                f"the instant t = {instant} s came {behind:.3f} s late; the tolerance is {self.tolerance} s"
            )


def check_ahead(until: float, now: float) -> None:
    """Refuse to run to an instant that is past, or none."""
    try:
        is_ahead = until >= now
    except TypeError:
        raise TypeError(f"a run goes until a time, which is a number of seconds, not {until!r}") from None
    if not is_ahead:
        raise TimeError(f"cannot run until t = {until} s: it is t = {now} s already")

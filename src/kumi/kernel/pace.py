"""How does simulated time relate to the wall clock?

A pace of 1 is real time, 2 twice as fast. An instant that happens later than its due wall time is late;
a `Lateness` counts by how much, in bins of a twentieth of a decade, so that a run of any length costs
the same memory. Percentiles are the upper edges of bins, at most 12.3 % too high.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_BINS_PER_DECADE = 20
_LEAST = 1e-7
_BINS = 12 * _BINS_PER_DECADE


class Lateness:
    """How late instants were, in seconds of wall time."""

    def __init__(self) -> None:
        self._bins = [0] * (_BINS + 1)
        self.count = 0
        self.max = 0.0

    def add(self, late: float) -> None:
        """Count one instant that was `late` seconds behind; being early counts as on time."""
        late = max(late, 0.0)
        self.count += 1
        self.max = max(self.max, late)
        bin_ = 0 if late <= _LEAST else math.ceil(math.log10(late / _LEAST) * _BINS_PER_DECADE)
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
                return min(_LEAST * 10 ** (bin_ / _BINS_PER_DECADE), self.max) if bin_ else 0.0
        return 0.0

    @property
    def p50(self) -> float:
        """The median."""
        return self.percentile(50.0)

    @property
    def p99(self) -> float:
        """The lateness that one instant in a hundred exceeded."""
        return self.percentile(99.0)

    def __repr__(self) -> str:
        if not self.count:
            return "Lateness(no paced instants)"
        return f"Lateness({self.count} instants, p50={self.p50:.6f} s, p99={self.p99:.6f} s, max={self.max:.6f} s)"


@dataclass(frozen=True)
class Clock:
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


def check_pace(pace: float) -> float:
    """Raise unless the pace is a positive, finite number."""
    if not (pace > 0.0 and math.isfinite(pace)):
        raise ValueError(f"a pace is a positive number (1.0 is real time), not {pace}")
    return pace

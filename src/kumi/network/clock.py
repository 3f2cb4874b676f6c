"""What time a node believes it is.

A clock is off by an offset and runs at a rate; a jump changes the offset from one instant to the next.
Durations are measured by the rate alone, so a clock that jumps does not move a timer.
"""

from __future__ import annotations

from math import isfinite


class Clock:
    """A clock that is `offset` seconds ahead at time 0 and gains `rate - 1` seconds a second."""

    def __init__(self, offset: float = 0.0, rate: float = 1.0) -> None:
        if not isfinite(offset):
            raise ValueError(f"a clock's offset is a finite number of seconds, not {offset!r}")
        if not (isfinite(rate) and rate > 0.0):
            raise ValueError(f"a clock's rate is a positive number, not {rate!r}")
        self.offset = offset
        self.rate = rate

    def at(self, time: float) -> float:
        """Return what the clock shows at a true time."""
        return time if self.rate == 1.0 and self.offset == 0.0 else self.offset + self.rate * time

    def duration(self, shown: float) -> float:
        """Return how long a duration by this clock truly is."""
        if not shown >= 0.0:
            raise ValueError(f"a delay is a number of seconds from 0 on, not {shown!r}")
        return shown if self.rate == 1.0 else shown / self.rate

    def jump(self, seconds: float) -> None:
        """Put the clock forward, or back."""
        if not isfinite(seconds):
            raise ValueError(f"a clock jumps by a finite number of seconds, not {seconds!r}")
        self.offset += seconds

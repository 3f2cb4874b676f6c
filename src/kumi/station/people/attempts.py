"""How often may somebody try a password?

A few times at once; then each wrong attempt under a name makes the next wait twice as long, up to a minute, right or wrong. So
a password is not found by trying, and a name is never locked for longer than that. Names that nobody has count alike, so an
answer does not tell which names there are. Only the latest few thousand names are remembered: more do not fit in memory, and
trying that many takes longer than any wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import ldexp

from kumi.station.refusals import Reason, Refused

FREE = 5
"""Wrong attempts without a wait."""
LONGEST = 60.0
"""Seconds of the longest wait."""
FORGOTTEN = 600.0
"""Seconds after which wrong attempts are forgotten."""
MOST_NAMES = 4096


class Attempts:
    """Counts wrong passwords by name."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: dict[str, tuple[int, float]] = {}

    def begin(self, name: str) -> None:
        """Count an attempt as wrong until it proves right; refuse it where it comes too soon."""
        count, last = self._wrong.pop(name, (0, 0.0))
        now = self._clock()
        if count and now - last > FORGOTTEN:
            count = 0
        wait = 0.0 if count < FREE else min(LONGEST, ldexp(1.0, count - FREE)) - (now - last)
        self._wrong[name] = (count, last) if wait > 0.0 else (count + 1, now)
        if len(self._wrong) > MOST_NAMES:
            del self._wrong[next(iter(self._wrong))]
        if wait > 0.0:
            raise Refused(
                Reason.TOO_MANY, f"too many wrong passwords for '{name}': wait {wait:.0f} s, then try again"
            )

    def succeed(self, name: str) -> None:
        """Forget the wrong attempts under a name."""
        self._wrong.pop(name, None)

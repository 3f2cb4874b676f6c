"""Clocks that count events instead of seconds: what can have caused what?

One event *happens before* another if it comes earlier at the same node, or if it sends a message that the
other receives, or by a chain of these. A Lamport clock gives each event a number that grows along every
such chain (Lamport 1978). A vector clock gives it one number for each node, and these say exactly which of
two events came first, or that neither did (Fidge 1988, Mattern 1989).
"""

from __future__ import annotations

from operator import le


class LamportClock:
    """If a happens before b, then the time of a is less than that of b."""

    __slots__ = ("time",)

    def __init__(self) -> None:
        self.time = 0

    def tick(self) -> int:
        """Return the time of a new event here; a message carries that of its sending."""
        self.time += 1
        return self.time

    def witness(self, time: int) -> int:
        """Return the time of receiving a message that was sent at `time`."""
        self.time = max(self.time, time) + 1
        return self.time


class VectorClock:
    """If, and only if, a happens before b, the time of a `is_before` that of b."""

    __slots__ = ("_place", "_time")

    def __init__(self, place: int, size: int) -> None:
        if not 0 <= place < size:
            raise ValueError(f"a place in a group of {size} is from 0 to {size - 1}, not {place!r}")
        self._place = place
        self._time = [0] * size

    @property
    def time(self) -> tuple[int, ...]:
        """How many events of each node are known here."""
        return tuple(self._time)

    def tick(self) -> tuple[int, ...]:
        """Return the time of a new event here; a message carries that of its sending."""
        self._time[self._place] += 1
        return tuple(self._time)

    def witness(self, time: tuple[int, ...]) -> tuple[int, ...]:
        """Return the time of receiving a message that was sent at `time`."""
        self._time = list(map(max, self._time, time))
        return self.tick()


def is_before(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Whether the first of two vector times happened before the second."""
    return a != b and all(map(le, a, b))

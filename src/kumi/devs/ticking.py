"""Again and again, in equal steps, without drift.

Tick k comes at start + k * period, computed from the start and not from the tick before: a million ticks of 0.1 s end at
100,000 s, and not some rounding errors beside it.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import NoReturn, Self

from kumi._core import now, sleep_until
from kumi.devs.errors import TimeError


def every(period: float, *, first: float | None = None, catch_up: bool = False) -> Every:
    """Give the instants start + k * period, to go through them with `async for`.

    The first is now, or at `first`. Ticks that passed while the body of the loop was busy are skipped: the next is the
    first one that is not past. With `catch_up` they come at once, one after the other, each with its own `t`.
    """
    return Every(period, now() if first is None else first, catch_up)


class Every:
    """The instants of `every`, to iterate with `async for`."""

    def __init__(self, period: float, start: float, catch_up: bool) -> None:
        given: object = period
        if not isinstance(given, Real) or not 0.0 < period < math.inf:
            raise TimeError(f"a period is a number of seconds > 0, not {period!r}")
        if not now() <= start < math.inf:
            raise TimeError(
                f"the first tick is at a time to come, and finite: t = {start} s came at t = {now()} s"
            )
        self._start = start
        self._period = period
        self._catches_up = catch_up
        self._next = 0  # the number of the next tick

    def __iter__(self) -> NoReturn:
        """Refuse: each instant is waited for."""
        raise TypeError("every() is gone through with `async for t in every(...)`")

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> float:
        if not self._catches_up:
            self._skip()
        tick = self._start + self._next * self._period
        await sleep_until(max(tick, now()))
        self._next += 1
        return tick

    def _skip(self) -> None:
        """Pass over the ticks that are past."""
        present = now()
        if self._start + self._next * self._period >= present:
            return
        number = math.floor(
            (present - self._start) / self._period
        )  # the quotient is rounded: look on both sides
        while self._start + (number - 1) * self._period >= present:
            number -= 1
        while self._start + number * self._period < present:
            number += 1
        self._next = max(self._next, number)

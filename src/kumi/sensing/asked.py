"""A sensor that is asked.

The answer is worked out from the exact state at the instant of asking, and comes after the latency. With a
period the sensor looks at whole multiples of it only, as hardware does: who asks in between waits for the
next, and gets each of them once.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from kumi.devs import sleep, sleep_until
from kumi.geometry.points import as_size
from kumi.sensing.noise import not_negative
from kumi.sensing.sensor import Attachable
from kumi.sensing.ticks import tick_from

T = TypeVar("T")


class AskedSensor(Attachable, Generic[T]):
    """Answers when it is asked; a sensor of one's own gives `measure`."""

    latency: float = 0.0
    period: float | None = None
    _ticks: int = 0
    _note: str | None = None

    def __init__(self, *, latency: float = 0.0, period: float | None = None) -> None:
        self.latency = not_negative(latency, "a latency")
        self.period = None if period is None else as_size(period, "a period")

    def measure(self) -> T:
        """Return the reading of this instant; write this in your class."""
        raise TypeError(f"{self.kind} needs a method `def measure(self)`")

    @property
    def asked_for(self) -> str:
        """What is asked for beside the name, such as the reach, for the log."""
        return ""

    async def read(self) -> T:
        """Ask, and wait for the answer."""
        if self.period is not None:
            await self._next_tick(self.period)
        self.check_not_lost()
        if self._note is None:
            self._note = f"s {self.name} {self.asked_for}".rstrip()
        self.world.write_note(self.body, self._note)
        reading = self.measure()
        if self.latency:
            await sleep(self.latency)
        return reading

    async def _next_tick(self, period: float) -> None:
        tick = max(tick_from(self.world.now, period), self._ticks)
        if tick * period > self.world.now:
            await sleep_until(tick * period)
        self._ticks = tick + 1

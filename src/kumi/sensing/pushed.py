"""A sensor that reports on its own.

Exact by default: what it reports is an event of the world, told at its instant, and nothing is looked up in
between. With a period it is sampled instead, as hardware does: it looks at whole multiples of the period,
from the first time that somebody asks for its reports, and as long as a program is left to listen.
"""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Generic, TypeVar, cast

from kumi._core import Signal, Stream
from kumi.contract import Contact
from kumi.devs import Simulation
from kumi.devs.current_run import present
from kumi.geometry.points import as_size
from kumi.sensing.noise import not_negative
from kumi.sensing.sensor import Attachable
from kumi.sensing.ticks import tick_from

T = TypeVar("T")


class PushSensor(Attachable, Generic[T]):
    """Reports on its own; a sensor of one's own calls `report`.

    One that reports contacts has `on_contact`. One that listens to something else has `listen`. One that
    can be sampled has `sample`.
    """

    latency: float = 0.0
    period: float | None = None
    _signal: Signal[T] | None = None
    _is_sampling: bool = False

    def __init__(self, *, latency: float = 0.0, period: float | None = None) -> None:
        self.latency = not_negative(latency, "a latency")
        self.period = None if period is None else as_size(period, "a period")

    def start(self) -> None:
        """Listen to the body, unless it is sampled."""
        mine, all_ = type(self), PushSensor
        if self.period is not None:
            if mine.sample is all_.sample:
                raise TypeError(f"{self.kind} cannot be sampled: it has no method `def sample(self)`")
            return
        if mine.listen is all_.listen and mine.on_contact is all_.on_contact:
            raise TypeError(
                f"{self.kind} hears nothing: it needs a method `def on_contact(self, contact)` or `def listen(self)`"
            )
        self.listen()

    def listen(self) -> None:
        """Let the body tell of what is to be reported: by itself, of contacts."""
        self.body.on_contact(self.on_contact)

    def on_contact(self, contact: Contact) -> None:
        """Hear of a contact of the body, at its instant."""

    def sample(self) -> None:
        """Look, and report what is new; called once a period."""

    def report(self, value: T) -> None:
        """Tell the program, after the latency."""
        if self.latency:
            self.world.schedule(self.world.now + self.latency, partial(self._fire, value))
        else:
            self._fire(value)

    @property
    def reports(self) -> Signal[T]:
        """Each report, at its instant."""
        if self._signal is None:
            self._signal = Signal(f"{self.body.name}.{self.name}")
        if self.period is not None and not self._is_sampling and self.world.is_running:
            self._is_sampling = True
            self._plan(tick_from(self.world.now, self.period), self.period)
        return self._signal

    def wait(self) -> Awaitable[T]:
        """Wait for the next report."""
        return self.reports.next()

    def __aiter__(self) -> Stream[T]:
        return self.reports.__aiter__()

    def _fire(self, value: T) -> None:
        self.reports.fire(value)

    def _plan(self, tick: int, period: float) -> None:
        self.world.schedule(tick * period, partial(self._tick, tick, period))

    def _tick(self, tick: int, period: float) -> None:
        if self.body.is_gone or not self._may_be_heard():
            self._is_sampling = False
            return
        self.sample()
        self._plan(tick + 1, period)

    def _may_be_heard(self) -> bool:
        return bool(self.reports.listeners or cast("Simulation", present("a sensor")).tasks)

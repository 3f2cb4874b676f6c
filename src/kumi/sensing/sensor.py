"""How does a simulated sensor come to a body, and when does it look: when asked, or on its own?

A sensor that was made is a pattern: attached to a body it becomes a copy with a body, a world and chance of
its own. So one sensor serves a whole swarm, and no two robots share what a sensor keeps.

An asked sensor works its answer out from the exact state at the instant of asking; the answer comes after the latency.
A pushed sensor is exact by default: it reports an event of the world at its instant, and nothing is looked up in between.
With a period both sample as hardware does, at whole multiples of it from the start of the run. Such an instant is computed
as a product, never as the one before plus the period, so that rounding does not add up.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from copy import deepcopy
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar, cast

from kumi._core import Chance, Signal, Stream
from kumi.contract import Asked, Contact, Lost, Pushed
from kumi.contract.readings import Sightings, as_numbers
from kumi.devs import Simulation, sleep, sleep_until
from kumi.devs.current_run import present
from kumi.geometry import Pose
from kumi.geometry.points import as_size
from kumi.sensing.noise import not_negative
from kumi.world import SimulatedBody, World

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Sensor(Protocol):
    """What a stage needs of a sensor."""

    def attached_to(self, body: SimulatedBody, /) -> Asked[object] | Pushed[object]:
        """Give this sensor on a body; the same sensor may be attached to many."""


class Attachable:
    """What asked and push sensors have in common: being attached to a body."""

    _body: SimulatedBody | None = None
    pattern: Self | None = None
    """The sensor that this one is a copy of; those of one pattern differ in nothing but their bodies."""

    def attached_to(self, body: SimulatedBody, /) -> Self:
        """Give a copy of this sensor on a body; the same sensor may be attached to many."""
        if self._body is not None:
            raise ValueError(
                f"this {self.kind} is on '{self._body.name}' already; attach the one it was made from"
            )
        one = deepcopy(self)
        one._body, one.pattern = body, self
        one.start()
        return one

    def start(self) -> None:
        """Make ready on the body; a sensor that keeps something or listens to the body says so here."""

    @property
    def kind(self) -> str:
        """What it is, for messages."""
        return type(self).__name__

    @property
    def body(self) -> SimulatedBody:
        """The body it is on."""
        if self._body is None:
            raise ValueError(
                f"this {self.kind} is on no body yet: give it to a robot, or call attached_to(body)"
            )
        return self._body

    @property
    def world(self) -> World:
        """The world it looks at."""
        return self.body.world

    @property
    def pose(self) -> Pose:
        """Where the body is and looks now."""
        return self.body.pose

    @property
    def chance(self) -> Chance:
        """The random numbers of the body."""
        return self.body.chance

    @property
    def name(self) -> str:
        """The name by which the robot knows it."""
        mine: object = self
        return next((name for name, one in self.body.sensors.items() if one is mine), self.kind.lower())

    def check_not_lost(self) -> None:
        """Raise Lost where the body is gone."""
        if self.body.is_gone:
            raise Lost(self.body.name, self.body.position)


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

    @property
    def noted(self) -> str:
        """What the log says of a reading."""
        return f"s {self.name} {self.asked_for}".rstrip()

    def read(self) -> Awaitable[T]:
        """Ask, and wait for the answer."""
        return self._answer()

    async def _answer(self) -> T:
        if self.period is not None:
            await self._next_tick(self.period)
        body = self.body
        if body.is_gone:
            self.check_not_lost()
        if self._note is None:
            self._note = self.noted
        body.world.write_note(body, self._note)
        reading = self.measure()
        if self.latency:
            await sleep(self.latency)
        return reading

    @classmethod
    async def read_together(cls, sensors: Sequence[Self]) -> NDArray[np.float64] | Sightings:
        """Ask sensors of one pattern, of a team, at one instant, and wait for the answers; a row for each."""
        first, world = sensors[0], sensors[0].world
        if first.period is not None:
            await first._next_tick(first.period)
            for sensor in sensors:
                sensor._ticks = first._ticks
        import numpy as np  # Late: most programs read robot by robot.

        here = np.frombuffer(world.note_together([sensor.body for sensor in sensors], first.noted), np.bool_)
        are_all = bool(here.all())
        there = (
            sensors if are_all else [sensor for sensor, is_here in zip(sensors, here, strict=True) if is_here]
        )
        rows = cls.measure_together(there) if there else np.empty((0, 0))
        if first.latency:
            await sleep(first.latency)
        if are_all:
            return rows
        if isinstance(rows, Sightings):
            return rows._replace(robots=np.flatnonzero(here)[rows.robots])
        out = np.full((len(sensors), rows.shape[1]), np.nan)
        out[here] = rows
        return out

    @classmethod
    def measure_together(cls, sensors: Sequence[Self]) -> NDArray[np.float64] | Sightings:
        """Return the readings of this instant of sensors that are alike, as rows of numbers, or as who sees whom."""
        import numpy as np

        return np.array([as_numbers(sensor.measure()).ravel() for sensor in sensors])

    def unread(self, robots: int) -> NDArray[np.float64] | Sightings:
        """Return what a team reads where nobody is left to answer, as wide as a reading would be."""
        import numpy as np

        return np.full((robots, 0), np.nan)

    async def _next_tick(self, period: float) -> None:
        tick = max(tick_from(self.world.now, period), self._ticks)
        if tick * period > self.world.now:
            await sleep_until(tick * period)
        self._ticks = tick + 1


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
        (self.reports if self._signal is None else self._signal).fire(value)

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


def tick_from(time: float, period: float) -> int:
    """Return the number of the first tick that is not before a time."""
    number = ceil(time / period)
    while (number - 1) * period >= time:
        number -= 1
    while number * period < time:
        number += 1
    return number

"""Rovers that share charging docks: how many docks are enough?

Each rover works until its battery is empty, asks for a dock, waits its turn, charges, and goes on. Rovers
are programs; the dispatcher and the docks are DEVS models; ports couple them. One agenda orders it all.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import fsum
from typing import Literal

from kumi.devs import Atomic, Coupled, Program, Simulation, chance, now, sleep

MINUTE = 60.0
HOUR = 3600.0

Doing = Literal["working", "waiting", "charging"]


@dataclass(frozen=True)
class AskForDock:
    """A rover asks for a dock."""

    rover: str


@dataclass(frozen=True)
class Grant:
    """The dispatcher gives a dock to a rover."""

    rover: str
    dock: int


@dataclass(frozen=True)
class Charged:
    """A dock has filled a rover's battery."""

    rover: str
    dock: int


@dataclass(frozen=True)
class Stretch:
    """What a rover did from one time to another, in seconds."""

    rover: str
    doing: Doing
    begin: float
    end: float


class Rover(Program):
    """Works, asks for a dock, waits, charges, and works again."""

    def __init__(self, name: str, battery: float) -> None:
        super().__init__(name)
        self.battery = battery
        self.asks = self.add_output("asks", AskForDock)
        self.grants = self.add_input("grants", Grant)
        self.charged = self.add_input("charged", Charged)
        self.diary: list[tuple[Doing, float]] = []

    async def run(self) -> None:
        """Do the day's work."""
        grants, charged = self.grants.arrivals.stream(), self.charged.arrivals.stream()
        await self._work(self.battery * chance().uniform())  # batteries start at different levels
        while True:
            self._begin("waiting")
            self.asks.send(AskForDock(self.name))
            async for grant in grants:
                if grant.rover == self.name:
                    break
            self._begin("charging")
            async for done in charged:
                if done.rover == self.name:
                    break
            await self._work(self.battery * chance().uniform(0.75, 1.25))

    async def _work(self, duration: float) -> None:
        self._begin("working")
        await sleep(duration)

    def _begin(self, doing: Doing) -> None:
        self.diary.append((doing, now()))

    def stretches(self, end: float) -> list[Stretch]:
        """Give the day in stretches, up to its end."""
        ends = [begin for _, begin in self.diary[1:]] + [end]
        return [
            Stretch(self.name, doing, begin, until)
            for (doing, begin), until in zip(self.diary, ends, strict=True)
        ]


class DockDispatcher(Atomic):
    """Gives free docks to rovers in the order they asked."""

    def __init__(self, docks: int) -> None:
        super().__init__("dispatcher")
        self.asks = self.add_input("asks", AskForDock)
        self.charged = self.add_input("charged", Charged)
        self.grants = self.add_output("grants", Grant)
        self._free = deque(range(docks))
        self._queue: deque[str] = deque()

    def external(self) -> None:
        """Note who asks and which docks are free again; act at once if both are there."""
        self._queue.extend(ask.rover for ask in self.asks)
        self._free.extend(done.dock for done in self.charged)
        if self._queue and self._free:
            self.hold(0.0)

    def output(self) -> None:
        """Give docks out."""
        for rover, dock in zip(self._queue, self._free, strict=False):
            self.grants.send(Grant(rover, dock))

    def internal(self) -> None:
        """Forget what was given out."""
        for _ in range(min(len(self._queue), len(self._free))):
            self._queue.popleft()
            self._free.popleft()


class Dock(Atomic):
    """Charges one rover at a time."""

    def __init__(self, number: int, duration: float) -> None:
        super().__init__(f"dock{number}")
        self.number = number
        self.duration = duration
        self.grants = self.add_input("grants", Grant)
        self.charged = self.add_output("charged", Charged)
        self._rover = ""

    def external(self) -> None:
        """Begin with the rover that was given this dock."""
        for grant in self.grants:
            if grant.dock == self.number:
                self._rover = grant.rover
                self.hold(self.duration)

    def output(self) -> None:
        """Say that the battery is full."""
        self.charged.send(Charged(self._rover, self.number))


@dataclass(frozen=True)
class Day:
    """One simulated day."""

    docks: int
    hours: float
    stretches: list[Stretch]
    trace_hash: str
    transitions: int

    def share(self, doing: Doing) -> float:
        """Give the share of all rovers' time spent on this."""
        spent = fsum(stretch.end - stretch.begin for stretch in self.stretches if stretch.doing == doing)
        return spent / fsum(stretch.end - stretch.begin for stretch in self.stretches)


def floor(rovers: int, docks: int, battery: float, charging: float) -> Coupled:
    """Put rovers, dispatcher and docks together."""
    system = Coupled("floor")
    dispatcher = system.add(DockDispatcher(docks))
    for number in range(docks):
        dock = system.add(Dock(number, charging))
        system.couple(dispatcher.grants, dock.grants)
        system.couple(dock.charged, dispatcher.charged)
    for number in range(rovers):
        rover = system.add(Rover(f"rover{number + 1}", battery))
        system.couple(rover.asks, dispatcher.asks)
        system.couple(dispatcher.grants, rover.grants)
        for component in system.components:
            if isinstance(component, Dock):
                system.couple(component.charged, rover.charged)
    return system


def day(
    *,
    rovers: int = 12,
    docks: int = 3,
    hours: float = 8.0,
    seed: int = 0,
    battery: float = 60 * MINUTE,
    charging: float = 25 * MINUTE,
) -> Day:
    """Simulate a day; times are in seconds except the length of the day."""
    if rovers < 1 or docks < 1:
        raise ValueError(f"a day needs at least one rover and one dock, not {rovers} and {docks}")
    model = floor(rovers, docks, battery, charging)
    with Simulation(model, seed=seed) as simulation:
        run = simulation.run(until=hours * HOUR)
    stretches = [s for part in model.components if isinstance(part, Rover) for s in part.stretches(run.time)]
    counts = run.statistics
    transitions = counts.internal + counts.external + 2 * counts.confluent
    return Day(docks, hours, stretches, run.trace_hash, transitions)

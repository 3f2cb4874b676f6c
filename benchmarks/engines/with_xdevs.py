"""The tasks for xdevs.py, in the style of the DEVStone example it ships, without its artificial delays.

The hierarchy is kept: flattening takes minutes at these sizes and the run is no faster afterwards.
"""

import sys
from importlib import import_module
from itertools import pairwise
from time import perf_counter
from typing import Any

from benchmarks.process import resident_bytes
from benchmarks.tasks import Sample, check, horizon, period, ticks_until
from kumi.testing.devstone import (
    CHILD,
    LEVEL,
    CouplingEnd,
    Wiring,
    WiringKind,
    closed_form,
    innermost,
    wiring,
)

models: Any = import_module("xdevs.models")
sim: Any = import_module("xdevs.sim")

sys.setrecursionlimit(100_000)


class Stone(models.Atomic):  # type: ignore[misc]
    """The atomic of a DEVStone model."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.inlet = models.Port(int, "in")
        self.outlet = models.Port(int, "out")
        self.add_in_port(self.inlet)
        self.add_out_port(self.outlet)
        self.internals = 0
        self.externals = 0

    def initialize(self) -> None:
        self.passivate()

    def lambdaf(self) -> None:
        self.outlet.add(0)

    def deltint(self) -> None:
        self.internals += 1
        self.passivate()

    def deltext(self, _elapsed: float) -> None:
        self.externals += 1
        self.activate()

    def exit(self) -> None:
        pass


class Level(models.Coupled):  # type: ignore[misc]
    """A level of a DEVStone model around the next inner one."""

    def __init__(self, name: str, plan: Wiring, child: "Level | None") -> None:
        super().__init__(name)
        self.child = child
        for port in plan.inputs:
            self.add_in_port(models.Port(int, port))
        for port in plan.outputs:
            self.add_out_port(models.Port(int, port))
        if child is not None:
            self.add_component(child)
        self.stones = [Stone(f"atomic{k}") for k in range(plan.atomics)]
        for stone in self.stones:
            self.add_component(stone)
        for source, target in plan.couplings:
            self.add_coupling(self.port(source, inward=True), self.port(target, inward=False))

    def port(self, place: CouplingEnd, *, inward: bool) -> Any:
        """Find a port; the inputs of the level itself are sources, those of its parts are targets."""
        if place.part == LEVEL:
            return (self.input if inward else self.output)[place.port]
        part = self.child if place.part == CHILD else self.stones[place.part]
        assert part is not None
        return (part.output if inward else part.input)[place.port]


class Seeder(models.Atomic):  # type: ignore[misc]
    """Sends one message at 0, 1, 2 and so on."""

    def __init__(self, seeds: int) -> None:
        super().__init__("seeder")
        self.left = seeds
        self.outlet = models.Port(int, "out")
        self.add_out_port(self.outlet)

    def initialize(self) -> None:
        self.activate()

    def lambdaf(self) -> None:
        self.outlet.add(0)

    def deltint(self) -> None:
        self.left -= 1
        if self.left:
            self.hold_in("active", 1.0)
        else:
            self.passivate()

    def deltext(self, _elapsed: float) -> None:
        pass

    def exit(self) -> None:
        pass


def devstone(kind: str, width: int, depth: int, seeds: int) -> Sample:
    started = perf_counter()
    plan = wiring(WiringKind(kind), width)
    levels = [Level("level1", innermost(WiringKind(kind)), None)]
    for depth_of_level in range(2, depth + 1):
        levels.append(Level(f"level{depth_of_level}", plan, levels[-1]))
    top = models.Coupled("top")
    seeder = Seeder(seeds)
    top.add_component(seeder)
    top.add_component(levels[-1])
    for port in levels[-1].in_ports:
        top.add_coupling(seeder.outlet, port)
    coordinator = sim.Coordinator(top)
    coordinator.initialize()
    built = perf_counter()
    coordinator.simulate_time()
    ran = perf_counter()
    expected = closed_form(WiringKind(kind), width, depth, seeds)
    internal = sum(stone.internals for level in levels for stone in level.stones)
    external = sum(stone.externals for level in levels for stone in level.stones)
    check("internal transitions", internal, expected.internal)
    check("external transitions", external, expected.external)
    return {
        "figure": (internal + external) / (ran - built) / 1e6,
        "build_seconds": built - started,
        "run_seconds": ran - built,
    }


class Ticker(models.Atomic):  # type: ignore[misc]
    """Ticks once a period."""

    def __init__(self, name: str, period: float) -> None:
        super().__init__(name)
        self.period = period
        self.count = 0
        self.ticks = models.Port(int, "ticks")
        self.add_out_port(self.ticks)

    def initialize(self) -> None:
        self.hold_in("active", self.period)

    def lambdaf(self) -> None:
        self.ticks.add(self.count)

    def deltint(self) -> None:
        self.count += 1
        self.sigma = self.period

    def deltext(self, _elapsed: float) -> None:
        pass

    def exit(self) -> None:
        pass


class Sink(models.Atomic):  # type: ignore[misc]
    """Counts what arrives."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.count = 0
        self.ticks = models.Port(int, "ticks")
        self.add_in_port(self.ticks)

    def initialize(self) -> None:
        self.passivate()

    def lambdaf(self) -> None:
        pass

    def deltint(self) -> None:
        self.passivate()

    def deltext(self, _elapsed: float) -> None:
        self.count += 1
        self.passivate()

    def exit(self) -> None:
        pass


def tickers(number: int, ticks: int) -> Sample:
    plant = models.Coupled("plant")
    sinks = []
    for index in range(number):
        ticker, sink = Ticker(f"ticker{index}", period(index)), Sink(f"sink{index}")
        plant.add_component(ticker)
        plant.add_component(sink)
        plant.add_coupling(ticker.ticks, sink.ticks)
        sinks.append(sink)
    coordinator = sim.Coordinator(plant)
    coordinator.initialize()
    end = horizon(number, ticks)
    started = perf_counter()
    coordinator.simulate_time(end - coordinator.time_next)
    seconds = perf_counter() - started
    done = sum(sink.count for sink in sinks)
    check("ticks", done, ticks_until(number, end))
    return {"figure": seconds / done * 1e6, "ticks": done}


def atomic_memory(number: int) -> Sample:
    before = resident_bytes()
    plant = models.Coupled("plant")
    for index in range(number):
        plant.add_component(Stone(f"stone{index}"))
    coordinator = sim.Coordinator(plant)
    coordinator.initialize()
    coordinator.simulate_time(1.0)
    return {"figure": (resident_bytes() - before) / number}


def flat(number: int) -> Sample:
    started = perf_counter()
    plant = models.Coupled("plant")
    stones = [Stone(f"stone{index}") for index in range(number)]
    for stone in stones:
        plant.add_component(stone)
    for source, target in pairwise(stones):
        plant.add_coupling(source.outlet, target.inlet)
    coordinator = sim.Coordinator(plant)
    coordinator.initialize()
    return {"figure": perf_counter() - started}

"""The tasks for PythonPDEVS, with the scheduler that is fastest for each.

No distribution on PyPI bears its name. The distribution `devsimpy` carries version 2.2.1 of it; that copy
is used where it is installed (`pip install --no-deps devsimpy`, which leaves out its graphical parts).
Messages are not copied and states are assigned, as the manual advises for models that run in one process.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from math import inf
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

spec = find_spec("devsimpy")
if spec is None or not spec.submodule_search_locations:
    raise ModuleNotFoundError("devsimpy, which carries PythonPDEVS, is not installed", name="devsimpy")
sys.path.append(spec.submodule_search_locations[0])
SOURCE = "DEVSKernel.PyPDEVS.pypdevs221.src"
devs: Any = import_module(f"{SOURCE}.DEVS")
Simulator: Any = import_module(f"{SOURCE}.simulator").Simulator


class Plain(devs.CoupledDEVS):  # type: ignore[misc]
    """A coupled model filled from outside; the class it derives from may not be used itself."""


class Stone(devs.AtomicDEVS):  # type: ignore[misc]
    """The atomic of a DEVStone model; its state is the time to its next transition."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.state = inf
        self.inlet = self.addInPort("in")
        self.outlet = self.addOutPort("out")
        self.internals = 0
        self.externals = 0

    def timeAdvance(self) -> float:  # noqa: N802
        return self.state

    def outputFnc(self) -> dict[Any, list[int]]:  # noqa: N802
        return {self.outlet: [0]}

    def intTransition(self) -> float:  # noqa: N802
        self.internals += 1
        return inf

    def extTransition(self, _inputs: dict[Any, list[int]]) -> float:  # noqa: N802
        self.externals += 1
        return 0.0


class Level(devs.CoupledDEVS):  # type: ignore[misc]
    """A level of a DEVStone model around the next inner one."""

    def __init__(self, name: str, plan: Wiring, child: "Level | None") -> None:
        super().__init__(name)
        self.child = child
        self.entries = {port: self.addInPort(port) for port in plan.inputs}
        self.exits = {port: self.addOutPort(port) for port in plan.outputs}
        if child is not None:
            self.addSubModel(child)
        self.stones = [self.addSubModel(Stone(f"atomic{k}")) for k in range(plan.atomics)]
        for source, target in plan.couplings:
            self.connectPorts(self.source(source), self.target(target))

    def source(self, place: CouplingEnd) -> Any:
        """Find the port a message leaves from."""
        if place.part == LEVEL:
            return self.entries[place.port]
        if place.part == CHILD:
            assert self.child is not None
            return self.child.exits[place.port]
        return self.stones[place.part].outlet

    def target(self, place: CouplingEnd) -> Any:
        """Find the port a message goes to."""
        if place.part == LEVEL:
            return self.exits[place.port]
        if place.part == CHILD:
            assert self.child is not None
            return self.child.entries[place.port]
        return self.stones[place.part].inlet


class Seeder(devs.AtomicDEVS):  # type: ignore[misc]
    """Sends one message at 1, 2, 3 and so on."""

    def __init__(self, seeds: int) -> None:
        super().__init__("seeder")
        self.left = seeds
        self.state = 1.0
        self.outlet = self.addOutPort("out")

    def timeAdvance(self) -> float:  # noqa: N802
        return self.state

    def outputFnc(self) -> dict[Any, list[int]]:  # noqa: N802
        return {self.outlet: [0]}

    def intTransition(self) -> float:  # noqa: N802
        self.left -= 1
        return 1.0 if self.left else inf


def devstone(kind: str, width: int, depth: int, seeds: int) -> Sample:
    started = perf_counter()
    plan = wiring(WiringKind(kind), width)
    levels = [Level("level1", innermost(WiringKind(kind)), None)]
    for depth_of_level in range(2, depth + 1):
        levels.append(Level(f"level{depth_of_level}", plan, levels[-1]))
    top = Plain("top")
    seeder = top.addSubModel(Seeder(seeds))
    top.addSubModel(levels[-1])
    for port in levels[-1].entries.values():
        top.connectPorts(seeder.outlet, port)
    simulator = prepare(top)
    simulator.setSchedulerMinimalList()
    simulator.simulate()
    built = perf_counter()
    simulator.setTerminationTime(seeds + 1.0)
    simulator.simulate()
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


def prepare(model: Any) -> Any:
    """Make a simulator whose first run sets it up and ends before anything happens."""
    simulator = Simulator(model)
    simulator.setTerminationTime(0.25)
    simulator.setMessageCopy("none")
    simulator.setStateSaving("assign")
    return simulator


class Ticker(devs.AtomicDEVS):  # type: ignore[misc]
    """Ticks once a period."""

    def __init__(self, name: str, period: float) -> None:
        super().__init__(name)
        self.state = 0
        self.period = period
        self.ticks = self.addOutPort("ticks")

    def timeAdvance(self) -> float:  # noqa: N802
        return self.period

    def outputFnc(self) -> dict[Any, list[int]]:  # noqa: N802
        return {self.ticks: [self.state]}

    def intTransition(self) -> int:  # noqa: N802
        return self.state + 1


class Sink(devs.AtomicDEVS):  # type: ignore[misc]
    """Counts what arrives."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.state = 0
        self.ticks = self.addInPort("ticks")

    def timeAdvance(self) -> float:  # noqa: N802
        return inf

    def extTransition(self, _inputs: dict[Any, list[int]]) -> int:  # noqa: N802
        return self.state + 1


def tickers(number: int, ticks: int) -> Sample:
    plant = Plain("plant")
    sinks = []
    for index in range(number):
        ticker = plant.addSubModel(Ticker(f"ticker{index}", period(index)))
        sink = plant.addSubModel(Sink(f"sink{index}"))
        plant.connectPorts(ticker.ticks, sink.ticks)
        sinks.append(sink)
    end = horizon(number, ticks)
    simulator = prepare(plant)
    simulator.setSchedulerActivityHeap()
    simulator.simulate()
    started = perf_counter()
    simulator.setTerminationTime(end)
    simulator.simulate()
    seconds = perf_counter() - started
    done = sum(sink.state for sink in sinks)
    check("ticks", done, ticks_until(number, end))
    return {"figure": seconds / done * 1e6, "ticks": done}


def atomic_memory(number: int) -> Sample:
    before = resident_bytes()
    plant = Plain("plant")
    for index in range(number):
        plant.addSubModel(Stone(f"stone{index}"))
    simulator = prepare(plant)
    simulator.simulate()
    return {"figure": (resident_bytes() - before) / number}


def flat(number: int) -> Sample:
    started = perf_counter()
    plant = Plain("plant")
    stones = [plant.addSubModel(Stone(f"stone{index}")) for index in range(number)]
    for source, target in pairwise(stones):
        plant.connectPorts(source.outlet, target.inlet)
    simulator = prepare(plant)
    simulator.simulate()
    return {"figure": perf_counter() - started}

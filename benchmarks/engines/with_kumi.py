"""The tasks for kumi, as a user would write them."""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.process import resident_bytes
from benchmarks.tasks import BURST, FAR, Sample, check, horizon, period, ticks_until
from kumi import Signal, sleep, until
from kumi.devs import Atomic, Coupled, Resource, Simulation
from kumi.testing.devstone import DevstoneMeasurement, Stone, WiringKind, build, closed_form, measure

if TYPE_CHECKING:
    from kumi.devs.tracing import Record


def devstone(kind: str, width: int, depth: int, seeds: int) -> Sample:
    return sample_of(measure(WiringKind(kind), width, depth, seeds))


def sample_of(measurement: DevstoneMeasurement) -> Sample:
    wrong = measurement.disagreements()
    if wrong:
        raise ValueError(" ".join(wrong))
    return {
        "figure": measurement.transitions_per_second / 1e6,
        "build_seconds": measurement.build_seconds,
        "run_seconds": measurement.run_seconds,
    }


def traced(hashed: bool) -> Sample:
    """Run DEVStone HI (100, 100) with and without the hash of the trace."""
    return sample_of(measure(WiringKind.HI, 100, 100, hashed=hashed))


def recorded(depth: int) -> Sample:
    """Run DEVStone HI of width 100 with a sink that counts records."""
    records = 0

    def count(_record: Record) -> None:
        nonlocal records
        records += 1

    model = build(WiringKind.HI, 100, depth)[-1]
    expected = closed_form(WiringKind.HI, 100, depth)
    with Simulation(model) as simulation:
        simulation.trace(count)
        simulation.inject(model.entries["in"], 0, at=0.0)
        began = perf_counter()
        simulation.run()
        seconds = perf_counter() - began
        # One record an output and one a transition, a confluent one being one; and the injected message.
        outputs, transitions = expected.internal, expected.internal + expected.external - expected.confluent
        check("records", records, outputs + transitions + 1)
    return {"figure": seconds / records * 1e6}


class Ticker(Atomic):
    """Ticks once a period."""

    def __init__(self, name: str, period: float) -> None:
        super().__init__(name)
        self.period = period
        self.count = 0
        self.ticks = self.add_output("ticks", int)
        self.hold(period)

    def output(self) -> None:
        self.ticks.send(self.count)

    def internal(self) -> None:
        self.count += 1
        self.hold(self.period)


class Sink(Atomic):
    """Counts what arrives."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.count = 0
        self.ticks = self.add_input("ticks", int)

    def external(self) -> None:
        self.count += 1


def tickers(number: int, ticks: int) -> Sample:
    plant = Coupled("plant")
    sinks = []
    for index in range(number):
        ticker = plant.add(Ticker(f"ticker{index}", period(index)))
        sink = plant.add(Sink(f"sink{index}"))
        plant.couple(ticker.ticks, sink.ticks)
        sinks.append(sink)
    end = horizon(number, ticks)
    with Simulation(plant) as simulation:
        began = perf_counter()
        simulation.run(until=end)
        seconds = perf_counter() - began
    done = sum(sink.count for sink in sinks)
    check("ticks", done, ticks_until(number, end))
    return {"figure": seconds / done * 1e6, "ticks": done}


def sleeps(tasks: int, each: int) -> Sample:
    ended = 0

    async def sleeper(pause: float) -> None:
        nonlocal ended
        for _ in range(each):
            await sleep(pause)
        ended += 1

    with Simulation() as simulation:
        for index in range(tasks):
            simulation.start(sleeper, period(index))
        began = perf_counter()
        simulation.run()
        seconds = perf_counter() - began
    check("tasks that ended", ended, tasks)
    return {"figure": tasks * each / seconds / 1e6}


def requests(tasks: int, units: int, each: int) -> Sample:
    held = 0

    async def user(docks: Resource, pause: float) -> None:
        nonlocal held
        for _ in range(each):
            async with docks.request():
                held += 1
                await sleep(pause)

    with Simulation() as simulation:
        docks = Resource(units)
        for index in range(tasks):
            simulation.start(user, docks, period(index))
        began = perf_counter()
        simulation.run()
        seconds = perf_counter() - began
    check("requests that were granted", held, tasks * each)
    return {"figure": held / seconds / 1e6}


def interrupts(tasks: int, number: int) -> Sample:
    heard = 0

    async def sleeper(bell: Signal[None]) -> None:
        nonlocal heard
        while True:
            with until(bell):
                await sleep(FAR)
            heard += 1

    async def driver() -> None:
        await sleep(1.0)
        for index in range(number):
            bells[index % tasks].fire(None)
            if index % BURST == BURST - 1:
                await sleep(1.0)

    bells = [Signal[None](f"bell{index}") for index in range(tasks)]
    with Simulation() as simulation:
        for bell in bells:
            simulation.start(sleeper, bell)
        simulation.start(driver)
        simulation.run(until=0.5)
        began = perf_counter()
        simulation.run(until=FAR / 2)
        seconds = perf_counter() - began
        queue = simulation.planned
    check("interrupts", heard, number)
    return {"figure": seconds / number * 1e6, "queue": queue, "queue_per_live": queue / tasks}


def task_memory(number: int) -> Sample:
    async def sleeper() -> None:
        await sleep(FAR)

    before = resident_bytes()
    with Simulation() as simulation:
        for _ in range(number):
            simulation.start(sleeper)
        simulation.run(until=1.0)
        return {"figure": (resident_bytes() - before) / number}


def atomic_memory(number: int) -> Sample:
    before = resident_bytes()
    plant = Coupled("plant")
    for index in range(number):
        plant.add(Stone(f"stone{index}"))
    with Simulation(plant) as simulation:
        simulation.run(until=1.0)
        return {"figure": (resident_bytes() - before) / number}


def flat(number: int) -> Sample:
    began = perf_counter()
    plant = Coupled("plant")
    stones = [plant.add(Stone(f"stone{index}")) for index in range(number)]
    for source, target in pairwise(stones):
        plant.couple(source.outlet, target.inlet)
    with Simulation(plant):
        return {"figure": perf_counter() - began}


def cycles(number: int) -> Sample:
    """Schedule events a thousand at a time among a thousand that stay, and withdraw them all again."""

    def action() -> None:
        raise AssertionError("a withdrawn event happened")

    times = [1.0 + period(index) for index in range(1_000)]
    with Simulation() as simulation:
        schedule = simulation.schedule
        staying = [schedule(time + 0.1, action) for time in times]
        before = resident_bytes()
        began = perf_counter()
        for _ in range(number // len(times)):
            for event in [schedule(time, action) for time in times]:
                event.withdraw()
        seconds = perf_counter() - began
        grown = resident_bytes() - before
        check("events left", simulation.planned, len(staying))
        for event in staying:
            event.withdraw()
        simulation.run()
    return {"figure": seconds / number * 1e6, "grown_mb": grown / 1e6, "before_mb": before / 1e6}

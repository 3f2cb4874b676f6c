"""A model in one process, and over two: two yards of workers that send each other a tally now and then.

`work` is how many rounds of arithmetic a transition takes, as a stand-in for planning or vision; 0 is a bare event.
All ways must give equal traces, or there is no figure.
"""

from __future__ import annotations

from time import perf_counter, process_time
from typing import Any

from benchmarks.tasks import Sample
from kumi.devs import Atomic, Coupled
from kumi.distributed import DistributedRun, run_distributed, run_whole

WORKERS = 20
ROAD = 5.0
YARDS = ("east", "west")
PARTS = {name: [name] for name in YARDS}


class Worker(Atomic):
    """Works for a random while, again and again, and tells its foreman."""

    def __init__(self, name: str, work: int) -> None:
        super().__init__(name)
        self.work = work
        self.done = self.add_output("done", int)
        self.total = 1

    def begin(self) -> None:
        self.hold(self.chance.exponential(1.0))

    def output(self) -> None:
        self.done.send(1)

    def internal(self) -> None:
        for number in range(self.work):
            self.total = (self.total * 31 + number) % 1_000_003
        self.hold(self.chance.exponential(1.0))


class Foreman(Atomic):
    """Counts what is done here, hears what is done there, and tells the road the count every ten seconds."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.done = self.add_input("done", int)
        self.elsewhere = self.add_input("elsewhere", int)
        self.tally = self.add_output("tally", int)
        self.count = 0
        self.hold(10.0)

    def external(self) -> None:
        self.count += len(self.done)

    def output(self) -> None:
        self.tally.send(self.count)

    def internal(self) -> None:
        self.hold(10.0)


class Road(Atomic):
    """Takes five seconds."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.into = self.add_input("into", int)
        self.out = self.add_output("out", int)
        self.value = 0

    def external(self) -> None:
        (self.value,) = self.into
        self.hold(ROAD)

    def output(self) -> None:
        self.out.send(self.value)


def yards(work: int) -> Coupled:
    """Build two yards."""
    model = Coupled("yards")
    made: list[tuple[Any, Any]] = []
    for name in YARDS:
        yard = model.add(Coupled(name))
        into, out = yard.add_input("into", int), yard.add_output("out", int)
        foreman, road = yard.add(Foreman("foreman")), yard.add(Road("road"))
        for number in range(WORKERS):
            yard.couple(yard.add(Worker(f"worker{number}", work)).done, foreman.done)
        yard.couple(foreman.tally, road.into)
        yard.couple(road.out, out)
        yard.couple(into, foreman.elsewhere)
        made.append((into, out))
    model.couple(made[0][1], made[1][0])
    model.couple(made[1][1], made[0][0])
    return model


def cpu_seconds(_component: object) -> float:
    """Collect the CPU time of the process of a part."""
    return process_time()


def divided(way: str, work: int, until: float) -> Sample:
    """Measure one way to run the yards: transitions a second of wall time, and of CPU time on the path.

    Processes that take turns wait for each other, so the CPU time of all counts; of those that run ahead, that of the
    busiest, which is the least the run can take with a core for each.
    """
    options: dict[str, Any] = {"arguments": {"work": work}, "seed": 1, "until": until}
    expected = run_whole(yards, PARTS, **options)
    before, started = process_time(), perf_counter()
    run = _run(way, options)
    seconds, own = perf_counter() - started, process_time() - before
    if run.trace_hashes != expected.trace_hashes:
        raise ValueError(f"{way}: another trace than in one process")
    parts = [value for value in run.values.values() if isinstance(value, float)]  # each counts from its start
    path = max([own, *parts]) if way == "ahead" else own + sum(parts)
    return {"figure": run.events / seconds, "path": run.events / path, "rounds": float(run.rounds)}


def _run(way: str, options: dict[str, Any]) -> DistributedRun:
    if way == "whole":
        return run_whole(yards, PARTS, **options)
    lookahead = {f"{name}.road": ROAD for name in YARDS} if way == "ahead" else None
    return run_distributed(yards, PARTS, lookahead=lookahead, collect=cpu_seconds, **options)

"""The tasks for salabim, with generators as processes and tracing off."""

from collections.abc import Generator
from importlib import import_module
from time import perf_counter
from typing import Any

from benchmarks.tasks import BURST, FAR, Sample, check

salabim: Any = import_module("salabim")

Process = Generator[Any, Any, None]


class Sleeper(salabim.Component):  # type: ignore[misc]
    """Waits until somebody activates it, again and again."""

    heard = 0

    def process(self) -> Process:
        while True:
            yield self.hold(FAR)
            Sleeper.heard += 1


class Driver(salabim.Component):  # type: ignore[misc]
    """Ends the wait of one sleeper after another."""

    def setup(self, sleepers: list[Sleeper], number: int) -> None:
        self.sleepers = sleepers
        self.number = number

    def process(self) -> Process:
        yield self.hold(1.0)
        for index in range(self.number):
            self.sleepers[index % len(self.sleepers)].activate()
            if index % BURST == BURST - 1:
                yield self.hold(1.0)


def interrupts(tasks: int, number: int) -> Sample:
    environment = salabim.Environment(trace=False, yieldless=False)
    sleepers = [Sleeper() for _ in range(tasks)]
    Driver(sleepers=sleepers, number=number)
    environment.run(till=0.5)
    started = perf_counter()
    environment.run(till=FAR / 2)
    seconds = perf_counter() - started
    check("interrupts", Sleeper.heard, number)
    queue = len(environment._event_list)
    return {"figure": seconds / number * 1e6, "queue": queue, "queue_per_live": queue / tasks}

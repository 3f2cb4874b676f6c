"""A run in which much happens by chance: programs, models, signals, scopes, failures.

`python -m tests.programs.busy SEED` prints the hash of its trace and how much happened.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from kumi import Interrupted, Signal, after, chance, note, sleep, together, unless, until
from kumi.devs import Atomic, Coupled, Program, Run, Simulation

NAMES = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"]


@dataclass(frozen=True)
class Sighting:
    """Something seen; holds a set, whose order differs from process to process."""

    by: str
    what: frozenset[str]


class Lamp(Atomic):
    """Blinks at its own pace; switched over by input."""

    def __init__(self, name: str, period: float) -> None:
        super().__init__(name)
        self.blink = self.add_output("blink", str)
        self.switch = self.add_input("switch", object)
        self.period = period
        self.hold(period)

    def output(self) -> None:
        self.blink.send(self.name)

    def internal(self) -> None:
        self.hold(self.period)

    def external(self) -> None:
        self.hold(self.period / (1 + len(self.switch)))


class Animal(Program):
    """Wanders, hears the lamps, tells the herd, and is frightened now and then."""

    def __init__(self, name: str, alarm: Signal[Sighting]) -> None:
        super().__init__(name)
        self.lights = self.add_input("lights", str)
        self.calls = self.add_output("calls", object)
        self.alarm = alarm

    async def run(self) -> None:
        """Live."""
        async with together() as tasks:
            tasks.start(self.wander)
            tasks.start(self.watch)

    async def wander(self) -> None:
        """Go here and there, and stop when the alarm comes."""
        while True:
            try:
                with unless(self.alarm | after(chance().uniform(1, 5))):
                    for _ in range(chance().integer(1, 4)):
                        await sleep(chance().exponential(0.5))
                    self.alarm.fire(Sighting(self.name, frozenset(chance().shuffled(NAMES)[:3])))
            except Interrupted as interrupted:
                note((self.name, type(interrupted.event).__name__))
                await sleep(0)

    async def watch(self) -> None:
        """Call whenever a lamp blinks, unless it is bored."""
        async for light in self.lights.arrivals:
            with until(after(0.25)) as bored:
                await sleep(chance().uniform(0, 0.5))
                self.calls.send((self.name, light, {"mood": chance().choice(NAMES)}))
            note(bored.is_cut)


def busy(seed: int, animals: int = 5, length: float = 50.0) -> Run[None]:
    """Let the herd live for a while."""
    herd = Coupled("herd")
    alarm = Signal[Sighting]("alarm")
    lamps = [herd.add(Lamp(f"lamp-{i}", 0.7 + i / 3)) for i in range(3)]
    for name in NAMES[:animals]:
        animal = herd.add(Animal(name, alarm))
        for lamp in lamps:
            herd.couple(lamp.blink, animal.lights)
            herd.couple(animal.calls, lamp.switch)
    with Simulation(herd, seed=seed) as simulation:
        return simulation.run(until=length)


if __name__ == "__main__":
    run = busy(int(sys.argv[1]))
    sys.stdout.write(f"{run.trace_hash} {run.statistics.steps}\n")

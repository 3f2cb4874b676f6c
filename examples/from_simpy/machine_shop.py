"""A workshop whose machines break: one repairman mends them, and does other jobs when all run.

After SimPy's example "Machine Shop". A broken machine pre-empts the other jobs, which go on later where they were left.
A breakdown is a signal: it ends the block in which a part is made, and is not heard by a machine that is broken already.
"""

from dataclasses import dataclass, field

import kumi
from kumi import Preempted, Resource, Signal, chance, now, sleep, together, until

MACHINES = 10
MAKING = 10.0, 2.0
"""Minutes to make a part: mean and standard deviation."""
BREAKING = 300.0
"""Minutes between two breakdowns of a machine, in the mean."""
REPAIR = 30.0
JOB = 30.0
"""Minutes that another job takes."""
WEEKS = 4


@dataclass
class Machine:
    """A machine, and when it finished each of its parts."""

    name: str
    parts: list[float] = field(default_factory=list)
    breaks: Signal[None] = field(default_factory=lambda: Signal("breaks"))


@dataclass
class Shop:
    """All machines, the repairman, and when he finished his other jobs."""

    machines: list[Machine]
    jobs: list[float] = field(default_factory=list)
    repairman: Resource = field(default_factory=lambda: Resource(name="repairman"))


async def make_parts(machine: Machine, repairman: Resource) -> None:
    while True:
        left = chance().normal(*MAKING)
        while left > 0.0:
            begun = now()
            with until(machine.breaks) as broken:
                await sleep(left)
                left = 0.0
            if broken.is_cut:
                left -= now() - begun
                async with repairman.request(priority=1, preempt=True):
                    await sleep(REPAIR)
        machine.parts.append(now())


async def break_down(machine: Machine) -> None:
    while True:
        await sleep(chance().exponential(BREAKING))
        machine.breaks.fire()


async def do_other_jobs(shop: Shop) -> None:
    while True:
        left = JOB
        while left > 0.0:
            try:
                async with shop.repairman.request(priority=2):
                    await sleep(left)
                    left = 0.0
            except Preempted as lost:
                left -= now() - lost.since
        shop.jobs.append(now())


async def work(shop: Shop) -> None:
    async with together() as tasks:
        for machine in shop.machines:
            tasks.start(make_parts, machine, shop.repairman, name=machine.name)
            tasks.start(break_down, machine, name=f"{machine.name} breaks")
        tasks.start(do_other_jobs, shop)


def simulate(seed: int) -> Shop:
    shop = Shop([Machine(f"machine{number}") for number in range(MACHINES)])
    kumi.run(work, shop, seed=seed, until=WEEKS * 7 * 24 * 60.0)
    return shop


if __name__ == "__main__":
    shop = simulate(seed=1)
    for machine in shop.machines:
        print(f"{machine.name} made {len(machine.parts)} parts")
    print(f"{len(shop.jobs)} other jobs were done")

"""A carwash with two machines: cars come, wait for a machine, are washed, and leave.

After SimPy's example "Carwash". Two machines are a resource of two units.
"""

import kumi
from kumi import Resource, chance, now, sleep, together

MACHINES = 2
WASHING = 5.0
"""Minutes in a machine."""
INTERVAL = 7
"""Minutes between two cars, give or take two."""
FIRST = 4
"""Cars that are there in the morning."""
END = 20.0
"""Minutes."""

Told = list[tuple[float, str, str]]


async def car(name: str, machines: Resource, told: Told) -> None:
    told.append((now(), name, "comes"))
    async with machines.request():
        told.append((now(), name, "goes in"))
        await sleep(WASHING)
        told.append((now(), name, f"loses {chance().integer(50, 99)} % of its dirt"))
    told.append((now(), name, "leaves"))


async def carwash(told: Told) -> None:
    machines = Resource(MACHINES, name="machines")
    number = 0
    async with together() as tasks:
        while True:
            for _ in range(FIRST if number == 0 else 1):
                tasks.start(car, f"car{number}", machines, told, name=f"car{number}")
                number += 1
            await sleep(chance().integer(INTERVAL - 2, INTERVAL + 2))


def simulate(seed: int) -> Told:
    told: Told = []
    kumi.run(carwash, told, seed=seed, until=END)
    return told


if __name__ == "__main__":
    for time, name, does in simulate(seed=1):
        print(f"{time:4.1f}  {name} {does}")

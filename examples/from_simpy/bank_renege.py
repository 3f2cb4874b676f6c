"""A bank with one counter, whose customers do not wait for ever: some give up.

After SimPy's example "Bank Renege". A request is a signal, so a customer waits for it or for the end of its patience.
"""

import kumi
from kumi import Resource, after, chance, now, sleep, together

CUSTOMERS = 5
INTERVAL = 10.0
"""Seconds between two customers, in the mean."""
SERVICE = 12.0
"""Seconds at the counter, in the mean."""
PATIENCE = 1.0, 3.0
"""Seconds that a customer waits, from the least to the most patient one."""

Told = list[tuple[float, str, str]]


async def customer(name: str, counter: Resource, told: Told) -> None:
    told.append((now(), name, "comes"))
    with counter.request() as turn:
        await (turn.granted | after(chance().uniform(*PATIENCE))).next()
        if not turn.is_held:
            told.append((now(), name, "gives up"))
            return
        told.append((now(), name, "is served"))
        await sleep(chance().exponential(SERVICE))
    told.append((now(), name, "leaves"))


async def bank(told: Told) -> None:
    counter = Resource(name="counter")
    async with together() as tasks:
        for number in range(1, CUSTOMERS + 1):
            name = f"customer{number}"
            tasks.start(customer, name, counter, told, name=name)
            await sleep(chance().exponential(INTERVAL))


def simulate(seed: int) -> Told:
    told: Told = []
    kumi.run(bank, told, seed=seed)
    return told


if __name__ == "__main__":
    for time, name, does in simulate(seed=1):
        print(f"{time:7.3f}  {name} {does}")

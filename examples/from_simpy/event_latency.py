"""A cable between a sender and a receiver: what is put in comes out ten seconds later.

After SimPy's example "Event Latency". Each message travels in a task of its own and ends in a store.
"""

import kumi
from kumi import Store, now, sleep, together
from kumi.devs import Together

LATENCY = 10.0
INTERVAL = 5.0
END = 100.0

Told = list[tuple[float, float]]


class Cable:
    """Carries messages with a delay."""

    def __init__(self, tasks: Together) -> None:
        self._tasks = tasks
        self._end = Store[float](name="cable")

    def put(self, message: float) -> None:
        self._tasks.start(self._carry, message)

    async def get(self) -> float:
        return await self._end.get()

    async def _carry(self, message: float) -> None:
        await sleep(LATENCY)
        await self._end.put(message)


async def send(cable: Cable) -> None:
    while True:
        await sleep(INTERVAL)
        cable.put(now())


async def receive(cable: Cable, told: Told) -> None:
    while True:
        sent = await cable.get()
        told.append((sent, now()))


async def both(told: Told) -> None:
    async with together() as tasks:
        cable = Cable(tasks)
        tasks.start(send, cable)
        tasks.start(receive, cable, told)


def simulate(seed: int = 0) -> Told:
    told: Told = []
    kumi.run(both, told, seed=seed, until=END)
    return told


if __name__ == "__main__":
    for sent, received in simulate():
        print(f"sent at {sent:4.1f} s, received at {received:4.1f} s")

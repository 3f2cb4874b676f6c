"""Programs that speak to each other: one to one through a store, one to many by a signal.

After SimPy's example "Process Communication". A signal reaches all who listen, and each listener's stream keeps what came
while it was busy; so nothing has to be copied into a pipe for each of them.
"""

import kumi
from kumi import Signal, Store, chance, now, sleep, together
from kumi.devs import Stream

END = 100.0

Told = list[tuple[float, str, str]]


def judge(sent: float, name: str, told: Told) -> None:
    told.append((now(), name, f"gets what was said at {sent:g}{', late' if sent < now() else ''}"))


async def speak_to_one(shelf: Store[float]) -> None:
    while True:
        await sleep(chance().integer(6, 10))
        await shelf.put(now())


async def speak_to_all(news: Signal[float]) -> None:
    while True:
        await sleep(chance().integer(6, 10))
        news.fire(now())


async def take(name: str, shelf: Store[float], told: Told) -> None:
    while True:
        judge(await shelf.get(), name, told)
        await sleep(chance().integer(4, 8))


async def listen(name: str, news: Stream[float], told: Told) -> None:
    async for sent in news:
        judge(sent, name, told)
        await sleep(chance().integer(4, 8))


async def one_to_one(told: Told) -> None:
    shelf = Store[float](name="shelf")
    async with together() as tasks:
        tasks.start(speak_to_one, shelf)
        tasks.start(take, "taker", shelf, told)


async def one_to_many(told: Told) -> None:
    news = Signal[float]("news")
    async with together() as tasks:
        tasks.start(speak_to_all, news)
        for name in ("anna", "ben"):
            tasks.start(listen, name, news.stream(), told, name=name)


def simulate(seed: int) -> tuple[Told, Told]:
    alone: Told = []
    many: Told = []
    kumi.run(one_to_one, alone, seed=seed, until=END)
    kumi.run(one_to_many, many, seed=seed, until=END)
    return alone, many


if __name__ == "__main__":
    for told in simulate(seed=1):
        for time, name, does in told:
            print(f"{time:5.1f}  {name} {does}")
        print()

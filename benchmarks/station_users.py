"""A process of users and views for the station's benchmark: users look at robots, views ask what happened and where all are.

Usage: python -m benchmarks.station_users URL TOKENS USERS VIEWS SECONDS. TOKENS is a file with a token a line. A user looks once a
second, at one robot or, every tenth time, at all; a view asks twice a second. At the end it prints a line `users` and a line
`views` of how long each answer took, in seconds.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from time import monotonic

from kumi.station.client import AsyncClient
from kumi.station.requests import Events, ListRobots, MonitorRobot

VIEW = 0.5
"""Seconds between two questions of a view."""


async def use(client: AsyncClient, number: int, until: float, took: list[float]) -> None:
    """Look at robots until an instant."""
    turn = 0
    while (begun := monotonic()) < until:
        everything = turn % 10 == number % 10
        await client.call(ListRobots() if everything else MonitorRobot(robot=f"r{number}"))
        took.append(monotonic() - begun)
        turn += 1
        await asyncio.sleep(max(0.0, 1.0 - (monotonic() - begun)))


async def view(client: AsyncClient, until: float, took: list[float]) -> None:
    """Follow what happens, and where robots are, until an instant."""
    last = 0
    while (begun := monotonic()) < until:
        last = (await client.call(Events(after=last, limit=1000))).last
        await client.call(ListRobots())
        took.append(monotonic() - begun)
        await asyncio.sleep(max(0.0, VIEW - (monotonic() - begun)))


async def main(url: str, tokens: list[str], users: int, views: int, seconds: float) -> None:
    """Run users and views, and print how long their answers took."""
    looks: list[float] = []
    seen: list[float] = []
    clients = [AsyncClient(url, token, timeout=30.0) for token in tokens]
    begun = monotonic()

    async def start(number: int) -> None:
        client = clients[number % len(clients)]
        await asyncio.sleep(number / (users + views))
        if number < users:
            await use(client, number, begun + seconds, looks)
        else:
            await view(client, begun + seconds, seen)

    await asyncio.gather(*(start(number) for number in range(users + views)))
    print("users", *looks)
    print("views", *seen)


if __name__ == "__main__":
    where, file, some, more, duration = sys.argv[1:]
    asyncio.run(main(where, Path(file).read_text().split(), int(some), int(more), float(duration)))

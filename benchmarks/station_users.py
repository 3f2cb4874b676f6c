"""A process of users and pages for the station's benchmark: users look at robots, pages show all of them as they move.

Usage: python -m benchmarks.station_users URL TOKENS USERS VIEWS SECONDS. TOKENS is a file with a token a line. A user looks once a
second, at one robot or, every tenth time, at all; a view holds the feed that a page holds. At the end it prints a line `users`
of how long each answer took, in seconds, and a line `views` of how many bytes each page got.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic

import msgspec
import websockets

from kumi.station.client import AsyncClient
from kumi.station.operations.robots import ListRobots, MonitorRobot


async def use(client: AsyncClient, number: int, until: float, took: list[float]) -> None:
    """Look at robots until an instant."""
    turn = 0
    while (begun := monotonic()) < until:
        everything = turn % 10 == number % 10
        await client.call(ListRobots() if everything else MonitorRobot(robot=f"r{number}"))
        took.append(monotonic() - begun)
        turn += 1
        await asyncio.sleep(max(0.0, 1.0 - (monotonic() - begun)))


async def view(url: str, token: str, until: float, sizes: list[int]) -> None:
    """Take what a page is sent, until an instant."""
    size = 0
    address = url.replace("http", "ws") + "/feed"
    async with websockets.connect(address, max_size=None, compression=None) as socket:
        await socket.send(msgspec.json.encode({"kind": "prove", "token": token}).decode())
        with suppress(TimeoutError):
            async with asyncio.timeout(until - monotonic()):
                while True:
                    size += len(await socket.recv())
    sizes.append(size)


async def main(url: str, tokens: list[str], users: int, views: int, seconds: float) -> None:
    """Run users and views, and print what they saw."""
    looks: list[float] = []
    sizes: list[int] = []
    clients = [AsyncClient(url, token, timeout=30.0) for token in tokens]
    begun = monotonic()

    async def start(number: int) -> None:
        client = clients[number % len(clients)]
        await asyncio.sleep(number / (users + views))
        if number < users:
            await use(client, number, begun + seconds, looks)
        else:
            await view(url, tokens[number % len(tokens)], begun + seconds, sizes)

    await asyncio.gather(*(start(number) for number in range(users + views)))
    print("users", *looks)
    print("views", *sizes)


if __name__ == "__main__":
    where, file, some, more, duration = sys.argv[1:]
    asyncio.run(main(where, Path(file).read_text().split(), int(some), int(more), float(duration)))

"""What the tests of real networks share: someone who listens, and a run in real time around a network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from kumi.contract.messages import Address, Message
from kumi.network.real import RealNetwork


class Hearer:
    """Takes part in a network and keeps what it hears."""

    is_up = True

    def __init__(self) -> None:
        self.heard: list[tuple[Message, Address]] = []

    def arrive(self, message: Message, sender: Address) -> None:
        self.heard.append((message, sender))


@asynccontextmanager
async def running(*networks: RealNetwork) -> AsyncIterator[None]:
    """Run the simulations of networks in real time, and stop them at the end."""
    tasks = [
        asyncio.create_task(network.simulation.run_async(pace=1.0, open_ended=True)) for network in networks
    ]
    try:
        yield
    finally:
        for network in networks:
            network.simulation.stop()
        await asyncio.gather(*tasks)

"""A carrier without a network: for a station and robots in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from kumi.station.wire.carrier import CarrierError, Hearing

Answering: TypeAlias = Callable[[str, bytes], Awaitable[bytes]]


class CarrierHub:
    """Where the carriers of one process meet."""

    def __init__(self) -> None:
        self.servers: list[tuple[str, InsideCarrier, Answering]] = []
        self.listeners: list[tuple[str, InsideCarrier, Hearing]] = []


class InsideCarrier:
    """A `Carrier` over a hub."""

    def __init__(self, hub: CarrierHub) -> None:
        self._hub = hub

    async def call(self, key: str, payload: bytes, timeout: float) -> bytes:
        """Ask whoever serves the key."""
        answers = await self.call_all(key, payload, timeout)
        if not answers:
            raise CarrierError(f"nobody answers at {key}")
        return answers[0]

    async def call_all(self, key: str, payload: bytes, timeout: float) -> list[bytes]:
        """Ask all who serve the key."""
        servers = [answer for pattern, _, answer in self._hub.servers if matches(pattern, key)]
        tasks = [asyncio.ensure_future(answer(key, payload)) for answer in servers]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=timeout)
            for task in late:
                task.cancel()
        return [task.result() for task in tasks if task.done() and not task.cancelled()]

    def serve(self, key: str, answer: Answering) -> None:
        """Answer calls of a key from now on."""
        self._hub.servers.append((key, self, answer))

    def publish(self, key: str, payload: bytes, *, may_drop: bool = False, urgent: bool = False) -> None:
        """Send to all who listen to the key; nothing is ever dropped here."""
        del may_drop, urgent
        loop = asyncio.get_running_loop()
        for pattern, _, heard in self._hub.listeners:
            if matches(pattern, key):
                loop.call_soon(heard, key, payload)

    def listen(self, key: str, heard: Hearing, *, thick: bool = False) -> None:
        """Hear what is published under a key; here each word is heard at once."""
        del thick
        self._hub.listeners.append((key, self, heard))

    def know(self, endpoints: tuple[str, ...]) -> None:
        """There is one hub, and nowhere else to go."""

    async def close(self) -> None:
        """Serve and hear nothing any more."""
        self._hub.servers = [entry for entry in self._hub.servers if entry[1] is not self]
        self._hub.listeners = [entry for entry in self._hub.listeners if entry[1] is not self]


def matches(pattern: str, key: str) -> bool:
    """Tell whether a key is one of a pattern, in which `*` stands for a word."""
    wanted, words = pattern.split("/"), key.split("/")
    return len(wanted) == len(words) and all(
        want in ("*", word) for want, word in zip(wanted, words, strict=True)
    )

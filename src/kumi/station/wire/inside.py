"""A carrier without a network: for a station and robots in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from kumi.station.wire.carrier import CarrierError


class Hub:
    """Where the carriers of one process meet."""

    def __init__(self) -> None:
        self.servers: dict[str, list[Callable[[bytes], Awaitable[bytes]]]] = {}
        self.listeners: list[tuple[str, InsideCarrier, Callable[[str, bytes], None]]] = []


class InsideCarrier:
    """A `Carrier` over a hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._served: list[tuple[str, Callable[[bytes], Awaitable[bytes]]]] = []

    async def call(self, key: str, payload: bytes, timeout: float) -> bytes:
        """Ask whoever serves the key."""
        answers = await self.call_all(key, payload, timeout)
        if not answers:
            raise CarrierError(f"nobody answers at {key}")
        return answers[0]

    async def call_all(self, key: str, payload: bytes, timeout: float) -> list[bytes]:
        """Ask all who serve the key."""
        servers = list(self._hub.servers.get(key, ()))
        tasks = [asyncio.ensure_future(server(payload)) for server in servers]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=timeout)
            for task in late:
                task.cancel()
        return [task.result() for task in tasks if task.done() and not task.cancelled()]

    def serve(self, key: str, answer: Callable[[bytes], Awaitable[bytes]]) -> None:
        """Answer calls of a key from now on."""
        self._hub.servers.setdefault(key, []).append(answer)
        self._served.append((key, answer))

    def publish(self, key: str, payload: bytes, *, may_drop: bool = False, urgent: bool = False) -> None:
        """Send to all who listen to the key; nothing is ever dropped here."""
        del may_drop, urgent
        loop = asyncio.get_running_loop()
        for pattern, _, heard in self._hub.listeners:
            if matches(pattern, key):
                loop.call_soon(heard, key, payload)

    def listen(self, key: str, heard: Callable[[str, bytes], None]) -> None:
        """Hear what is published under a key."""
        self._hub.listeners.append((key, self, heard))

    def know(self, endpoints: tuple[str, ...]) -> None:
        """There is one hub, and nowhere else to go."""

    async def close(self) -> None:
        """Serve and hear nothing any more."""
        for key, answer in self._served:
            self._hub.servers[key].remove(answer)
        self._hub.listeners = [entry for entry in self._hub.listeners if entry[1] is not self]


def matches(pattern: str, key: str) -> bool:
    """Tell whether a key is one of a pattern, in which `*` stands for a word."""
    wanted, words = pattern.split("/"), key.split("/")
    return len(wanted) == len(words) and all(
        want in ("*", word) for want, word in zip(wanted, words, strict=True)
    )

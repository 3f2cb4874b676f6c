"""What does a station ask of a network? Four things: to call, to serve, to publish and to listen.

Keys are words with slashes between them; `*` stands for one word where one listens or serves. Payloads are bytes: what they mean, and
who may have sent them, is not the carrier's business. Nothing here waits for the network but a call for its answer. A
publication that `may_drop` is thrown away where the other side takes nothing in. One that is `urgent` goes before all others,
and is thrown away in that case, too: who sends it sends it once more as one that must arrive.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

Hearing: TypeAlias = Callable[[str, bytes], None]
"""What is done with a key and what was published under it."""


class CarrierError(ConnectionError):
    """There is no way to the other side, or it does not answer."""


class Carrier(Protocol):
    """Carries bytes between a station and its robots; made and used within one asyncio loop."""

    async def call(self, key: str, payload: bytes, timeout: float) -> bytes:
        """Ask whoever serves the key; CarrierError after `timeout` seconds without an answer."""
        ...

    async def call_all(self, key: str, payload: bytes, timeout: float) -> list[bytes]:
        """Ask all who serve the key, and return the answers that came in time."""
        ...

    def serve(self, key: str, answer: Callable[[str, bytes], Awaitable[bytes]]) -> None:
        """Answer calls of a key from now on; the answer is made of the key of the call and what came with it."""
        ...

    def publish(self, key: str, payload: bytes, *, may_drop: bool = False, urgent: bool = False) -> None:
        """Send to all who listen to the key."""
        ...

    def listen(self, key: str, heard: Hearing, *, thick: bool = False) -> None:
        """Hear what is published under a key, with the key itself.

        Words that come `thick` are heard a little later, many at a time; when too many come, the oldest are not heard.
        """
        ...

    def know(self, endpoints: tuple[str, ...]) -> None:
        """Learn where else the other side can be reached, should it fail here."""
        ...

    async def close(self) -> None:
        """End all of it."""
        ...

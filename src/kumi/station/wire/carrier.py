"""What does a station ask of a network? Four things: to call, to serve, to publish and to listen.

Keys are words with slashes between them; `*` stands for one word where one listens. Payloads are bytes: what they mean, and
who may have sent them, is not the carrier's business. A publication that `may_drop` is thrown away rather than waited for.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol


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

    def serve(self, key: str, answer: Callable[[bytes], Awaitable[bytes]]) -> None:
        """Answer calls of a key from now on."""
        ...

    def publish(self, key: str, payload: bytes, *, may_drop: bool = False, urgent: bool = False) -> None:
        """Send to all who listen to the key."""
        ...

    def listen(self, key: str, heard: Callable[[str, bytes], None]) -> None:
        """Hear what is published under a key, with the key itself."""
        ...

    def know(self, endpoints: tuple[str, ...]) -> None:
        """Learn where else the other side can be reached, should it fail here."""
        ...

    async def close(self) -> None:
        """End all of it."""
        ...

"""How do several windows show the same instant, and the same part of the plane?

What one of them sets, play or pause, an instant, a speed, where to look, all of them take over. Each setting has a
stamp of the server's clock, by which every page knows the instant for itself.
"""

from __future__ import annotations

import asyncio
from time import monotonic

import msgspec


class Setting(
    msgspec.Struct, frozen=True, rename="camel", tag="playing", tag_field="kind", omit_defaults=True
):
    """What a person has set: from an instant `at` on, which was at a `stamp`, time goes on at a speed."""

    is_playing: bool
    is_live: bool
    at: float
    stamp: float
    speed: float
    view: tuple[float, float, float] | None = None


class SharedWindows:
    """The windows that show the same."""

    def __init__(self, start: float, *, is_live: bool) -> None:
        self._start, self._is_live = start, is_live
        self._latest: bytes | None = None
        self._windows: set[asyncio.Queue[bytes]] = set()

    def join(self) -> asyncio.Queue[bytes]:
        """Add a window; in the queue is what the others set. The first one lets the run begin to play."""
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        if self._latest is None:
            first = Setting(True, self._is_live, self._start, monotonic(), 1.0)
            self._latest = msgspec.json.encode(first)
        queue.put_nowait(self._latest)
        self._windows.add(queue)
        return queue

    def leave(self, queue: asyncio.Queue[bytes]) -> None:
        """Forget a window."""
        self._windows.discard(queue)

    def set(self, setting: Setting, by: asyncio.Queue[bytes]) -> None:
        """Let all other windows take over what one has set."""
        self._latest = msgspec.json.encode(setting)
        for queue in self._windows - {by}:
            queue.put_nowait(self._latest)

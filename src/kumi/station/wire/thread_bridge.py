"""How do words cross between an asyncio loop and the threads around it, without the loop ever waiting?

Inwards, threads put down what is to be done in the loop, and wake it once for all that waits. Some is done at a time, so that
others get their turn. Outwards, a thread of its own sends what must not be dropped, one after the other: where the other side
takes nothing in, that thread waits, and nobody else.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

AT_ONCE = 64
"""Words that are taken in before others get their turn in the loop: about 2 ms of work."""


class Inbox:
    """What threads want done in a loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[tuple[Callable[..., object], tuple[object, ...]]] = deque()
        self._is_awake = False

    def put(self, function: Callable[..., object], *values: object) -> None:
        """Go on in the loop, unless it has ended."""
        self._waiting.append((function, values))
        if not self._is_awake:
            self._is_awake = True
            with suppress(RuntimeError):  # the loop was closed while others still had something to say
                self._loop.call_soon_threadsafe(self._take)

    def _take(self) -> None:
        self._is_awake = False
        for _ in range(min(AT_ONCE, len(self._waiting))):
            function, values = self._waiting.popleft()
            function(*values)
        if self._waiting and not self._is_awake:
            self._is_awake = True
            self._loop.call_soon(self._take)


class Outbox:
    """What a loop wants sent, however long that takes; in the order of being put."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._send, name="outbox", daemon=True)
        self._thread.start()

    def put(self, send: Callable[[], object]) -> None:
        """Send this after all that waits."""
        self._waiting.put(send)

    def close(self) -> None:
        """Send what waits, and end."""
        self._waiting.put(None)
        self._thread.join()

    def _send(self) -> None:
        while (send := self._waiting.get()) is not None:
            send()

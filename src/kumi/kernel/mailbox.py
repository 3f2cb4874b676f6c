"""How does something from outside get into a run?

Threads, sockets and asyncio tasks put deliveries into a mailbox, stamped with the wall time. The run
takes them out between two instants. Waiting for mail is the only way a run ever waits.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # 35 ms to import; needed only by those who use it anyway
    import asyncio

Delivery: TypeAlias = Callable[[float], object]
"""Brings something into the run at a simulated time."""


class Mailbox:
    """A thread-safe queue of deliveries with the wall time at which each came."""

    def __init__(self, ring: Callable[[], object]) -> None:
        self._ring = ring
        self._mail: deque[tuple[float, Delivery]] = deque()
        self._came = threading.Condition()
        self._listeners: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def put(self, delivery: Delivery | None) -> None:
        """Leave a delivery, from any thread; None only rings."""
        with self._came:
            if delivery is not None:
                self._mail.append((time.monotonic(), delivery))
            self._ring()
            self._came.notify_all()
            for loop, event in self._listeners:
                loop.call_soon_threadsafe(event.set)

    def take(self) -> list[tuple[float, Delivery]]:
        """Take out all that came so far, in order."""
        if not self._mail:  # who puts something in now rings afterwards
            return []
        with self._came:
            mail = list(self._mail)
            self._mail.clear()
        return mail

    def wait(self, seconds: float | None, is_rung: Callable[[], bool]) -> None:
        """Sleep until something comes, or for so many seconds of wall time."""
        with self._came:
            if not self._mail and not is_rung():
                self._came.wait(seconds)

    async def wait_async(self, seconds: float | None, is_rung: Callable[[], bool]) -> None:
        """Do the same without blocking the asyncio loop."""
        import asyncio

        event = asyncio.Event()
        listener = (asyncio.get_running_loop(), event)
        with self._came:
            if self._mail or is_rung():
                return
            self._listeners.append(listener)
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            pass
        finally:
            with self._came:
                self._listeners.remove(listener)

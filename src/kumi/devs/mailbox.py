"""How does something from outside get into a run?

Threads, sockets and asyncio tasks put deliveries into a mailbox, stamped with the wall time. The run
takes them out between two instants. Waiting for mail is the only way a run ever waits. A mailbox that is closed
refuses what comes: either the sender is told, or the run has it.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # 35 ms to import; needed only by those who use it anyway
    import asyncio

Delivery: TypeAlias = Callable[[float], object]
"""Brings something into the run at a simulated time."""

LONGEST_DEAF = 0.2
"""Seconds of one wait after which signals are looked for. Python calls handlers between two instructions of the main
thread: a signal that comes just before that thread blocks, or that the system gives to another thread, does not end a wait."""


class Bell:
    """What a thread waits for and any other rings, or a signal handler of the thread itself.

    A handler may come between any two instructions of its thread: a `threading.Event` would lock it out for ever, and a
    condition would not be told. A ring before the wait ends it, and who waits may be woken without need: look
    again at what you wait for.
    """

    def __init__(self) -> None:
        self._rings: SimpleQueue[None] = SimpleQueue()

    @property
    def is_rung(self) -> bool:
        """Whether the next wait is over at once."""
        return not self._rings.empty()

    def ring(self) -> None:
        """End the wait, or the next one."""
        if self._rings.empty():
            self._rings.put(None)

    def wait(self, seconds: float | None = None) -> None:
        """Wait for a ring, or for so many seconds."""
        for left in _slices(seconds):
            with suppress(Empty):
                self._rings.get(timeout=left)
                return


def _slices(seconds: float | None) -> Iterator[float]:
    """Cut a wait into pieces between which signals are heard; there is always one, if only of no length."""
    left = math.inf if seconds is None else seconds
    end = time.monotonic() + left
    yield min(max(left, 0.0), LONGEST_DEAF)
    while (left := end - time.monotonic()) > 0.0:
        yield min(left, LONGEST_DEAF)


class Mailbox:
    """A thread-safe queue of deliveries with the wall time at which each came. Signal handlers may use it, too."""

    def __init__(self, ring: Callable[[], object]) -> None:
        self._ring = ring
        self._mail: deque[tuple[float, Delivery]] = deque()
        self._lock = threading.RLock()
        self._bell = Bell()
        self._listeners: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._mail)

    def put(self, delivery: Delivery | None) -> bool:
        """Leave a delivery, from any thread; None only rings. False if it is refused: the mailbox is closed."""
        with self._lock:
            if self._is_closed:
                return False
            if delivery is not None:
                self._mail.append((time.monotonic(), delivery))
            self._ring()
            self._bell.ring()
            for loop, event in self._listeners:
                loop.call_soon_threadsafe(event.set)
        return True

    def close(self) -> None:
        """Refuse what comes from now on; what is in it is not taken out any more."""
        with self._lock:
            self._is_closed = True

    def take(self) -> Sequence[tuple[float, Delivery]]:
        """Take out all that came so far, in order."""
        if not self._mail:  # who puts something in now rings afterwards
            return ()
        with self._lock:
            mail, self._mail = self._mail, deque()
        return mail

    def wait(self, seconds: float | None) -> None:
        """Sleep until something comes, or for so many seconds of wall time; what came before the last wait may end it, too."""
        self._bell.wait(seconds)

    async def wait_async(self, seconds: float | None) -> None:
        """Do the same without blocking the asyncio loop."""
        import asyncio

        event = asyncio.Event()
        listener = (asyncio.get_running_loop(), event)
        with self._lock:
            self._listeners.append(listener)
        try:
            for left in _slices(seconds):
                if event.is_set() or self._bell.is_rung:  # who rings from now on sets the event
                    break
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await event.wait()
        finally:
            with self._lock:
                self._listeners.remove(listener)
            self._bell.wait(0.0)

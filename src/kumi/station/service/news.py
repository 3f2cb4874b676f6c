"""Who waits for something to happen, and hears when it has?

A reader of the log that found nothing new waits here, for seconds at most, instead of asking again and again. It holds no thread
and no transaction meanwhile. What happens wakes those whom it concerns, and they look again. When the station shuts down, or the
rights of who asked change, the wait is over at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Protocol

from kumi.station.callers import Caller
from kumi.station.records import Happens
from kumi.station.store.transaction import LogNotice

MOST_WAITING = 1000
"""Readers that may wait at a time; others are answered at once."""


class NewsReading(Protocol):
    """A question that may wait for its answer, for so many seconds."""

    @property
    def wait(self) -> float:
        """Seconds."""
        ...

    def concerns(self, told: LogNotice, caller: Caller) -> bool:
        """Tell whether something that happened may be what the caller waits for."""
        ...


class NewsWaiter:
    """One reader that waits, in the loop in which it was made."""

    def __init__(self, request: NewsReading, caller: Caller) -> None:
        self.is_over = False
        self._request, self._caller = request, caller
        self._loop = asyncio.get_running_loop()
        self._until = self._loop.time() + request.wait
        self._woken = asyncio.Event()

    async def has_news(self) -> bool:
        """Wait until it is worth to look again; False when the time is up, or the wait over."""
        if self.is_over:
            return False
        try:
            async with asyncio.timeout_at(self._until):
                await self._woken.wait()
        except TimeoutError:
            return False
        self._woken.clear()
        return not self.is_over

    def hear(self, told: list[LogNotice]) -> None:
        """Wake up if something concerns this reader; may be called from any thread."""
        if any(
            one.kind == Happens.RIGHTS_CHANGED and one.data.get("name") == self._caller.name for one in told
        ):
            self.end()
        elif any(self._request.concerns(one, self._caller) for one in told):
            self._wake()

    def end(self) -> None:
        """Wait no more; may be called from any thread."""
        self.is_over = True
        self._wake()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the loop has ended, and with it the wait
            self._loop.call_soon_threadsafe(self._woken.set)


class NewsReaders:
    """All readers that wait."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiters: set[NewsWaiter] = set()
        self._is_over = False

    @property
    def count(self) -> int:
        """How many readers wait."""
        return len(self._present())

    @contextmanager
    def expected(self, request: NewsReading, caller: Caller) -> Iterator[NewsWaiter]:
        """Let a reader wait; what happens from now on wakes it, also before it waits."""
        waiter = NewsWaiter(request, caller)
        with self._lock:
            waiter.is_over = self._is_over or len(self._waiters) >= MOST_WAITING
            self._waiters.add(waiter)
        try:
            yield waiter
        finally:
            with self._lock:
                self._waiters.discard(waiter)

    def on_commit(self, told: list[LogNotice]) -> None:
        """Hear what happened, on the thread that writes."""
        for waiter in self._present():
            waiter.hear(told)

    def end(self) -> None:
        """Let nobody wait any more: the station shuts down."""
        with self._lock:
            self._is_over = True
        for waiter in self._present():
            waiter.end()

    def _present(self) -> tuple[NewsWaiter, ...]:
        with self._lock:
            return tuple(self._waiters)

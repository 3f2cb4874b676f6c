"""A stop that was asked for, and what is known of it until it is written."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from contextlib import suppress

import msgspec


class StopOrder(msgspec.Struct, frozen=True, kw_only=True):
    """A stop as the processes of a station know it: which robot, by whom, and the task that the robot says it cut."""

    stop: str
    robot: str
    by: str
    task: int | None = None


class UnwrittenStop:
    """A stop, and what became of it."""

    def __init__(self, order: StopOrder) -> None:
        self.order = order
        self.written: Future[int] = Future()
        self.heard: Future[None] = Future()
        self.tried: Future[None] = Future()
        """There was one attempt to write it."""

    @property
    def is_heard(self) -> bool:
        """Whether the robot has said that it heard it."""
        return self.heard.done()

    @property
    def last_task(self) -> int | None:
        """The number of the last task that may not be driven after it; None until it is written."""
        return self.written.result() if self.written.done() else None

    async def settled(self, timeout: float) -> bool:
        """Wait until it is written, or cannot be now and the robot has heard it; return whether it is written."""
        written = asyncio.wrap_future(self.written)
        tried, heard = asyncio.wrap_future(self.tried), asyncio.wrap_future(self.heard)
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await asyncio.wait((written, tried), return_when=asyncio.FIRST_COMPLETED)
                await asyncio.wait((written, heard), return_when=asyncio.FIRST_COMPLETED)
        return self.written.done()

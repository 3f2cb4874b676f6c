"""How does a simulated world wait for code that runs in a process of its own?

Code runs in the sandbox, beside the world. It does something only while the world waits for its next call, and the world goes on
only while the code waits for an answer. So the same code makes the same calls at the same simulated times, however fast the
machine is. The wall clock bounds how long the world waits.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import Any, Self

from kumi.station.sandbox.jail import Limits, NoSandbox
from kumi.station.sandbox.run import CallFailed, Contained, run_code

BEGINNING = 30.0
"""Seconds of the wall clock that a process may take to begin, besides what its code takes to its first call."""
LOOK = 0.2
"""Seconds between two looks at whether it is over."""


@dataclass(frozen=True)
class Call:
    """What code asks of its robot; `answer` or `refuse` it once."""

    name: str
    arguments: list[Any]
    _finish: Callable[[Any], None]

    def answer(self, value: Any) -> None:
        """Let the code go on with a value."""
        self._finish(value)

    def refuse(self, why: str) -> None:
        """Let the code go on with an error."""
        self._finish(CallFailed(why))


class Player:
    """The code of one robot."""

    def __init__(self, words: queue.SimpleQueue[Any], running: Future[None], wall: float) -> None:
        self._words = words
        self._running = running
        self._wall = wall
        self._patience = wall + BEGINNING

    def next(self, heard: Callable[[str], object], is_over: Callable[[], bool]) -> Call | Contained:
        """Wait for the next call, or for what came of the code; what it prints on the way is heard.

        When somebody says meanwhile that it is over, there is nothing to wait for.
        """
        deadline = monotonic() + self._patience
        self._patience = self._wall
        while True:
            try:
                word = self._words.get(timeout=min(LOOK, max(0.0, deadline - monotonic())))
            except queue.Empty:
                if is_over():
                    return Contained(outcome="the match was ended")
                if monotonic() < deadline:
                    continue
                self._running.cancel()
                return Contained(
                    outcome=f"it was ended: it did not call its robot for more than {self._wall:g} s of the wall clock"
                )
            if isinstance(word, Exception):
                raise word
            if not isinstance(word, str):
                assert isinstance(word, Call | Contained)
                return word
            heard(word)


class Sandboxes:
    """Runs code of several robots beside a simulated world; leaving the block ends all of it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="sandboxes", daemon=True)
        self._tasks: list[asyncio.Task[None]] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def start(self, order: dict[str, Any], limits: Limits, wall: float) -> Player:
        """Start code in a sandbox of its own."""
        words: queue.SimpleQueue[Any] = queue.SimpleQueue()
        running = asyncio.run_coroutine_threadsafe(self._run(order, limits, words), self._loop)
        return Player(words, running, wall)

    async def _run(self, order: dict[str, Any], limits: Limits, words: queue.SimpleQueue[Any]) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.append(task)

        async def answer(name: str, arguments: list[Any]) -> Any:
            answered: asyncio.Future[Any] = self._loop.create_future()

            def finish(value: Any) -> None:
                self._loop.call_soon_threadsafe(_finish, answered, value)

            words.put(Call(name, arguments, finish))
            return await answered

        try:
            words.put(await run_code(order, answer, limits, heard=words.put))
        except (NoSandbox, OSError) as error:
            words.put(error)

    async def _end(self) -> None:
        """Cancel all that runs, and wait until its processes are gone; what is ending already is left to end."""
        for task in self._tasks:
            if not task.cancelling():
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _finish(answered: asyncio.Future[Any], value: Any) -> None:
    if answered.done():
        return
    if isinstance(value, Exception):
        answered.set_exception(value)
    else:
        answered.set_result(value)

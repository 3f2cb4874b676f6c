"""Work that a model starts and whose result comes back to it as input.

An activity runs in a thread, in a process, on an asyncio loop, or is virtual: then its result is known
at once and arrives after a simulated time. Whatever it is, the model sees the same: an `ActivityOutcome` in one
of its input ports. So a model need not know whether the camera behind it is real.

A real activity takes wall time. A run paced by the wall clock stamps the result with the time at which
it came. A run as fast as possible does all it can do without it, waits, and takes it at that instant.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, TypeVar, cast

from kumi.devs.errors import TimeError

if TYPE_CHECKING:  # 50 ms to import, and most runs need none of them: imported where they are used
    import asyncio
    from concurrent.futures import Executor, Future, ProcessPoolExecutor

T = TypeVar("T")
R = TypeVar("R", covariant=True)
P = ParamSpec("P")


@dataclass(frozen=True)
class ActivityOutcome(Generic[T]):
    """How an activity ended."""

    activity: object
    value: T | None = None
    error: BaseException | None = None

    @classmethod
    def of(cls, activity: object, future: Future[T]) -> ActivityOutcome[T]:
        """Return how the activity ended whose future is done."""
        from concurrent.futures import CancelledError

        error = CancelledError() if future.cancelled() else future.exception()
        return cls(activity, error=error) if error else cls(activity, value=future.result())

    def result(self) -> T:
        """Give the value, or raise what the activity raised."""
        if self.error is not None:
            raise self.error
        return cast(T, self.value)


class ActivityWorkers:
    """Threads, processes and an asyncio loop for activities, each made when first needed.

    None of them keeps the program from ending: threads are daemons, processes are ended with the run.
    """

    def __init__(self) -> None:
        self._processes: ProcessPoolExecutor | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def in_thread(self, function: Callable[[], T]) -> Future[T]:
        """Call a function in a thread of its own."""
        from concurrent.futures import Future

        future: Future[T] = Future()

        def work() -> None:
            try:
                future.set_result(function())
            except BaseException as error:  # noqa: BLE001  # kept: it is the outcome
                future.set_exception(error)

        threading.Thread(target=work, name="kumi-activity", daemon=True).start()
        return future

    @property
    def processes(self) -> Executor:
        """A pool of processes, each started afresh so that no thread is copied in the middle of its work."""
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        if self._processes is None:
            self._processes = ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))
        return self._processes

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """An asyncio loop in a thread of its own."""
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=_serve, args=(self._loop,), name="kumi-asyncio", daemon=True).start()
        return self._loop

    def close(self) -> None:
        """Drop work that is not done."""
        if self._processes is not None:
            workers = list(self._processes._processes.values())
            self._processes.shutdown(wait=False, cancel_futures=True)
            # A pool waits for its work at the end of the program, however long that takes. Its list of
            # processes has no public name before Python 3.14.
            for worker in workers:
                worker.terminate()
        if self._loop is not None:
            import asyncio

            asyncio.run_coroutine_threadsafe(_end(self._loop), self._loop)
        self._processes = self._loop = None


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _end(loop: asyncio.AbstractEventLoop) -> None:
    import asyncio

    others = asyncio.all_tasks(loop) - {asyncio.current_task(loop)}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    loop.stop()


class Activity(Protocol[R]):
    """A computation that can be begun; write your own with this one method."""

    def begin(self, workers: ActivityWorkers, now: float) -> Future[Any] | Virtually[Any]:
        """Start, and say where the result will be."""
        ...


@dataclass(frozen=True)
class Virtually(Generic[T]):
    """A result that is known already, and the simulated seconds until it arrives."""

    duration: float
    outcome: ActivityOutcome[T]


class _Call:
    """A function and its arguments, for those who call it elsewhere."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._call = function, args, kwargs

    def __repr__(self) -> str:
        return f"{type(self).__name__}({getattr(self._call[0], '__qualname__', self._call[0])})"


class InThread(_Call, Generic[T]):
    """Calls a function in another thread."""

    def __init__(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> None:
        super().__init__(function, args, kwargs)

    def begin(self, workers: ActivityWorkers, now: float) -> Future[T]:
        """Hand the call to a thread."""
        function, args, kwargs = self._call
        return workers.in_thread(lambda: function(*args, **kwargs))


class InProcess(_Call, Generic[T]):
    """Calls a function in another process; function, arguments and result must be picklable."""

    def __init__(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> None:
        super().__init__(function, args, kwargs)

    def begin(self, workers: ActivityWorkers, now: float) -> Future[T]:
        """Hand the call to a process."""
        function, args, kwargs = self._call
        return workers.processes.submit(function, *args, **kwargs)


class InAsyncio(_Call, Generic[T]):
    """Awaits a coroutine of asyncio, on a loop in another thread."""

    def __init__(
        self, function: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        super().__init__(function, args, kwargs)

    def begin(self, workers: ActivityWorkers, now: float) -> Future[T]:
        """Hand the coroutine to the loop."""
        import asyncio

        function, args, kwargs = self._call
        return asyncio.run_coroutine_threadsafe(function(*args, **kwargs), workers.loop)


class Virtual(_Call, Generic[T]):
    """Calls a function at once; the result arrives after `duration` simulated seconds."""

    def __init__(self, duration: float, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> None:
        if not (duration >= 0.0 and math.isfinite(duration)):
            raise TimeError(f"a virtual activity takes a number of seconds >= 0, not {duration}")
        super().__init__(function, args, kwargs)
        self._duration = duration

    def begin(self, workers: ActivityWorkers, now: float) -> Virtually[T]:
        """Compute now."""
        function, args, kwargs = self._call
        try:
            outcome = ActivityOutcome(self, value=function(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  # kept: the model that asked gets it from result()
            outcome = ActivityOutcome[T](self, error=error)
        return Virtually(self._duration, outcome)

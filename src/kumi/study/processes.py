"""Who does runs on this machine? One process a core, behind the standard Executor interface.

Each process has a thread here that hands it one call after the other. So when a process dies, by a signal or for want
of memory, it is known which call it had: that one gets WorkerDied, a new process takes its place, and all other calls
go on. Python's own pool gives up all of them.

The processes are forked: an experiment that was written in a script or a notebook is there at once. They are in a
session of their own, so that Ctrl-C reaches this process alone, and they end when it is gone.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

from kumi.devs.errors import KumiError
from kumi.study.errors import StudyError

P = ParamSpec("P")
T = TypeVar("T")

LOOK_PERIOD = 0.5
"""Seconds between two looks whether the process that asked is still there."""


class Processes(Executor):
    """So many processes on this machine."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._calls: SimpleQueue[tuple[Future[Any], Any] | None] = SimpleQueue()
        self._forking = (
            threading.Lock()
        )  # else one process would inherit the pipe of another, and hold it open
        self._is_over = False
        self._hands = [Hand(self._forking) for _ in range(workers)]
        self._threads = [
            threading.Thread(target=self._serve, args=(hand,), daemon=True) for hand in self._hands
        ]
        for thread in self._threads:
            thread.start()

    @property
    def processes(self) -> list[int]:
        """The numbers of the processes that do the work now."""
        return [hand.process.pid or 0 for hand in self._hands]

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a call done."""
        if self._is_over:
            raise RuntimeError("these processes were told to end")
        future: Future[T] = Future()
        self._calls.put((future, (fn, args, kwargs)))
        return future

    def _serve(self, hand: Hand) -> None:
        while (item := self._calls.get()) is not None:
            future, call = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(hand.do(call))
            except WorkerDied as died:
                if not self._is_over:
                    hand.renew()
                future.set_exception(died)
            except BaseException as error:  # noqa: BLE001  # handed to whoever waits for the result
                future.set_exception(error)
        hand.end()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes; with `cancel_futures` at once, whatever they do, else after what was submitted."""
        self._is_over = True
        if cancel_futures:
            while not self._calls.empty():
                item = self._calls.get()
                if item is not None:
                    item[0].cancel()
            for hand in self._hands:
                hand.kill()
        for _ in self._threads:
            self._calls.put(None)
        if wait:
            for thread in self._threads:
                thread.join()


class Hand:
    """One process, and the pipe to it."""

    def __init__(self, forking: threading.Lock) -> None:
        self._forking = forking
        self.process: BaseProcess
        self.renew()

    def renew(self) -> None:
        """Fork a process."""
        context = multiprocessing.get_context("fork")
        with self._forking, warnings.catch_warnings():
            # Python warns of forks beside threads: the new process uses none of what they may hold.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pipe, there = context.Pipe()
            self.process = context.Process(target=work, args=(there, os.getpid()), daemon=True)
            self.process.start()
            there.close()

    def do(self, call: Any) -> Any:
        """Have one call done."""
        try:
            self._pipe.send(call)
            if self._pipe not in wait([self._pipe, self.process.sentinel]):
                raise EOFError
            is_done, found = self._pipe.recv()
        except (EOFError, OSError) as error:
            self.process.join()
            raise WorkerDied(f"the process that did it {ended(self.process.exitcode)}") from error
        if not is_done:
            raise found
        return found

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()

    def end(self) -> None:
        """End the process."""
        self._pipe.close()
        self.process.kill()
        self.process.join()


def ended(code: int | None) -> str:
    """Say how a process ended."""
    if code is not None and code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"


def work(pipe: Connection, asker: int) -> None:
    """Do calls until there are no more: this is what runs in the other process."""
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=end_with, args=(asker,), daemon=True).start()
    while True:
        try:
            function, args, kwargs = pipe.recv()
        except EOFError:
            return
        try:
            found = True, function(*args, **kwargs)
        except KeyboardInterrupt:  # somebody told this process to end: the call is done by another one
            return
        except BaseException as error:  # noqa: BLE001  # handed to the process that asked
            found = False, error
        pipe.send(found)


def end_with(asker: int) -> None:
    """End this process when the one that asked is gone, even if it was killed."""
    while os.getppid() == asker:
        time.sleep(LOOK_PERIOD)
    os._exit(1)


class WorkerDied(KumiError):
    """The process, or the machine, that did a run ended before it was done."""


@dataclass(frozen=True)
class StudyWorkers:
    """An executor, how many runs it does at once, and by which errors it says that a worker died."""

    executor: Executor
    count: int
    died: tuple[type[BaseException], ...] = (WorkerDied,)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


def check_answers(address: str, what: str, start: str, patience: float) -> None:
    """Say at once if nobody answers at an address such as tcp://host:8786, before anything waits for it."""
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise StudyError(f"{address!r} is no address of a {what}; it takes one such as tcp://host:8786")
    try:
        socket.create_connection((host, port), timeout=patience).close()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StudyError(f"there is no {what} at {address}: {reason}; start one with {start}") from error

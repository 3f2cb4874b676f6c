"""How tests wait: for what must happen, never for a number of seconds that should do.

The one bound is there to end a test that would hang. It is so long that no busy machine reaches it.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO, AnyStr

from kumi.devs import Simulation

PATIENCE = float(os.environ.get("KUMI_PATIENCE", "300"))
"""Seconds after which something counts as never coming."""


@contextmanager
def beside(*works: Callable[[], object]) -> Iterator[None]:
    """Do some work in threads of their own, and wait for it at the end."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join(timeout=PATIENCE)
    assert not any(thread.is_alive() for thread in threads)


@contextmanager
def patience(simulation: Simulation, seconds: float = PATIENCE) -> Iterator[None]:
    """Stop a run that waits for ever, and fail."""
    has_ended = threading.Event()

    def stop() -> None:
        has_ended.set()
        simulation.stop()

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    assert not has_ended.is_set(), "the run waited for ever"


def wait_for(claim: Callable[[], object], about: Callable[[], object] | str = "it never came true") -> None:
    """Wait until something is so; `about` says what is known where that never comes."""
    deadline = time.monotonic() + PATIENCE
    while not claim():
        assert time.monotonic() < deadline, about if isinstance(about, str) else about()
        time.sleep(0.005)


async def until(claim: Callable[[], bool | Awaitable[bool]]) -> None:
    """Wait until something is so, and let others work meanwhile."""
    deadline = time.monotonic() + PATIENCE
    while not await _found(claim()):
        assert time.monotonic() < deadline, "it never came true"
        await asyncio.sleep(0.005)


async def _found(claim: bool | Awaitable[bool]) -> bool:
    return await claim if inspect.isawaitable(claim) else bool(claim)


def read_line(stream: IO[AnyStr] | None) -> AnyStr:
    """Return the next line that a process writes; it is empty where the process has ended."""
    assert stream is not None, "the process has no such pipe"
    lines: list[AnyStr] = []
    reader = threading.Thread(target=lambda: lines.append(stream.readline()), daemon=True)
    reader.start()
    reader.join(PATIENCE)
    assert lines, f"nothing was written within {PATIENCE:g} s"
    return lines[0]


def read_until(stream: IO[str] | None, words: str) -> str:
    """Return what a process writes up to the first line in which a pattern is found."""
    said = ""
    while line := read_line(stream):
        said += line
        if re.search(words, line):
            return said
    raise AssertionError(f"it ended without {words!r}:\n{said}")


def let_work(process: int, seconds: float = 0.1) -> None:
    """Wait until a process, by its number, has worked for so long: by the processor's time, not by that on the wall."""
    begun = _worked(process)
    wait_for(lambda: _worked(process) >= begun + seconds, "the process does not work")


def _worked(process: int) -> float:
    user, system = _stat(process)[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def wait_for_state(process: int, state: str) -> None:
    """Wait until the system says that a process is in a state: S where it waits, T where it was stopped."""
    wait_for(lambda: _stat(process)[0] == state, lambda: f"the process is in state {_stat(process)[0]}")


def _stat(process: int) -> list[str]:
    """Return what the system says of a process, from its state on."""
    return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()


@contextmanager
def interrupted_within_a_call(*, every: float) -> Iterator[None]:
    """Send signals, and raise KeyboardInterrupt at one that finds Python where the last did.

    So it is raised while a function of C is at work that lets signals in; one that does not hears all of them at its end.
    """
    places: list[tuple[FrameType | None, int]] = []

    def hear(_number: int, frame: FrameType | None) -> None:
        places.append((frame, -1 if frame is None else frame.f_lasti))
        if places[-1:] == places[-2:-1]:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, hear)
    try:
        signal.setitimer(signal.ITIMER_REAL, every, every)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def free_port() -> int:
    """Return a TCP port that is nobody else's until this process ends.

    A socket stays bound to it that does not listen: the system gives the port to nobody who asks for any, and lets a server
    have it that reuses addresses, as servers do.
    """
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind(("127.0.0.1", 0))
    port = int(one.getsockname()[1])
    one.detach()
    return port

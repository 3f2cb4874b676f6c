"""Threads beside a test, and an end to its patience."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kumi.kernel import Simulation


@contextmanager
def beside(*works: Callable[[], object]) -> Iterator[None]:
    """Do some work in threads of their own, and wait for it at the end."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join(timeout=20)
    assert not any(thread.is_alive() for thread in threads)


@contextmanager
def patience(simulation: Simulation, seconds: float = 10.0) -> Iterator[None]:
    """Stop a run that waits for ever, and fail."""
    timer = threading.Timer(seconds, simulation.stop)
    timer.start()
    begin = time.monotonic()
    yield
    timer.cancel()
    assert time.monotonic() - begin < seconds, "the run waited for ever"


def wait_for(claim: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + 20.0
    while not claim():
        assert time.monotonic() < deadline, "waited for ever"
        time.sleep(0.001)

"""Who does runs, and how many at once?"""

from __future__ import annotations

import os
import socket
from concurrent.futures import Executor
from dataclasses import dataclass
from urllib.parse import urlsplit

from kumi.devs.errors import KumiError
from kumi.study.errors import StudyError


class WorkerDied(KumiError):
    """The process, or the machine, that did a run ended before it was done."""


@dataclass(frozen=True)
class Workers:
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

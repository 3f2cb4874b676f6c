"""How does a person end a run?

The first Ctrl-C, or a request to terminate, ends it between two instants; the second one is Python's own. Only
the main thread hears of signals; in another thread nothing is changed.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOPPING = (int(signal.SIGINT), int(signal.SIGTERM))
"""The signals that end a run; as plain numbers, which are set in half the time."""


@contextmanager
def ended_by_ctrl_c(end: Callable[[], object]) -> Iterator[None]:
    """Call `end` at the first Ctrl-C or request to terminate within the block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, before[number])
        end()

    before = {number: signal.signal(number, stop) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""What is still to be written when the process ends?

A writer of something that is whole only with its end stands here while it is open. It is finished when the process ends
in an ordinary way: at the end of the script, by an exception or `sys.exit`, at the end of a worker of `multiprocessing`,
and by a request to terminate (SIGTERM), if that would have ended the process on the spot. A handler of the program's own
is left in its place.

A process that was forked finishes what it opened itself: what was open before belongs to the one that opened it.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Protocol
from weakref import WeakKeyDictionary

from kumi.devs.interrupts import SignalTaker, hand_on
from kumi.devs.members import raise_together


class Unfinished(Protocol):
    """Something that is written until it is finished."""

    def finish(self) -> None:
        """Write the end, if that was not done; may be called from any thread."""


class _Endings:
    """All that is unfinished in this process."""

    def __init__(self) -> None:
        self._forget()
        atexit.register(self.finish_all)
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._open: WeakKeyDictionary[Unfinished, object] = (
            WeakKeyDictionary()
        )  # with what each needs for its end
        self._taker: SignalTaker | None = None
        self._busy = 0  # the main thread is in the midst of so many writings, one inside the other
        self._is_asked = self._is_in_worker = False

    def add(self, one: Unfinished, needs: object) -> None:
        self._open[one] = needs
        self._finish_in_worker()
        if self._taker is None and _is_main():
            self._taker = SignalTaker(int(signal.SIGTERM), self._terminate)
            self._taker.take_last()

    def _finish_in_worker(self) -> None:
        """Have all finished at the end of a worker of `multiprocessing`, which runs no functions of `atexit`."""
        processes = sys.modules.get("multiprocessing.process")
        if self._is_in_worker or processes is None or processes.parent_process() is None:
            return
        self._is_in_worker = True
        import_module("multiprocessing.util").Finalize(None, self.finish_all, exitpriority=0)

    def remove(self, one: Unfinished) -> None:
        self._open.pop(one, None)
        if self._open or not _is_main():
            return
        taker, self._taker = self._taker, None
        if taker is not None:
            taker.leave()

    @contextmanager
    def undisturbed(self) -> Iterator[None]:
        if not _is_main():
            yield
            return
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            if self._is_asked:
                self._terminate()

    def finish_all(self) -> None:
        errors: list[Exception] = []
        for one in tuple(self._open):
            try:
                one.finish()
            except Exception as error:  # noqa: BLE001  # raised below, when all have had their turn
                errors.append(error)
        raise_together("several files could not be finished", errors)

    def _terminate(self) -> None:
        """End the process as the signal asks, when all is written."""
        self._is_asked = True
        if self._busy:
            return
        try:
            self.finish_all()
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            hand_on(signal.SIGTERM)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


_endings = _Endings()

finished_at_the_end = _endings.add
"""Finish this when the process ends, unless it is gone by then; what it needs, such as a file, is not collected before it."""
is_finished = _endings.remove
"""Say that there is nothing left to write."""
undisturbed = _endings.undisturbed
"""Let a request to terminate wait until the end of the block, in which something is half written."""

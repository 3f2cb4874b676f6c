"""How does a person, or the system, end a run?

The first Ctrl-C, or a request to terminate (SIGTERM), ends what is going on in order: after the present instant, with
all files written. When that is done, the signal is handed on to whoever would have got it without us: Ctrl-C raises
KeyboardInterrupt, a request to terminate ends the process, and a handler of the program's own is called. So a loop of
runs ends with the first signal. The second signal goes to the same place at once.

Only the main thread hears of signals; in another thread nothing is changed. What was ignored stays ignored. A process
that is forked meanwhile gets the handlers that were there before ours.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any, NoReturn

STOPPING = (int(signal.SIGINT), int(signal.SIGTERM))
"""The signals that end a run; as plain numbers, which are set in half the time."""


class Terminated(BaseException):
    """The process was asked to terminate; let it pass, as KeyboardInterrupt: clean up with `finally`."""


RAISED: dict[int, type[BaseException]] = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}
"""What a signal becomes where it ends blocks one by one."""


def ended_by_signals(end: Callable[[], object]) -> AbstractContextManager[None]:
    """Call `end` at the first Ctrl-C or request to terminate within the block, and hand it on after the block."""
    return _taking(STOPPING, end, hands_on=True)


def served_until_signal(end: Callable[[], object]) -> AbstractContextManager[None]:
    """Call `end` at the first Ctrl-C or request to terminate: the ordinary end of what lasts until then."""
    return _taking(STOPPING, end, hands_on=False)


def unwound_when_terminated() -> AbstractContextManager[None]:
    """Let a request to terminate raise Terminated within the block, so that all that is open in it is closed.

    It is not handed on: whoever catches the exception ends the process.
    """
    return _taking((int(signal.SIGTERM),), _terminate, hands_on=False)


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Set the handlers back after the block: a package that is imported or opened in it may leave its own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:  # else it was not made in Python
                signal.signal(number, handler)


class SignalTaker:
    """A handler that stands in the place of another one, which it keeps."""

    def __init__(self, number: int, end: Callable[[], object]) -> None:
        self.number = number
        self.has_come = False
        self.before: Any = signal.getsignal(number)
        self._end = end

    def take(self) -> None:
        """Stand in the place of the other; not of one that ignores the signal, or was not made in Python."""
        if self.before is not None and self.before is not signal.SIG_IGN:
            signal.signal(self.number, self)

    def take_last(self) -> None:
        """Stand below all of ours, in the place of the system's own; where there is another one, nowhere."""
        above = None
        while isinstance(self.before, SignalTaker):
            above, self.before = self.before, self.before.before
        if self.before is signal.SIG_DFL:
            self._put(above, self)

    def leave(self) -> None:
        """Take no part any more; those that came after it, and have not left yet, stay."""
        above = None
        found: Any = signal.getsignal(self.number)
        while isinstance(found, SignalTaker) and found is not self:
            above, found = found, found.before
        if found is self:
            self._put(above, self.before)

    def _put(self, above: SignalTaker | None, handler: Any) -> None:
        if above is None:
            signal.signal(self.number, handler)
        else:
            above.before = handler

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """Take the signal; the next one is for whoever was there before."""
        self.has_come = True
        signal.signal(number, self.before)
        self._end()


@contextmanager
def _taking(numbers: Sequence[int], end: Callable[[], object], *, hands_on: bool) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    takers = [SignalTaker(number, end) for number in numbers]
    raised: type[BaseException] = Exception
    try:
        for taker in takers:
            taker.take()
        yield
    except BaseException as error:
        raised = type(error)
        raise
    finally:
        for taker in takers:
            taker.leave()
        for taker in takers:
            # What left the block as the signal's own exception is on its way already.
            if hands_on and taker.has_come and not issubclass(raised, RAISED[taker.number]):
                hand_on(taker.number)


def hand_on(number: int) -> None:
    """Raise a signal in this process for whoever gets it now: a handler, or the system, which ends the process.

    The first process of a container is spared by the system: the kernel keeps signals without a handler from it.
    """
    is_for_the_system = signal.getsignal(number) is signal.SIG_DFL
    signal.raise_signal(number)
    if is_for_the_system:
        os._exit(128 + number)


def _terminate() -> NoReturn:
    raise Terminated


def _leave_to_others() -> None:
    """Take all of ours away in a process that was just forked: they speak of what goes on in another one."""
    for number in STOPPING:
        found: Any = signal.getsignal(number)
        if isinstance(found, SignalTaker):
            while isinstance(found, SignalTaker):
                found = found.before
            signal.signal(number, found)


os.register_at_fork(after_in_child=_leave_to_others)

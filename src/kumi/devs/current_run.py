"""Which run is this code part of?

Programs do not carry their run around: it is found through the thread that runs it. While a run works,
coroutines that are dropped without being awaited are reported to it. Python tells of them by a warning,
and warnings are one for the whole process, so the first run to begin hooks in and the last takes it off.
"""

from __future__ import annotations

import re
import sys
import threading
import warnings
from collections.abc import Callable, Coroutine
from inspect import CO_COROUTINE
from os import sep
from pathlib import Path
from types import FrameType
from typing import Any, Protocol, TextIO, TypeVar

from kumi._core import Chance, InPort, Task, first_of_step, is_being_cut, is_in_run
from kumi.devs.activities import Activity, ActivityOutcome
from kumi.devs.errors import NeverAwaited, NoRun

T = TypeVar("T")

_TELL = "_warn_unawaited_coroutine"
_ALWAYS: Any = (
    "always",
    re.compile(r"coroutine .* was never awaited", re.IGNORECASE),
    RuntimeWarning,
    None,
    0,
)
"""A filter of warnings, as `warnings.filterwarnings` would make it."""

_OURS = str(Path(__file__).parents[1]) + sep
"""Where the files of kumi are."""
_MADE = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+), in ', re.MULTILINE)


def _mark_changed() -> None:
    """Let Python forget which warnings it need not show again: the filters are others now."""
    with warnings.catch_warnings():
        pass


_filters_changed: Callable[[], object] = getattr(warnings, "_filters_mutated", _mark_changed)


class Present(Protocol):
    """What code inside a run may ask of it."""

    def fail(self, error: BaseException) -> None:
        """Let an error come out of the run."""

    def note(self, source: str, value: object) -> None:
        """Write something down in the trace."""

    def chance(self, name: str) -> Chance:
        """Give the random numbers of this name."""
        ...

    def begin_activity(self, activity: Activity[T], into: InPort[ActivityOutcome[T]]) -> None:
        """Begin an activity whose outcome is brought to a port."""

    def begin_task(
        self,
        program: Callable[..., Coroutine[Any, Any, T]],
        args: tuple[Any, ...],
        *,
        name: str | None,
        parent: object,
        on_end: Callable[[Task[T]], object],
    ) -> Task[T]:
        """Start a task."""
        ...


class _Here(threading.local):
    def __init__(self) -> None:
        self.simulations: list[Present] = []


_here = _Here()


def present(what: str) -> Present:
    """Give the run this code is part of; `what` is named in the error outside of one."""
    if not (
        _here.simulations and is_in_run()
    ):  # of a run that was dropped, programs are closed outside of any
        raise NoRun(f"{what} was called outside a run; call it from a program, as in kumi.run(program)")
    return _here.simulations[-1]


class Working:
    """Marks this thread as working for a run, within a `with` block."""

    def __init__(self, simulation: Present) -> None:
        self._simulation = simulation
        self._depth = 0

    def __enter__(self) -> None:
        _here.simulations.append(self._simulation)
        _hook.begin()
        self._depth = depth = sys.get_coroutine_origin_tracking_depth()
        # Each coroutine remembers where it was made: 90 ns for a message that names the right line.
        sys.set_coroutine_origin_tracking_depth(max(depth, 1))

    def __exit__(self, *_: object) -> None:
        sys.set_coroutine_origin_tracking_depth(self._depth)
        _hook.end()
        _here.simulations.pop()


class _Hook:
    """Catches the warning about coroutines never awaited while any run works."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._filters: Any = None
        self._show: Any = None
        self._tell: Any = None
        self._tell_first: Any = None

    def begin(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                # What catch_warnings() and filterwarnings() would do, in a tenth of the time.
                self._filters, self._show = warnings.filters, warnings.showwarning
                warnings.filters = [_ALWAYS, *self._filters]
                warnings.showwarning = self._report
                _filters_changed()
                self._pass_over()

    def end(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                warnings.filters, warnings.showwarning = self._filters, self._show
                _filters_changed()
                if self._tell is not None:
                    setattr(warnings, _TELL, self._tell)

    def _pass_over(self) -> None:
        """Let what Python calls to make up the warning pass over mistakes made again and again.

        An endless loop of them spends nearly all of its time there, where it cannot be interrupted.
        """
        tell = getattr(warnings, _TELL, None)
        if tell is not self._tell:
            self._tell, self._tell_first = tell, tell and first_of_step(tell)
        if tell is not None:
            setattr(warnings, _TELL, self._tell_first)

    def _report(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        text = str(message)
        made = _MADE.search(
            text
        )  # inside a run each coroutine remembers it: without, it comes from elsewhere
        is_in_one = bool(_here.simulations) and is_in_run()
        if not (made and is_in_one and category is RuntimeWarning and "was never awaited" in text):
            self._show(message, category, filename, lineno, file, line)
            return
        if is_being_cut():  # the cut is why it was not awaited
            return
        place = _place_of(made)
        error = NeverAwaited(
            f"{text.splitlines()[0]} ({place[0]}, line {place[1]}); write `await` before the call"
        )
        error.__dict__["_place"] = place
        _here.simulations[-1].fail(error)


def _place_of(made: re.Match[str]) -> tuple[str, int]:
    """Return where a coroutine was made; where that is in kumi, the line that dropped it, if it is a program's."""
    place = made["file"], int(made["line"])
    if not place[0].startswith(_OURS):
        return place
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_OURS) and frame.f_globals.get("__name__") != warnings.__name__:
            return file, frame.f_lineno
        if frame.f_code.co_flags & CO_COROUTINE:
            return place  # the program is kumi's, too
        frame = frame.f_back
    return place


_hook = _Hook()

"""What if a program never comes back?

Nothing else can happen in a run until the program whose turn it is waits, and the model whose transition
it is returns. One thread looks at all runs under way, a few times in the patience of each. When it finds
a turn that has lasted for longer, it raises an error inside it. A run pays for this with a count of its
turns, and no more: the thread starts when a simulation is made, so that a run need not wait for it.

Only what a turn takes for itself counts, whether it computes or sleeps, and not the time in which other processes
have the processor: a run that ends well on a quiet machine does so on a busy one. The error reaches Python code: what
hangs inside a call of the operating system or of a library gets it when that call returns. Time in a debugger does not
count. While a turn has a run of its own under way, that run is watched, and the clock of the turn stands still.

A program that is found in `time.sleep` or `input` at a look is warned of, once for each such line: it makes the run wait
while no time passes in it. What takes a quarter of a second is found for sure, and what goes well pays nothing.
"""

from __future__ import annotations

import dis
import math
import os
import sys
import threading
import time
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FrameType
from typing import Any, NamedTuple
from weakref import WeakSet

from kumi._core import Engine
from kumi.devs.errors import BlocksRun, Cut, NeverWaits

_LOOKS = 4
"""How often the watchdog looks in the time of one patience, at least."""

_LONGEST_PAUSE = 0.25
"""Seconds between two looks at most: so long the watchdog stays on when the last simulation is closed."""

_IDLE_LOOKS = 5
"""So often the watchdog looks whether a simulation that was made is run at last."""

_ASLEEP = 0.02
"""A turn that has or wants the processor for less than this share of the time sleeps. Where the system does not tell, all
time counts."""

_SHORTEST_PAUSE = 0.001
"""Seconds between two looks for a good moment."""

_MOMENTS = 500
"""How many moments are passed over as bad ones: some three seconds."""

_GENTLE_TRIES = 2
"""After so many the error is raised as a Cut, which `except Exception` does not swallow."""

_MOST_INTERRUPTS = 20
"""After so many a turn is left alone."""


class TurnWatch:
    """How long the present turn of one run has lasted, and what is done about it."""

    def __init__(self, engine: Engine, patience: float) -> None:
        if not patience > 0.0:
            raise ValueError(f"patience is a number of seconds > 0, or inf, not {patience}")
        self.pause = min(patience / _LOOKS, _LONGEST_PAUSE)
        self.due = math.inf  # when to look again, in wall time
        self._engine = engine
        self._patience = patience
        self._error: BaseException | None = None
        self._bearer: type[BaseException] = NeverWaits
        self._warned = 0  # the last turn that was found in a call that blocks
        self._thread = 0  # the system's number of the thread that runs
        self._times = (
            0.0,
            0.0,
        )  # seconds that it has had the processor, and waited for it, until the last look
        self._forget(0, 0.0)
        if patience < math.inf:
            _watchdog.expect(self)

    def close(self) -> None:
        """Say that there will be nothing more to look at."""
        _watchdog.expected.discard(self)

    def __enter__(self) -> None:
        if self._patience < math.inf:
            self._thread = threading.get_native_id()
            _watchdog.begin(self)

    def __exit__(self, *_: object) -> None:
        if self._patience < math.inf:
            _watchdog.watches.discard(self)
            self._error = None  # it leads to frames, and they to this run

    def look(self, now: float) -> None:
        """See whether the turn is still the same as before, and for how long."""
        self.due = now + self.pause
        turn = self._engine.turn
        if turn == 0:
            return
        if turn != self._warned:
            self._warn_of_blocking(turn)
        if turn != self._turn:
            self._forget(turn, now)
            return
        places = list(_places(self._engine.thread))
        if not places or any(place.is_debugger for place in places):
            return
        self._spent += self._spent_since_look()
        if self._spent >= self._patience:
            self._end_turn(places, now)

    def _warn_of_blocking(self, turn: int) -> None:
        """Say which line of a program makes the run wait; where warnings are errors, it is raised there."""
        who = self._engine.whose_turn()
        frame = sys._current_frames().get(self._engine.thread)
        call = blocking_call(frame) if frame is not None and who.startswith("task ") else None
        if frame is None or call is None or self._engine.turn != turn:
            return
        self._warned = turn
        text = f"{who} calls {call.name}(), for which the whole run waits while no time passes in it; {call.advice}"
        registry = frame.f_globals.setdefault("__warningregistry__", {})
        module = str(frame.f_globals.get("__name__"))
        try:
            warnings.warn_explicit(
                text, BlocksRun, frame.f_code.co_filename, frame.f_lineno or 0, module, registry
            )
        except BlocksRun as error:
            self._engine.interrupt(turn, _bearer(self._engine, error), None)

    def _spent_since_look(self) -> float:
        before, self._times = self._times, _times(self._thread)
        computed, waited = (now - then for now, then in zip(self._times, before, strict=True))
        return spent(self.pause, computed, waited)

    def _forget(self, turn: int, now: float) -> None:
        self._turn = turn
        self._begin = now
        self._spent = 0.0
        self._times = _times(self._thread)
        self._tries = self._bad_moments = 0
        self._error = None

    def _end_turn(self, places: list[_Place], now: float) -> None:
        if not _is_good_moment(places) and self._bad_moments < _MOMENTS:
            self._bad_moments += 1
            self.due = now + min(self.pause, _SHORTEST_PAUSE)
            return
        self._error = error = self._error or self._make_error(places, now - self._begin)
        if not self._engine.is_interrupting:  # else the last one has not arrived yet, or was lost on its way
            if self._tries == _MOST_INTERRUPTS:
                return
            self._tries += 1
            self._bearer = _bearer(self._engine, error if self._tries <= _GENTLE_TRIES else Cut())
        self._engine.interrupt(self._turn, self._bearer, None if self._tries <= _GENTLE_TRIES else error)

    def _make_error(self, places: list[_Place], seconds: float) -> BaseException:
        """Give what the turn has reported already, such as an `await` that is missing, or else NeverWaits."""
        at = next((place for place in places if not place.is_kernel), places[0])
        text = (
            f"{self._engine.whose_turn()} has kept the run waiting for {seconds:.1f} s of wall time at "
            f"t = {self._engine.now} s: it neither waits nor ends; it is at {at.file}, line {at.line}, "
            f"in {at.function}"
        )
        reported = self._engine.reported
        if reported is not None:
            reported.add_note(text)
            return reported
        return NeverWaits(
            f"{text}. A long computation belongs into an activity (InThread, InProcess); or give the run more "
            f"patience: now it is {self._patience} s"
        )


class BlockingCall(NamedTuple):
    """What makes a whole run wait when a program calls it, and what to write instead."""

    function: Callable[..., object]
    name: str
    advice: str


BLOCKING = (
    BlockingCall(time.sleep, "time.sleep", "write `await sleep(...)`, with `from kumi import sleep`"),
    BlockingCall(input, "input", "ask before the run, or in a thread that sends what was typed into the run"),
)


_SIGNS = (time, *(call.function for call in BLOCKING))
"""What a program that calls one of them gets it from."""

_NAMES = frozenset(("time", "sleep", "input"))
"""What local variables for them are called."""


def blocking_call(frame: FrameType) -> BlockingCall | None:
    """Return which blocking function a frame calls on the line where it is, if any.

    Python does not tell what function of C a thread is in. The names on the line do, and what they stand for.

    The local variables of a frame are looked at last: up to Python 3.12 the look leaves a copy of them in the frame, which
    keeps alive what they stood for until the frame ends.
    """
    known = ChainMap(frame.f_globals, frame.f_builtins)
    if not _may_block(frame.f_code, known):
        return None  # quick, and so it is with almost all code
    known = known.new_child(frame.f_locals)
    on_line = {
        str(step.argval)
        for step in dis.get_instructions(frame.f_code)
        if step.opname.startswith("LOAD_") and step.positions and step.positions.lineno == frame.f_lineno
    }
    called = [known[name] for name in on_line if name in known]
    if "sleep" in on_line and any(one is time for one in called):
        called.append(time.sleep)
    return next((call for call in BLOCKING if any(one is call.function for one in called)), None)


def _may_block(code: CodeType, known: Mapping[str, object]) -> bool:
    """Tell whether code has a blocking function at hand: by a global name, by a local one, or by an import of its own."""
    if any(known.get(name) is sign for name in code.co_names for sign in _SIGNS):
        return True
    if not _NAMES.isdisjoint((*code.co_varnames, *code.co_cellvars, *code.co_freevars)):
        return True
    return "time" in code.co_names and any(
        step.opname == "IMPORT_NAME" and step.argval == "time" for step in dis.get_instructions(code)
    )


class _Place(NamedTuple):
    """A line of code on its way."""

    module: str
    file: str
    line: int
    function: str

    @property
    def is_kernel(self) -> bool:
        """Whether it belongs to the kernel, or to what the kernel calls."""
        return self.module.startswith("kumi.devs.") or self.module in {"contextlib", "threading"}

    @property
    def is_finalizer(self) -> bool:
        """Whether an error from here on is lost."""
        return self.function.rpartition(".")[2] in {"__del__", "_warn_unawaited_coroutine"}

    @property
    def is_debugger(self) -> bool:
        """Whether a person may be looking at the program."""
        root = self.module.partition(".")[0]
        return root in {"bdb", "debugpy"} or "pydevd" in root


def _places(thread: int) -> Iterator[_Place]:
    """Give where a thread is, innermost first, without holding on to its frames."""
    frame: FrameType | None = sys._current_frames().get(thread)
    while frame is not None:
        code = frame.f_code
        yield _Place(
            str(frame.f_globals.get("__name__")), code.co_filename, frame.f_lineno or 0, code.co_qualname
        )
        frame = frame.f_back


def spent(pause: float, computed: float, waited: float) -> float:
    """Return what a turn took for itself between two looks: what it computed, or the pause between them if it slept.

    A thread that waits for the processor does not sleep. The looks may be farther apart, if the machine was busy or slept, too.
    """
    is_asleep = computed + waited < _ASLEEP * pause
    return pause if is_asleep else min(computed, pause)


def _times(thread: int) -> tuple[float, float]:
    """Return the seconds that a thread of this process has had the processor, and waited for it; 0 where nobody tells."""
    try:
        file = os.open(f"/proc/self/task/{thread}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0.0, 0.0
    try:
        computed, waited = os.read(file, 64).split()[:2]
        return int(computed) * 1e-9, int(waited) * 1e-9
    except (OSError, ValueError):
        return 0.0, 0.0
    finally:
        os.close(file)


def _is_good_moment(places: list[_Place]) -> bool:
    """Tell whether an error leaves the kernel in order and is not lost, if it is raised here."""
    return not places[0].is_kernel and not any(place.is_finalizer for place in places)


def _bearer(engine: Engine, error: BaseException) -> type[BaseException]:
    """Give a class whose only instance is the error: Python raises nothing but classes in other threads."""

    def arrive(*_: Any) -> BaseException:
        engine.arrived()
        return error

    kind = type(error)
    return type(kind.__name__, (kind,), {"__new__": arrive, "__module__": kind.__module__})


class _Watchdog:
    """The thread that looks; it is there while runs are under way or expected, and a moment longer."""

    def __init__(self) -> None:
        self.expected: WeakSet[TurnWatch] = WeakSet()  # of simulations that are open
        self.watches: set[TurnWatch] = set()  # of runs under way
        self._start_afresh()
        os.register_at_fork(after_in_child=self._start_afresh)

    def _start_afresh(self) -> None:
        self._lock = threading.Lock()
        self._bell = threading.Event()
        self._until = math.inf  # when it looks again
        self._idle_looks = 0
        self._is_there = False

    def expect(self, watch: TurnWatch) -> None:
        """Look from now on, often enough for this watch, whether its run is under way."""
        with self._lock:
            self.expected.add(watch)
            self._idle_looks = 0
        self._call_for(time.monotonic() + watch.pause)

    def begin(self, watch: TurnWatch) -> None:
        """Look after a run from now on."""
        watch.due = time.monotonic() + watch.pause
        self.watches.add(watch)
        self._call_for(watch.due)

    def _call_for(self, due: float) -> None:
        """See to it that there is a look by then; most often there is one anyway."""
        if self._is_there and due >= self._until:
            return
        with self._lock:
            if not self._is_there:
                self._is_there = self._start()
            elif due < self._until:
                self._bell.set()

    def _start(self) -> bool:
        self._until = 0.0
        try:
            threading.Thread(target=self._work, name="kumi-patience", daemon=True).start()
        except RuntimeError:  # while Python ends there are no new threads: the run goes on without
            return False
        return True

    def _work(self) -> None:
        # Watches are held only inside the two calls: during the pause a run may be dropped with all it has.
        while self._choose_pause():
            self._bell.wait(max(0.0, self._until - time.monotonic()))
            self._look()

    def _look(self) -> None:
        now = time.monotonic()
        for watch in tuple(self.watches):
            if watch.due <= now:
                watch.look(now)

    def _choose_pause(self) -> bool:
        """Find out until when to wait; False if there is nothing left to look at."""
        with self._lock:
            self._bell.clear()
            self._is_there = False  # whoever begins now, and may be missed in the next line, calls
            watches = tuple(self.watches)
            self._idle_looks = 0 if watches else self._idle_looks + 1
            if self._idle_looks > _IDLE_LOOKS:
                self.expected.clear()
            now = time.monotonic()
            looks = [watch.due for watch in watches] + [now + watch.pause for watch in self.expected]
            if not looks:
                return False
            self._until = min(looks)
            self._is_there = True
        return True


_watchdog = _Watchdog()

"""Why did a paced run miss a deadline?

An instant comes late for one of three reasons: the system woke the run too late, something that happened took long, or
very many things did together. What was lost is added up from the last instant that was on time; the largest part is
the cause. The late turn is found by a thread that looks now and then at the turn under way, and costs the run nothing.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from dataclasses import dataclass
from time import monotonic, sleep
from weakref import WeakSet

from kumi._core import Engine

SAMPLE_PERIOD = 0.01
"""Seconds between two looks at the turn under way."""
IDLE_LOOKS = 20
"""So often the thread looks in vain before it ends."""
MOST_CAUSES = 100
"""So many misses are remembered with their cause; all are counted."""


@dataclass(frozen=True)
class Miss:
    """An instant that came more than the tolerance late: when in the run, by how many seconds of wall time, and why."""

    time: float
    late: float
    cause: str

    def __str__(self) -> str:
        return f"t = {self.time:.3f} s came {self.late:.3f} s late: {self.cause}"


class Misses:
    """The misses of a run: how many, and the last of them with their cause."""

    def __init__(self) -> None:
        self.count = 0
        self.last: deque[Miss] = deque(maxlen=MOST_CAUSES)

    def add(self, miss: Miss) -> None:
        """Count a miss, and remember it."""
        self.count += 1
        self.last.append(miss)


class Blame:
    """Keeps what delayed a run since it was last on time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._overslept = self._worked = self._longest = 0.0
        self._longest_at = 0.0
        self._instants = 0
        self._who = ""
        self._since: float | None = None
        self._seen = ""

    def begin(self) -> None:
        """Look from now on."""
        self.forget()
        _looker.add(self)

    def rest(self) -> None:
        """Look no more until `begin`."""
        _looker.drop(self)

    def forget(self) -> None:
        """Take note that the run is on time."""
        self._overslept = self._worked = self._longest = 0.0
        self._instants, self._who = 0, ""

    def slept(self, wanted: float, took: float) -> None:
        """Take note of a wait, and how long it was in truth."""
        self._overslept += max(0.0, took - wanted)

    def works(self) -> None:
        """Take note that something begins to happen."""
        self._seen, self._since = "", monotonic()

    def worked(self, instant: float) -> None:
        """Take note that all of an instant has happened."""
        assert self._since is not None
        took, self._since = monotonic() - self._since, None
        self._worked += took
        self._instants += 1
        if took > self._longest:
            self._longest, self._longest_at, self._who = took, instant, self._seen

    def cause(self) -> str:
        """Say what delayed the run most since it was last on time."""
        if self._overslept >= self._worked:
            return f"the system woke the run {self._overslept:.3f} s late"
        if self._longest < self._worked / 2:
            return f"{self._instants} instants in a row took {self._worked:.3f} s together"
        who = f", in {self._who}" if self._who else ""
        return f"what happened at t = {self._longest_at:.3f} s took {self._longest:.3f} s{who}"

    def look(self) -> None:
        """See who has had the turn for long; called from another thread."""
        since = self._since
        if since is not None and not self._seen and monotonic() - since > SAMPLE_PERIOD:
            self._seen = _whose(self._engine)


class _Looker:
    """The thread that looks at all paced runs under way; it is there while there are any, and a moment longer."""

    def __init__(self) -> None:
        self._start_afresh()
        os.register_at_fork(after_in_child=self._start_afresh)

    def _start_afresh(self) -> None:
        self._lock = threading.Lock()
        self._blames: WeakSet[Blame] = WeakSet()
        self._is_there = False

    def add(self, blame: Blame) -> None:
        """Look at a run from now on."""
        with self._lock:
            self._blames.add(blame)
            if not self._is_there:
                self._is_there = True
                threading.Thread(target=self._work, name="kumi-blame", daemon=True).start()

    def drop(self, blame: Blame) -> None:
        """Look at a run no more."""
        with self._lock:
            self._blames.discard(blame)

    def _work(self) -> None:
        idle = 0
        while idle < IDLE_LOOKS or not self._ends():
            sleep(SAMPLE_PERIOD)
            idle = 0 if self._look() else idle + 1

    def _ends(self) -> bool:
        """End the thread unless somebody has come meanwhile."""
        with self._lock:
            self._is_there = bool(self._blames)
            return not self._is_there

    def _look(self) -> bool:
        """Look at all once; tell whether there were any. None of them is held on to."""
        with self._lock:
            blames = list(self._blames)
        for blame in blames:
            blame.look()
        return bool(blames)


_looker = _Looker()


def _whose(engine: Engine) -> str:
    """Say who has the turn, and where in the code it is."""
    frame = sys._current_frames().get(engine.thread)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(("kumi.devs", "threading")):
        frame = frame.f_back
    place = "" if frame is None else f"{frame.f_code.co_qualname}, line {frame.f_lineno}"
    turn = engine.whose_turn() if engine.turn else ""
    return ", ".join(words for words in (turn, place) if words)

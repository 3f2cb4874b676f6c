"""How far is a study, and how long will it take?

On a terminal a bar; elsewhere a line now and then. The time that is left is estimated for each combination from how
long its own runs took, where there are any, since combinations may differ a hundredfold.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self

from kumi.cli.terminal import RunBar

if TYPE_CHECKING:
    from kumi.study.processes import StudyWorkers
    from kumi.study.study import StudySession

LINE_EVERY = 10.0
"""Seconds between two lines where there is no terminal."""


class StudyProgress:
    """Shows how far a study is."""

    def __init__(self, session: StudySession, on: str = "local") -> None:
        self._session = session
        self._on = on
        self._estimate = TimeLeft(len(session.study.design.points))
        self._workers = 0
        self._failed = 0
        self._said = 0.0
        self._bar = RunBar(None)

    @contextmanager
    def begins(self, workers: Callable[[], AbstractContextManager[StudyWorkers]]) -> Iterator[StudyWorkers]:
        """Say what begins, when the workers are there."""
        session = self._session
        if self._on != "local":
            self._say(f"{session.study.name}: waiting for workers on {self._on}")
        with workers() as found:
            self._workers = found.count
            for run in session.done.values():
                self._estimate.take(run)
            points, done = len(session.study.design.points), session.plan.done
            before = f", {done:,} of them done before" if done else ""
            how = f"{count(points, 'combination')} in {count(session.plan.planned, 'run')}{before}"
            self._say(
                f"{session.study.name}: {how}; {count(found.count, 'worker')}; results in {session.folder}"
            )
            self._said = time.monotonic()
            self._show()
            yield found

    def told(self, run: dict[str, Any]) -> None:
        """Take a run that is done."""
        self._estimate.take(run)
        if run["outcome"] != "finished":
            self._failed += 1
            if self._failed == 1:
                self._say(f"row {run['row']} failed: {run['outcome']}")
        self._show()
        if not self._bar.is_shown and time.monotonic() - self._said >= LINE_EVERY:
            self._said = time.monotonic()
            self._say(f"{self._session.study.name}: {self._words()}")

    def _show(self) -> None:
        session = self._session
        self._bar.total = session.plan.planned
        self._bar.show(session.plan.done, session.study.name, self._words())

    def _words(self) -> str:
        session = self._session
        done, planned = session.plan.done, session.plan.planned
        more = "+" if session.plan.stop is not None and planned < session.plan.most else ""
        failed = f", {self._failed:,} failed" if self._failed else ""
        left = self._estimate.left(session.plan.left) / max(1, self._workers)
        when = f", about {duration(left)} left" if self._estimate.is_known and done < planned else ""
        return f"{done:,} of {planned:,}{more} runs{failed}{when}"

    def _say(self, line: str) -> None:
        self._bar.say(line)

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)


class TimeLeft:
    """How many seconds of work are left."""

    def __init__(self, points: int) -> None:
        self._points = points
        self._sums = [0.0] * points
        self._counts = [0] * points

    @property
    def is_known(self) -> bool:
        """Whether a run has been seen."""
        return any(self._counts)

    def take(self, run: dict[str, Any]) -> None:
        """Take a run into account."""
        point = run["row"] % self._points
        self._sums[point] += run["wall_seconds"]
        self._counts[point] += 1

    def left(self, runs: Sequence[int]) -> float:
        """Return the seconds that so many runs of each combination take, one after the other."""
        usual = sum(self._sums) / max(1, sum(self._counts))
        return sum(
            left * (self._sums[point] / self._counts[point] if self._counts[point] else usual)
            for point, left in enumerate(runs)
        )


def duration(seconds: float) -> str:
    """Write how long something takes: 8 s, 12:30, 3:05:00."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    text = str(timedelta(seconds=round(seconds)))
    return text.removeprefix("0:")


def count(number: int, what: str) -> str:
    """Write a number of things: 1 run, 2 runs."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"

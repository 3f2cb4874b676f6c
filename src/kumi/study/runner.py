"""How are all runs of a study done?

Runs are handed to an executor, a few more tasks than it has workers, and each that comes back is written down before
anything else happens. Short runs are handed out several to a task, of `TASK_SECONDS` in all. A run counts as finished, and
is told, when it is on the disk: that is seen to after `BEAT` seconds at the latest, for all that came in meanwhile.

A task whose worker died is handed out again, its runs one by one; a run that brings down three is given up. Whether a run
is done here or on another machine makes no difference to what it comes to.

A study ends early where going on makes no sense: each of the first runs failed, a metric got no data in any of them,
or the disk has no room for the rest.
"""

from __future__ import annotations

import shutil
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from pathlib import Path
from typing import Any

from kumi.devs.errors import KumiError
from kumi.scenario.complaints import listed
from kumi.study.design import Row
from kumi.study.errors import Stopped, StudyError
from kumi.study.processes import StudyWorkers
from kumi.study.record import code_of_kumi
from kumi.study.results import FIXED_COLUMNS
from kumi.study.stopping import RowPlan
from kumi.study.subjects import Subject
from kumi.study.tasks import FINISHED, do_rows, failed

ATTEMPTS = 3
MOST_EMPTY_RUNS = 8
"""Runs after which a study ends that has nothing to show for them."""
BEAT = 0.2
"""Seconds between two looks whether a person wants to end it, and in which finished runs are told at the latest."""
TASK_SECONDS = 0.1
"""How long the runs of one task take, about, where one is shorter."""
MOST_ROWS = 256
"""Runs of a task."""


class Conductor:
    """Does the runs of a study that are due.

    `keep` writes one down, with what its metrics mean, `sync` has them on the disk, and `is_ended` tells that it is to end.
    """

    def __init__(
        self,
        subject: Subject,
        plan: RowPlan,
        workers: StudyWorkers,
        keep: Callable[[dict[str, Any], dict[str, Any]], object],
        sync: Callable[[], object] | None = None,
        is_ended: Callable[[], bool] = lambda: False,
    ) -> None:
        self.subject = subject
        self.plan = plan
        self._workers = workers
        self._keep = keep
        self._sync = sync
        self._code = code_of_kumi()
        self._is_ended = is_ended
        self._due: deque[Row] = deque()
        self._flying: dict[Future[list[dict[str, Any]]], list[Row]] = {}
        self._attempts: dict[int, int] = {}
        self._suspects: set[int] = set()
        """Rows of tasks whose workers died: each is done by itself."""
        self._size = 1
        self._written: list[dict[str, Any]] = []
        self._synced = 0.0
        self._first: list[dict[str, Any]] = []
        self._measures: dict[str, Any] = {}
        self._is_checked = False

    def conduct(self, done: dict[int, dict[str, Any]], told: Callable[[dict[str, Any]], object]) -> None:
        """Do all runs that are not done; `told` hears of each."""
        self._due.extend(self.plan.begin(done))
        self._is_checked = bool(done)
        try:
            while (self._due or self._flying) and not self._is_ended():
                self._hand_out()
                over, _ = wait(self._flying, timeout=BEAT, return_when=FIRST_COMPLETED)
                # What one worker does is kept in the order of the rows.
                for future in [one for one in self._flying if one in over]:
                    for run in self._taken(future, self._flying.pop(future)):
                        self._take(run)
                if time.monotonic() - self._synced >= BEAT:
                    self._tell(told)
        finally:
            self._tell(told)

    def _take(self, run: dict[str, Any]) -> None:
        """Write down a run, and see what follows from it."""
        self._check_names(run)
        measures = run.pop("measures", {})
        self._measures.update(measures)
        self._keep(run, measures)
        self._written.append(run)
        if not self._is_checked:
            self._is_checked = self._check_first(run)
        self._due.extend(self.plan.take(run))

    def _tell(self, told: Callable[[dict[str, Any]], object]) -> None:
        """Have what was written on the disk, and tell it."""
        if not self._written:
            return
        if self._sync is not None:
            self._sync()
        self._synced = time.monotonic()
        written, self._written = self._written, []
        for run in written:
            told(run)

    def _hand_out(self) -> None:
        while self._due and len(self._flying) < 2 * self._workers.count:
            rows = self._next_rows()
            self._flying[self._workers.executor.submit(do_rows, self.subject, rows, self._code)] = rows

    def _next_rows(self) -> list[Row]:
        """Return the runs of the next task: no more than leave as many for each of the other workers."""
        size = min(self._size, -(-len(self._due) // (2 * self._workers.count)))
        rows = [self._due.popleft()]
        while len(rows) < size and not self._suspects & {rows[0].number, self._due[0].number}:
            rows.append(self._due.popleft())
        return rows

    def _taken(self, future: Future[list[dict[str, Any]]], rows: list[Row]) -> list[dict[str, Any]]:
        """Return the runs of a task that is done; those of one whose worker died are due again."""
        try:
            runs = future.result()
        except self._workers.died as death:
            if len(rows) > 1:
                self._suspects.update(row.number for row in rows)
            elif self._is_last_attempt(rows[0]):
                return [failed(rows[0], f"given up after {ATTEMPTS} attempts: {death}")]
            self._due.extendleft(reversed(rows))
            return []
        except (Exception, CancelledError) as error:
            raise Stopped(
                f"{rows_in_words(rows)} cannot be done: {words(error)}; runs so far are kept"
            ) from error
        if self._is_checked:
            longest = max(run["wall_seconds"] for run in runs)
            self._size = max(1, min(int(TASK_SECONDS / max(longest, 1e-6)), 2 * self._size, MOST_ROWS))
        return runs

    def _is_last_attempt(self, row: Row) -> bool:
        self._attempts[row.number] = self._attempts.get(row.number, 0) + 1
        return self._attempts[row.number] >= ATTEMPTS

    def _check_names(self, run: dict[str, Any]) -> None:
        taken = set(run["metrics"]) & {*FIXED_COLUMNS, *run["parameters"]}
        if taken:
            raise StudyError(
                f"a metric cannot be named {listed(sorted(map(repr, taken)), 'or')}: a column of the results has that name"
            )

    def _check_first(self, run: dict[str, Any]) -> bool:
        """Look at the first runs; end the study if they show that it comes to nothing. True when all is well."""
        self._first.append(run)
        is_enough = len(self._first) >= min(MOST_EMPTY_RUNS, self.plan.planned)
        finished = [one for one in self._first if one["outcome"] == FINISHED]
        if not finished:
            if is_enough:
                raise Stopped(
                    f"all of the first {len(self._first)} runs failed; the first with: {self._first[0]['outcome']}"
                )
            return False
        empty = self._without_data(finished)
        if self.plan.stop is not None and self.plan.stop.metric not in finished[0]["metrics"]:
            known = listed(finished[0]["metrics"])
            raise StudyError(
                f"stop.metric is {self.plan.stop.metric!r}, and there is no such metric; there are {known}"
            )
        if not empty:
            return True
        if is_enough:
            raise Stopped(
                f"metric {listed(map(repr, empty))} got no data in any of the first {len(finished)} runs; couple it to "
                "something that happens, or say may_be_missing=True if that is a result"
            )
        return False

    def _without_data(self, runs: Iterable[dict[str, Any]]) -> list[str]:
        """Return the metrics that have no value in any run, and of which that is not said to be a result."""
        rows = list(runs)
        names = [name for name, measure in self._measures.items() if not measure["may_be_missing"]]
        return [
            name
            for name in names
            if all(run["metrics"].get(name) is None and name not in run.get("censored", {}) for run in rows)
        ]


def rows_in_words(rows: list[Row]) -> str:
    """Name the rows of a task."""
    first, last = rows[0].number, rows[-1].number
    return f"row {first}" if first == last else f"one of rows {first} to {last}"


def words(error: BaseException) -> str:
    """Return an error in one line; with its kind, unless it is one of ours."""
    text = " ".join(str(error).split())
    return text if isinstance(error, KumiError) else f"{type(error).__name__}: {text}"


def check_room(folder: Path, size: int, left: int) -> None:
    """Refuse to go on where the rest of the runs will not fit on the disk; runs and table take about twice a run."""
    free = shutil.disk_usage(folder).free
    wanted = 2 * size * left
    if wanted > free:
        raise Stopped(
            f"the disk of {folder} has {amount(free)} left, and {left:,} more runs take about {amount(wanted)}; runs so "
            "far are kept"
        )


def amount(size: int) -> str:
    """Write a number of bytes: 1.5 kB, 20 MB."""
    power = min(3, (len(str(size)) - 1) // 3)
    return f"{size / 1000**power:.3g} {('bytes', 'kB', 'MB', 'GB')[power]}"

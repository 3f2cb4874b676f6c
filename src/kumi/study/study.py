"""A study: a subject, a design, and a folder for what comes out.

It can be ended at any moment and goes on where it was: runs that are in the folder are not done again.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kumi.devs.interrupts import ended_by_signals
from kumi.study.design import Design
from kumi.study.errors import FolderError, Stopped
from kumi.study.processes import StudyWorkers
from kumi.study.record import (
    FORMAT,
    RECORD_FILE,
    check_same,
    machine,
    read_record,
    versions,
    write_record,
)
from kumi.study.results import FINISHED, REPLAYS, RUNS_FILE, TABLE_FILE, Journal, Results, in_order
from kumi.study.runner import Conductor, check_room
from kumi.study.stopping import RowPlan, StopRule
from kumi.study.subjects import Subject

Told = Callable[[dict[str, Any]], object]


@dataclass(frozen=True)
class Study:
    """All that is to be done; `stop` adds seeds until an interval is narrow enough."""

    name: str
    subject: Subject
    design: Design
    stop: StopRule | None = None
    sensitivity: dict[str, Any] | None = None
    """What the combinations were drawn for: which parameters matter, by which method, over which ranges."""
    units: Mapping[str, str] = field(default_factory=dict)
    """In what parameters are given, by their names, as plots tell it."""

    def check(self) -> None:
        """Refuse what makes no sense in any combination, before the first run."""
        *most, last = self.design.points
        for point in most:
            self.subject.check(point, staged=point is most[0])
        self.subject.check(last, staged=True)

    @property
    def record(self) -> dict[str, Any]:
        """What study.json says, but for the metrics, which are known after the first run."""
        return {
            "format": FORMAT,
            "name": self.name,
            "experiment": self.subject.reference,
            "folder": self.subject.folder,
            "code": self.subject.code,
            "configuration": self.subject.configuration,
            "vary": self.design.vary,
            "units": dict(self.units),
            "rows": self.design.combinations,
            "sensitivity": self.sensitivity,
            "seeds": list(self.design.seeds),
            "stop": None if self.stop is None else asdict(self.stop),
            "metrics": {},
            "versions": versions(),
            "machine": machine(),
        }


class StudySession:
    """A study under way, in a folder or in memory: it ends when all is done, or when it is told to."""

    def __init__(self, study: Study, folder: Path | None = None, *, again: bool = False) -> None:
        study.check()
        self.study = study
        self.folder = folder
        self.record = study.record
        self.plan = RowPlan(study.design, study.stop)
        self.done: dict[int, dict[str, Any]] = {}
        self._left_out = again
        self._is_ended = self._is_under_way = False
        self.has_begun = False
        """Whether there are workers, and runs are being done."""
        self._size = 0

    def end(self) -> None:
        """End it after what is being kept now."""
        self._is_ended = True

    def break_off(self) -> None:
        """End it after what is being kept now; what is no run yet, such as a wait for workers, at once."""
        self.end()
        if not self._is_under_way:
            raise KeyboardInterrupt

    @property
    def is_complete(self) -> bool:
        """Whether all runs that are due are done."""
        return self.plan.done == self.plan.planned

    def open(self) -> Journal | None:
        """Take over what is in the folder, and hold it for this session."""
        if self.folder is None:
            return None
        if (self.folder / RECORD_FILE).exists():
            there = read_record(self.folder)
            check_same(self.folder, there, self.record)
            self.record["metrics"] = there["metrics"]
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            journal = Journal(self.folder)
        except OSError as error:
            reason = "it is a file" if self.folder.is_file() else (error.strerror or str(error)).lower()
            raise FolderError(f"results cannot be kept in {self.folder}: {reason}") from error
        try:
            write_record(self.folder, self.record)
        except BaseException:
            journal.close()
            raise
        self.done = {run["row"]: run for run in journal.runs}
        if self._left_out:
            self.done = {row: run for row, run in self.done.items() if run["outcome"] == FINISHED}
        return journal

    def run(self, journal: Journal | None, workers: StudyWorkers, told: Told = lambda _: None) -> None:
        """Do the runs that are not done."""

        def keep(run: dict[str, Any], measures: dict[str, Any]) -> None:
            size = 0 if journal is None else journal.write(run)
            self.done[run["row"]] = run
            self._learn(run, measures)
            if self.folder is not None and not self._size:
                self._size = size
                check_room(self.folder, size, sum(self.plan.left) - 1)

        sync = None if journal is None else journal.sync
        conductor = Conductor(self.study.subject, self.plan, workers, keep, sync, lambda: self._is_ended)
        self._is_under_way = self.has_begun = True
        try:
            conductor.conduct(dict(self.done), told)
        finally:
            self._is_under_way = False

    def _learn(self, run: dict[str, Any], measures: dict[str, Any]) -> None:
        """Write down what the metrics mean, when they are first seen."""
        known = self.record["metrics"]
        before = dict(known)
        for name in run["metrics"]:
            one = measures.get(name, {})
            known.setdefault(name, {"unit": one.get("unit", ""), "about": one.get("about", "")})
            if one.get("is_event_time"):
                known[name] = {**known[name], "is_event_time": True}
        if known != before and self.folder is not None:
            write_record(self.folder, self.record)

    def write_table(self) -> None:
        """Write the table of what there is, if there is a folder for it."""
        if self.folder is not None and self.done:
            self.results.write_table()

    @property
    def results(self) -> Results:
        """What there is so far."""
        return Results(self.record, in_order(list(self.done.values())), self.folder)


def clear(folder: Path) -> None:
    """Forget the results in a folder; what else is in it stays."""
    for name in (RUNS_FILE, RECORD_FILE, TABLE_FILE):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / REPLAYS, ignore_errors=True)


def conduct(session: StudySession, workers: Callable[[], Any], told: Told = lambda _: None) -> Results:
    """Do a study in its folder, or in memory, and return what there is when it ends.

    Ctrl-C ends it, too, and then raises KeyboardInterrupt; SIGTERM ends the process then. The table is written even then.
    """
    with ended_by_signals(session.break_off), ExitStack() as stack:
        journal = session.open()
        if journal is not None:
            stack.enter_context(journal)
        try:
            session.plan.begin(session.done)
            if not session.is_complete:
                session.run(journal, stack.enter_context(workers()), told)
        except BaseException:
            with suppress(Stopped):  # what ended the study is said, not what came of it
                session.write_table()
            raise
        session.write_table()
    return session.results

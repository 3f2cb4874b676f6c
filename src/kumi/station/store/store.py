"""How is an operation on disk before it is answered, and still quick?

One thread writes. It takes all jobs that wait, does each within a savepoint of one transaction, commits, and only then
answers all of them: one write to disk serves many. A job that raises is undone alone. What the jobs of a transaction told
goes to the listeners after the commit, in order.

Several processes may share a store. Each learns what the others told: a transaction begins with what was committed since its
last one, and a process that has nothing to write looks every 50 ms. So all listeners hear all, in the order of the log.

What must not be overtaken, such as a stop that is not written yet, is written at the beginning of each transaction: none that
begins after it was asked for is carried out without it.

SQLite in a file is the default, with its write-ahead log made durable at each commit. A PostgreSQL URL works the same; its
writers take turns, so that the numbers of happenings follow the order of commits and a reader with a cursor misses none.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar
from uuid import uuid4

import msgspec
import sqlalchemy as sql
from sqlalchemy.exc import DataError, SQLAlchemyError

from kumi.station.refusals import Reason, Refused
from kumi.station.store.engines import engines
from kumi.station.store.migration import migrate
from kumi.station.store.reserve import DiskFull, DiskReserve, is_full
from kumi.station.store.schema import FORMAT, WRITER_LOCK, happenings
from kumi.station.store.soundness import Soundness
from kumi.station.store.transaction import LogNotice, Transaction

T = TypeVar("T")
Preceding = Callable[[Transaction], Callable[[], None] | None]
"""What goes before the jobs of a transaction; what it returns is called after the commit."""

MOST_AT_ONCE = 256
"""Jobs in one transaction."""
POLL_PERIOD = 0.05
"""Seconds between two looks for what other processes told."""
_LOGGER = logging.getLogger(__name__)
_NEWEST = sql.select(sql.func.max(happenings.c.id))


class _Job(Generic[T]):
    def __init__(self, work: Callable[[Transaction], T], takes_room: bool = False) -> None:
        self.work = work
        self.takes_room = takes_room
        self.answer: Future[T] = Future()


class StationStore:
    """What a station keeps, as one of its processes sees it; `folder` is where the last commit of a server is kept."""

    def __init__(
        self,
        url: str,
        *,
        clock: Callable[[], float] = time.time,
        folder: Path | None = None,
        accept_damage: bool = False,
        has_reserve: bool = False,
    ) -> None:
        self.url = url
        self.clock = clock
        self.process = uuid4().hex[:16]
        made = sql.make_url(url)
        if made.get_backend_name() == "sqlite" and made.database in (None, "", ":memory:"):
            raise ValueError(f"a station keeps its store in a file, not in memory: {url}")
        self._soundness = Soundness(made, folder, accept=accept_damage)
        has_reserve = has_reserve and made.get_backend_name() == "sqlite"
        self._reserve = DiskReserve(Path(f"{made.database}-spare"), is_kept=has_reserve)
        self._readers, self._writers = engines(made)
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._listeners: list[Callable[[list[LogNotice]], None]] = []
        self._preceding: Preceding | None = None
        self._closed = threading.Event()
        try:
            self._last = self._with_room(lambda: self._prepare(accept_damage))
        except BaseException:
            self._let_go()
            self._soundness.take_back()
            raise
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()
        self._follower: threading.Thread | None = None

    def listen(self, listener: Callable[[list[LogNotice]], None]) -> None:
        """Have told what happened, on the writing thread: after each commit, before its jobs are answered."""
        self._listeners.append(listener)

    def precede(self, work: Preceding) -> None:
        """Have some work done at the beginning of each transaction; one in which it fails is not carried out."""
        self._preceding = work

    def write(self, work: Callable[[Transaction], T], *, takes_room: bool = False) -> Future[T]:
        """Do some work within a transaction; the answer comes when it is on disk. What takes room is refused on a full disk."""
        job = _Job(work, takes_room)
        if self._closed.is_set():
            job.answer.set_exception(_unavailable("the station is shutting down"))
        else:
            self._jobs.put(job)
        return job.answer

    def follow(self) -> None:
        """Have the listeners told from now on what other processes do, even while nothing is written here."""
        if self._follower is None:
            self._follower = threading.Thread(target=self._follow, name="follow", daemon=True)
            self._follower.start()

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Look at what is kept, at one instant."""
        try:
            with self._readers.connect() as connection:
                yield Transaction(connection, self.clock(), self.process)
        except SQLAlchemyError as error:
            raise _refused(error) from error

    @contextmanager
    def snapshot(self) -> Iterator[sql.Connection]:
        """Look at all that is kept, as it is at one instant, however long that takes."""
        level = {} if self._readers.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        with self._readers.execution_options(**level).connect() as connection:
            yield connection

    def close(self) -> None:
        """Finish what waits, then let go of the database."""
        if not self._closed.is_set():
            self._closed.set()
            if self._follower is not None:
                self._follower.join()
            self._jobs.put(None)
            self._thread.join()
            self._let_go()

    def _let_go(self) -> None:
        while (failed := self._soundness.fold(self._writers)) and is_full(failed) and self._reserve.give():
            pass
        self._readers.dispose()
        self._writers.dispose()
        self._soundness.close()

    def _prepare(self, accept_damage: bool) -> int:
        """Make the tables where there are none, and check what is there; return the number of the last happening."""
        try:
            with self._writers.begin() as connection:
                if connection.dialect.name == "postgresql":
                    connection.execute(WRITER_LOCK)
                before = migrate(connection, self.url)
                self._soundness.check(connection, accept=accept_damage)
                if before != FORMAT:
                    _LOGGER.warning(
                        "the store at %s had format %d, and has format %d now", self.url, before, FORMAT
                    )
                return connection.execute(_NEWEST).scalar() or 0
        except SQLAlchemyError as error:
            raise OSError(f"cannot open the store at {self.url}: {_said(error)}") from error

    def _follow(self) -> None:
        while not self._closed.wait(POLL_PERIOD):
            try:
                with self._readers.connect() as connection:
                    newest = connection.execute(_NEWEST).scalar() or 0
            except SQLAlchemyError:
                continue  # the database is away; whoever calls is told so
            if newest > self._last:
                wait([self.write(lambda _: None)])

    def _run(self) -> None:
        is_open = True
        while is_open:
            batch = [self._jobs.get()]
            while len(batch) < MOST_AT_ONCE and not self._jobs.empty():
                batch.append(self._jobs.get())
            is_open = None not in batch
            jobs = [job for job in batch if job is not None and job.answer.set_running_or_notify_cancel()]
            jobs = self._fitting(jobs)
            if jobs:
                self._commit(jobs)

    def _commit(self, jobs: list[_Job[Any]]) -> None:
        """Do the jobs in one transaction; where that fails as a whole, each in one of its own."""
        try:
            answers, told, committed = self._attempt(jobs)
        except Exception as error:  # noqa: BLE001 - the thread must outlive whatever the database does
            self._commit_each(jobs, error)
            return
        if told:
            self._last = told[-1].id
            for listener in self._listeners:
                try:
                    listener(told)
                except Exception:
                    _LOGGER.exception("a listener of the store failed")
        if committed is not None:
            committed()
        for job, (answer, failure) in zip(jobs, answers, strict=True):
            if failure is not None:
                job.answer.set_exception(failure)
            else:
                job.answer.set_result(answer)

    def _commit_each(self, jobs: list[_Job[Any]], error: Exception) -> None:
        """Do jobs alone that failed together; one that failed alone again, if there is room now, or it is refused."""
        if len(jobs) > 1:
            for job in jobs:
                self._commit([job])
        elif is_full(error) and not jobs[0].takes_room and self._make_room():
            self._commit(jobs)
        else:
            self._reserve.is_low = self._reserve.is_low or is_full(error)
            jobs[0].answer.set_exception(_refused(error))

    def _fitting(self, jobs: list[_Job[Any]]) -> list[_Job[Any]]:
        """Return the jobs that are done now; refuse those that take room, where there is little."""
        if not self._reserve.is_low or self._reserve.refill():
            return jobs
        for job in jobs:
            if job.takes_room:
                job.answer.set_exception(DiskFull())
        return [job for job in jobs if not job.takes_room]

    def _make_room(self) -> bool:
        """Give some room to a full disk, and begin the log anew, which takes none; return whether there was any to give."""
        has_given = self._reserve.give()
        self._soundness.fold(self._writers)
        return has_given

    def _with_room(self, work: Callable[[], T]) -> T:
        """Do something, with more room where the disk is full."""
        while True:
            try:
                return work()
            except OSError as error:
                if not is_full(error.__cause__ or error) or not self._reserve.give():
                    raise

    def _attempt(
        self, jobs: list[_Job[Any]]
    ) -> tuple[list[tuple[Any, Exception | None]], list[LogNotice], Callable[[], None] | None]:
        answers: list[tuple[Any, Exception | None]] = []
        told: list[LogNotice] = []
        committed = None
        number, has_changed = None, False
        with self._writers.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(WRITER_LOCK)
            told += _since(connection, self._last)
            if self._preceding is not None:
                transaction = Transaction(connection, self.clock(), self.process)
                committed = self._preceding(transaction)
                told += transaction.told
                has_changed = transaction.has_changed
            for job in jobs:
                transaction = Transaction(connection, self.clock(), self.process)
                try:
                    with connection.begin_nested():
                        answer = job.work(transaction)
                except SQLAlchemyError:
                    raise
                except Exception as failure:  # noqa: BLE001 - whoever asked for it is told
                    answers.append((None, failure))
                else:
                    answers.append((answer, None))
                    told += transaction.told
                    has_changed = has_changed or transaction.has_changed
            if has_changed:
                number = self._soundness.count(connection)
        if number is not None:
            self._soundness.after_commit(number, self._writers)
        return answers, told, committed


def _since(connection: sql.Connection, last: int) -> list[LogNotice]:
    """Return what was told after an entry of the log, by others."""
    rows = connection.execute(happenings.select().where(happenings.c.id > last).order_by(happenings.c.id))
    return [
        LogNotice(row.id, row.at, row.kind, row.team, row.robot, msgspec.json.decode(row.data))
        for row in rows
    ]


def _refused(error: Exception) -> Exception:
    """Return what to tell whoever asked for something that the database did not do."""
    if is_full(error):
        return DiskFull()
    if isinstance(error, DataError):
        return Refused(Reason.INVALID, f"the store cannot keep that: {_said(error)}")
    return _unavailable(_said(error)) if isinstance(error, SQLAlchemyError) else error


def _unavailable(why: str) -> Refused:
    return Refused(Reason.UNAVAILABLE, f"the store cannot be used now: {why}")


def _said(error: SQLAlchemyError) -> str:
    """Return what the database said, without the statement."""
    original = getattr(error, "orig", None)
    return str(original if original is not None else error).strip().splitlines()[0]

"""How is an operation on disk before it is answered, and still quick?

One thread writes. It takes all jobs that wait, does each within a savepoint of one transaction, commits, and only then
answers all of them: one write to disk serves many. A job that raises is undone alone. What the jobs of a transaction told
goes to the listeners after the commit, in order.

SQLite in a file is the default, with its write-ahead log made durable at each commit. A PostgreSQL URL works the same; its
writers take turns, so that the numbers of happenings follow the order of commits and a reader with a cursor misses none.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import sqlalchemy as sql
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from kumi.station.refusals import Reason, Refused
from kumi.station.store.schema import FORMAT, WRITER_LOCK, facts, metadata
from kumi.station.store.transaction import Told, Transaction

T = TypeVar("T")

MOST_AT_ONCE = 256
"""Jobs in one transaction."""


class _Job(Generic[T]):
    def __init__(self, work: Callable[[Transaction], T]) -> None:
        self.work = work
        self.answer: Future[T] = Future()


class Store:
    """What a station keeps."""

    def __init__(self, url: str, *, clock: Callable[[], float] = time.time) -> None:
        self.url = url
        self.clock = clock
        self._readers, self._writers = _engines(url)
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._listeners: list[Callable[[list[Told]], None]] = []
        self._closed = threading.Event()
        self._prepare()
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def listen(self, listener: Callable[[list[Told]], None]) -> None:
        """Have told what happened, on the writing thread: after each commit, before its jobs are answered."""
        self._listeners.append(listener)

    def write(self, work: Callable[[Transaction], T]) -> Future[T]:
        """Do some work within a transaction; the answer comes when it is on disk."""
        job = _Job(work)
        if self._closed.is_set():
            job.answer.set_exception(_unavailable("the station is shutting down"))
        else:
            self._jobs.put(job)
        return job.answer

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Look at what is kept, at one instant."""
        try:
            with self._readers.connect() as connection:
                yield Transaction(connection, self.clock())
        except DBAPIError as error:
            raise _unavailable(_said(error)) from error

    def close(self) -> None:
        """Finish what waits, then let go of the database."""
        if not self._closed.is_set():
            self._closed.set()
            self._jobs.put(None)
            self._thread.join()
            self._readers.dispose()
            self._writers.dispose()

    def _prepare(self) -> None:
        try:
            with self._writers.begin() as connection:
                if connection.dialect.name == "postgresql":
                    connection.execute(WRITER_LOCK)
                metadata.create_all(connection)
                found = connection.execute(sql.select(facts.c.value).where(facts.c.name == "format")).scalar()
                if found is None:
                    connection.execute(facts.insert().values(name="format", value=str(FORMAT)))
                elif found != str(FORMAT):
                    raise ValueError(
                        f"the store at {self.url} has format {found}; this kumi reads format {FORMAT}"
                    )
        except SQLAlchemyError as error:
            raise OSError(f"cannot open the store at {self.url}: {_said(error)}") from error

    def _run(self) -> None:
        is_open = True
        while is_open:
            batch = [self._jobs.get()]
            while len(batch) < MOST_AT_ONCE and not self._jobs.empty():
                batch.append(self._jobs.get())
            is_open = None not in batch
            jobs = [job for job in batch if job is not None and job.answer.set_running_or_notify_cancel()]
            if jobs:
                self._commit(jobs)

    def _commit(self, jobs: list[_Job[Any]]) -> None:
        """Do the jobs in one transaction; where that fails as a whole, each in one of its own."""
        try:
            answers, told = self._attempt(jobs)
        except DBAPIError as error:
            if len(jobs) == 1:
                jobs[0].answer.set_exception(_unavailable(_said(error)))
                return
            for job in jobs:
                self._commit([job])
            return
        if told:
            for listener in self._listeners:
                listener(told)
        for job, (answer, failure) in zip(jobs, answers, strict=True):
            if failure is not None:
                job.answer.set_exception(failure)
            else:
                job.answer.set_result(answer)

    def _attempt(self, jobs: list[_Job[Any]]) -> tuple[list[tuple[Any, Exception | None]], list[Told]]:
        answers: list[tuple[Any, Exception | None]] = []
        told: list[Told] = []
        with self._writers.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(WRITER_LOCK)
            for job in jobs:
                transaction = Transaction(connection, self.clock())
                try:
                    with connection.begin_nested():
                        answer = job.work(transaction)
                except DBAPIError:
                    raise
                except Exception as failure:  # noqa: BLE001 - whoever asked for it is told
                    answers.append((None, failure))
                else:
                    answers.append((answer, None))
                    told += transaction.told
        return answers, told


def _engines(url: str) -> tuple[sql.Engine, sql.Engine]:
    """Return engines to read and to write with."""
    made = sql.make_url(url)
    if made.get_backend_name() != "sqlite":
        engine = sql.create_engine(made, pool_pre_ping=True)
        return engine, engine
    if made.database in (None, "", ":memory:"):
        raise ValueError(f"a station keeps its store in a file, not in memory: {url}")
    Path(made.database).parent.mkdir(parents=True, exist_ok=True)
    return _sqlite(made, "BEGIN"), _sqlite(made, "BEGIN IMMEDIATE")


def _sqlite(url: sql.URL, begin: str) -> sql.Engine:
    engine = sql.create_engine(url, connect_args={"timeout": 30.0, "check_same_thread": False})

    @sql.event.listens_for(engine, "connect")
    def on_connect(connection: Any, _: object) -> None:
        connection.isolation_level = None  # we begin transactions ourselves
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @sql.event.listens_for(engine, "begin")
    def on_begin(connection: sql.Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _unavailable(why: str) -> Refused:
    return Refused(Reason.UNAVAILABLE, f"the store cannot be used now: {why}")


def _said(error: SQLAlchemyError) -> str:
    """Return what the database said, without the statement."""
    original = getattr(error, "orig", None)
    return str(original if original is not None else error).strip().splitlines()[0]

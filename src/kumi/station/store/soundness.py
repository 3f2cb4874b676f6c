"""Is a store whole when it is opened, and does it stay so?

A store in a file is checked in four ways: the sums of its pages, the structure as SQLite sees it, the number of the last
commit, and how much of the write-ahead log was committed. PostgreSQL checks its own pages, where it was told to; of it the
number is looked at. What is found is kept beside the store until somebody accepts it, so it does not go away by a second start.

The write-ahead log is folded into the file now and then and at a clean end, here and by nobody else; see `page_sums`.
"""

from __future__ import annotations

import logging
import sqlite3
import struct
import time
from contextlib import closing, suppress
from pathlib import Path

import sqlalchemy as sql
from sqlalchemy.exc import SQLAlchemyError

from kumi.station.store.last_commit import LastCommit, LastCommitFile
from kumi.station.store.page_sums import NO_LOG, LogState, PageSums, log_salt, log_size
from kumi.station.store.private import check_file, private_file, private_folder
from kumi.station.store.schema import COMMITS, facts

FOLD_BYTES = 4 * 1024 * 1024
"""Bytes of the write-ahead log after which it is folded in."""
FOLD_PERIOD = 60.0
"""Seconds after which it is folded in where it is shorter."""
SIDES = ("-wal", "-shm", "-sums", "-last", "-spare")
"""The ends of the names of files beside that of the store."""
READERS_TIMEOUT = 0.1
"""Seconds that a fold waits for readers of older entries to end; those who come meanwhile do not hinder it."""
MOST_NAMED = 5
"""Damaged pages that are named."""
_NUMBER = sql.cast(facts.c.value, sql.BigInteger)
_COUNT = (
    facts.update()
    .where(facts.c.name == COMMITS)
    .values(value=sql.cast(_NUMBER + 1, sql.Text))
    .returning(facts.c.value)
)
_LOGGER = logging.getLogger(__name__)


class Soundness:
    """What is known of how a store should be; `folder` is where that is kept of a database server."""

    def __init__(self, url: sql.URL, folder: Path | None, *, accept: bool) -> None:
        self.database = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None
        self.is_new = False
        self._url = url.render_as_string()
        self._sums: PageSums | None = None
        self._last: LastCommitFile | None = None
        self._number: int | None = None  # until it is known
        self._log = NO_LOG
        self._folded_size, self._folded_at = 0, time.monotonic()
        self._wrong: list[int] = []
        self._damage = ""
        if self.database is not None:
            private_folder(self.database.parent)
            self._sums, self._last = PageSums(self.database), LastCommitFile(Path(f"{self.database}-last"))
            for side in SIDES:
                check_file(Path(f"{self.database}{side}"))
            self.is_new = private_file(self.database)
            self._look(self._sums, accept=accept)
        elif folder is not None:
            private_folder(folder)
            self._last = LastCommitFile(folder / "store-last")
            check_file(self._last.path)

    def check(self, connection: sql.Connection, *, accept: bool) -> None:
        """Refuse a store that is damaged or lost its end, unless that is accepted; nobody else may write meanwhile."""
        number = int(connection.execute(sql.select(_NUMBER).where(facts.c.name == COMMITS)).scalar_one())
        found = self._found(connection, number)
        if found and not accept:
            self._damage = found[0]
            self._keep(number)
            raise OSError(
                f"the store at {self._url} is damaged: {'; '.join(found)}; restore a backup with `kumi station restore`, "
                "or go on with what is there with `kumi station --accept-damage`"
            )
        for one in found:
            _LOGGER.warning("accepted of the store at %s: %s", self._url, one)
        self._keep(number)

    def count(self, connection: sql.Connection) -> int:
        """Count a commit that is about to be, and return its number."""
        return int(connection.execute(_COUNT).scalar_one())

    def after_commit(self, number: int, engine: sql.Engine) -> None:
        """Remember a commit, and fold the write-ahead log in, if it is long, or it is time; what fails here undoes nothing."""
        try:
            self._keep(number)
            if self.database is not None:
                now, size = time.monotonic(), log_size(self.database)
                folded = self._folded_size if self._folded_size <= size else 0  # or it has begun anew
                is_time = now - self._folded_at > FOLD_PERIOD and size > folded
                if is_time or size - folded >= FOLD_BYTES:
                    self.fold(engine)
        except OSError:
            _LOGGER.exception("the last commit cannot be kept beside the store")

    def fold(self, engine: sql.Engine) -> Exception | None:
        """Fold the write-ahead log into the file, and keep the sums of what is in it; return why that could not be done."""
        if self.database is None:
            return None
        failed: Exception | None = None
        try:
            with engine.connect() as connection, connection.begin():
                self._fold(self.database)
                if self._number is not None:
                    self._keep(self._number)
        except (SQLAlchemyError, sqlite3.Error, OSError, struct.error) as error:  # all stays in the log
            _LOGGER.warning("the write-ahead log of %s cannot be folded in now: %s", self._url, error)
            failed = error
        self._folded_size, self._folded_at = log_size(self.database), time.monotonic()
        return failed

    def _fold(self, database: Path) -> None:
        if self._sums is not None:
            self._sums.make_room()  # before, since what is folded in must have its sums
        with closing(sqlite3.connect(database)) as folding:
            frames = _folded(folding)
        if frames > 0 and self._sums is not None:
            self._sums.keep_logged(frames)
        self._log = LogState(log_salt(database), max(0, frames))

    def _look(self, sums: PageSums, *, accept: bool) -> None:
        """Compare the pages of a file with their sums, before it is opened; make the sums where there are none."""
        if sums.path.exists():
            self._wrong = sums.wrong()
        elif not self.is_new:
            _LOGGER.warning("the store at %s has no sums of its pages: they are made now", self._url)
        if not sums.path.exists() or (self._wrong and accept):
            sums.keep_all()

    def _keep(self, number: int) -> None:
        self._number = number
        if self._last is not None:
            self._last.keep(LastCommit(number, self._log, self._damage))

    def close(self) -> None:
        """Let go of the files."""
        if self._last is not None:
            self._last.close()

    def take_back(self) -> None:
        """Take back the empty file that was made of a store which is not opened."""
        if self.is_new and self.database is not None:
            for side in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    Path(f"{self.database}{side}").unlink()

    def _found(self, connection: sql.Connection, number: int) -> list[str]:
        """Return what is wrong, in words."""
        found: list[str] = []
        if self._wrong:
            more = " and more" if len(self._wrong) > MOST_NAMED else ""
            named = ", ".join(map(str, self._wrong[:MOST_NAMED])) + more
            found.append(f"pages are not as they were written: {named}")
        if self.database is not None:
            said = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA quick_check(1)")]
            found += [f"its structure is broken: {one}" for one in said if one != "ok"]
        elif connection.exec_driver_sql("SHOW data_checksums").scalar() != "on":
            _LOGGER.warning(
                "the database at %s has no checksums, so it hands out damaged bytes in silence; "
                "`pg_checksums --enable` switches them on",
                self._url,
            )
        return found + self._lost(number)

    def _lost(self, number: int) -> list[str]:
        """Return what is known of a lost end, in words."""
        if self._last is None:
            return []
        try:
            last = self._last.read()
        except (ValueError, UnicodeDecodeError) as error:
            return [f"{self._last.path}, which tells the last commit, cannot be read: {error}"]
        if last is None:
            return []
        if last.damage:
            return [last.damage]
        if last.number > number:
            return [f"its end is lost: it has {number} commits, and had {last.number}"]
        if self.database is None:
            return []
        self._fold(self.database)  # which tells how many frames there are
        if self._log.salt == last.log.salt and self._log.frames < last.log.frames:
            return [
                f"the end of its log is lost: it has {self._log.frames} frames, and had {last.log.frames}"
            ]
        return []


def _folded(connection: sqlite3.Connection) -> int:
    """Fold in what no reader needs any more, and return how many frames the log has; where all is, it begins anew."""
    begun, frames = time.monotonic(), 0
    is_whole = False
    while not is_whole:
        _, frames, folded = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        is_whole = frames == folded or time.monotonic() - begun > READERS_TIMEOUT
        time.sleep(0.0 if is_whole else 0.002)
    return int(frames)

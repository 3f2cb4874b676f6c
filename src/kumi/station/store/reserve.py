"""How does a station go on where its disk is full? It has room of its own, in a file of zeros beside its store.

Where the disk is full, the file is made shorter step by step, so that what takes little room is still written: who logs in, what
is stopped, that a process lives. What takes more is refused until the file has its length again. A database server has no such
file; how its disk is looked after is its own matter.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from kumi.station.refusals import Reason, Refused

RESERVE_BYTES = 4 * 1024 * 1024
"""Bytes of the file when there is room."""
STEP_BYTES = 256 * 1024
"""Bytes that are given back to the disk at a time."""
LOOK_PERIOD = 0.5
"""Seconds between two looks whether there is room again."""
FULL = ("53100", "database or disk is full", "No space left on device", "File too large")
"""How databases say that a disk is full: PostgreSQL by a code, SQLite in words."""
NO_ROOM_FOR_INDEX = 4874
"""The code with which SQLite says that the index of its log, SQLITE_IOERR_SHMSIZE, does not fit on the disk."""


class DiskFull(Refused):
    """The disk is full, and what was asked for takes room."""

    def __init__(self) -> None:
        super().__init__(
            Reason.UNAVAILABLE,
            "the store cannot be used now: the disk of the station is full, so nothing new is kept until there is room; "
            "looking, logging in and stopping work",
        )


class DiskReserve:
    """The file; where `is_kept` is false there is none, and none is made."""

    def __init__(self, path: Path, *, is_kept: bool) -> None:
        self.path = path
        self._is_kept = is_kept
        self._looked = 0.0
        self.is_low = is_kept and path.exists() and path.stat().st_size < RESERVE_BYTES
        if is_kept:
            self.refill()

    def refill(self) -> bool:
        """Have all the room again, if there is room; return whether there is."""
        now = time.monotonic()
        if not self._is_kept or now - self._looked < LOOK_PERIOD:
            return not self.is_low
        self._looked = now
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                os.posix_fallocate(file, 0, RESERVE_BYTES)
            finally:
                os.close(file)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            self.is_low = True
        else:
            self.is_low = False
        return not self.is_low

    def give(self) -> bool:
        """Give some of the room to the disk; return whether there was any."""
        self.is_low = True
        left = self.path.stat().st_size if self._is_kept and self.path.exists() else 0
        if left:
            os.truncate(self.path, max(0, left - STEP_BYTES))
        return left > 0


def is_full(error: BaseException) -> bool:
    """Tell whether something failed because a disk is full."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    if not isinstance(error, (SQLAlchemyError, sqlite3.Error)):
        return False
    original = getattr(error, "orig", error)
    if getattr(original, "sqlite_errorcode", None) == NO_ROOM_FOR_INDEX:
        return True
    said = f"{getattr(original, 'sqlstate', '')} {original}"
    return any(one in said for one in FULL)

"""Has a store lost its end? The number of its last commit is also in a small file beside it.

Each transaction that changes something has the next number, which it writes into the store; when it is committed, the number
goes into the file as well, which is not waited for. So after any kill or power cut the file knows of as many commits as the
store, or of fewer. Where it knows of more, the end of the store is gone: SQLite cuts its write-ahead log in silence at the
first frame whose sum is wrong, somebody took the log away, or a database server was set back. How many frames the log had is
kept, too: what was folded in and cut afterwards has the right number, and old pages.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from kumi.station.store.page_sums import NO_LOG, LogState

LINE_BYTES = 1024
"""Bytes of the file, whose one line is written over."""
MOST_DAMAGE = 200
"""Letters that are kept of what was found damaged."""


@dataclass(frozen=True)
class LastCommit:
    """The number of a commit, how the log was after it, and what was found damaged since and not accepted."""

    number: int
    log: LogState = NO_LOG
    damage: str = ""


class LastCommitFile:
    """The file with the last commit that one knows of."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def read(self) -> LastCommit | None:
        """Return the last commit that was kept, or None where none was; refuse a damaged file."""
        if not self.path.exists():
            return None
        text, _, mark = self.path.read_bytes().rstrip().rpartition(b" ")
        if not mark or mark != _mark(text):
            raise ValueError("the file is damaged")
        return msgspec.json.decode(text, type=LastCommit)

    def keep(self, last: LastCommit) -> None:
        """Put a commit in place of the one before."""
        if self._file is None:
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
        text = msgspec.json.encode(replace(last, damage=last.damage[:MOST_DAMAGE]))
        os.pwrite(self._file, (text + b" " + _mark(text)).ljust(LINE_BYTES - 1) + b"\n", 0)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _mark(text: bytes) -> bytes:
    return f"{zlib.crc32(text):08x}".encode()

"""Is a store's file as it was written? Each of its pages has a sum, in a file beside it.

SQLite notices a damaged page only where its structure is broken; a flipped byte of a password or a place it hands out as it is.
In its write-ahead log, each frame has a sum of its own, so what has to be watched are the pages of the file. They change only
where the log is folded in, which a store does itself: it folds, and has the sums of all pages in the log on disk, all while
nobody else may write. Until the log begins anew, its pages are read from there, and need no sum.

The file is looked at before SQLite has it open, never later: who closes a file loses all locks that the process has on it,
SQLite's, too. The log is not locked.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FIRST_LINE = b"kumi page sums 1\n"
HEADER_BYTES = 32
SUM = struct.Struct("<I")
LOCK_BYTE = 0x40000000
"""The byte whose page SQLite uses for locks and never writes."""
LOG_HEADER, FRAME_HEADER = struct.Struct(">8I"), struct.Struct(">6I")


@dataclass(frozen=True)
class LogState:
    """Which write-ahead log this is, by its salts, and how many of its frames are committed."""

    salt: str
    frames: int


NO_LOG = LogState("", 0)


def log_size(database: Path) -> int:
    """Return how many bytes a database's log has."""
    try:
        return Path(f"{database}-wal").stat().st_size
    except FileNotFoundError:
        return 0


def log_salt(database: Path) -> str:
    """Return the salts of a database's log, which are others whenever it begins anew."""
    try:
        with Path(f"{database}-wal").open("rb") as log:
            return log.read(LOG_HEADER.size)[16:24].hex()
    except FileNotFoundError:
        return ""


class PageSums:
    """The sums of the pages of a database."""

    def __init__(self, database: Path) -> None:
        self.path = Path(f"{database}-sums")
        self._database = database

    def keep_all(self) -> None:
        """Take all pages as they are now for right."""
        early = self.path.with_name(f"{self.path.name}.new")
        with os.fdopen(os.open(early, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            out.write(FIRST_LINE.ljust(HEADER_BYTES, b"\0"))
            for page in self._pages():
                out.write(SUM.pack(zlib.crc32(page)))
            out.flush()
            os.fsync(out.fileno())
        early.rename(self.path)

    def make_room(self) -> None:
        """Have room on the disk for the sums of all pages in the log."""
        if self.path.exists():
            with self.path.open("r+b") as out:
                os.posix_fallocate(out.fileno(), 0, HEADER_BYTES + max(self._logged(), default=0) * SUM.size)

    def keep_logged(self, frames: int) -> None:
        """Take the sums of all pages in so many frames of the log; nobody may write meanwhile."""
        if not self.path.exists():  # somebody took it away; it is made, and told of, at the next start
            return
        newest: dict[int, int] = {}
        with Path(f"{self._database}-wal").open("rb") as log, self.path.open("r+b") as out:
            size = LOG_HEADER.unpack(log.read(LOG_HEADER.size))[2]
            for frame in range(frames):
                log.seek(LOG_HEADER.size + frame * (FRAME_HEADER.size + size))
                newest[FRAME_HEADER.unpack(log.read(FRAME_HEADER.size))[0]] = frame
            for number, frame in newest.items():
                log.seek(LOG_HEADER.size + frame * (FRAME_HEADER.size + size) + FRAME_HEADER.size)
                out.seek(HEADER_BYTES + (number - 1) * SUM.size)
                out.write(SUM.pack(zlib.crc32(log.read(size))))
            out.flush()
            os.fsync(out.fileno())

    def wrong(self) -> list[int]:
        """Return the numbers of the pages that are not as they were written; 0 stands for the sums themselves."""
        found, before = self._differing(), None
        while found and found != before:  # once more, since another process may have been folding
            found, before = self._differing(), found
        return found

    def _differing(self) -> list[int]:
        kept = self.path.read_bytes()
        if kept[:HEADER_BYTES] != FIRST_LINE.ljust(HEADER_BYTES, b"\0"):
            return [0]
        sums = kept[HEADER_BYTES : HEADER_BYTES + (len(kept) - HEADER_BYTES) // SUM.size * SUM.size]
        found = [zlib.crc32(page) for page in self._pages()]
        known = [one for (one,) in SUM.iter_unpack(sums)]
        longest = max(len(found), len(known))
        excused = self._logged() | {LOCK_BYTE // self._page_size() + 1}
        return [
            number
            for number in range(1, longest + 1)
            if found[number - 1 : number] != known[number - 1 : number] and number not in excused
        ]

    def _page_size(self) -> int:
        with self._database.open("rb") as file:
            size = int.from_bytes(file.read(18)[16:18], "big")
        return 65536 if size == 1 else max(512, size)

    def _pages(self) -> Iterator[bytes]:
        size = self._page_size()
        with self._database.open("rb") as file:
            while page := file.read(size):
                yield page

    def _logged(self) -> set[int]:
        """Return the pages that are in the log, which are read from there; it has sums of its own."""
        found: set[int] = set()
        path = Path(f"{self._database}-wal")
        if not path.exists():
            return found
        with path.open("rb") as log:
            start = log.read(LOG_HEADER.size)
            if len(start) < LOG_HEADER.size:
                return found
            size, salts = LOG_HEADER.unpack(start)[2], LOG_HEADER.unpack(start)[4:6]
            while len(head := log.read(FRAME_HEADER.size)) == FRAME_HEADER.size:
                if FRAME_HEADER.unpack(head)[2:4] == salts:
                    found.add(FRAME_HEADER.unpack(head)[0])
                log.seek(size, os.SEEK_CUR)
        return found

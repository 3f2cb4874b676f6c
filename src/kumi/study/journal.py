"""How are finished runs kept, whatever happens to the process?

`runs.jsonl` has one line for each finished run, and is only ever appended to. A line is written at once, and is on the
disk before the next run counts as finished. A process that is killed while it writes leaves a torn last line, which is
dropped when the file is opened again; all lines before it are whole.

One process at a time writes: it holds a lock, which the system takes back when the process ends in any way.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any, Self

from kumi.study.errors import FolderError, Stopped

NAME = "runs.jsonl"


class Journal:
    """The file of finished runs, open for more; `runs` are those that were there."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise FolderError(f"{folder} is in use: another study writes its runs there now") from error
        self.runs, self._size = whole_lines(read_all(self._file), self.path)
        os.ftruncate(self._file, self._size)

    def write(self, run: dict[str, Any]) -> int:
        """Keep a run; return the bytes it took. A disk that is full raises Stopped, and leaves the file whole."""
        line = json.dumps(run, separators=(",", ":")).encode() + b"\n"
        try:
            written = os.pwrite(self._file, line, self._size)
            if written < len(line):
                written += os.pwrite(self._file, line[written:], self._size + written)
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._size)
            reason = (error.strerror or str(error)).lower()
            raise Stopped(
                f"a run cannot be kept in {self.path}: {reason}; those before it are kept, and the same command goes on "
                "when there is room"
            ) from error
        if written < len(line):
            os.ftruncate(self._file, self._size)
            raise Stopped(f"a run cannot be kept in {self.path}: only a part of it was written")
        self._size += written
        return written

    def close(self) -> None:
        """Let others write."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def read_all(file: int) -> bytes:
    """Read an open file; by its own number, since to close a second one would give the lock back."""
    parts = []
    at = 0
    while part := os.pread(file, 1 << 20, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def whole_lines(data: bytes, path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the runs of a journal, and up to which byte it is whole; a torn last line is left out."""
    runs: list[dict[str, Any]] = []
    size = 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1], 1):
        try:
            run = json.loads(line)
            if not isinstance(run, dict) or "row" not in run:
                raise ValueError("no run")
        except ValueError as error:
            if number == len(lines) - 1:  # a torn line, and what a file system filled its block with
                break
            raise FolderError(
                f"{path}, line {number} is no run, so the file was changed or is damaged"
            ) from error
        runs.append(run)
        size += len(line) + 1
    return runs, size


def read_runs(folder: Path) -> list[dict[str, Any]]:
    """Return the finished runs of a folder."""
    path = folder / NAME
    return whole_lines(path.read_bytes(), path)[0] if path.exists() else []

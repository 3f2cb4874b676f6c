"""What does a node remember when it comes back after a crash, in a simulation and on disk?

A write is there as soon as `put` returns: there is no cache to lose. Values are what a wire can carry; a
copy is kept and a copy is given, so nobody changes what is stored by changing what he gave or got.

`FaultyStorage` is a disk that fails: a write may be refused, or the last ones may turn out to be lost.

The file of a `FileStorage` is a list of writes, each with a checksum. `put` adds one and returns when the disk has it, so what was
put is there after the process is killed or the power goes. A write that was cut short is the last one and is
left out when the file is opened: a value is the old one or the new one, never half of each. A file that is damaged
before its last write is refused, since writes that a node has relied on would be missing. When most of the file is
old, it is written anew beside itself and takes its own place in one step.

One process uses a file at a time.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from kumi.network.errors import NetworkError
from kumi.network.frames import after_damage, framed, whole
from kumi.network.wire import decode_value, encode_value


class WriteFailed(NetworkError):
    """Something could not be stored; what was there before still is."""


class Storage:
    """Values by name, kept over crashes."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}

    def put(self, name: str, value: Any) -> None:
        """Keep a value under a name, in place of what was there."""
        self._values[name] = deepcopy(value)

    def get(self, name: str, default: Any = None) -> Any:
        """Return what is kept under a name."""
        return deepcopy(self._values[name]) if name in self._values else default

    def remove(self, name: str) -> None:
        """Forget what is kept under a name, if anything is."""
        self._values.pop(name, None)

    def clear(self) -> None:
        """Forget everything."""
        self._values.clear()

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class FaultyStorage(Storage):
    """A storage whose writes fail when told to."""

    def __init__(self) -> None:
        super().__init__()
        self._failing = 0
        self._before: list[dict[str, Any]] = []
        self._keeps = 0

    def fail_next(self, writes: int = 1) -> None:
        """Refuse that many writes from now on, with WriteFailed."""
        self._failing = writes

    def delay_writes(self, writes: int) -> None:
        """From now on, keep in mind how it was before each of the last writes, for `lose_last`."""
        self._keeps = writes
        self._before = []

    def lose_last(self, writes: int = 1) -> int:
        """Lose the last writes, as when the power goes before the disk has them; return how many were lost.

        Call it while the node is down. A write counts as the last only since `delay_writes`.
        """
        lost = min(writes, len(self._before))
        for _ in range(lost):
            self._values = self._before.pop()
        return lost

    def put(self, name: str, value: Any) -> None:
        """Keep a value, unless the write fails."""
        self._write(name)
        super().put(name, value)

    def remove(self, name: str) -> None:
        """Forget a value, unless the write fails."""
        self._write(name)
        super().remove(name)

    def _write(self, name: str) -> None:
        if self._failing:
            self._failing -= 1
            raise WriteFailed(f"'{name}' could not be stored")
        if self._keeps:
            self._before = [*self._before, dict(self._values)][-self._keeps :]


MAGIC = b"kumi storage 1\n"
SPARE_BYTES = 1 << 16
"""Bytes of old writes that are always put up with."""

_write = msgspec.msgpack.Encoder().encode
_read = msgspec.msgpack.Decoder(tuple[str, bytes | None]).decode


class FileStorage(Storage):
    """Values by name in a file, kept over crashes of the process. Use it in a `with` block, or close it."""

    def __init__(self, path: Path | str) -> None:
        super().__init__()
        self.path = Path(path)
        self._encoded: dict[str, bytes] = {}
        self._lock = _locked(self.path)
        self._file = -1
        try:
            self._load()
        except BaseException:
            self.close()
            raise

    def _load(self) -> None:
        data = self.path.read_bytes() if self.path.exists() else b""
        if not data.startswith(MAGIC[: len(data)]):
            raise NetworkError(f"{self.path} is no storage of a node")
        records, end = whole(data, len(MAGIC)) if len(data) >= len(MAGIC) else ([], 0)
        if end < len(data) and (sound := after_damage(data, end, _is_write)) is not None:
            raise NetworkError(
                f"{self.path} is damaged at byte {end}, and there are whole writes after it, from byte {sound} on; "
                "take a copy that is not damaged, or remove the file to begin with nothing"
            )
        for record in records:
            name, value = _read(record)
            self._keep(name, value)
        if end == 0:
            self._rewrite()
            return
        self._file = os.open(self.path, os.O_WRONLY)
        os.ftruncate(self._file, end)  # a write that was cut short would stand before the next one
        os.lseek(self._file, end, os.SEEK_SET)
        self._size = end

    def put(self, name: str, value: Any) -> None:
        """Keep a value under a name; returns when the disk has it."""
        encoded = encode_value(value)
        self._append(name, encoded)
        self._keep(name, encoded)

    def get(self, name: str, default: Any = None) -> Any:
        """Return what is kept under a name."""
        encoded = self._encoded.get(name)
        return default if encoded is None else decode_value(encoded)

    def remove(self, name: str) -> None:
        """Forget what is kept under a name, if anything is."""
        if name in self._encoded:
            self._append(name, None)
            self._keep(name, None)

    def clear(self) -> None:
        """Forget everything."""
        self._encoded.clear()
        self._rewrite()

    def close(self) -> None:
        """Let go of the file."""
        for opened in (self._file, self._lock):
            if opened >= 0:
                os.close(opened)
        self._file = self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[str]:
        return iter(self._encoded)

    def __len__(self) -> int:
        return len(self._encoded)

    def _keep(self, name: str, encoded: bytes | None) -> None:
        if encoded is None:
            self._encoded.pop(name, None)
        else:
            self._encoded[name] = encoded

    def _append(self, name: str, encoded: bytes | None) -> None:
        if self._file < 0:
            raise WriteFailed(f"'{name}' could not be stored: the storage {self.path} is closed")
        record = framed(_write((name, encoded)))
        try:
            _write_all(self._file, record)
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._size)
            os.lseek(self._file, self._size, os.SEEK_SET)
            raise WriteFailed(f"'{name}' could not be stored in {self.path}: {error}") from error
        self._size += len(record)
        if self._size > SPARE_BYTES + 2 * sum(map(len, self._encoded.values())):
            self._rewrite((name, encoded))

    def _rewrite(self, last: tuple[str, bytes | None] | None = None) -> None:
        """Write the file anew with what is kept, and what is just being put."""
        kept: dict[str, bytes | None] = {**self._encoded}
        if last is not None:
            kept[last[0]] = last[1]
        data = MAGIC + b"".join(framed(_write(entry)) for entry in kept.items() if entry[1] is not None)
        beside = self.path.with_name(f"{self.path.name}.new")
        opened = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            _write_all(opened, data)
            os.fsync(opened)
            os.replace(beside, self.path)  # noqa: PTH105  # the same step, and the descriptor stays ours
            _sync_folder(self.path.parent)
        except BaseException:
            os.close(opened)
            raise
        if self._file >= 0:
            os.close(self._file)
        self._file, self._size = opened, len(data)


def _is_write(record: bytes) -> bool:
    try:
        _read(record)
    except msgspec.MsgspecError:
        return False
    return True


def _locked(path: Path) -> int:
    """Keep others from the storage while this process lives."""
    lock = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise NetworkError(f"{path} is in use by another process") from error
    return lock


def _write_all(opened: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(opened, left) :]


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)

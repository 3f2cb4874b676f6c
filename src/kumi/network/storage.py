"""What a node remembers when it comes back after a crash.

A write is there as soon as `put` returns: there is no cache to lose. Values are what a wire can carry; a
copy is kept and a copy is given, so nobody changes what is stored by changing what he gave or got.

`FaultyStorage` is a disk that fails: a write may be refused, or the last ones may turn out to be lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from kumi.network.errors import NetworkError


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

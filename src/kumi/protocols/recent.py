"""What came lately: a set that keeps its last so many members and forgets the oldest."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The last `limit` keys with their values; a key that is put again keeps its place."""

    __slots__ = ("_values", "limit")

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"at least 1 is remembered, not {limit!r}")
        self.limit = limit
        self._values: dict[K, V] = {}

    def put(self, key: K, value: V) -> None:
        """Keep a value; the oldest goes when there are too many."""
        self._values[key] = value
        if len(self._values) > self.limit:
            del self._values[next(iter(self._values))]

    def get(self, key: K) -> V | None:
        """Return the value of a key that is still remembered."""
        return self._values.get(key)

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

"""What a node remembers when it comes back after a crash.

A write is there as soon as `put` returns: there is no cache to lose. Values are what a wire can carry; a
copy is kept, so nobody changes what is stored by changing what he gave.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any


class Storage:
    """Values by name, kept over crashes."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}

    def put(self, name: str, value: Any) -> None:
        """Keep a value under a name, in place of what was there."""
        self._values[name] = deepcopy(value)

    def get(self, name: str, default: Any = None) -> Any:
        """Return what is kept under a name."""
        return self._values.get(name, default)

    def clear(self) -> None:
        """Forget everything."""
        self._values.clear()

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

"""Who are the others? A group is one tuple that all its nodes share, and the others are a view of it.

With ten thousand nodes, a tuple of the others for each of them would take a gigabyte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import overload

from kumi.contract.messages import Address


class Others(Sequence[Address]):
    """All of a group but the one at `place`, in order; nothing is copied, and it equals the tuple of the same."""

    __slots__ = ("_group", "_place")

    def __init__(self, group: tuple[Address, ...], place: int) -> None:
        self._group = group
        self._place = place

    def __len__(self) -> int:
        return len(self._group) - 1

    @overload
    def __getitem__(self, index: int) -> Address: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Address, ...]: ...
    def __getitem__(self, index: int | slice) -> Address | tuple[Address, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        count = len(self._group) - 1
        number = index + count if index < 0 else index
        if not 0 <= number < count:
            raise IndexError(f"there are {count} others, and none at {index}")
        return self._group[number if number < self._place else number + 1]

    def __iter__(self) -> Iterator[Address]:
        return chain(islice(self._group, self._place), islice(self._group, self._place + 1, None))

    def __contains__(self, address: object) -> bool:
        return address in self._group and address != self._group[self._place]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Others | tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

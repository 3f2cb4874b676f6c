"""Who are the others, and is there room for more to send them?

A group is one tuple that all its nodes share, and the others are a view of it: with ten thousand nodes, a tuple of the others for each of them would take a gigabyte.

A layer that has too much under way takes up the room of its node, and gives it back when that is less. Programs wait
for room before they send; layers do not, since they answer others and must not stand still.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import overload

from kumi.contract.messages import Address
from kumi.devs import Signal


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


class SendWindow:
    """The room on a node for what its program wants to send."""

    __slots__ = ("_is_there", "_name", "_taken")

    def __init__(self, name: str) -> None:
        self._name = name
        self._taken: set[object] = set()
        self._is_there: Signal[None] | None = None

    @property
    def is_there(self) -> bool:
        """Whether nobody has taken it up."""
        return not self._taken

    def take(self, who: object) -> None:
        """Take it up."""
        self._taken.add(who)

    def give(self, who: object) -> None:
        """Give it back, which those who have not taken it may do, too."""
        self._taken.discard(who)
        self._tell()

    def clear(self) -> None:
        """Give it back for all."""
        self._taken.clear()
        self._tell()

    def _tell(self) -> None:
        if not self._taken and self._is_there is not None:
            self._is_there.fire()

    async def wait(self) -> None:
        """Wait until there is room."""
        while self._taken:
            if self._is_there is None:
                self._is_there = Signal(f"room on {self._name}")
            await self._is_there.next()

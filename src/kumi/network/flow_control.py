"""Is there room for more? Who sends faster than the others take is made to wait.

A layer that has too much under way takes up the room of its node, and gives it back when that is less. Programs wait
for room before they send; layers do not, since they answer others and must not stand still.
"""

from __future__ import annotations

from kumi.devs import Signal


class Room:
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

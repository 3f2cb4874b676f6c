"""A real sensor beside its virtual twin: the real one answers, and how far the twin is off is written down."""

from __future__ import annotations

from typing import Generic, TypeVar

from kumi.contract import Asked
from kumi.contract.readings import Range

T = TypeVar("T")


class Compared(Generic[T]):
    """A hardware-in-the-loop sensor."""

    def __init__(self, real: Asked[T], virtual: Asked[T]) -> None:
        self._real, self._virtual = real, virtual
        self.pairs: list[tuple[T, T]] = []
        """What the real one and the virtual one read, each time it was asked."""

    async def read(self) -> T:
        """Return what the real one reads."""
        virtual = await self._virtual.read()
        real = await self._real.read()
        self.pairs.append((real, virtual))
        return real

    @property
    def differences(self) -> list[float]:
        """By how many metres the real one read more, each time that both of two range finders saw something."""
        return [
            real.distance - virtual.distance
            for real, virtual in self.pairs
            if isinstance(real, Range) and isinstance(virtual, Range) and real.is_hit and virtual.is_hit
        ]

"""A real sensor beside its virtual twin: the real one answers, and how far the twin is off is written down."""

from __future__ import annotations

from kumi.contract import Asked
from kumi.contract.readings import Range


class ComparedRanger:
    """A hardware-in-the-loop range finder."""

    def __init__(self, real: Asked[Range], virtual: Asked[Range]) -> None:
        self._real, self._virtual = real, virtual
        self.pairs: list[tuple[Range, Range]] = []
        """What the real one and the virtual one read, each time it was asked."""

    async def read(self) -> Range:
        """Return what the real one reads."""
        virtual = await self._virtual.read()
        real = await self._real.read()
        self.pairs.append((real, virtual))
        return real

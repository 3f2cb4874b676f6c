"""A wall clock that a test moves on: what takes an hour takes no time, and no busy machine is so slow."""

from __future__ import annotations

import time

import pytest

from kumi.devs import deadline_causes as blame
from kumi.devs import pace

HOUR = 3600.0


class Wall:
    """The clock on the wall, for a kernel that a test looks at."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._passed = 0.0
        self._real = time.monotonic
        for module in (time, blame, pace):
            patch.setattr(module, "monotonic", self.show)

    def show(self) -> float:
        """Return what it shows, in seconds."""
        return self._real() + self._passed

    def move(self, seconds: float) -> None:
        """Let so much time pass at once."""
        self._passed += seconds

"""How does a process end when the one that started it is gone? By its standard input, which is then closed."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Thread


def hold_on_leash(end: Callable[[], object]) -> None:
    """Call `end` when standard input is closed."""
    Thread(target=_wait, args=(end,), name="leash", daemon=True).start()


def _wait(end: Callable[[], object]) -> None:
    while os.read(0, 1024):
        pass
    end()

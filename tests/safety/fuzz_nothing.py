"""A fuzzer that finds something at once: the script of seed 1 reads where nothing is, that of seed 2 writes a file."""

from __future__ import annotations

import ctypes
from pathlib import Path

from tests.safety.batches import main


def script(seed: int) -> None:
    """Crash, or write."""
    if seed == 1:
        ctypes.string_at(1)
    if seed == 2:
        Path("stray").touch()


if __name__ == "__main__":
    main(script)

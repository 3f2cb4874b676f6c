"""A fuzzer that finds something at once: its second script reads where nothing is."""

from __future__ import annotations

import ctypes

from tests.safety.batches import main

played: list[int] = []


def script(_: int) -> None:
    """Crash the second time."""
    played.append(1)
    if len(played) == 2:
        ctypes.string_at(1)


if __name__ == "__main__":
    main(script)

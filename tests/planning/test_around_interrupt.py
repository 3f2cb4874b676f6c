"""Ctrl-C ends a long search for a way to give way, in the middle of it."""

from __future__ import annotations

import signal
from types import SimpleNamespace
from typing import Any

import pytest

from kumi import _core
from kumi.geometry import Disc
from kumi.planning import lattice
from kumi.planning.around import around
from kumi.planning.conflicts import window
from kumi.planning.limits import Limits
from tests.planning.courses import straight


@pytest.mark.parametrize("jerk", [float("inf"), 2.0])
def test_a_signal_is_let_in_while_the_lattice_is_searched(
    jerk: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The handler is called twice in one call of the core: so signals are let in while it lasts, not after it."""
    asked: list[tuple[Any, ...]] = []

    def drive(*arguments: Any) -> list[list[float]]:
        asked.append(arguments)
        return _core.lattice_drive(*arguments)

    monkeypatch.setattr(lattice, "_core", SimpleNamespace(lattice_drive=drive))
    zones = [window(4, 5, 1, 9), window(5.03, 6, 10, 14), window(7, 8, 3, 12)]
    limits = Limits(top_speed=2.0, acceleration=1.0, jerk=jerk)
    around(straight(10), limits, Disc(0.1), [], regions=[*zones, window(1, 2, 4, 11)])
    calls: list[int] = []

    def second_time(*_: object) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, second_time)
    signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-3)
    try:
        with pytest.raises(KeyboardInterrupt):
            _core.lattice_drive(*asked[0])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)

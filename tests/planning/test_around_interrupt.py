"""Ctrl-C ends a long search for a way to give way, in the middle of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kumi import _core
from kumi.geometry import Disc
from kumi.planning import lattice
from kumi.planning.conflicts import window
from kumi.planning.limits import Limits
from kumi.planning.velocity_planning import around
from tests.planning.courses import straight
from tests.waiting import interrupted_within_a_call


@pytest.mark.parametrize("jerk", [float("inf"), 2.0])
def test_a_signal_is_let_in_while_the_lattice_is_searched(
    jerk: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []

    def drive(*arguments: Any) -> list[list[float]]:
        asked.append(arguments)
        return _core.lattice_drive(*arguments)

    monkeypatch.setattr(lattice, "_core", SimpleNamespace(lattice_drive=drive))
    zones = [window(4, 5, 1, 9), window(5.03, 6, 10, 14), window(7, 8, 3, 12)]
    limits = Limits(top_speed=2.0, acceleration=1.0, jerk=jerk)
    around(straight(10), limits, Disc(0.1), [], regions=[*zones, window(1, 2, 4, 11)])

    with pytest.raises(KeyboardInterrupt), interrupted_within_a_call(every=1e-3):
        _core.lattice_drive(*asked[0])

"""A paced run follows the wall clock, whatever is done between its slices."""

from __future__ import annotations

import time

import pytest

from kumi.devs import Simulation
from kumi.stage.running import Running
from kumi.world import Map, World


def running(pace: float | None) -> Running:
    return Running(Simulation(World(Map())), pace, lambda _error: False)


def begun_at_10(monkeypatch: pytest.MonkeyPatch, wall: float) -> Running:
    """Return the time of a run of pace 2 that began at 10 s on the wall, where it is `wall` now; nothing happened yet."""
    found = running(2.0)
    found._anchor = 10.0, 0.0
    monkeypatch.setattr(time, "perf_counter", lambda: wall)
    return found


@pytest.mark.parametrize(
    ("wall", "pace"),
    [
        (10.0, 2.0),  # on time: 0.1 s of the run in 0.05 s
        (10.025, 4.0),  # half of that was spent on other things
        (10.05, 200.0),  # all of it: hurry
        (10.5, 200.0),
        (11.5, 2.0),  # hopelessly late: let it go
    ],
)
def test_a_slice_makes_up_for_what_was_done_before_it(
    monkeypatch: pytest.MonkeyPatch, wall: float, pace: float
) -> None:
    assert begun_at_10(monkeypatch, wall)._pace_to(0.1) == pytest.approx(pace)


def test_after_letting_go_the_clock_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    found = begun_at_10(monkeypatch, 60.0)
    found._pace_to(0.1)

    assert found._anchor == (60.0, 0.0)
    assert found._pace_to(0.1) == pytest.approx(2.0)


def test_without_a_pace_there_is_none() -> None:
    assert running(None)._pace_to(1.0) is None

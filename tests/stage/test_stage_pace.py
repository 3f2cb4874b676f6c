"""A paced run follows the wall clock, whatever is done between its slices."""

from __future__ import annotations

import time

import pytest

from kumi.stage import Stage
from kumi.world import Map, World


def a_stage(monkeypatch: pytest.MonkeyPatch, wall: float) -> Stage:
    """Return a stage of pace 2 that began at 10 s on the wall, where it is `wall` now; nothing happened yet."""
    stage = Stage(World(Map()), pace=2.0)
    stage._anchor = 10.0, 0.0
    monkeypatch.setattr(time, "perf_counter", lambda: wall)
    return stage


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
    assert a_stage(monkeypatch, wall)._pace_to(0.1) == pytest.approx(pace)


def test_after_letting_go_the_clock_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = a_stage(monkeypatch, 60.0)
    stage._pace_to(0.1)

    assert stage._anchor == (60.0, 0.0)
    assert stage._pace_to(0.1) == pytest.approx(2.0)


def test_without_a_pace_there_is_none() -> None:
    assert Stage(World(Map()))._pace_to(1.0) is None

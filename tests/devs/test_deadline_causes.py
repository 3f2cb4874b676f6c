"""A paced run tells how late it was, which deadlines it missed and why, and does not hurry where it is told to wait."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from kumi.devs import Lateness, Simulation
from tests.devs.wall import HOUR, Wall
from tests.waiting import PATIENCE


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    """A wall clock that can be moved on."""
    return Wall(monkeypatch)


@pytest.fixture
def block(wall: Wall) -> Callable[[], None]:
    """Something that keeps a run from going on for an hour, and works long enough to be seen."""

    def block() -> None:
        wall.move(HOUR)
        end = time.thread_time() + 0.2
        while time.thread_time() < end:
            pass

    return block


def test_a_histogram_counts_every_instant_once_by_decades() -> None:
    lateness = Lateness()
    for late in (0.0, 0.00005, 0.0001, 0.0005, 0.005, 0.05, 0.5, 5.0, 50.0):
        lateness.add(late)

    edges = [edge for edge, _ in lateness.histogram()]
    counts = [count for _, count in lateness.histogram()]
    assert edges == pytest.approx([1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, float("inf")])
    assert counts == [3, 1, 1, 1, 1, 1, 1]


def test_a_missed_deadline_is_told_with_who_took_so_long(block: Callable[[], None]) -> None:
    with Simulation() as simulation:
        simulation.schedule(0.01, block)
        simulation.schedule(0.02, lambda: None)
        simulation.run(0.05, pace=1.0, tolerance=HOUR / 2)

    misses = simulation.lateness.misses
    (miss,) = misses.last
    assert (miss.time, misses.count) == (0.02, 1)
    assert miss.late > HOUR / 2
    assert "what happened at t = 0.010 s took 36" in miss.cause
    assert "block, line" in miss.cause


def test_a_program_that_took_long_is_named(block: Callable[[], None]) -> None:
    async def slow() -> None:
        block()

    with Simulation() as simulation:
        simulation.start(slow, name="slow one")
        simulation.schedule(0.01, lambda: None)
        simulation.run(0.02, pace=1.0, tolerance=HOUR / 2)

    assert any("slow one" in miss.cause for miss in simulation.lateness.misses.last)


def test_many_small_things_together_are_a_cause_too(wall: Wall) -> None:
    with Simulation() as simulation:
        for step in range(40):
            simulation.schedule(0.001 * step, lambda: wall.move(HOUR / 20))
        simulation.run(0.05, pace=1.0, tolerance=HOUR)

    assert any("instants in a row took" in miss.cause for miss in simulation.lateness.misses.last)


def test_a_run_that_is_late_hurries_after_the_wall_clock(wall: Wall) -> None:
    """After an hour lost at once, what is due within it comes at once: it would take half an hour otherwise."""
    with Simulation() as simulation:
        simulation.schedule(0.0, lambda: wall.move(HOUR))
        before = wall.show() + HOUR
        run = simulation.run(HOUR / 2, pace=1.0)

    assert run.time == HOUR / 2
    assert wall.show() - before < PATIENCE


def test_a_run_that_waits_does_not_hurry_after_the_wall_clock(wall: Wall) -> None:
    """After an hour lost at once one instant is late; those after it, 20 ms apart, still take 20 ms each at least."""
    times: list[float] = []

    def lose() -> None:
        wall.move(HOUR)
        times.append(wall.show())

    with Simulation() as simulation:
        simulation.schedule(0.0, lose)
        for step in range(1, 5):
            simulation.schedule(0.02 * step, lambda: times.append(wall.show()))
        simulation.run(0.1, pace=1.0, late="wait", tolerance=0.0)

    lost, *came = times
    assert len(came) == 4
    assert all(time - lost > 0.02 * step - 1e-6 for step, time in enumerate(came))

"""A paced run tells how late it was, which deadlines it missed and why, and does not hurry where it is told to wait."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from kumi.kernel import Lateness, Simulation

LONG = 0.12
"""Seconds of wall time for which something blocks a run; the tolerance is half of it or less."""


def block() -> None:
    """Keep the run from going on."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        pass


def test_a_histogram_counts_every_instant_once_by_decades() -> None:
    lateness = Lateness()
    for late in (0.0, 0.00005, 0.0001, 0.0005, 0.005, 0.05, 0.5, 5.0, 50.0):
        lateness.add(late)

    edges = [edge for edge, _ in lateness.histogram()]
    counts = [count for _, count in lateness.histogram()]
    assert edges == pytest.approx([1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, float("inf")])
    assert counts == [3, 1, 1, 1, 1, 1, 1]


def test_a_missed_deadline_is_told_with_who_took_so_long() -> None:
    with Simulation() as simulation:
        simulation.schedule(0.01, block)
        simulation.schedule(0.02, lambda: None)
        simulation.run(0.05, pace=1.0, tolerance=LONG / 4)

    misses = simulation.lateness.misses
    assert misses.count >= 1
    miss = next(one for one in misses.last if one.time == 0.02)
    assert miss.late > LONG / 4
    assert "what happened at t = 0.010 s took 0." in miss.cause
    assert "block, line" in miss.cause


def test_a_program_that_took_long_is_named() -> None:
    async def slow() -> None:
        block()

    with Simulation() as simulation:
        simulation.start(slow, name="slow one")
        simulation.schedule(0.01, lambda: None)
        simulation.run(0.02, pace=1.0, tolerance=LONG / 4)

    assert any("slow one" in miss.cause for miss in simulation.lateness.misses.last)


def test_many_small_things_together_are_a_cause_too() -> None:
    def work() -> None:
        end = time.monotonic() + 0.004
        while time.monotonic() < end:
            pass

    with Simulation() as simulation:
        for step in range(40):
            simulation.schedule(0.001 * step, work)
        simulation.run(0.05, pace=1.0, tolerance=0.05)

    assert any("instants in a row took" in miss.cause for miss in simulation.lateness.misses.last)


def test_a_run_that_waits_does_not_hurry_after_the_wall_clock() -> None:
    """After 0.12 s lost at once, instants 20 ms apart still come 20 ms apart; otherwise they come all at once.

    A busy machine may delay any of them, so the best of three tries counts.
    """

    def gaps(late: str) -> list[float]:
        times: list[float] = []
        with Simulation() as simulation:
            simulation.schedule(0.0, block)
            for step in range(1, 5):
                simulation.schedule(0.02 * step, lambda: times.append(time.monotonic()))
            simulation.run(0.1, pace=1.0, late=late, tolerance=0.03)  # type: ignore[arg-type]
        return [later - earlier for earlier, later in pairwise(times)]

    assert min(sum(gaps("report")) for _ in range(3)) < 0.04
    assert max(sum(gaps("wait")) for _ in range(3)) > 0.055

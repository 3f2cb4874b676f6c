"""Real robots as processes of their own, in real time: a run, and a robot that is killed."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from PIL import Image

from kumi.convoy.loop import LoopRun, LoopSetup
from kumi.loop import Tracking
from kumi.loop.showing import floor_of, write_both
from kumi.recording import RunFile
from tests.loop.one_agenda import convoy
from tests.loop.robots import ROBOT_2, ROBOT_3, is_running, pids


@pytest.mark.slow
def test_two_real_robots_among_virtual_ones(tmp_path: Path) -> None:
    plan = LoopSetup(convoy=convoy(steps=4), robots=(ROBOT_2, ROBOT_3), tracking=Tracking(), pace=2.0)
    run = LoopRun(plan, seed=1, record=tmp_path / "run.kumi")
    outcome = run.run()

    assert outcome.steps == 4
    assert outcome.end == "the leader has made its steps"
    assert outcome.lateness.count == sum(count for _, count in outcome.lateness.histogram()) > 100
    for one in outcome.real:
        assert one.drift is not None
        assert one.drift < 2.0
    assert not any(map(is_running, pids(run)))
    assert len(RunFile(tmp_path / "run.kumi").state_at(outcome.time)) == 4
    assert len(RunFile(floor_of(tmp_path / "run.kumi")).state_at(outcome.time)) == 2
    write_both(tmp_path / "run.kumi", tmp_path / "run.png", (600, 300))
    with Image.open(tmp_path / "run.png") as picture:
        assert picture.size == (600, 600)


@pytest.mark.slow
def test_robots_have_their_own_clocks_which_are_found() -> None:
    """The known skews, +0.002 and -0.001, are found to 0.0005, and the known offsets, 3 and 20 s.

    The run goes on until its robots have told enough for that: on a busy machine, where time stands still again and again,
    that takes longer. A robot's clock begins with its process and never stands still: that is the doubt of the offsets.
    """
    plan = LoopSetup(
        convoy=convoy(robots=3, steps=10_000), robots=(ROBOT_2, ROBOT_3), tracking=Tracking(), pace=2.0
    )
    doubts: list[float] = []
    before = time.monotonic()

    def look(run: LoopRun) -> None:
        clocks = [one.body.clock for one in run.crew.real.values()]
        fits = [None if clock is None else clock.fit for clock in clocks]
        if all(fit is not None and fit.rate_error < 1e-4 for fit in fits):
            doubts.append(plan.pace * (time.monotonic() - before) - (run.simulation.now - run.begin))
            run.real_time.interrupt()

    outcome = LoopRun(plan, seed=1, on_progress=look).run()

    assert outcome.end == "it was interrupted"
    for one, gain, offset in zip(outcome.real, (0.002, -0.001), (3.0, 20.0), strict=True):
        assert one.clock is not None
        assert one.clock.rate - 1.0 == pytest.approx(gain, abs=5e-4 + 4.0 * one.clock.rate_error)
        assert offset - 0.1 < one.clock.offset < offset + doubts[-1] + 0.1


@pytest.mark.slow
def test_a_robot_whose_process_is_killed_is_reported_and_its_neighbours_wait() -> None:
    said: list[str] = []
    killed: list[float] = []

    def kill(run: LoopRun) -> None:
        if run.simulation.now > 4.0 and not killed:
            killed.append(run.simulation.now - run.begin)
            os.kill(pids(run)[0], signal.SIGKILL)

    plan = LoopSetup(convoy=convoy(robots=3, steps=20), robots=(ROBOT_2,), pace=2.0, patience=4.0)
    run = LoopRun(plan, say=said.append, on_progress=kill)
    outcome = run.run()
    counterpart = run.crew.real[2].counterpart

    assert outcome.end == "nobody moved for 4 s: robot 2 is gone"
    assert outcome.is_broken_off
    (loss,) = outcome.losses
    assert loss.number == 2
    assert killed[0] < loss.time < killed[0] + 4.0
    assert any(words.startswith("robot 2 has disappeared at ") for words in said)
    assert counterpart is not None
    assert not counterpart.twin.is_moving
    assert all(one.end < loss.time + 3.0 for one in outcome.motions)
    assert not any(map(is_running, pids(run)))


@pytest.mark.slow
def test_a_run_that_ends_while_a_robot_is_silent_ends_as_any_other() -> None:
    """The robot's process stands still on its way, and the run is interrupted: nobody answers, and nobody is waited for."""

    def silence(run: LoopRun) -> None:
        if run.crew.real[2].body.is_moving and not run.is_interrupted:
            os.kill(pids(run)[0], signal.SIGSTOP)
            run.real_time.interrupt()

    plan = LoopSetup(convoy=convoy(robots=2, steps=20), robots=(ROBOT_2,), pace=2.0)
    run = LoopRun(plan, on_progress=silence)
    outcome = run.run()

    assert outcome.is_interrupted
    assert outcome.end == "it was interrupted"
    assert not any(map(is_running, pids(run)))

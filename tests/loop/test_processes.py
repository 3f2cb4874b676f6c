"""Real robots as processes of their own, in real time: a run, and a robot that is killed."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from PIL import Image

from kumi.loop.showing import floor_of, write_both
from kumi.recording import RunFile
from kumi.stage import Stage
from tests.convoy.played import watch
from tests.loop.robots import ROBOT_2, ROBOT_3, LoopedConvoy, is_running


@pytest.mark.slow
def test_two_real_robots_among_virtual_ones(tmp_path: Path) -> None:
    run = LoopedConvoy(ROBOT_2, ROBOT_3, robots=4, record=tmp_path / "run.kumi", seed=1)
    outcome = run.run()

    assert run.team.whole.convoy.leader.steps == 4
    assert outcome.end == "the leader has made its steps"
    assert outcome.lateness is not None
    assert outcome.lateness.count == sum(count for _, count in outcome.lateness.histogram()) > 100
    for one in run.real.outcomes:
        assert one.drift is not None
        assert one.drift < 2.0
    assert not any(map(is_running, run.pids))
    assert len(RunFile(tmp_path / "run.kumi").state_at(outcome.simulated_seconds)) == 4
    assert len(RunFile(floor_of(tmp_path / "run.kumi")).state_at(outcome.simulated_seconds)) == 2
    write_both(tmp_path / "run.kumi", tmp_path / "run.png", (600, 300))
    with Image.open(tmp_path / "run.png") as picture:
        assert picture.size == (600, 600)


@pytest.mark.slow
def test_robots_have_their_own_clocks_which_are_found() -> None:
    """The known skews, +0.002 and -0.001, are found to 0.0005, and the known offsets, 3 and 20 s.

    The run goes on until its robots have told enough for that: on a busy machine, where time stands still again and again,
    that takes longer. A robot's clock begins with its process and never stands still: that is the doubt of the offsets.
    """
    run = LoopedConvoy(ROBOT_2, ROBOT_3, steps=10_000, seed=1)
    doubts: list[float] = []
    before = time.monotonic()

    def look(stage: Stage) -> None:
        clocks = [one.body.clock for one in run.real.real_robots.real.values()]
        fits = [None if clock is None else clock.fit for clock in clocks]
        if all(fit is not None and fit.rate_error < 1e-4 for fit in fits):
            doubts.append(2.0 * (time.monotonic() - before) - stage.simulation.now)
            stage.end("the clocks are known")

    outcome = run.run(look)

    assert outcome.end == "the clocks are known"
    for one, gain, offset in zip(run.real.outcomes, (0.002, -0.001), (3.0, 20.0), strict=True):
        assert one.clock is not None
        assert one.clock.rate - 1.0 == pytest.approx(gain, abs=5e-4 + 4.0 * one.clock.rate_error)
        assert offset - 0.1 < one.clock.offset < offset + doubts[-1] + 0.1


@pytest.mark.slow
def test_a_robot_whose_process_is_killed_is_reported_and_its_neighbours_wait() -> None:
    said: list[str] = []
    killed: list[float] = []
    ends: list[float] = []
    run = LoopedConvoy(ROBOT_2, steps=20, is_tracked=False, patience=4.0, say=said.append)

    def kill(stage: Stage) -> None:
        if stage.simulation.now > 4.0 and not killed:
            killed.append(stage.simulation.now)
            os.kill(run.pids[0], signal.SIGKILL)
            for robot in run.team.whole.convoy.robots:
                watch(robot, ended=lambda _: ends.append(stage.simulation.now))

    outcome = run.run(kill)
    counterpart = run.real.real_robots.real[1].counterpart

    assert outcome.end == "nobody moved for 4 s: robot 2 is gone"
    assert run.real.is_broken_off
    (loss,) = run.real.losses
    assert (loss.number, loss.name) == (1, "robot 2")
    assert killed[0] < loss.time < killed[0] + 4.0
    assert any(words.startswith("robot 2 has disappeared at ") for words in said)
    assert counterpart is not None
    assert not counterpart.twin.is_moving
    assert all(end < loss.time + 3.0 for end in ends)
    assert not any(map(is_running, run.pids))


@pytest.mark.slow
def test_a_run_that_ends_while_a_robot_is_silent_ends_as_any_other() -> None:
    """The robot's process stands still on its way, and the run is ended: nobody answers, and nobody is waited for."""
    run = LoopedConvoy(ROBOT_2, robots=2, steps=20, is_tracked=False)
    silenced: list[int] = []

    def silence(stage: Stage) -> None:
        if run.real.real_robots.real[1].body.is_moving and not silenced:
            silenced.append(run.pids[0])
            os.kill(run.pids[0], signal.SIGSTOP)
            stage.end("it is silent")

    outcome = run.run(silence)

    assert silenced
    assert outcome.end == "it is silent"
    assert not any(map(is_running, run.pids))

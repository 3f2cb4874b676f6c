"""A run with real robots can be paused: the robots stand, time stands, and motions are finished after it."""

from __future__ import annotations

import threading

import pytest

from kumi.convoy.loop import LoopRun, LoopSetup
from kumi.geometry import Point
from kumi.link.ports import PtyPair
from kumi.loop import Choices, NotThere, Real, Tracking
from kumi.loop import robot_processes as fleet
from kumi.loop.real_time import LAST_WORDS
from tests.loop.one_agenda import convoy
from tests.loop.robots import ROBOT_2, pids
from tests.waiting import PATIENCE, let_work, wait_for


def at_rest(run: LoopRun) -> Point:
    """Return where the robot stands, once it has rolled out."""
    seen = [run.truth(2).position]

    def stands() -> bool:
        let_work(pids(run)[0])  # it tells its motor, moves and senses all the time
        seen.append(run.truth(2).position)
        return seen[-1] == seen[-2]

    wait_for(stands)
    return seen[-1]


@pytest.mark.slow
def test_a_pause_stops_the_robot_and_time_and_the_motion_is_finished_after_it() -> None:
    """While it drives, it is held: it comes to rest, no time passes, and after it, it still goes its 0.3 m."""
    plan = LoopSetup(convoy=convoy(robots=2, steps=2), robots=(ROBOT_2,), tracking=Tracking())
    found: list[tuple[float, float]] = []
    begun, stopped = threading.Event(), threading.Event()

    def look(run: LoopRun) -> None:
        if run.crew.real[2].body.is_moving and run.truth(2).position.x > run.start_of(2).x + 0.1:
            begun.set()

    run = LoopRun(plan, on_progress=look)

    def pause() -> None:
        assert begun.wait(PATIENCE)
        run.real_time.pause(then=stopped.set)
        assert stopped.wait(PATIENCE)
        before, stood = run.simulation.now, at_rest(run)
        let_work(pids(run)[0])
        found.append((run.simulation.now - before, run.truth(2).position.distance_to(stood)))
        run.real_time.resume()

    thread = threading.Thread(target=pause)
    thread.start()
    outcome = run.run()
    thread.join()

    assert found == [(0.0, 0.0)]
    ways = [one.way for one in outcome.motions if one.robot == 1]
    assert ways
    assert ways[0] == pytest.approx(0.3, abs=0.05)


@pytest.mark.slow
def test_a_silent_robot_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "GREETING", 1.0)
    terminal = PtyPair()
    try:
        plan = LoopSetup(
            convoy=convoy(robots=2),
            robots=(Real(2, Choices("hil", infrared="virtual", whiskers="real"), terminal.name),),
        )
        with pytest.raises(NotThere, match="robot 2 is not there: it did not answer within 1 s"):
            LoopRun(plan).run()
    finally:
        terminal.close()


@pytest.mark.slow
def test_a_pause_while_robots_are_greeted_begins_with_the_run() -> None:
    """Nothing has happened when it is paused; then the run is as ever."""
    plan = LoopSetup(convoy=convoy(robots=2, steps=1), robots=(ROBOT_2,), tracking=Tracking(), pace=2.0)
    times: list[float] = []

    def say(words: str) -> None:
        if words.startswith("robot 2 is process"):
            run.real_time.pause(then=held)

    def held() -> None:
        times.append(run.simulation.now - run.begin)
        run.real_time.resume()

    run = LoopRun(plan, say=say)
    outcome = run.run()

    assert times[0] < 0.1 + LAST_WORDS
    assert outcome.steps == 1


@pytest.mark.slow
def test_a_pause_that_is_over_before_the_run_has_noticed_does_not_end_it() -> None:
    plan = LoopSetup(convoy=convoy(robots=2, steps=1), robots=(ROBOT_2,), tracking=Tracking(), pace=2.0)
    paused: list[float] = []

    def look(run: LoopRun) -> None:
        if not paused:
            paused.append(run.simulation.now)
            run.real_time.pause()
            run.real_time.resume()

    outcome = LoopRun(plan, on_progress=look).run()

    assert paused
    assert outcome.steps == 1

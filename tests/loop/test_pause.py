"""A run with real robots can be paused: the robots stand, time stands, and motions are finished after it."""

from __future__ import annotations

import threading

import pytest

from kumi.geometry import Point
from kumi.link.ports import PtyPair
from kumi.loop import NotThere
from kumi.loop import robot_processes as fleet
from kumi.loop.real_time import LAST_WORDS
from kumi.stage import Stage
from tests.loop.robots import ROBOT_2, LoopedConvoy
from tests.waiting import PATIENCE, let_work, wait_for


def at_rest(run: LoopedConvoy) -> Point:
    """Return where the robot stands, once it has rolled out."""
    seen = [run.truth(1).position]

    def stands() -> bool:
        let_work(run.pids[0])  # it tells its motor, moves and senses all the time
        seen.append(run.truth(1).position)
        return seen[-1] == seen[-2]

    wait_for(stands)
    return seen[-1]


@pytest.mark.slow
def test_a_pause_stops_the_robot_and_time_and_the_motion_is_finished_after_it() -> None:
    """While it drives, it is held: it comes to rest, no time passes, and after it, it still goes its 0.3 m."""
    run = LoopedConvoy(ROBOT_2, robots=2, steps=2, pace=1.0)
    start = run.staging.pose_of(1).position
    found: list[tuple[float, float]] = []
    ways: list[float] = []
    begun, stopped = threading.Event(), threading.Event()

    def look(stage: Stage) -> None:
        robot = run.real.real_robots.real[1].body
        if not begun.is_set() and robot.is_moving and run.truth(1).position.x > start.x + 0.1:
            # Its neighbours stand: the next error that is measured is that of this robot at the end of its motion.
            run.team.whole.errors.changed = lambda _: ways.append(run.truth(1).position.x - start.x)
            simulation.append(stage)
            begun.set()

    simulation: list[Stage] = []

    def pause() -> None:
        assert begun.wait(PATIENCE)
        run.real.real_time.pause(then=stopped.set)
        assert stopped.wait(PATIENCE)
        before, stood = simulation[0].simulation.now, at_rest(run)
        let_work(run.pids[0])
        found.append((simulation[0].simulation.now - before, run.truth(1).position.distance_to(stood)))
        run.real.real_time.resume()

    thread = threading.Thread(target=pause)
    thread.start()
    run.run(look)
    thread.join()

    assert found == [(0.0, 0.0)]
    assert ways
    assert ways[0] == pytest.approx(0.3, abs=0.05)


@pytest.mark.slow
def test_a_silent_robot_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "GREETING", 1.0)
    terminal = PtyPair()
    try:
        silent = {"robot": "robot 2", "motor": "hil", "contacts": "real", "port": terminal.name}
        with pytest.raises(NotThere, match="robot 2 is not there: it did not answer within 1 s"):
            LoopedConvoy(silent, robots=2, is_tracked=False).run()
    finally:
        terminal.close()


@pytest.mark.slow
def test_a_pause_while_robots_are_greeted_begins_with_the_run() -> None:
    """Nothing has happened when it is paused; then the run is as ever."""
    times: list[float] = []

    def say(words: str) -> None:
        if words.startswith("robot 2 is process"):
            run.real.real_robots.on_start = lambda _real_robots: run.real.real_time.pause(then=held)

    def held() -> None:
        times.append(run.team.world.now - run.team.whole.begin)
        run.real.real_time.resume()

    run = LoopedConvoy(ROBOT_2, robots=2, steps=1, say=say)
    outcome = run.run()

    assert times[0] < 0.1 + LAST_WORDS
    assert outcome.end == "the leader has made its steps"


@pytest.mark.slow
def test_a_pause_that_is_over_before_the_run_has_noticed_does_not_end_it() -> None:
    run = LoopedConvoy(ROBOT_2, robots=2, steps=1)
    paused: list[float] = []

    def look(stage: Stage) -> None:
        if not paused:
            paused.append(stage.simulation.now)
            run.real.real_time.pause()
            run.real.real_time.resume()

    outcome = run.run(look)

    assert paused
    assert outcome.end == "the leader has made its steps"

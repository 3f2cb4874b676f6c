"""Runs that follow the wall clock, and how late they are."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs import Lateness, Run, Simulation, TimeError, TooLate
from kumi.devs.pace import Late, PaceClock
from tests.devs.parts import Ticker
from tests.devs.wall import HOUR, Wall
from tests.waiting import PATIENCE


def timed(work: Callable[[], Run[None]]) -> tuple[Run[None], float]:
    """Give what the work gave, and the wall time it took."""
    begin = time.monotonic()
    run = work()
    return run, time.monotonic() - begin


# Runs.


def test_a_paced_run_takes_its_time() -> None:
    """Three ticks of an eighth of a second; never sooner than the wall clock says, and the simulated times are exact."""
    ticker = Ticker("ticker", period=0.125, count=3)

    run, seconds = timed(lambda: Simulation(ticker).run(pace=1.0))

    assert ticker.ticks == [0.125, 0.25, 0.375]
    assert (run.time, run.lateness.count) == (0.375, 3)
    assert 0.375 <= seconds


@pytest.mark.parametrize("pace", [1e6, 0.5])
def test_a_pace_scales_the_wall_clock(pace: float) -> None:
    """In real time the first would take two days."""
    simulated = 0.2 * pace

    run, seconds = timed(lambda: Simulation().run(until=simulated, pace=pace))

    assert run.time == simulated
    assert 0.2 <= seconds + 1e-6
    assert seconds < PATIENCE


def test_a_paced_run_gives_the_trace_of_a_free_one() -> None:
    free, paced = (
        Simulation(Ticker("ticker", period=0.01, count=10)).run(pace=pace).trace_hash for pace in (None, 5.0)
    )

    assert free == paced


def test_a_paced_run_continues_where_it_stopped_without_catching_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wall clock starts anew with each call: what passed between is not counted as lateness."""
    ticker = Ticker("ticker", period=0.02, count=4)
    simulation, wall = Simulation(ticker), Wall(monkeypatch)
    simulation.run(until=0.05, pace=1.0)
    wall.move(HOUR)

    _, seconds = timed(lambda: simulation.run(pace=1.0))

    assert ticker.ticks == [0.02, 0.04, 0.06, 0.08]
    assert seconds >= 0.03
    assert simulation.lateness.max < HOUR / 2


def test_events_no_clock_can_reach_are_waited_for_all_the_same() -> None:
    """Until somebody says stop: a far instant is no error."""
    for until in (1e15, math.inf):
        simulation = Simulation(Ticker("ticker", period=1e12))
        simulation.schedule(0.0, threading.Timer(0.1, simulation.stop).start)

        run, seconds = timed(lambda: simulation.run(until=until, pace=1.0))  # noqa: B023  # called at once

        assert seconds > 0.05
        assert run.time <= seconds


@pytest.mark.parametrize("pace", [0.0, -1.0, math.nan, math.inf])
def test_a_pace_is_a_positive_number(pace: float) -> None:
    with pytest.raises(ValueError, match=r"a pace is a positive number \(1\.0 is real time\), not"):
        Simulation().run(pace=pace)


# Lateness.


def busy(patch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Give an action that keeps the run busy for an hour."""
    wall = Wall(patch)
    return lambda: wall.move(HOUR)


def test_lateness_is_counted_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """An action of an hour makes the two instants behind it late; nothing is skipped."""
    simulation, log = Simulation(), list[float]()
    simulation.schedule(0.01, busy(monkeypatch))
    for instant in (0.02, 0.03):
        simulation.schedule(instant, lambda: log.append(simulation.now))

    run = simulation.run(pace=1.0)

    assert log == [0.02, 0.03]
    assert run.lateness.count == 3
    assert HOUR - 0.02 < run.lateness.max < 2.0 * HOUR
    assert run.lateness is simulation.lateness


def test_the_policy_raise_ends_a_run_that_falls_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the late instant, which can still happen."""
    simulation, log = Simulation(), list[float]()
    simulation.schedule(0.01, busy(monkeypatch))
    simulation.schedule(0.02, lambda: log.append(simulation.now))

    with pytest.raises(
        TooLate, match=r"the instant t = 0\.02 s came \d+\.\d+ s late; the tolerance is 1800\.0 s"
    ):
        simulation.run(pace=1.0, late="raise", tolerance=HOUR / 2)

    assert log == []
    simulation.run()
    assert log == [0.02]


def test_within_the_tolerance_nothing_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation()
    simulation.schedule(0.01, busy(monkeypatch))
    simulation.schedule(0.02, lambda: None)

    assert simulation.run(pace=1.0, late="raise", tolerance=2.0 * HOUR).lateness.max > HOUR / 2


def test_a_free_run_is_never_late(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation()
    simulation.schedule(0.01, busy(monkeypatch))
    simulation.schedule(0.02, lambda: None)

    lateness = simulation.run(late="raise", tolerance=0.0).lateness

    assert (lateness.count, lateness.p50, lateness.p99, lateness.max) == (0, 0.0, 0.0, 0.0)
    assert repr(lateness) == "Lateness(no paced instants)"


def test_a_policy_is_one_of_three() -> None:
    with pytest.raises(ValueError, match="late is 'report', 'raise' or 'wait', not 'ignore'"):
        Simulation().run(late="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize("tolerance", [-1.0, math.nan])
def test_a_tolerance_is_a_number_of_seconds(tolerance: float) -> None:
    with pytest.raises(ValueError, match="tolerance"):
        Simulation().run(pace=1.0, late="raise", tolerance=tolerance)


@given(st.lists(st.floats(1e-7, 1e5), min_size=1, max_size=200), st.floats(0.0, 100.0))
def test_percentiles_are_exact_to_an_eighth(lates: list[float], share: float) -> None:
    """A percentile is never below the exact one, and at most 12.3 % above it; the greatest is exact."""
    lateness = Lateness()
    for late in lates:
        lateness.add(late)
    exact = sorted(lates)[max(math.ceil(len(lates) * share / 100.0), 1) - 1]

    told = lateness.percentile(share)

    assert exact * (1.0 - 1e-9) <= told + 1e-7
    assert told <= exact * 1.123
    assert (lateness.count, lateness.max) == (len(lates), max(lates))
    assert lateness.percentile(100.0) == pytest.approx(max(lates), abs=1e-7)


@given(st.lists(st.floats(-10.0, 1e9, allow_nan=False), max_size=50))
def test_a_lateness_of_any_size_is_counted_and_being_early_is_being_on_time(lates: list[float]) -> None:
    lateness = Lateness()
    for late in lates:
        lateness.add(late)

    assert lateness.count == len(lates)
    assert lateness.max == max([*lates, 0.0])
    assert 0.0 <= lateness.p50 <= lateness.p99 <= lateness.max
    assert lateness.percentile(100.0) == pytest.approx(lateness.max, abs=1e-7)


def test_known_percentiles() -> None:
    """Ninety-nine instants on time and one a second late."""
    lateness = Lateness()
    for _ in range(99):
        lateness.add(0.0)
    lateness.add(1.0)

    assert (lateness.p50, lateness.p99, lateness.percentile(100.0), lateness.max) == (0.0, 0.0, 1.0, 1.0)
    assert repr(lateness) == "Lateness(100 instants, p50=0.000000 s, p99=0.000000 s, max=1.000000 s)"


@pytest.mark.parametrize("share", [-1.0, 100.1, math.nan])
def test_a_percentile_lies_between_0_and_100(share: float) -> None:
    with pytest.raises(ValueError, match="a percentile lies between 0 and 100, but it is"):
        Lateness().percentile(share)


@given(st.floats(0.01, 100.0), st.floats(0.0, 1e6), st.floats(0.0, 1e6), st.floats(0.0, 1e6))
def test_wall_and_simulated_time_lie_on_one_line(
    pace: float, start: float, origin: float, more: float
) -> None:
    clock = PaceClock(pace, start, origin)

    assert clock.due(origin) == start
    assert clock.simulated(start) == origin
    assert clock.simulated(clock.due(origin + more)) == pytest.approx(origin + more, abs=1e-3)


# By another hand.


def test_a_run_can_be_driven_one_instant_at_a_time() -> None:
    ticker = Ticker("ticker", period=1.5, count=2)
    simulation, told = Simulation(ticker), list[tuple[float, float, float]]()
    for _ in range(3):
        told.append((simulation.next_time, simulation.advance(), simulation.now))

    assert told == [(1.5, 1.5, 1.5), (3.0, 3.0, 3.0), (math.inf, math.inf, 3.0)]


def test_an_advance_is_the_whole_instant() -> None:
    """All steps and ranks of that time, also what is planned for it meanwhile."""
    simulation, log = Simulation(), list[str]()

    def first() -> None:
        log.append("first")
        simulation.schedule(1.0, lambda: log.append("planned now"))

    simulation.schedule(1.0, lambda: log.append("rank 7"), rank=7)
    simulation.schedule(1.0, first)
    simulation.schedule(1.0 + 1e-9, lambda: log.append("later"))

    assert simulation.advance() == 1.0
    assert log == ["first", "planned now", "rank 7"]


def test_advancing_gives_the_trace_of_running() -> None:
    by_hand = Simulation(Ticker("ticker", count=10))
    while by_hand.advance() < math.inf:
        pass

    assert by_hand.trace_hash == Simulation(Ticker("ticker", count=10)).run().trace_hash


def test_a_stop_that_came_early_does_not_stop_an_advance() -> None:
    ticker = Ticker("ticker", count=2)
    simulation = Simulation(ticker)
    simulation.stop()

    assert (simulation.advance(), simulation.now) == (1.0, 1.0)
    assert ticker.ticks == [1.0]


def test_a_stop_that_came_before_the_run_stops_it_once() -> None:
    """A thread may call stop() just before the run begins; it is not lost, and the next run goes on."""
    ticker = Ticker("ticker", count=2)
    simulation = Simulation(ticker)
    simulation.stop()

    simulation.run()
    assert ticker.ticks == []
    simulation.run()
    assert ticker.ticks == [1.0, 2.0]


@pytest.mark.parametrize("late", ["report", "wait"])
def test_what_comes_while_a_paced_run_is_stopped_is_never_heard_before_it_came(
    late: Late, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour after the last instant something comes, and then the stop: it waits until its time."""
    wall = Wall(monkeypatch)
    heard: list[float] = []
    simulation = Simulation()

    def stop() -> None:
        wall.move(HOUR)
        simulation.bring(heard.append)
        simulation.stop()

    simulation.schedule(0.0, stop)
    simulation.run(pace=1.0, open_ended=True, late=late)

    assert (simulation.now, len(heard)) == (0.0, 1)
    assert heard[0] >= HOUR


# In asyncio.


def test_a_paced_run_leaves_the_asyncio_loop_free() -> None:
    beats: list[int] = []
    ticker = Ticker("ticker", period=0.05, count=4)

    async def beat() -> None:
        while True:
            beats.append(len(ticker.ticks))
            await asyncio.sleep(0.005)

    async def main() -> Run[None]:
        beating = asyncio.create_task(beat())
        run = await Simulation(ticker).run_async(pace=1.0)
        beating.cancel()
        return run

    run = asyncio.run(main())

    assert (run.time, ticker.ticks[0]) == (0.2, 0.05)
    assert len(beats) > 4
    assert len(set(beats)) > 1


def test_a_free_run_in_asyncio_gives_the_same_trace() -> None:
    ticker = Ticker("ticker", count=10)

    run = asyncio.run(Simulation(ticker).run_async(until=20.0))

    assert run.time == 20.0
    assert run.trace_hash == Simulation(Ticker("ticker", count=10)).run().trace_hash


def test_a_cancelled_run_can_go_on() -> None:
    ticker = Ticker("ticker", period=0.05, count=20)
    simulation = Simulation(ticker)

    async def main() -> None:
        running = asyncio.create_task(simulation.run_async(pace=1.0))
        ticker.out.watch(lambda time, _: running.cancel() if time > 0.09 else None)
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    done = len(ticker.ticks)
    simulation.run()

    assert done == 2
    assert len(ticker.ticks) == 20


def test_errors_come_out_of_an_asyncio_run_too() -> None:
    async def main() -> None:
        with pytest.raises(TimeError):
            await Simulation().run_async(until=-1.0)
        simulation = Simulation()
        simulation.schedule(0.01, lambda: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            await simulation.run_async(pace=1.0)

    asyncio.run(main())

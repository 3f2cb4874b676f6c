"""Work in threads, processes and asyncio, whose outcome comes back to a model as input."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import Future
from typing import Any

import pytest

from kumi.devs import (
    Activity,
    ActivityOutcome,
    Atomic,
    Coupled,
    InAsyncio,
    InProcess,
    InThread,
    NoRun,
    PortError,
    Simulation,
    TimeError,
    Virtual,
    start_activity,
)
from tests.devs.parts import Ticker
from tests.waiting import PATIENCE, patience, wait_for


class Worker(Atomic):
    """Begins its activities at t = 1 and writes the outcomes down."""

    def __init__(self, *activities: Activity[Any], name: str = "worker") -> None:
        super().__init__(name)
        self.activities = activities
        self.outcomes = self.add_input("outcomes", ActivityOutcome)
        self.heard: list[tuple[float, Any]] = []
        self.hold(1.0)

    def internal(self) -> None:
        for activity in self.activities:
            start_activity(activity, into=self.outcomes)

    def external(self) -> None:
        for outcome in self.outcomes:
            self.heard.append((self.now, outcome.error or outcome.result()))


def run(
    *activities: Activity[Any], until: float = float("inf"), pace: float | None = None
) -> list[tuple[float, Any]]:
    """Run a worker with these activities, and give what it heard."""
    worker = Worker(*activities)
    with Simulation(worker) as simulation, patience(simulation):
        simulation.run(until, pace=pace)
    return worker.heard


def fail(word: str) -> None:
    """Raise."""
    raise LookupError(word)


async def double(number: int) -> int:
    """Take a while, on asyncio."""
    await asyncio.sleep(0.02)
    return 2 * number


async def fail_later(word: str) -> None:
    """Take a while and raise."""
    await asyncio.sleep(0.01)
    raise LookupError(word)


def where() -> tuple[int, str]:
    """Tell which process and thread this is."""
    return os.getpid(), threading.current_thread().name


def test_the_outcome_of_an_activity_is_input() -> None:
    """A free run does all it can without it, waits, and takes it at that instant."""
    assert run(InThread(pow, 2, 3)) == [(1.0, 8)]
    assert run(InProcess(pow, 2, 3)) == [(1.0, 8)]
    assert run(InAsyncio(double, 4)) == [(1.0, 8)]
    assert run(Virtual(2.5, pow, 2, 3)) == [(3.5, 8)]


def test_keywords_are_passed_on() -> None:
    assert run(InThread(int, "11", base=2)) == [(1.0, 3)]
    assert run(Virtual(0.0, int, "11", base=2)) == [(1.0, 3)]


def test_an_activity_runs_where_it_says() -> None:
    ((_, (thread_process, thread)),) = run(InThread(where))
    ((_, (process, _)),) = run(InProcess(where))
    ((_, (virtual_process, virtual_thread)),) = run(Virtual(0.0, where))

    assert thread_process == os.getpid()
    assert thread != threading.current_thread().name
    assert process != os.getpid()
    assert (virtual_process, virtual_thread) == where()


@pytest.mark.parametrize(
    "activity",
    [InThread(fail, "x"), InProcess(fail, "x"), InAsyncio(fail_later, "x"), Virtual(0.0, fail, "x")],
    ids=["thread", "process", "asyncio", "virtual"],
)
def test_what_an_activity_raises_arrives_as_its_error(activity: Activity[Any]) -> None:
    ((instant, error),) = run(activity)

    assert (instant, type(error), error.args) == (1.0, LookupError, ("x",))


def test_asking_for_the_result_raises_the_error() -> None:
    """So a model that does not look fails itself, with its path."""

    class Trusting(Worker):
        def external(self) -> None:
            self.heard.append((self.now, self.outcomes[0].result()))

    with Simulation(Trusting(InThread(fail, "x"))) as simulation, pytest.raises(LookupError) as caught:
        simulation.run()

    assert "in external transition of 'worker' at t = 1.0 s" in caught.value.__notes__


def test_an_outcome_tells_its_activity() -> None:
    activity = Virtual(1.0, pow, 2, 3)
    seen: list[Any] = []

    class Curious(Worker):
        def external(self) -> None:
            seen.append(self.outcomes[0])

    Simulation(Curious(activity)).run()

    assert seen == [ActivityOutcome(activity, value=8)]
    assert seen[0].result() == 8


def test_none_is_a_result() -> None:
    assert run(InThread(time.sleep, 0.0)) == [(1.0, None)]


def test_a_free_run_does_first_what_does_not_depend_on_the_outcome() -> None:
    """The ticker goes to its end; the outcome comes at the instant the run has come to."""
    gate = threading.Event()
    net = Coupled("net")
    worker, ticker = net.add(Worker(InThread(gate.wait, 10))), net.add(Ticker("ticker", count=5))
    with Simulation(net) as simulation, patience(simulation):
        simulation.schedule(5.0, gate.set, rank=7)
        simulation.run()

    assert ticker.ticks == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert worker.heard == [(5.0, True)]


def test_a_paced_run_stamps_an_outcome_with_the_time_at_which_it_came() -> None:
    """Begun at t = 0.1 and 0.15 s long: at 0.25 or later, as the run is by then."""
    worker = Worker(InThread(time.sleep, 0.15))
    worker.hold(0.1)
    with Simulation(worker) as simulation, patience(simulation):
        before = time.monotonic()
        simulation.run(pace=1.0)
        took = time.monotonic() - before

    ((instant, _),) = worker.heard
    assert 0.25 <= instant + 1e-3 <= took + 1e-3


def test_many_activities_all_arrive() -> None:
    numbers = range(50)

    heard = run(
        *(InThread(abs, -number) for number in numbers), *(InAsyncio(double, number) for number in numbers)
    )

    assert sorted(value for _, value in heard) == sorted([*numbers, *(2 * number for number in numbers)])


def test_virtual_activities_repeat_exactly() -> None:
    """Whatever a model does with real activities, with virtual ones its trace has one hash."""
    hashes = {
        Simulation(Worker(Virtual(0.5, pow, 2, 3), Virtual(0.25, fail, "x"))).run().trace_hash
        for _ in range(3)
    }

    assert len(hashes) == 1


def test_an_outcome_reaches_a_run_driven_by_hand() -> None:
    worker = Worker(InThread(pow, 2, 3))
    with Simulation(worker) as simulation:
        simulation.advance()
        wait_for(lambda: (simulation.advance(), worker.heard)[1])

    assert worker.heard == [(1.0, 8)]


def test_a_program_may_begin_an_activity() -> None:
    worker = Worker()

    async def program() -> None:
        start_activity(InThread(pow, 2, 3), into=worker.outcomes)

    with Simulation(worker) as simulation, patience(simulation):
        simulation.start(program)
        simulation.run()

    assert [value for _, value in worker.heard] == [8]


# What ends badly.


async def give_up() -> None:
    """End as a cancelled coroutine does."""
    raise asyncio.CancelledError("gave up")


def test_a_coroutine_that_was_cancelled_is_an_error_not_a_wait_for_ever() -> None:
    ((instant, error),) = run(InAsyncio(give_up))

    assert instant == 1.0
    assert isinstance(error, BaseException)
    assert "Cancelled" in type(error).__name__ or "cancelled" in str(error)


def test_the_outcome_for_a_model_that_was_removed_does_not_hold_the_run() -> None:
    net = Coupled("net")
    gate = threading.Event()
    worker = net.add(Worker(InThread(gate.wait, 10)))
    with Simulation(net) as simulation, patience(simulation):
        simulation.schedule(2.0, lambda: net.remove(worker))
        simulation.schedule(3.0, gate.set)
        simulation.run()

    assert worker.heard == []
    assert simulation.now == 3.0


def test_a_thread_that_exits_is_an_error() -> None:
    ((_, error),) = run(InThread(sys.exit, 3))

    assert isinstance(error, SystemExit)


def test_what_cannot_be_sent_to_a_process_is_an_error() -> None:
    ((_, error),) = run(InProcess(lambda: 1))

    assert isinstance(error, BaseException)


def test_a_process_that_dies_is_an_error() -> None:
    ((_, error),) = run(InProcess(os._exit, 1))

    assert "Broken" in type(error).__name__


def test_a_port_that_does_not_fit_is_refused_by_the_model_that_begins() -> None:
    class Wrong(Worker):
        def __init__(self) -> None:
            super().__init__()
            self.numbers = self.add_input("numbers", int)

        def internal(self) -> None:
            start_activity(InThread(pow, 2, 3), into=self.numbers)  # type: ignore[arg-type]

    with (
        Simulation(Wrong()) as simulation,
        pytest.raises(PortError, match=r"port 'worker\.numbers' carries int"),
    ):
        simulation.run()


def test_a_port_of_another_run_is_refused() -> None:
    stranger = Worker(name="stranger")

    with Simulation() as simulation:
        simulation.schedule(1.0, lambda: start_activity(InThread(pow, 2, 3), into=stranger.outcomes))
        with pytest.raises(
            PortError, match=r"port 'stranger\.outcomes' belongs to a model that is not part of this"
        ):
            simulation.run()


@pytest.mark.parametrize("duration", [-1.0, float("nan"), float("inf")])
def test_a_virtual_activity_takes_a_time(duration: float) -> None:
    with pytest.raises(TimeError, match=r"a virtual activity takes a number of seconds >= 0, not"):
        Virtual(duration, pow, 2, 3)


def test_activities_belong_into_a_run() -> None:
    with pytest.raises(NoRun, match=r"start_activity\(\) was called outside a run"):
        start_activity(InThread(pow, 2, 3), into=Worker().outcomes)


def test_an_activity_of_ones_own_needs_one_method() -> None:
    """Here one that was done before."""

    class Known:
        def begin(self, workers: object, now: float) -> Future[float]:
            future: Future[float] = Future()
            future.set_result(now)
            return future

    assert run(Known()) == [(1.0, 1.0)]


# The end.


def test_nothing_is_left_open() -> None:
    """No loop, no thread, no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            run(InAsyncio(double, 1), InThread(pow, 2, 3))
        wait_for(lambda: not any("kumi" in thread.name for thread in threading.enumerate()))
        gc.collect()


def test_closing_does_not_wait_for_what_is_under_way() -> None:
    """Which takes longer than anybody waits for a test."""
    gate = threading.Event()
    with Simulation(Worker(InThread(gate.wait), InAsyncio(asyncio.sleep, 1e6))) as simulation:
        simulation.advance()
    gate.set()


PENDING = """
import asyncio, sys, time
from pathlib import Path
from kumi.devs import InAsyncio, InProcess, InThread, Simulation
from tests.devs.test_activities import Worker
from tests.waiting import wait_for

def hold(begun):
    begun.touch()
    time.sleep(1e6)

async def hold_on(begun):
    begun.touch()
    await asyncio.sleep(1e6)

if __name__ == "__main__":
    begun = Path(sys.argv[3])
    activity = {
        "thread": InThread(hold, begun),
        "process": InProcess(hold, begun),
        "asyncio": InAsyncio(hold_on, begun),
    }[sys.argv[1]]
    with Simulation(Worker(activity)) as simulation:
        simulation.advance()
        wait_for(begun.exists)
        if sys.argv[2] == "raise":
            raise LookupError("an error of the main program")
    print("over", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", ["close", "raise"])
@pytest.mark.parametrize("kind", ["thread", "process", "asyncio"])
def test_a_pending_activity_does_not_keep_the_process_from_ending(kind: str, end: str, tmp_path: Any) -> None:
    script = tmp_path / "pending.py"
    script.write_text(PENDING)

    said = subprocess.run(
        [sys.executable, str(script), kind, end, str(tmp_path / "begun")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    if end == "close":
        assert (said.stdout, said.returncode) == ("over\n", 0)
        assert said.stderr == ""
    else:
        assert "LookupError: an error of the main program" in said.stderr

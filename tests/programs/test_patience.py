"""A turn that never ends is an error, and not a run that hangs; nobody else gets that error."""

from __future__ import annotations

import ctypes
import functools
import math
import operator
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType
from typing import Any

import pytest

import kumi
from kumi import Signal, sleep, together
from kumi.devs import Atomic, Coupled, NeverAwaited, NeverWaits, Simulation
from tests.programs.log import Log
from tests.programs.test_never_awaited import line_of
from tests.waiting import PATIENCE, beside, wait_for

SHORT = 0.2
"""Seconds of patience that a test loses."""

LONG = 1.0
"""Seconds of patience that is never lost, on a busy machine neither."""


def spin() -> None:
    """Go on for ever."""
    while True:
        time.perf_counter()


def busy(seconds: float) -> None:
    """Compute for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


async def endless() -> None:
    """Never wait."""
    await sleep(1.5)
    spin()


async def errand() -> None:
    """Something a program should await."""
    await sleep(1)


class Act(Atomic):
    """Does something at t = 1 s, in one of its methods."""

    def __init__(self, name: str, method: str, action: Callable[[], object]) -> None:
        super().__init__(name)
        self.into = self.add_input("into", object)
        self.out = self.add_output("out", object)
        self._method, self._action = method, action
        self.hold(1)

    def _act(self, method: str) -> None:
        if method == self._method:
            self._action()

    def begin(self) -> None:
        self._act("begin")

    def output(self) -> None:
        self.out.send("now")
        self._act("output")

    def internal(self) -> None:
        self._act("internal")

    def external(self) -> None:
        self._act("external")


# The error.


def test_a_program_that_never_waits_is_an_error() -> None:
    with pytest.raises(NeverWaits) as raised:
        kumi.run(endless, patience=SHORT)
    message = str(raised.value)
    assert "task 'endless'" in message
    assert "t = 1.5 s" in message
    assert " s of wall time" in message
    loop = line_of(spin, "while True")
    assert any(f"at {__file__}, line {line}, in spin" in message for line in (loop, loop + 1))
    assert "InThread" in message
    assert f"now it is {SHORT} s" in message
    assert raised.value.__notes__ == ["in task 'endless' at t = 1.5 s"]


def test_the_traceback_leads_to_the_place() -> None:
    with pytest.raises(NeverWaits) as raised:
        kumi.run(endless, patience=SHORT)
    assert raised.traceback[-1].name == "spin"


def test_it_comes_soon_after_the_patience_is_lost() -> None:
    """By the processor's time: the program may have to share it."""
    begin, worked = time.monotonic(), time.thread_time()
    with pytest.raises(NeverWaits):
        kumi.run(endless, patience=SHORT)
    assert time.monotonic() - begin >= SHORT
    assert time.thread_time() - worked < SHORT + 5.0


@pytest.mark.parametrize("method", ["output", "internal"])
def test_a_model_that_never_returns_is_an_error(method: str) -> None:
    plant = Coupled("plant")
    plant.add(Act("valve", method, spin))
    with (
        Simulation(plant, patience=SHORT) as simulation,
        pytest.raises(NeverWaits, match=r"model 'plant\.valve' .*t = 1\.0 s"),
    ):
        simulation.run()


def test_input_that_is_never_dealt_with_is_an_error() -> None:
    valve = Act("valve", "external", spin)
    with Simulation(valve, patience=SHORT) as simulation:
        simulation.inject(valve.into, "turn", at=0.5)
        with pytest.raises(NeverWaits, match=r"model 'valve' .*t = 0\.5 s"):
            simulation.run()


def test_a_model_that_comes_later_and_never_begins_is_an_error() -> None:
    plant = Coupled("plant")
    with Simulation(plant, patience=SHORT) as simulation:
        simulation.schedule(1.0, lambda: plant.add(Act("valve", "begin", spin)))
        with pytest.raises(NeverWaits, match=r"plant\.valve"):
            simulation.run()


def test_a_call_that_never_returns_is_an_error() -> None:
    with Simulation(patience=SHORT) as simulation:
        simulation.schedule(1.0, spin)
        with pytest.raises(NeverWaits, match=r"in spin\b"):
            simulation.run()


def test_a_watcher_that_never_returns_is_an_error() -> None:
    valve = Act("valve", "none", spin)
    valve.out.watch(lambda _time, _value: spin())
    with Simulation(valve, patience=SHORT) as simulation, pytest.raises(NeverWaits):
        simulation.run()


def test_a_task_of_a_block_that_never_waits_ends_the_block(log: Log) -> None:
    async def other() -> None:
        try:
            await sleep(9)
        finally:
            log("cut")

    async def main() -> None:
        try:
            async with together() as tasks:
                tasks.start(other)
                tasks.start(endless)
        except NeverWaits:
            log("lost")
        await sleep(1)
        log("goes on")

    kumi.run(main, patience=SHORT)

    assert log == [(1.5, "cut"), (1.5, "lost"), (2.5, "goes on")]


def test_the_others_of_the_step_have_their_turn(log: Log) -> None:
    async def other() -> None:
        await sleep(1.5)
        log("other")

    with Simulation(patience=SHORT) as simulation:
        simulation.start(endless)
        simulation.start(other)
        with pytest.raises(NeverWaits):
            simulation.run()
        assert log == [(1.5, "other")]
        assert simulation.run().finished


def test_a_program_that_never_ends_when_it_is_cut_is_an_error() -> None:
    async def main() -> None:
        try:
            await sleep(9)
        finally:
            spin()

    simulation = Simulation(patience=SHORT)
    simulation.start(main)
    simulation.run(until=1.0)
    with pytest.raises(NeverWaits, match="task 'main'"):
        simulation.close()


def test_a_run_in_another_thread_has_patience_too() -> None:
    raised: list[BaseException] = []

    def work() -> None:
        try:
            kumi.run(endless, patience=SHORT)
        except NeverWaits as error:
            raised.append(error)

    with beside(work, work):
        pass
    assert [type(error) for error in raised] == [NeverWaits] * 2


def test_each_run_has_its_own_patience() -> None:
    """One with much patience is under way when one with little begins."""
    with Simulation(patience=30.0) as patient:
        patient.start(errand)
        with beside(lambda: patient.run(until=1.0, pace=0.01)):
            wait_for(lambda: bool(watchdogs()))
            worked = time.thread_time()
            with pytest.raises(NeverWaits):
                kumi.run(endless, patience=SHORT)
            assert time.thread_time() - worked < 5.0
            patient.stop()


# Forgotten awaits.

BELL = Signal[str]("bell")
FORGOTTEN: dict[str, Callable[[], object]] = {
    "sleep": lambda: sleep(20.0),
    "next": BELL.next,
    "errand": errand,
}


@pytest.mark.parametrize("kind", FORGOTTEN)
def test_a_loop_that_forgets_to_await_is_told_so_once(kind: str) -> None:
    make = FORGOTTEN[kind]

    async def main() -> None:
        while True:
            make()

    with pytest.raises(NeverAwaited, match=kind) as raised:
        kumi.run(main, patience=SHORT)
    assert "task 'main' has kept the run waiting" in raised.value.__notes__[-1]


@pytest.mark.parametrize("kind", FORGOTTEN)
def test_a_transition_that_makes_waits_for_ever_is_told_so(kind: str) -> None:
    def forget() -> None:
        while True:
            FORGOTTEN[kind]()

    with (
        Simulation(Act("valve", "internal", forget), patience=SHORT) as simulation,
        pytest.raises(NeverAwaited, match=kind),
    ):
        simulation.run()


def test_two_forgotten_awaits_of_an_endless_loop_are_told_together() -> None:
    async def main() -> None:
        while True:
            sleep(20.0)  # type: ignore[unused-awaitable]
            BELL.next()  # type: ignore[unused-awaitable]

    with pytest.raises(ExceptionGroup) as raised:
        kumi.run(main, patience=SHORT)
    assert [type(error) for error in raised.value.exceptions] == [NeverAwaited] * 2


@pytest.mark.parametrize("kind", FORGOTTEN)
def test_a_mistake_made_many_times_in_one_turn_is_one_error(kind: str) -> None:
    make = FORGOTTEN[kind]

    async def main() -> None:
        for _ in range(1000):
            make()
        await sleep(1)

    with pytest.raises(NeverAwaited, match=kind):
        kumi.run(main)


def test_mistakes_without_end_take_little_memory() -> None:
    """A hundred of one step are enough, even if each is another one."""

    async def main() -> None:
        for i in range(1000):
            exec(compile("sleep(1)", f"file {i}", "exec"), {"sleep": sleep})  # noqa: S102
        await sleep(1)

    with pytest.raises(ExceptionGroup) as raised:
        kumi.run(main)
    assert len(raised.value.exceptions) == 100


def test_the_mistake_of_another_task_does_not_hide_who_never_waits() -> None:
    async def forgetful() -> None:
        await sleep(1.5)
        sleep(20.0)  # type: ignore[unused-awaitable]

    with Simulation(patience=SHORT) as simulation:
        simulation.start(forgetful)
        simulation.start(endless)
        with pytest.raises(ExceptionGroup) as raised:
            simulation.run()
    assert [type(error) for error in raised.value.exceptions] == [NeverAwaited, NeverWaits]


def test_the_same_mistake_in_two_tasks_of_a_step_is_one_error() -> None:
    async def forgetful() -> None:
        sleep(20.0)  # type: ignore[unused-awaitable]
        await sleep(1)

    with Simulation() as simulation:
        simulation.start(forgetful)
        simulation.start(forgetful)
        with pytest.raises(NeverAwaited):
            simulation.run()


# Errors that do not get through.


def swallow(kind: type[BaseException]) -> None:
    """Go on for ever, whatever is raised."""
    while True:
        with suppress(kind):
            spin()


def test_a_program_that_swallows_errors_ends_all_the_same() -> None:
    async def main() -> None:
        swallow(Exception)

    with pytest.raises(NeverWaits, match="task 'main'"):
        kumi.run(main, patience=SHORT)


def test_a_model_that_swallows_errors_ends_all_the_same() -> None:
    with (
        Simulation(Act("valve", "internal", lambda: swallow(Exception)), patience=SHORT) as simulation,
        pytest.raises(NeverWaits, match="model 'valve'"),
    ):
        simulation.run()


def test_a_loop_that_forgets_to_await_and_swallows_errors_is_told_so() -> None:
    def forget() -> None:
        while True:
            sleep(20.0)  # type: ignore[unused-awaitable]

    async def main() -> None:
        while True:
            with suppress(Exception):
                forget()

    with pytest.raises(NeverAwaited):
        kumi.run(main, patience=SHORT)


def test_it_is_raised_again_until_the_turn_ends() -> None:
    caught: list[BaseException] = []

    async def main() -> str:
        while len(caught) < 5:
            try:
                spin()
            except BaseException as error:  # noqa: BLE001
                caught.append(error)
        return "done"

    with pytest.raises(NeverWaits) as raised:
        kumi.run(main, patience=SHORT)
    assert caught[:2] == [raised.value] * 2
    assert [type(error) for error in caught[2:]] == [kumi.Cut] * 3


def test_a_program_may_catch_it_and_wait(log: Log) -> None:
    async def main() -> None:
        try:
            spin()
        except NeverWaits:
            log("caught")
        await sleep(1)
        log("goes on")

    kumi.run(main, patience=SHORT)

    assert log == [(0.0, "caught"), (1.0, "goes on")]


def test_one_that_is_lost_in_a_finalizer_is_raised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python tells of an error in `__del__`, and drops it."""
    lost: list[object] = []

    class Last:
        def __del__(self) -> None:
            spin()

    async def main() -> None:
        Last()
        spin()

    monkeypatch.setattr("kumi.devs.turn_watchdog._MOMENTS", 3)  # it is no good moment, and there is no other
    monkeypatch.setattr(sys, "unraisablehook", lambda what: lost.append(type(what.exc_value)))
    with pytest.raises(NeverWaits):
        kumi.run(main, patience=SHORT)
    assert lost == [NeverWaits]


# No false alarm.


@pytest.mark.slow
def test_many_short_turns_of_one_step_take_any_time() -> None:
    """Each has less than the patience; together they have more."""
    many = Coupled("many")
    for i in range(6):
        many.add(Act(f"act-{i}", "output" if i % 2 else "internal", lambda: busy(LONG / 5)))
    with Simulation(many, patience=LONG) as simulation:
        for _ in range(6):
            simulation.schedule(1.0, lambda: busy(LONG / 5))
        simulation.run()


def test_a_run_at_a_pace_waits_for_any_time(log: Log) -> None:
    async def main() -> None:
        await sleep(0.6)
        log("waited")

    kumi.run(main, pace=1.0, patience=0.1)

    assert log == [(0.6, "waited")]


def test_an_open_ended_run_waits_for_any_time() -> None:
    with Simulation(patience=0.1) as simulation:
        simulation.schedule(0.0, threading.Timer(0.5, simulation.stop).start)
        simulation.run(open_ended=True)


def test_a_run_inside_a_turn_may_take_any_time() -> None:
    """It has a patience of its own."""

    async def inner() -> None:
        for _ in range(6):
            await sleep(1)
            busy(0.1)

    async def main() -> None:
        kumi.run(inner, patience=LONG)

    kumi.run(main, patience=0.1)


def test_of_a_run_inside_a_turn_the_inner_program_is_named() -> None:
    async def main() -> None:
        kumi.run(endless, patience=SHORT)

    with pytest.raises(NeverWaits, match="task 'endless'"):
        kumi.run(main, patience=0.1)


def test_a_turn_that_begins_runs_for_ever_is_an_error() -> None:
    async def inner() -> None:
        await sleep(1)

    async def main() -> None:
        while True:
            kumi.run(inner)
            busy(0.01)

    with pytest.raises(NeverWaits, match="task 'main'"):
        kumi.run(main, patience=SHORT)


def test_inf_lets_a_turn_take_any_time() -> None:
    async def main() -> None:
        busy(0.3)

    kumi.run(main, patience=math.inf)
    assert kumi.run(main, patience=1e300).finished


@pytest.mark.parametrize("patience", [0.0, -1.0, math.nan])
def test_patience_is_a_positive_number(patience: float) -> None:
    with pytest.raises(ValueError, match="patience is a number of seconds > 0, or inf"):
        Simulation(patience=patience)


def test_time_in_a_debugger_does_not_count() -> None:
    debugger: dict[str, Any] = {"__name__": "bdb", "busy": busy}
    exec("def trace_dispatch(): busy(0.6)", debugger)  # noqa: S102

    async def main() -> None:
        debugger["trace_dispatch"]()

    kumi.run(main, patience=0.1)


@pytest.mark.filterwarnings("ignore::kumi.devs.BlocksRun")
def test_a_call_that_returns_late_is_an_error_when_it_returns() -> None:
    async def main() -> None:
        time.sleep(0.6)
        await sleep(1)

    begin = time.monotonic()
    with pytest.raises(NeverWaits):
        kumi.run(main, patience=0.1)
    assert time.monotonic() - begin >= 0.6


@pytest.mark.filterwarnings("ignore::kumi.devs.BlocksRun")
@pytest.mark.parametrize("work", [busy, time.sleep])
def test_nobody_else_gets_the_error(work: Callable[[float], None]) -> None:
    """Turns that end just when the patience does: the error comes in them, or not at all."""
    strays: list[BaseException] = []
    done: list[list[str]] = []

    async def late(seconds: float) -> None:
        work(seconds)

    async def innocent() -> None:
        try:
            done.append([str(i) for i in range(20)])
        except NeverWaits as error:
            strays.append(error)

    for i in range(40):
        with Simulation(patience=0.01) as simulation:
            simulation.start(late, 0.01 + 0.0002 * i)
            simulation.start(innocent)
            with suppress(NeverWaits):
                simulation.run()
            try:
                for _ in range(100):
                    str(i)
            except NeverWaits as error:
                strays.append(error)
    assert strays == []
    assert len(done) == 40


def test_patience_does_not_change_what_happens() -> None:
    async def main() -> None:
        for _ in range(10):
            await sleep(kumi.chance().exponential(1.0))

    assert kumi.run(main).trace_hash == kumi.run(main, patience=math.inf).trace_hash


# An error that comes too late.


class Rings(Exception):
    """Raised by the handler of a signal."""


@pytest.fixture
def bell() -> Iterator[Callable[[], object]]:
    """Give a function of C whose signal raises Rings; where Python code waits for ever, that is raised, too."""

    def ring(*_: object) -> None:
        raise Rings

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    yield functools.partial(getattr(ctypes.CDLL(None), "raise"), signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


def run_with_late_error(*others: Callable[[], object]) -> None:
    """Send an error into a turn that gets to no more Python code before it is over, and call others of C."""
    simulation = Simulation(seed=0)
    calls: list[Callable[[], object]] = [
        functools.partial(simulation._engine.interrupt, turn, NeverWaits) for turn in range(100)
    ]
    said: list[object] = []
    simulation.schedule(1.0, functools.partial(said.extend, map(operator.call, [*calls, *others])))
    simulation.run()
    assert said.count(True) == 1  # of the turn under way


def test_an_error_that_comes_too_late_leaves_nothing_behind(bell: Callable[[], object]) -> None:
    """While Python's flag that one is to be raised is up, no function begins under a profiler."""
    calls = 0

    def count(frame: FrameType, what: str, _: Any) -> None:
        nonlocal calls
        calls += what == "call" and frame.f_code is busy.__code__

    run_with_late_error()
    sys.setprofile(count)
    try:
        busy(0.0)
    finally:
        sys.setprofile(None)

    assert calls == 1


def test_a_signal_beside_an_error_that_comes_too_late_is_heard(bell: Callable[[], object]) -> None:
    with pytest.raises(Rings):
        run_with_late_error(bell)


# The thread that looks.


def watchdogs() -> list[threading.Thread]:
    """Give the threads that look at runs."""
    return [thread for thread in threading.enumerate() if thread.name == "kumi-patience"]


def test_one_thread_looks_at_all_runs_and_ends_soon_after_them() -> None:
    found: list[int] = []

    async def main() -> None:
        found.append(len(watchdogs()))

    for _ in range(20):
        kumi.run(main, patience=SHORT)
    with beside(*[lambda: kumi.run(main, patience=SHORT)] * 4):
        pass
    assert set(found) == {1}
    wait_for(lambda: not watchdogs())


def test_without_patience_there_is_no_thread() -> None:
    wait_for(lambda: not watchdogs())
    found: list[threading.Thread] = []

    async def main() -> None:
        found.extend(watchdogs())

    kumi.run(main, patience=math.inf)
    assert found == []


def test_a_person_can_interrupt_an_endless_program() -> None:
    """Ctrl-C works as ever, before the patience is lost."""
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals come to the main thread")
    timer = threading.Timer(SHORT, os.kill, (os.getpid(), signal.SIGINT))

    async def interrupted() -> None:
        timer.start()
        await endless()

    with pytest.raises(KeyboardInterrupt):
        kumi.run(interrupted, patience=PATIENCE)
    timer.join()


def test_a_forked_process_has_patience_too() -> None:
    script = """
import os, kumi
from kumi.devs import NeverWaits
async def fine(): await kumi.sleep(1)
async def endless():
    while True: pass
kumi.run(fine)
if os.fork() == 0:
    try:
        kumi.run(endless, patience=0.1)
    except NeverWaits:
        os._exit(7)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert done.stdout == "7\n"


def test_a_run_while_python_ends_goes_on_without_the_thread() -> None:
    script = """
import atexit, kumi
async def main():
    await kumi.sleep(1)
    return "fine"
atexit.register(lambda: print(kumi.run(main).value))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert (done.stdout, done.stderr) == ("fine\n", "")

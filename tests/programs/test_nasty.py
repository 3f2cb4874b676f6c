"""Nothing that a program does brings the kernel down."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Awaitable
from pathlib import Path

import pytest

import kumi
from kumi import Signal, Task, after, sleep, together, until
from kumi.devs import Cut, Scope, Simulation, Stream
from tests.programs.log import Log
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]


def apart(name: str, kind: str) -> tuple[str, str]:
    """Run one of the nasty programs in a process of its own, which checks memory; give what it says, and moans."""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-m", "tests.programs.nasty", name, kind],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


# Programs that nothing ends. Python moans when such a coroutine dies at last, and is right.


@pytest.mark.parametrize("kind", ["cut", "everything", "stream", "block"])
def test_a_program_that_goes_on_after_being_cut_is_an_error_and_not_waited_for(kind: str) -> None:
    """It is named, and the run ends."""
    said, _ = apart("stubborn_in_a_scope", kind)

    assert said.startswith("Outlived: task 'main' went on after it was cut")


@pytest.mark.parametrize("kind", ["cut", "everything", "stream", "block"])
def test_a_task_that_goes_on_after_being_cut_is_an_error_of_its_block(kind: str) -> None:
    """Its siblings end as they should."""
    said, _ = apart("stubborn_in_a_block", kind)

    assert "sibling over\n" in said
    assert "Outlived: task 'main.stubborn' went on after it was cut" in said


@pytest.mark.parametrize("kind", ["cut", "everything", "stream", "block"])
def test_a_task_that_goes_on_after_the_end_of_the_run_is_an_error(kind: str) -> None:
    said, _ = apart("stubborn_at_the_end", kind)

    assert "sibling over\n" in said
    assert "stubborn' went on after" in said


# The end of everything.


@pytest.mark.parametrize("kind", ["sleep", "next", "stream", "scope", "block"])
def test_the_interpreter_may_end_with_tasks_under_way(kind: str) -> None:
    """Nobody closed anything; nothing is said about it."""
    assert apart("exit_with_tasks_under_way", kind) == ("exits\n", "")


def test_a_cut_passes_through_ten_thousand_calls() -> None:
    assert apart("deep_calls", "10000") == ("3.0\n", "")


def test_a_run_dropped_at_the_instant_of_a_wake_is_dropped() -> None:
    """The event was told, the task was ready, and never got its turn."""

    async def waits() -> None:
        await bell.next()

    async def reads() -> None:
        async for _ in bell:
            pass

    async def fails() -> None:
        await sleep(1)
        bell.fire(None)
        raise ValueError("stops here")

    bell = Signal[None]("bell")
    simulation = Simulation()
    for program in (waits, reads, fails):
        simulation.start(program)
    with pytest.raises(ValueError, match="stops here"):
        simulation.run()
    weak = weakref.ref(simulation)
    del simulation
    gc.collect()

    assert weak() is None
    assert bell.listeners == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("wait", ["sleep", "next"])
def test_a_program_collected_in_the_middle_of_another_run_does_not_disturb_it(
    log: Log, bell: Signal[str], wait: str
) -> None:
    """It waits where it should only clean up; that is no wait of the task that happens to run."""

    async def lingers() -> None:
        try:
            await bell.next()
        finally:
            await (sleep(5) if wait == "sleep" else bell.next())

    async def main() -> None:
        gc.collect()
        with until(after(10)):
            await Signal[None]("never").next()
        log("left", bell.listeners)

    simulation = Simulation()
    simulation.start(lingers)
    simulation.run(until=1)
    del simulation
    gc.disable()
    try:
        kumi.run(main)
    finally:
        gc.enable()

    assert log == [(10.0, "left", 0)]


# Things that outlive their task.


def test_a_wait_kept_after_its_run_listens_no_longer(bell: Signal[str]) -> None:
    """It cannot be awaited again, and firing does not reach it."""

    async def waits(wait: list[Awaitable[str]]) -> None:
        wait.append(bell.next())
        await wait[0]

    async def rings() -> None:
        bell.fire("ding")
        with pytest.raises(RuntimeError, match="only once"):
            await kept[0]
        await sleep(1)

    kept: list[Awaitable[str]] = []
    simulation = Simulation()
    simulation.start(waits, kept)
    simulation.run(until=1)
    del simulation
    gc.collect()
    assert bell.listeners == 0

    kumi.run(rings)


def test_a_stream_kept_after_its_run_can_be_read_in_another(log: Log, bell: Signal[str]) -> None:
    """It still listens, and belongs to nobody."""
    stream = bell.stream()

    async def reads() -> None:
        async for event in stream:
            log(event)

    async def rings() -> None:
        async with together() as tasks:
            tasks.start(reads)
            await sleep(1)
            bell.fire("ding")
            await sleep(1)
            tasks.cut()

    kumi.run(rings)
    kumi.run(rings)

    assert log == [(1.0, "ding"), (1.0, "ding")]


def test_a_scope_kept_after_its_task_can_neither_be_cut_nor_left_twice(bell: Signal[str]) -> None:
    async def works(kept: list[Scope[str]]) -> None:
        with until(bell) as scope:
            kept.append(scope)
            await sleep(9)

    kept: list[Scope[str]] = []
    kumi.run(works, kept, until=1.0)
    gc.collect()

    kept[0].cut("late")
    kept[0].__exit__(None, None, None)
    assert kept[0].event is None
    assert bell.listeners == 0


def test_a_task_kept_after_its_run_tells_how_it_ended() -> None:
    async def works() -> str:
        await sleep(1)
        return "value"

    async def main(kept: list[Task[str]]) -> None:
        async with together() as tasks:
            kept.append(tasks.start(works))

    kept: list[Task[str]] = []
    kumi.run(main, kept)
    gc.collect()

    assert kept[0].result == "value"
    assert kept[0].path == "main.works"
    kept[0].cut()
    assert not kept[0].was_cut


def test_a_task_of_a_dropped_run_can_be_asked_and_cut() -> None:
    async def works() -> None:
        await sleep(9)

    simulation = Simulation()
    task = simulation.start(works)
    simulation.run(until=1)
    del simulation
    gc.collect()

    task.cut()
    assert not task.was_cut
    assert task.path == "works"
    assert task.waits_for is None or repr(task.waits_for) == "sleep(9.0)"


# Coroutines touched by hand.


@pytest.mark.parametrize("wait", ["sleep", "next", "stream"])
def test_a_coroutine_closed_by_hand_ends_its_task_with_an_error(
    simulation: Simulation, bell: Signal[str], wait: str
) -> None:
    """The task finds out when its turn comes; nothing listens any more, nothing is left in the agenda."""

    async def waits() -> None:
        if wait == "sleep":
            await sleep(5)
        elif wait == "next":
            await bell.next()
        else:
            async for _ in bell:
                pass

    program = waits()
    task = simulation.start(lambda: program)
    simulation.run(until=1)
    program.close()
    gc.collect()
    assert bell.listeners == 0

    task.cut()
    with pytest.raises(RuntimeError, match="cannot reuse already awaited coroutine"):
        simulation.run(until=9)
    assert task.has_ended
    assert simulation.planned == 0


def test_an_error_thrown_into_a_coroutine_by_hand_breaks_that_task_only(
    simulation: Simulation, log: Log
) -> None:
    async def works() -> None:
        try:
            await sleep(5)
        finally:
            log("thrown out")

    async def beside() -> None:
        await sleep(3)
        log("beside")

    program = works()
    task = simulation.start(lambda: program)
    simulation.start(beside)
    simulation.run(until=1)

    async def throws() -> None:
        with pytest.raises(ValueError, match="by hand"):
            program.throw(ValueError("by hand"))

    simulation.start(throws)
    simulation.run(until=4)
    with pytest.raises(RuntimeError, match="cannot reuse"):
        simulation.run(until=6)

    assert log == [(1.0, "thrown out"), (3.0, "beside")]
    assert task.has_ended


def test_an_awaitable_driven_by_hand_is_refused_or_does_no_harm(bell: Signal[str], log: Log) -> None:
    async def main() -> None:
        driver = sleep(1).__await__()
        next(driver)
        await sleep(2)
        log("awake")
        with pytest.raises(RuntimeError):
            next(driver)

    kumi.run(main)

    assert log == [(2.0, "awake")]


# Signals fired at odd moments.


def test_a_sink_that_fires_a_signal_does_no_harm(log: Log, bell: Signal[str]) -> None:
    """A record of a note fires the bell; all who listen hear it at that instant."""

    def sink(record: object) -> None:
        if type(record).__name__ == "Note":
            bell.fire("noted")

    async def reads() -> None:
        async for event in bell:
            log(event)

    async def notes() -> None:
        await sleep(1)
        kumi.note("something")
        await sleep(1)

    with Simulation() as simulation:
        simulation.trace(sink)
        simulation.start(reads)
        simulation.start(notes)
        simulation.run()

    assert log == [(1.0, "noted")]


def test_a_sink_that_raises_comes_out_of_the_run() -> None:
    def sink(record: object) -> None:
        raise ValueError("the disk is full")

    async def works() -> None:
        await sleep(1)

    simulation = Simulation()
    simulation.trace(sink)
    simulation.start(works)
    with pytest.raises((ValueError, ExceptionGroup)) as raised:
        simulation.run()
    assert "the disk is full" in str(raised.value) or isinstance(raised.value, ExceptionGroup)


def test_cutting_and_firing_in_clean_up_reaches_everybody(log: Log, bell: Signal[str]) -> None:
    """Each that is cut cuts the next, in its finally."""

    async def link(number: int, links: list[Task[None]]) -> None:
        try:
            await sleep(100)
        finally:
            log("over", number)
            bell.fire(str(number))
            if number + 1 < len(links):
                links[number + 1].cut()

    async def listens() -> None:
        async for event in bell:
            log("heard", event)

    async def main() -> None:
        links: list[Task[None]] = []
        async with together() as tasks:
            listener = tasks.start(listens)
            links += [tasks.start(link, number, links) for number in range(3)]
            await sleep(1)
            links[0].cut()
            await links[2].ended.next()
            await sleep(0)
            listener.cut()

    kumi.run(main)

    assert [entry for entry in log if entry[1] == "over"] == [(1.0, "over", number) for number in range(3)]
    assert [entry for entry in log if entry[1] == "heard"] == [
        (1.0, "heard", str(number)) for number in range(3)
    ]


def test_a_cut_raised_by_hand_is_an_error_like_any_other(log: Log) -> None:
    """Only the kernel cuts; a program that raises Cut itself fails with it."""

    async def raises() -> None:
        raise Cut

    with pytest.raises(Cut):
        kumi.run(raises)


def test_a_cut_kept_and_raised_again_ends_no_other_block(log: Log) -> None:
    async def main() -> None:
        kept: list[Cut] = []
        with until(after(1)):
            try:
                await sleep(9)
            except Cut as cut:
                kept.append(cut)
                raise
        with pytest.raises(Cut), until(after(5)):
            raise kept[0]
        log("left")

    kumi.run(main)

    assert log == [(1.0, "left")]


def test_streams_and_waits_may_be_made_anywhere(bell: Signal[str]) -> None:
    """Outside a run they only wait to be awaited."""
    streams: list[Stream[str]] = [bell.stream() for _ in range(3)]
    waits = [bell.next() for _ in range(3)]
    assert bell.listeners == 3
    del streams, waits
    assert bell.listeners == 0

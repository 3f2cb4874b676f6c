"""What is made and cut a hundred thousand times leaves nothing behind."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import pytest

import kumi
from kumi import Interrupted, Signal, after, chance, note, sleep, together, unless, until
from kumi.devs import Lagged, Simulation
from kumi.devs.tracing import Record
from tests.programs.log import Log

Rounds = Callable[[int, object], Awaitable[None]]
"""Does something so many times, with some value."""

ALLOWED = 4_000_000  # ten bytes for each round; the process around has its own noise


async def cut_sleeps(rounds: int, value: object) -> None:
    """Cut sleeps by deadlines."""
    for _ in range(rounds):
        with until(after(1)):
            await sleep(2)


async def cut_waits(rounds: int, value: object) -> None:
    """Cut waits for a signal, and for either of two."""
    bell, other = Signal[object]("bell"), Signal[object]("other")
    for _ in range(rounds):
        with until(after(1) | other):
            await bell.next()
        with until(after(1)):
            await (bell | other).next()


async def interruptions(rounds: int, value: object) -> None:
    """Let blocks end with an error."""
    for _ in range(rounds):
        try:
            with unless(after(1)):
                await sleep(2)
        except Interrupted:
            pass


async def unused_blocks(rounds: int, value: object) -> None:
    """Enter and leave blocks whose signals stay silent."""
    bell = Signal[object]("bell")
    for _ in range(rounds):
        with until(bell | after(1000)), unless(after(2000) | bell):
            await sleep(1)


async def lost_races(rounds: int, value: object) -> None:
    """Cut at the instant of a wake."""
    bell, stop = Signal[object]("bell"), Signal[object]("stop")

    async def rings() -> None:
        while True:
            await sleep(1)
            bell.fire(value)
            stop.fire(value)
            await sleep(1)
            stop.fire(value)
            bell.fire(value)

    async with together() as tasks:
        tasks.start(rings)
        for _ in range(rounds):
            with until(stop):
                while True:
                    await bell.next()
        tasks.cut()


async def streams(rounds: int, value: object) -> None:
    """Open streams, fill them, read a little, fall behind, and leave them."""
    bell = Signal[object]("bell")
    for _ in range(rounds):
        stream = bell.stream(keep=3)
        for _ in range(5):
            bell.fire(value)
        try:
            async for _ in stream:
                break
        except Lagged:
            pass
        with until(after(1)):
            async for _ in bell:
                pass


async def events(rounds: int, value: object) -> None:
    """Fire to waits, streams and signals that fire once."""
    bell = Signal[object]("bell")

    async def listens() -> None:
        async for _ in bell:
            once = Signal[object](once=True)
            once.fire(value)
            await once.next()
            await bell.next()

    async with together() as tasks:
        tasks.start(listens)
        for _ in range(rounds):
            await sleep(1)
            bell.fire(value)
        tasks.cut()


async def tasks_in_blocks(rounds: int, value: object) -> None:
    """Start tasks that end, and tasks that are cut."""

    async def ends(value: object) -> object:
        await sleep(1)
        return value

    for _ in range(rounds // 4):
        async with together() as tasks:
            task = tasks.start(ends, value)
            tasks.start(ends, value).cut()
            await task.ended.next()
            tasks.cut()


async def tasks_with_tasks(rounds: int, value: object) -> None:
    """Start tasks that start tasks and draw numbers, all in one block that stays."""

    async def child() -> None:
        note(chance().uniform())
        await sleep(0)

    async def parent() -> None:
        async with together() as tasks:
            tasks.start(child)

    async with together() as tasks:
        for _ in range(rounds // 4):
            await tasks.start(parent).ended.next()


async def failures(rounds: int, value: object) -> None:
    """Let tasks fail."""

    async def fails(value: object) -> None:
        await sleep(1)
        raise ValueError(value)

    for _ in range(rounds // 8):
        try:
            async with together() as tasks:
                tasks.start(fails, value)
                await sleep(2)
        except ValueError:
            pass


async def mistakes(rounds: int, value: object) -> None:
    """Await things twice and from the wrong places."""
    for _ in range(rounds // 8):
        pause = sleep(1)
        await pause
        with suppress(RuntimeError):
            await pause


KINDS: list[Rounds] = [
    cut_sleeps,
    cut_waits,
    interruptions,
    unused_blocks,
    lost_races,
    streams,
    events,
    tasks_in_blocks,
    tasks_with_tasks,
    failures,
    mistakes,
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_memory_stays_flat(kind: Rounds, resident: Callable[[], int]) -> None:
    """Four hundred thousand rounds need no more than fifty thousand; the value is let go."""
    value = ["something", "to", "count"]
    seen: list[tuple[int, int, int]] = []

    async def main() -> None:
        for rounds in (50_000, 400_000):
            await kind(rounds, value)
            gc.collect()
            seen.append((resident(), len(gc.get_objects()), sys.getrefcount(value)))

    held = sys.getrefcount(value)
    kumi.run(main)

    (before, objects_before, held_before), (after, objects_after, held_after) = seen
    assert after - before < ALLOWED
    assert objects_after - objects_before < 100
    assert held_before == held_after
    assert sys.getrefcount(value) == held
    assert gc.garbage == []


@pytest.mark.slow
def test_runs_leave_nothing_behind(resident: Callable[[], int]) -> None:
    """A thousand runs, whole, cut, failed, dropped."""

    async def works() -> None:
        async with together() as tasks:
            tasks.start(fine)
            await sleep(2)

    async def fine() -> None:
        with until(after(1)):
            await sleep(5)

    async def fails() -> None:
        await sleep(1)
        raise ValueError("spilled")

    def rounds(count: int) -> None:
        for _ in range(count):
            kumi.run(works)
            kumi.run(works, until=0.5)
            with pytest.raises(ValueError, match="spilled"):
                kumi.run(fails)
            dropped = Simulation()
            dropped.start(works)
            dropped.run(until=0.5)

    rounds(100)
    gc.collect()
    objects = len(gc.get_objects())
    grown = []
    for _ in range(5):  # memory that is lost grows each time; the noise of the process does not
        before = resident()
        rounds(400)
        gc.collect()
        grown.append(resident() - before)

    assert min(grown) < ALLOWED / 4
    assert len(gc.get_objects()) - objects < 100


def test_a_run_dies_when_it_is_dropped() -> None:
    """Closed or not, with tasks under way or not, and with sinks that know it."""

    async def works() -> None:
        await sleep(5)

    def note_time(simulation: Simulation, record: Record) -> None:
        times.append(simulation.now)

    times: list[float] = []

    def make(close: bool, begin: bool) -> weakref.ref[Simulation]:
        simulation = Simulation()
        simulation.trace(partial(note_time, simulation))
        if begin:
            simulation.start(works)
            simulation.run(until=1)
        if close:
            simulation.close()
        return weakref.ref(simulation)

    for close in (True, False):
        for begin in (True, False):
            weak = make(close, begin)
            gc.collect()
            assert weak() is None, (close, begin)


def test_values_held_by_a_cycle_of_waits_are_collected() -> None:
    """A task that waits for a signal that only itself knows: the run is over, and all of it goes."""

    class Heavy:
        pass

    weak: list[weakref.ref[Heavy]] = []

    async def waits() -> None:
        heavy = Heavy()
        weak.append(weakref.ref(heavy))
        bell = Signal[object]("bell")
        stream = bell.stream()
        bell.fire((heavy, bell, stream))
        with until(bell):
            await sleep(5)
            await bell.next()

    simulation = Simulation()
    simulation.start(waits)
    simulation.run(until=1)
    del simulation
    gc.collect()

    assert weak[0]() is None


@pytest.mark.slow
def test_collecting_at_any_moment_changes_nothing(log: Log) -> None:
    """The collector runs at every wait, and things die that fire signals as they do."""
    bell = Signal[object]("bell")

    class Knot:
        """Dies only by the collector; fires as it does."""

        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            fired.append(1)
            bell.fire("farewell")

    fired: list[int] = []

    async def child(number: int) -> None:
        knot = Knot()
        with until(bell):
            await sleep(number % 5 + 1)
            gc.collect()
        async for _ in bell:
            gc.collect()
            break
        del knot

    async def main() -> None:
        for _ in range(5):
            with until(after(3)):
                async with together() as tasks:
                    for number in range(10):
                        tasks.start(child, number)
                        Knot()
                    await sleep(1)
                    bell.fire(Knot())
                    gc.collect()
                    await sleep(3)
        gc.collect()
        log("done", bell.listeners)

    kumi.run(main)

    assert log == [(15.0, "done", 0)]
    assert len(fired) == 5 * 21

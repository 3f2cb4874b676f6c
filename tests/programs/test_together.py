"""Tasks belong to a block: they end with it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import AsyncIterator

import pytest

import kumi
from kumi import Signal, Task, after, now, sleep, together, until
from kumi.devs import Cut, NoResult, NoRun, Outlived, Simulation, Together
from tests.programs.log import Log
from tests.programs.plays import Oops, fails, works

# The end of a block.


def test_a_block_waits_for_its_tasks(log: Log) -> None:
    """Law 7: it is left when the last has ended."""

    async def main() -> None:
        async with together() as tasks:
            tasks.start(works, log, "short", 1.0)
            tasks.start(works, log, "long", 5.0)
            log("body over")
        log("left")

    kumi.run(main)

    assert log == [(0.0, "body over"), (1.0, "short", "done"), (5.0, "long", "done"), (5.0, "left")]


def test_an_empty_block_is_left_at_once(log: Log) -> None:
    async def main() -> None:
        async with together():
            log("inside")
        log("left")

    kumi.run(main)

    assert log == [(0.0, "inside"), (0.0, "left")]


def test_tasks_begin_in_the_order_they_were_started_once_the_starter_waits(log: Log) -> None:
    async def begins(name: str) -> None:
        log(name)

    async def main() -> None:
        async with together() as tasks:
            for name in "abc":
                tasks.start(begins, name)
            log("started")

    kumi.run(main)

    assert log == [(0.0, "started"), (0.0, "a"), (0.0, "b"), (0.0, "c")]


def test_a_task_tells_how_it_ended(log: Log) -> None:
    async def main() -> None:
        async with together() as tasks:
            done = tasks.start(works, log, "done", 1.0)
            cut = tasks.start(works, log, "cut", 9.0)
            with pytest.raises(NoResult, match=r"'main\.works' has not ended yet"):
                _ = done.result
            ended = await done.ended.next()
            log(ended is done, done.result, done.has_ended, done.was_cut, done.error)
            cut.cut()
            await cut.ended.next()
            with pytest.raises(NoResult, match=r"'main\.works-2' was cut"):
                _ = cut.result
            log(cut.has_ended, cut.was_cut, cut.error)

    kumi.run(main)

    assert log == [
        (1.0, "done", "done"),
        (1.0, True, "done", True, False, None),
        (1.0, "cut", "cut"),
        (1.0, True, True, None),
    ]


def test_the_end_of_a_task_is_heard_also_by_those_who_come_late(log: Log) -> None:
    async def main() -> None:
        async with together() as tasks:
            task = tasks.start(works, log, "brief", 1.0)
        ended = await task.ended.next()
        log(ended.result)

    kumi.run(main)

    assert log == [(1.0, "brief", "done"), (1.0, "brief")]


def test_tasks_end_when_the_body_fails(log: Log) -> None:
    async def main() -> None:
        async with together() as tasks:
            tasks.start(works, log, "one", 9.0)
            await sleep(1)
            raise Oops("body")

    with pytest.raises(Oops, match="body"):
        kumi.run(main)
    assert log == [(1.0, "one", "cut")]


def test_tasks_end_when_the_block_is_returned_from_after_they_are_done(log: Log) -> None:
    """A return leaves the block as its end does: the tasks are waited for."""

    async def main() -> str | None:
        async with together() as tasks:
            tasks.start(works, log, "one", 2.0)
            return "value"
        return None

    assert kumi.run(main).value == "value"
    assert log == [(2.0, "one", "done")]


def test_a_block_cut_by_hand_ends_quietly(log: Log) -> None:
    async def main() -> None:
        async with together() as tasks:
            tasks.start(works, log, "one", 9.0)
            await sleep(1)
            tasks.cut()
            log("goes on")
            await sleep(1)
            log("never")
        log("left")

    kumi.run(main)

    assert log == [(1.0, "goes on"), (1.0, "one", "cut"), (1.0, "left")]


def test_a_block_may_be_cut_by_one_of_its_tasks(log: Log) -> None:
    async def ends_all(tasks: Together) -> None:
        await sleep(1)
        tasks.cut()
        log("cuts")
        await sleep(0)
        log("never")

    async def main() -> None:
        async with together() as tasks:
            tasks.start(works, log, "other", 9.0)
            tasks.start(ends_all, tasks)
        log("left")

    kumi.run(main)

    assert log == [(1.0, "cuts"), (1.0, "other", "cut"), (1.0, "left")]


def test_cutting_one_task_leaves_the_others_alone(log: Log) -> None:
    async def main() -> None:
        async with together() as tasks:
            one = tasks.start(works, log, "one", 9.0)
            tasks.start(works, log, "other", 3.0)
            await sleep(1)
            one.cut()
            one.cut()
        log("left")
        one.cut()

    kumi.run(main)

    assert log == [(1.0, "one", "cut"), (3.0, "other", "done"), (3.0, "left")]


def test_a_task_that_is_cut_before_it_began_comes_as_far_as_its_first_wait(log: Log) -> None:
    async def begins() -> None:
        log("begins")
        await sleep(0)
        log("never")

    async def main() -> None:
        async with together() as tasks:
            tasks.start(begins).cut()
        log("left")

    kumi.run(main)

    assert log == [(0.0, "begins"), (0.0, "left")]


def test_a_task_may_cut_itself(log: Log) -> None:
    async def ends(own: list[Task[None]]) -> None:
        own[0].cut()
        log("goes on")
        await sleep(1)
        log("never")

    async def main() -> None:
        own: list[Task[None]] = []
        async with together() as tasks:
            own.append(tasks.start(ends, own))
        log("left", own[0].was_cut)

    kumi.run(main)

    assert log == [(0.0, "goes on"), (0.0, "left", True)]


def test_a_task_may_cut_its_parent(log: Log) -> None:
    """The parent ends with all its tasks, the one that did it among them."""

    async def rebels(parent: list[Task[None]]) -> None:
        await sleep(1)
        parent[0].cut()
        await works(log, "rebel", 1.0)

    async def parent(own: list[Task[None]]) -> None:
        async with together() as tasks:
            tasks.start(rebels, own)
            await works(log, "parent", 9.0)

    async def main() -> None:
        own: list[Task[None]] = []
        async with together() as tasks:
            own.append(tasks.start(parent, own))
        log("left", own[0].was_cut)

    kumi.run(main)

    assert log == [(1.0, "parent", "cut"), (1.0, "rebel", "cut"), (1.0, "left", True)]


# Blocks in blocks.


def test_an_outer_cut_ends_the_tasks_of_inner_blocks(log: Log) -> None:
    """Whether the body still works or the block only waits for its tasks."""

    async def waits() -> None:
        async with together() as tasks:
            tasks.start(works, log, "waited for", 9.0)

    async def main() -> None:
        with until(after(2)):
            async with together() as tasks:
                tasks.start(works, log, "beside", 9.0)
                tasks.start(waits)
                await works(log, "body", 9.0)
        log("left")

    kumi.run(main)

    assert log == [
        (2.0, "body", "cut"),
        (2.0, "beside", "cut"),
        (2.0, "waited for", "cut"),
        (2.0, "left"),
    ]


def test_an_outer_cut_reaches_a_block_that_got_another_task_while_it_was_left(log: Log) -> None:
    """All had ended, and the block was about to end, when another task was started in it."""

    async def inner(blocks: list[Together]) -> None:
        with until(after(2)):
            async with together() as tasks:
                blocks.append(tasks)
                tasks.start(works, log, "brief", 1.0)
        log("left")

    async def adds(blocks: list[Together]) -> None:
        await sleep(0.5)
        await sleep(0.5)
        blocks[0].start(works, log, "added", 99.0)

    async def main() -> None:
        blocks: list[Together] = []
        async with together() as tasks:
            tasks.start(inner, blocks)
            tasks.start(adds, blocks)

    kumi.run(main)

    assert log == [(1.0, "brief", "done"), (2.0, "added", "cut"), (2.0, "left")]


def test_a_task_may_start_tasks_beside_itself(log: Log) -> None:
    """The block waits for those, too."""

    async def starts(tasks: Together, generation: int) -> None:
        await sleep(1)
        log("generation", generation)
        if generation < 3:
            tasks.start(starts, tasks, generation + 1)

    async def main() -> None:
        async with together() as tasks:
            tasks.start(starts, tasks, 1)
        log("left")

    kumi.run(main)

    assert log == [(1.0, "generation", 1), (2.0, "generation", 2), (3.0, "generation", 3), (3.0, "left")]


def test_a_failure_far_inside_comes_out_through_every_block(log: Log) -> None:
    async def nest(depth: int) -> None:
        async with together() as tasks:
            tasks.start(works, log, f"beside {depth}", 9.0)
            tasks.start(nest, depth - 1) if depth else tasks.start(fails, "deep", 1.0)

    with pytest.raises(Oops, match="deep") as raised:
        kumi.run(nest, 2)
    assert raised.value.__notes__ == ["in task 'nest.nest.nest.fails' at t = 1.0 s"]
    assert log == [(1.0, "beside 0", "cut"), (1.0, "beside 1", "cut"), (1.0, "beside 2", "cut")]


def test_a_task_is_not_cut_by_scopes_that_are_not_around_its_block(log: Log, bell: Signal[str]) -> None:
    """A task started inside an `until` belongs to the block of tasks, not to that scope."""

    async def main() -> None:
        async with together() as tasks:
            with until(bell):
                tasks.start(works, log, "free", 3.0)
                await sleep(1)
                bell.fire("ding")
                await sleep(1)
            log("scope left")

    kumi.run(main)

    assert log == [(1.0, "scope left"), (3.0, "free", "done")]


def test_tasks_are_named_after_their_programs_and_places() -> None:
    async def child() -> None:
        await sleep(1)

    async def main() -> list[str]:
        async with together() as tasks:
            started = [tasks.start(child), tasks.start(child), tasks.start(child, name="scout")]
        return [task.path for task in started]

    assert kumi.run(main).value == ["main.child", "main.child-2", "main.scout"]


# Wrong use.


def test_a_task_cannot_be_started_in_a_block_that_has_ended(log: Log) -> None:
    async def main() -> None:
        async with together() as tasks:
            pass
        tasks.start(works, log, "late", 1.0)

    with pytest.raises(Outlived, match="would outlive its block"):
        kumi.run(main)
    assert log == []


def test_a_block_is_entered_before_tasks_are_started_in_it(log: Log) -> None:
    async def main() -> None:
        together().start(works, log, "early", 1.0)

    with pytest.raises(NoRun, match="entered with `async with`"):
        kumi.run(main)
    assert log == []


def test_a_block_is_entered_once() -> None:
    async def main() -> None:
        block = together()
        async with block:
            pass
        async with block:
            pass

    with pytest.raises(RuntimeError, match="only once"):
        kumi.run(main)


def test_a_task_started_in_a_block_that_is_ending_is_cut_with_it(log: Log) -> None:
    async def starts_another(tasks: Together) -> None:
        try:
            await sleep(9)
        finally:
            tasks.start(works, log, "last", 9.0)

    async def main() -> None:
        async with together() as tasks:
            tasks.start(starts_another, tasks)
            await sleep(1)
            tasks.cut()
        log("left")

    kumi.run(main)

    assert log == [(1.0, "last", "cut"), (1.0, "left")]


def test_a_task_that_swallows_its_cut_a_few_times_is_cut_at_each_wait(log: Log) -> None:
    async def stubborn() -> None:
        for attempt in range(3):
            try:
                await sleep(9)
            except Cut:
                log("swallowed", attempt)

    async def main() -> None:
        async with together() as tasks:
            tasks.start(stubborn)
            await sleep(1)
            tasks.cut()
        log("left")

    kumi.run(main)

    assert log == [(1.0, "swallowed", 0), (1.0, "swallowed", 1), (1.0, "swallowed", 2), (1.0, "left")]


# What is left behind.


def test_an_ended_task_lets_its_program_go(log: Log) -> None:
    """Holding a task does not hold what its program held."""

    class Heavy:
        pass

    async def holds(heavy: Heavy) -> None:
        weak.append(weakref.ref(heavy))
        await sleep(1)

    async def main() -> None:
        async with together() as tasks:
            kept.append(tasks.start(holds, Heavy()))
        log(weak[0]() is None)

    weak: list[weakref.ref[Heavy]] = []
    kept: list[Task[None]] = []
    gc.disable()
    try:
        kumi.run(main)
    finally:
        gc.enable()

    assert log == [(1.0, True)]


def test_a_run_dropped_with_tasks_under_way_cleans_up(log: Log, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody closed it: the blocks are left all the same, in silence, when it is collected."""
    bell = Signal[str]("bell")
    over: list[str] = []

    async def child() -> None:
        try:
            await bell.next()
        finally:
            over.append("child")

    async def main() -> None:
        try:
            async with together() as tasks:
                tasks.start(child)
                with until(bell):
                    await sleep(9)
        finally:
            over.append("main")

    simulation = Simulation()
    simulation.start(main)
    simulation.run(until=1)
    weak = weakref.ref(simulation)
    del simulation
    gc.collect()

    assert weak() is None
    assert sorted(over) == ["child", "main"]
    assert bell.listeners == 0
    assert capsys.readouterr().err == ""


def test_a_block_in_an_async_generator_left_early_cuts_its_tasks_at_once(log: Log) -> None:
    """Python closes the generator where the loop is left; its tasks end there, in the run."""
    ticks = Signal[float]("ticks")

    async def clock() -> None:
        try:
            while True:
                await sleep(1)
                ticks.fire(now())
        finally:
            log("clock over")

    async def feed() -> AsyncIterator[float]:
        async with together() as tasks:
            tasks.start(clock)
            async for tick in ticks:
                yield tick

    async def main() -> None:
        async for tick in feed():
            log("tick", tick)
            break
        await sleep(5)
        log("end", ticks.listeners)

    kumi.run(main)

    assert log == [(1.0, "tick", 1.0), (1.0, "clock over"), (6.0, "end", 0)]

"""Blocks that a signal ends: until quietly, unless with Interrupted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import kumi
from kumi import Interrupted, Signal, Task, after, at, sleep, together, unless, until
from kumi.devs import Scope, Simulation
from tests.programs.log import Log
from tests.programs.plays import play, ring

# How a block ends.


def test_until_ends_the_block_quietly_and_tells_what_did(log: Log, bell: Signal[str]) -> None:
    async def works() -> None:
        with until(bell) as cut:
            await sleep(10)
            log("never")
        log("left", cut.event, cut.is_cut)

    play(works, lambda: ring(bell, (3.0, "ding")))

    assert log == [(3.0, "left", "ding", True)]


def test_unless_ends_the_block_with_interrupted(log: Log, bell: Signal[str]) -> None:
    async def works() -> None:
        try:
            with unless(bell):
                await sleep(10)
                log("never")
        except Interrupted as interrupted:
            log("interrupted", interrupted.event)

    play(works, lambda: ring(bell, (3.0, "ding")))

    assert log == [(3.0, "interrupted", "ding")]


def test_interrupted_shows_what_happened_and_not_how() -> None:
    """The cut underneath stays out of the traceback."""

    async def works() -> None:
        with unless(after(3)):
            await sleep(10)

    with pytest.raises(Interrupted, match=r"interrupted by at\(3\.0\)") as raised:
        kumi.run(works)
    assert raised.value.__suppress_context__
    assert raised.value.__notes__ == ["in task 'works' at t = 3.0 s"]


@pytest.mark.parametrize("block", [until, unless])
def test_a_block_that_ends_by_itself_was_not_cut(
    log: Log, bell: Signal[str], block: Callable[[Signal[str]], Scope[str]]
) -> None:
    """The signal comes too late, and nobody listens any more."""

    async def works() -> None:
        with block(bell) as cut:
            await sleep(2)
        log("left", cut.event, cut.is_cut, bell.listeners)
        await sleep(5)
        log("undisturbed")

    play(works, lambda: ring(bell, (3.0, "ding")))

    assert log == [(2.0, "left", None, False, 0), (7.0, "undisturbed")]


def test_leaving_a_block_cleans_up_by_whatever_way(log: Log, bell: Signal[str]) -> None:
    """Law 3: by its end, return, break, error or cut: finally runs at that instant, and nobody listens after."""

    async def block(how: str) -> None:
        for _ in range(1):
            with until(bell):
                try:
                    await sleep(1)
                    if how == "return":
                        return
                    if how == "break":
                        break
                    if how == "error":
                        raise ValueError(how)
                    if how == "cut":
                        await sleep(100)
                finally:
                    log("cleans up", how)

    async def works() -> None:
        for how in ("end", "return", "break", "cut"):
            await block(how)
            log("left", bell.listeners)
        with pytest.raises(ValueError, match="error"):
            await block("error")
        log("left", bell.listeners)

    play(works, lambda: ring(bell, (5.5, "ding")))

    assert log == [
        (1.0, "cleans up", "end"),
        (1.0, "left", 0),
        (2.0, "cleans up", "return"),
        (2.0, "left", 0),
        (3.0, "cleans up", "break"),
        (3.0, "left", 0),
        (5.5, "cleans up", "cut"),
        (5.5, "left", 0),
        (6.5, "cleans up", "error"),
        (6.5, "left", 0),
    ]


@pytest.mark.parametrize("wait", ["sleep", "next", "stream", "together"])
def test_every_wait_can_be_cut(log: Log, bell: Signal[str], wait: str) -> None:
    never = Signal[str]("never")

    async def waits() -> None:
        if wait == "sleep":
            await sleep(100)
        elif wait == "next":
            await never.next()
        elif wait == "stream":
            async for _ in never:
                pass
        else:
            async with together() as tasks:
                tasks.start(sleep_long)
        log("never")

    async def sleep_long() -> None:
        await sleep(100)

    async def works() -> None:
        with until(bell):
            await waits()
        log("left", never.listeners)

    play(works, lambda: ring(bell, (3.0, "ding")))

    assert log == [(3.0, "left", 0)]


def test_a_deadline_ends_a_block(log: Log) -> None:
    async def works() -> None:
        with until(after(2)) as cut:
            await sleep(10)
        log("after", repr(cut.event))
        with until(at(5.0)) as cut:
            await sleep(10)
        log("at", repr(cut.event))
        with until(after(10)) as cut:
            await sleep(1)
        log("in time", cut.event)

    play(works)

    assert log == [(2.0, "after", "at(2.0)"), (5.0, "at", "at(5.0)"), (6.0, "in time", None)]


def test_either_of_two_signals_ends_a_block(log: Log, bell: Signal[str]) -> None:
    async def works() -> None:
        for _ in range(2):
            with until(bell | after(3)) as cut:
                await sleep(10)
            log(repr(cut.event), bell.listeners)

    play(works, lambda: ring(bell, (2.0, "ding")))

    assert log == [(2.0, "'ding'", 0), (5.0, "at(5.0)", 0)]


def test_a_block_is_cut_while_its_program_waits_far_inside(log: Log, bell: Signal[str]) -> None:
    """A cut goes through every call between."""

    async def deep(levels: int) -> None:
        try:
            await (deep(levels - 1) if levels else sleep(100))
        finally:
            log(levels)

    async def works() -> None:
        with until(bell):
            await deep(2)

    play(works, lambda: ring(bell, (1.0, "ding")))

    assert log == [(1.0, 0), (1.0, 1), (1.0, 2)]


def test_a_block_may_be_cut_by_hand(log: Log, bell: Signal[str]) -> None:
    async def works() -> None:
        with until(bell) as cut:
            scopes.append(cut)
            await sleep(10)
        log("left", cut.event)

    async def other() -> None:
        await sleep(4)
        scopes[0].cut("by hand")

    scopes: list[Scope[str]] = []
    play(works, other)

    assert log == [(4.0, "left", "by hand")]


def test_an_unless_block_cut_by_itself_is_interrupted_at_its_next_wait(log: Log, bell: Signal[str]) -> None:
    """Cutting is no wait: what stands behind it in the program still happens."""

    async def works() -> None:
        try:
            with unless(bell) as cut:
                await sleep(1)
                cut.cut("enough")
                log("goes on")
                await sleep(1)
        except Interrupted as interrupted:
            log("left", interrupted.event)

    play(works)

    assert log == [(1.0, "goes on"), (1.0, "left", "enough")]


# Blocks in blocks.


def test_an_inner_block_ends_alone(log: Log, bell: Signal[str]) -> None:
    async def works() -> None:
        with until(after(10)) as outer:
            with until(bell) as inner:
                await sleep(100)
            log("inner over", inner.event)
            await sleep(100)
        log("outer over", repr(outer.event))

    play(works, lambda: ring(bell, (3.0, "ding")))

    assert log == [(3.0, "inner over", "ding"), (10.0, "outer over", "at(10.0)")]


def test_an_outer_block_ends_the_inner_one(log: Log, bell: Signal[str]) -> None:
    """The inner one was not cut by its own signal: it has no event, and no Interrupted comes."""

    async def works() -> None:
        with until(after(3)):
            try:
                with unless(bell) as inner:
                    await sleep(100)
            finally:
                log("inner", inner.event, inner.is_cut)
            log("never")
        log("outer over", bell.listeners)

    play(works)

    assert log == [(3.0, "inner", None, False), (3.0, "outer over", 0)]


@pytest.mark.parametrize("inner_first", [True, False])
def test_of_two_blocks_cut_at_one_instant_the_outermost_wins(log: Log, inner_first: bool) -> None:
    """Whichever signal came first: all inside the outer block ends anyway."""
    out, into = Signal[str]("out"), Signal[str]("in")

    async def works() -> None:
        with until(out) as outer:
            with unless(into) as inner:
                await sleep(100)
            log("never")
        log(outer.event, inner.event)

    async def rings() -> None:
        await sleep(1)
        for signal in (into, out) if inner_first else (out, into):
            signal.fire(signal.name)

    play(works, rings)

    assert log == [(1.0, "out", None)]


def test_one_signal_ends_all_the_blocks_around_that_listen(log: Log, bell: Signal[str]) -> None:
    async def works() -> None:
        with until(bell) as outer:
            with until(bell) as inner:
                await sleep(100)
            log("never")
        log(outer.event, inner.event)

    play(works, lambda: ring(bell, (1.0, "ding")))

    assert log == [(1.0, "ding", None)]


def test_a_hundred_blocks_end_with_the_outermost(log: Log, bell: Signal[str]) -> None:
    async def nest(depth: int) -> None:
        with until(after(10 + depth)):
            await (nest(depth + 1) if depth < 100 else bell.next())
        log("left", depth)

    play(lambda: nest(0))

    assert log == [(10.0, "left", 0)]


# Nothing is left behind.


def test_blocks_leave_nothing_in_the_agenda_and_no_listeners(
    simulation: Simulation, bell: Signal[str]
) -> None:
    """A thousand blocks, half of them cut, each with a deadline far ahead."""

    async def works() -> None:
        for turn in range(1000):
            with until(bell | after(500)), until(after(0.5 if turn % 2 else 600)):
                await sleep(1)

    task: Task[None] = simulation.start(works)
    simulation.run(until=100.0)
    assert simulation.planned == 3  # the sleep, and two deadlines
    assert bell.listeners == 1

    simulation.run()

    assert task.has_ended
    assert simulation.now == 750.0
    assert simulation.planned == 0
    assert bell.listeners == 0

"""What happens at the same instant, and what a cut cannot be kept from."""

from __future__ import annotations

import pytest

from kumi import Signal, after, sleep, together, unless, until
from kumi.devs import Cut, Simulation
from tests.programs.log import Log
from tests.programs.plays import play, ring

# The same instant.


def test_a_wake_that_came_first_is_delivered_and_the_cut_comes_at_the_next_wait(
    log: Log, bell: Signal[str]
) -> None:
    stop = Signal[str]("stop")

    async def works() -> None:
        with until(stop) as cut:
            log("woken", await bell.next(), cut.is_cut)
            try:
                await sleep(0)
            finally:
                log("cut", cut.is_cut)
        log("left", cut.event)

    async def rings() -> None:
        await sleep(1)
        bell.fire("ding")
        stop.fire("halt")

    play(works, rings)

    assert log == [(1.0, "woken", "ding", False), (1.0, "cut", True), (1.0, "left", "halt")]


def test_a_block_that_ends_before_its_next_wait_was_not_cut(log: Log, bell: Signal[str]) -> None:
    """The wake came first and nothing waited after it: the block ended by itself, so no Interrupted comes."""
    stop = Signal[str]("stop")

    async def works() -> None:
        with unless(stop) as cut:
            log("woken", await bell.next())
        log("left", cut.event, cut.is_cut)
        await sleep(1)
        log("undisturbed")

    async def rings() -> None:
        await sleep(1)
        bell.fire("ding")
        stop.fire("halt")

    play(works, rings)

    assert log == [(1.0, "woken", "ding"), (1.0, "left", None, False), (2.0, "undisturbed")]


def test_a_wake_that_lost_the_race_with_a_cut_does_nothing(log: Log, bell: Signal[str]) -> None:
    """It neither ends the next wait, nor is it counted twice."""
    stop = Signal[str]("stop")

    async def works() -> None:
        with until(stop):
            log("never", await bell.next())
        log("left", bell.listeners)
        await sleep(5)
        log("slept")
        log("next", await bell.next())

    async def rings() -> None:
        await sleep(1)
        stop.fire("halt")
        bell.fire("lost")
        await sleep(9)
        bell.fire("ding")

    play(works, rings)

    assert log == [(1.0, "left", 0), (6.0, "slept"), (10.0, "next", "ding")]


def test_a_deadline_at_the_instant_a_sleep_ends_cuts_it_if_it_was_planned_first(log: Log) -> None:
    """Events of one instant happen in the order they were planned."""

    async def deadline_first() -> None:
        with until(after(3)) as cut:
            await sleep(3)
            log("never")
        log("cut", cut.is_cut)

    async def sleep_first() -> None:
        pause = Signal[None]()

        async def alarm() -> None:
            await sleep(3)
            pause.fire()

        async with together() as tasks:
            tasks.start(alarm)
            await sleep(0)
            with until(after(3)) as cut:
                await pause.next()
                log("woken")
        log("left", cut.is_cut)

    play(deadline_first)
    play(sleep_first)

    assert log == [(3.0, "cut", True), (3.0, "woken"), (3.0, "left", False)]


def test_a_cut_that_comes_while_the_program_runs_comes_at_its_next_wait(log: Log, bell: Signal[str]) -> None:
    async def works() -> None:
        with until(bell) as cut:
            await sleep(1)
            bell.fire("ding")
            log("goes on", cut.is_cut)
            await sleep(0)
            log("never")
        log("left", cut.event)

    play(works)

    assert log == [(1.0, "goes on", False), (1.0, "left", "ding")]


def test_events_read_but_not_taken_stay_in_the_stream_after_a_cut(log: Log) -> None:
    """A wait that is abandoned never takes an item with it."""
    bell, stop = Signal[int]("bell"), Signal[str]("stop")

    async def reads() -> None:
        stream = bell.stream()
        with until(stop):
            async for count in stream:
                log("never", count)
        log("left", len(stream))
        async for count in stream:
            log(count)
            if count == 2:
                return

    async def rings() -> None:
        await sleep(1)
        stop.fire("halt")
        bell.fire(1)
        await sleep(1)
        bell.fire(2)

    play(reads, rings)

    assert log == [(1.0, "left", 1), (1.0, 1), (2.0, 2)]


def test_an_event_that_woke_a_reader_is_read_although_its_block_is_cut_then(log: Log) -> None:
    bell, stop = Signal[int]("bell"), Signal[str]("stop")

    async def reads() -> None:
        stream = bell.stream()
        with until(stop):
            async for count in stream:
                log(count)
        log("left", len(stream))

    async def rings() -> None:
        await sleep(1)
        bell.fire(1)
        bell.fire(2)
        stop.fire("halt")

    play(reads, rings)

    assert log == [(1.0, 1), (1.0, "left", 1)]


def test_an_abandoned_wait_never_takes_an_event_from_another(log: Log, bell: Signal[str]) -> None:
    async def gives_up() -> None:
        with until(after(1)):
            await bell.next()
        log("gave up", bell.listeners)

    async def stays() -> None:
        log("heard", await bell.next())

    play(gives_up, stays, lambda: ring(bell, (2.0, "ding")))

    assert log == [(1.0, "gave up", 1), (2.0, "heard", "ding")]


# Cuts cannot be swallowed.


def test_except_exception_does_not_swallow_a_cut(log: Log, bell: Signal[str]) -> None:
    """Law 8: a cut is a BaseException."""

    async def works() -> None:
        with until(bell):
            while True:
                try:
                    await sleep(10)
                except Exception:  # noqa: BLE001  # the careless program of the law
                    log("never")
        log("left")

    play(works, lambda: ring(bell, (3.0, "ding")))

    assert log == [(3.0, "left")]
    assert not issubclass(Cut, Exception)


def test_a_program_that_swallows_a_cut_gets_it_again_at_each_wait(log: Log, bell: Signal[str]) -> None:
    async def works() -> None:
        with until(bell) as cut:
            for attempt in range(3):
                try:
                    await sleep(10)
                except Cut:
                    log("swallowed", attempt)
            await bell.next()
            log("never")
        log("left", cut.event)
        await sleep(1)
        log("free")

    play(works, lambda: ring(bell, (3.0, "ding")))

    assert log == [
        (3.0, "swallowed", 0),
        (3.0, "swallowed", 1),
        (3.0, "swallowed", 2),
        (3.0, "left", "ding"),
        (4.0, "free"),
    ]


def test_cleaning_up_cannot_wait_in_a_block_that_is_cut(log: Log, bell: Signal[str]) -> None:
    """The clean-up itself is cut at its first wait; after the block there is time."""

    async def works() -> None:
        with until(bell):
            try:
                await sleep(10)
            finally:
                log("cleans up")
                await sleep(1)
                log("never")
        log("left")

    play(works, lambda: ring(bell, (3.0, "ding")))

    assert log == [(3.0, "cleans up"), (3.0, "left")]


def test_an_error_while_cleaning_up_comes_out_instead_of_the_cut(log: Log, bell: Signal[str]) -> None:
    async def works() -> None:
        try:
            with until(bell):
                try:
                    await sleep(10)
                finally:
                    raise ValueError("spilled")
        except ValueError as error:
            log(str(error))
        await sleep(1)
        log("free")

    play(works, lambda: ring(bell, (3.0, "ding")))

    assert log == [(3.0, "spilled"), (4.0, "free")]


def test_exceptions_come_from_the_awaited_call_or_from_an_unless_alone(log: Log, bell: Signal[str]) -> None:
    """Law 2: neither the failure of another task, nor any signal, reaches a wait that did not ask for it."""

    async def works() -> None:
        try:
            await sleep(5)
            log("slept")
        except BaseException as error:
            log("never", error)
            raise

    async def fails() -> None:
        await sleep(1)
        bell.fire("ding")
        raise ValueError("of somebody else")

    with Simulation() as simulation:
        simulation.start(works)
        simulation.start(fails)
        with pytest.raises(ValueError, match="of somebody else"):
            simulation.run()
        assert simulation.now == 1.0
        simulation.run()

    assert log == [(5.0, "slept")]

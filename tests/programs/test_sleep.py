"""Waiting for time to pass."""

from __future__ import annotations

import math
from collections.abc import Awaitable
from typing import Self

import pytest

import kumi
from kumi import Signal, after, now, sleep, sleep_until, together, until
from kumi.devs import NoRun, Simulation, TimeError, note
from tests.programs.log import Log


def test_a_sleep_lasts_exactly_as_long_as_asked(log: Log) -> None:
    async def nap() -> None:
        log("start")
        await sleep(2.5)
        log("later")
        await sleep(1)
        log("end")

    kumi.run(nap)

    assert log == [(0.0, "start"), (2.5, "later"), (3.5, "end")]


def test_time_is_absolute_and_never_recomputed(log: Log) -> None:
    """Ten tenths, one after the other, are the sum of ten floats; a tenfold instant is exact."""

    async def steps() -> None:
        for _ in range(10):
            await sleep(0.1)
        log("summed")

    async def instants() -> None:
        for i in range(1, 11):
            await sleep_until(i / 10)
        log("exact")

    kumi.run(steps)
    kumi.run(instants)

    summed = 0.0
    for _ in range(10):  # sum() rounds otherwise since Python 3.12
        summed += 0.1
    assert log == [(summed, "summed"), (1.0, "exact")]


def test_only_what_waits_lets_time_pass_or_others_run(log: Log, bell: Signal[str]) -> None:
    """Law 1: without an await, nobody else gets a turn, whatever is started, fired, cut or noted."""

    async def listener() -> None:
        log("listener", "hears", await bell.next())

    async def busy() -> None:
        async with together() as tasks:
            tasks.start(listener)
            await sleep(1)
            log("begins")
            bell.fire("ding")
            late = tasks.start(listener)
            note("still here")
            late.cut()
            log("goes on")
            await sleep(0)
            log("after the wait")

    kumi.run(busy)

    assert log == [
        (1.0, "begins"),
        (1.0, "goes on"),
        (1.0, "listener", "hears", "ding"),
        (1.0, "after the wait"),
    ]


def test_a_sleep_of_zero_gives_the_others_a_turn(log: Log) -> None:
    async def turns(name: str) -> None:
        for turn in range(3):
            log(name, turn)
            await sleep(0)

    async def both() -> None:
        async with together() as tasks:
            tasks.start(turns, "a")
            tasks.start(turns, "b")

    kumi.run(both)

    assert log == [(0.0, name, turn) for turn in range(3) for name in "ab"]


def test_those_who_wake_at_one_instant_wake_in_the_order_they_went_to_sleep(log: Log) -> None:
    async def sleeper(name: str, start: float) -> None:
        await sleep(start)
        await sleep_until(10.0)
        log(name)

    async def all_three() -> None:
        async with together() as tasks:
            tasks.start(sleeper, "last to sleep", 3.0)
            tasks.start(sleeper, "first to sleep", 1.0)
            tasks.start(sleeper, "second to sleep", 2.0)

    kumi.run(all_three)

    assert log == [(10.0, "first to sleep"), (10.0, "second to sleep"), (10.0, "last to sleep")]


def test_sleeping_until_now_is_a_sleep_of_zero(log: Log) -> None:
    async def nap() -> None:
        await sleep(1)
        await sleep_until(1.0)
        log("awake")

    kumi.run(nap)

    assert log == [(1.0, "awake")]


def test_an_instant_in_the_past_is_refused() -> None:
    async def nap() -> None:
        await sleep(2)
        await sleep_until(1.5)

    with pytest.raises(TimeError, match=r"sleep_until\(1\.5\) at t = 2\.0 s"):
        kumi.run(nap)


@pytest.mark.parametrize("duration", [-1.0, -1e-300, -math.inf, math.nan])
def test_a_duration_that_is_none_is_refused_where_the_sleep_is_made(duration: float) -> None:
    """The value and the rule stand in the message; outside of a run as well."""
    with pytest.raises(TimeError, match=r"sleep\(.*\): a duration is a number of seconds >= 0"):
        sleep(duration)  # type: ignore[unused-awaitable]


def test_an_instant_that_is_no_number_is_refused() -> None:
    with pytest.raises(TimeError, match="nan"):
        sleep_until(math.nan)  # type: ignore[unused-awaitable]


@pytest.mark.parametrize("duration", ["3", None, [1]])
def test_a_duration_of_another_type_is_refused(duration: object) -> None:
    with pytest.raises(TypeError):
        sleep(duration)  # type: ignore[arg-type, unused-awaitable]


class Half(float):
    """A number of a kind of its own."""

    def __new__(cls) -> Self:
        return super().__new__(cls, 0.5)


def test_any_number_will_do_as_a_duration(log: Log) -> None:
    async def nap() -> None:
        await sleep(1)
        await sleep(True)
        await sleep(Half())
        await sleep(-0.0)
        log("awake")

    kumi.run(nap)

    assert log == [(2.5, "awake")]


def test_an_endless_sleep_ends_only_by_a_cut(log: Log, simulation: Simulation) -> None:
    """It is nowhere in the agenda: only the deadline is."""

    async def nap() -> None:
        with until(after(7)):
            await sleep(math.inf)
        log("cut")

    simulation.start(nap)
    simulation.advance()

    assert simulation.planned == 1
    assert simulation.next_time == 7.0
    simulation.run()
    assert log == [(7.0, "cut")]


def test_a_sleep_is_awaited_once(log: Log) -> None:
    async def nap() -> None:
        pause = sleep(1)
        await pause
        with pytest.raises(RuntimeError, match="only once"):
            await pause
        log("awake")

    kumi.run(nap)

    assert log == [(1.0, "awake")]


def test_of_two_who_await_one_sleep_the_second_is_refused(log: Log) -> None:
    async def one(name: str) -> None:
        try:
            await pauses[0]
            log(name, "slept")
        except RuntimeError as error:
            log(name, str(error))

    async def both() -> None:
        pauses.append(sleep(5))
        async with together() as tasks:
            tasks.start(one, "first")
            tasks.start(one, "second")

    pauses: list[Awaitable[None]] = []
    kumi.run(both)

    assert log == [
        (0.0, "second", "sleep(5.0) can be awaited only once, by one task"),
        (5.0, "first", "slept"),
    ]


def test_a_sleep_outside_a_run_is_a_clear_error() -> None:
    async def nap() -> None:
        await sleep(1)

    program = nap()
    with pytest.raises(NoRun, match=r"kumi\.run"):
        program.send(None)


def test_the_present_time_outside_a_run_is_a_clear_error() -> None:
    with pytest.raises(NoRun, match=r"now\(\) was called outside a run"):
        now()


def test_a_sleeper_has_one_place_in_the_agenda_and_none_after_a_cut(simulation: Simulation) -> None:
    """A hundred sleeps are cut a hundred times; nothing of them is left."""

    async def nap() -> None:
        await sleep(1000)

    tasks = [simulation.start(nap) for _ in range(100)]
    simulation.run(until=1)
    assert simulation.planned == 100

    for task in tasks:
        task.cut()
    simulation.run(until=2)

    assert simulation.planned == 0
    assert all(task.was_cut for task in tasks)

"""Signals that fire once, deadlines, and either of two signals."""

from __future__ import annotations

import gc

import pytest

import kumi
from kumi import Signal, after, at, sleep, together, until
from kumi.devs import NoRun, PortError
from tests.programs.log import Log

# Signals that fire once.


def test_a_signal_that_fires_once_stays_fired(log: Log) -> None:
    """Those who come late hear it at once."""
    ready = Signal[str]("ready", once=True)

    async def listener(name: str, start: float) -> None:
        await sleep(start)
        log(name, await ready.next())

    async def all_three() -> None:
        async with together() as tasks:
            tasks.start(listener, "early", 0.0)
            tasks.start(listener, "late", 5.0)
            await sleep(1)
            ready.fire("go")
        with until(ready) as cut:
            await sleep(1)
        log("cut at once", cut.event)

    kumi.run(all_three)

    assert log == [(1.0, "early", "go"), (5.0, "late", "go"), (5.0, "cut at once", "go")]


def test_a_signal_that_fires_once_cannot_fire_again() -> None:
    ready = Signal[str]("ready", once=True)

    async def twice() -> None:
        ready.fire("go")
        ready.fire("again")

    with pytest.raises(PortError, match=r"Signal\('ready'\) fires once, and has fired"):
        kumi.run(twice)


def test_the_stream_of_a_signal_that_fires_once_ends(log: Log) -> None:
    ready = Signal[str]("ready", once=True)

    async def reader(start: float) -> None:
        await sleep(start)
        async for event in ready:
            log(event)
        log("over")

    async def both() -> None:
        async with together() as tasks:
            tasks.start(reader, 0.0)
            tasks.start(reader, 3.0)
            await sleep(1)
            ready.fire("go")

    kumi.run(both)

    assert log == [(1.0, "go"), (1.0, "over"), (3.0, "go"), (3.0, "over")]


def test_a_deadline_fires_once_at_its_instant_with_itself(log: Log) -> None:
    async def waits() -> None:
        await sleep(1)
        deadline = after(3)
        event = await deadline.next()
        log(event is deadline, deadline.instant)
        instant = at(10.0)
        async for event in instant:
            log(event is instant)
        log("over")

    kumi.run(waits)

    assert log == [(4.0, True, 4.0), (10.0, True), (10.0, "over")]


def test_a_deadline_that_passed_unheard_has_fired(log: Log) -> None:
    """It is in the agenda only while somebody listens, but it keeps its word; and the clock never goes back."""

    async def waits() -> None:
        unheard = [after(1) for _ in range(4)]
        await sleep(2)
        log(unheard[0].has_fired)
        with until(unheard[0]):
            await sleep(10)
        log("cut")
        event = await unheard[1].next()
        log(event is unheard[1])
        async for event in unheard[2]:
            log(event is unheard[2])
        either = await (unheard[3] | Signal[None]()).next()
        log(either is unheard[3])

    kumi.run(waits)

    assert log == [(2.0, True), (2.0, "cut"), (2.0, True), (2.0, True), (2.0, True)]


def test_a_deadline_at_this_very_instant_fires_at_once(log: Log) -> None:
    async def waits() -> None:
        await sleep(1)
        await after(0).next()
        log("after")
        await at(1.0).next()
        log("at")

    kumi.run(waits)

    assert log == [(1.0, "after"), (1.0, "at")]


def test_a_deadline_of_another_run_is_a_clear_error() -> None:
    """It would wait in the agenda of a run that is over."""
    deadlines: list[Signal[object]] = []

    async def makes() -> None:
        deadlines.append(after(3))  # type: ignore[arg-type]

    async def uses() -> None:
        with until(deadlines[0]):
            await sleep(10)

    kumi.run(makes)
    gc.collect()
    with pytest.raises(NoRun, match="run"):
        kumi.run(uses)


def test_a_deadline_cannot_be_fired_by_hand() -> None:
    async def cheats() -> None:
        deadline = after(3)
        deadline.fire(deadline)

    with pytest.raises(PortError, match=r"at\(3\.0\) cannot be fired by hand"):
        kumi.run(cheats)


# Either of two.


def test_a_union_fires_when_either_does(log: Log) -> None:
    red = Signal[str]("red")
    blue = Signal[str]("blue")

    async def waits() -> None:
        log(await (red | blue).next())
        log(await (red | blue).next())

    async def both() -> None:
        async with together() as tasks:
            tasks.start(waits)
            await sleep(1)
            blue.fire("blue")
            await sleep(1)
            red.fire("red")
        log(red.listeners, blue.listeners)

    kumi.run(both)

    assert log == [(1.0, "blue"), (2.0, "red"), (2.0, 0, 0)]


def test_of_two_that_fire_at_one_instant_a_wait_gets_the_first_and_a_stream_both(log: Log) -> None:
    red = Signal[str]("red")
    blue = Signal[str]("blue")

    async def waits() -> None:
        log("next", await (red | blue).next())

    async def reads() -> None:
        async for event in red | blue:
            log("stream", event)
            if event == "red":
                return

    async def everybody() -> None:
        async with together() as tasks:
            tasks.start(waits)
            tasks.start(reads)
            await sleep(1)
            blue.fire("blue")
            red.fire("red")

    kumi.run(everybody)

    assert log == [(1.0, "next", "blue"), (1.0, "stream", "blue"), (1.0, "stream", "red")]


def test_unions_join_further_and_a_timeout_is_just_another_signal(log: Log) -> None:
    red, blue, green = Signal[str]("red"), Signal[str]("blue"), Signal[str]("green")

    async def waits() -> None:
        anything = red | blue | green | after(4)
        log(repr(anything))
        event = await anything.next()
        log(repr(event))

    kumi.run(waits)

    assert log == [
        (0.0, "Signal('red') | Signal('blue') | Signal('green') | at(4.0)"),
        (4.0, "at(4.0)"),
    ]


def test_a_union_listens_to_a_part_twice_but_a_wait_hears_it_once(log: Log, bell: Signal[str]) -> None:
    async def waits() -> None:
        log(await (bell | bell).next())
        log(bell.listeners)

    async def both() -> None:
        async with together() as tasks:
            tasks.start(waits)
            await sleep(1)
            bell.fire("ding")

    kumi.run(both)

    assert log == [(1.0, "ding"), (1.0, 0)]


def test_a_union_cannot_be_fired() -> None:
    red, blue = Signal[str]("red"), Signal[str]("blue")

    async def cheats() -> None:
        (red | blue).fire("both")

    with pytest.raises(PortError, match=r"Signal\('red'\) \| Signal\('blue'\) cannot be fired by hand"):
        kumi.run(cheats)


@pytest.mark.parametrize("other", [3, None, "bell"])
def test_a_signal_joins_with_signals_only(bell: Signal[str], other: object) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        bell | other  # type: ignore[operator]

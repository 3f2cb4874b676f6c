"""Signals: the next event, who hears it first, and what may not be done."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable

import pytest

import kumi
from kumi import Signal, after, now, sleep, together, until
from kumi.devs import KumiError, NoRun, Simulation
from tests.programs.log import Log


async def ring(bell: Signal[int], times: int, every: float = 1.0) -> None:
    """Fire 1, 2, 3, ... one every second."""
    for count in range(1, times + 1):
        await sleep(every)
        bell.fire(count)


# The next event.


def test_next_gives_the_first_event_after_the_wait_began(log: Log) -> None:
    """What was fired before is over; what comes after is another matter."""
    bell = Signal[int]("bell")

    async def listener() -> None:
        await sleep(1.5)
        log(await bell.next())

    async def both() -> None:
        async with together() as tasks:
            tasks.start(ring, bell, 4)
            tasks.start(listener)

    kumi.run(both)

    assert log == [(2.0, 2)]


def test_an_event_comes_at_the_instant_it_was_fired_and_as_it_was(log: Log) -> None:
    bell = Signal[list[int]]("bell")
    sent = [1, 2, 3]

    async def listener() -> None:
        got = await bell.next()
        log(got is sent)

    async def both() -> None:
        async with together() as tasks:
            tasks.start(listener)
            await sleep(0.1)
            bell.fire(sent)

    kumi.run(both)

    assert log == [(0.1, True)]


def test_listeners_are_served_in_the_order_they_came(log: Log, bell: Signal[str]) -> None:
    """Law 6: waits, streams and scopes stand in one line."""

    async def waits(name: str) -> None:
        log(name, await bell.next())

    async def reads(name: str) -> None:
        async for event in bell:
            log(name, event)
            return

    async def is_cut(name: str) -> None:
        with until(bell) as cut:
            await sleep(100)
        log(name, cut.event)

    async def everybody() -> None:
        async with together() as tasks:
            tasks.start(waits, "first")
            tasks.start(reads, "second")
            tasks.start(is_cut, "third")
            tasks.start(waits, "fourth")
            await sleep(1)
            bell.fire("ding")
            log("fired")

    kumi.run(everybody)

    assert log == [
        (1.0, "fired"),
        (1.0, "first", "ding"),
        (1.0, "second", "ding"),
        (1.0, "third", "ding"),
        (1.0, "fourth", "ding"),
    ]


def test_cause_comes_before_consequence(log: Log) -> None:
    """Law 6: of two signals fired at one instant, the listeners of the first go first."""
    contact = Signal[str]("contact")
    stopped = Signal[str]("stopped")

    async def hears(signal: Signal[str]) -> None:
        log("hears", await signal.next())

    async def body() -> None:
        async with together() as tasks:
            tasks.start(hears, stopped)
            tasks.start(hears, contact)
            await sleep(2)
            contact.fire("contact")
            stopped.fire("stopped")

    kumi.run(body)

    assert log == [(2.0, "hears", "contact"), (2.0, "hears", "stopped")]


def test_a_listener_that_begins_while_others_are_served_waits_for_the_next(
    log: Log, bell: Signal[str]
) -> None:
    async def listener() -> None:
        log("first", await bell.next())
        log("second", await bell.next())

    async def both() -> None:
        async with together() as tasks:
            tasks.start(listener)
            await sleep(1)
            bell.fire("a")
            await sleep(1)
            bell.fire("b")

    kumi.run(both)

    assert log == [(1.0, "first", "a"), (2.0, "second", "b")]


def test_firing_with_nobody_listening_is_no_mistake(log: Log, bell: Signal[str]) -> None:
    async def alone() -> None:
        bell.fire("unheard")
        log(bell.has_fired, bell.listeners)

    kumi.run(alone)

    assert log == [(0.0, True, 0)]


def test_a_wait_for_the_next_event_is_awaited_once(log: Log, bell: Signal[str]) -> None:
    async def listener() -> None:
        wait = bell.next()
        log(await wait)
        with pytest.raises(RuntimeError, match="only once"):
            await wait

    async def both() -> None:
        async with together() as tasks:
            tasks.start(listener)
            await sleep(1)
            bell.fire("ding")

    kumi.run(both)

    assert log == [(1.0, "ding")]


def test_an_event_may_be_fired_by_a_model_or_from_outside(log: Log, bell: Signal[str]) -> None:
    async def listener() -> None:
        async for event in bell:
            log(event)

    with Simulation() as simulation:
        simulation.start(listener)
        simulation.schedule(1.0, lambda: bell.fire("planned"))
        simulation.inject(bell, "injected", at=2.0)
        simulation.run()

    assert log == [(1.0, "planned"), (2.0, "injected")]


# Wrong use.


def parked_listener(simulation: Simulation, bell: Signal[str], log: Log) -> None:
    """Start a task that waits for the bell, and let it come to its wait."""

    async def listener() -> None:
        log(await bell.next())

    simulation.start(listener)
    simulation.run(until=1)


def test_firing_outside_the_run_of_its_listeners_is_a_clear_error(
    simulation: Simulation, bell: Signal[str], log: Log
) -> None:
    """It says what to do instead, and that works."""
    parked_listener(simulation, bell, log)

    with pytest.raises(
        NoRun, match=r"Signal\('bell'\) was fired outside the run that listens to it; use simulation\.inject"
    ):
        bell.fire("ding")
    assert log == []

    simulation.inject(bell, "ding")
    simulation.run(until=2)
    assert log == [(1.0, "ding")]


def test_firing_from_another_thread_is_a_clear_error(
    simulation: Simulation, bell: Signal[str], log: Log
) -> None:
    parked_listener(simulation, bell, log)
    errors = in_a_thread(lambda: bell.fire("ding"))

    assert [type(error) for error in errors] == [NoRun]
    assert log == []


def test_firing_from_the_run_of_somebody_else_is_a_clear_error(
    simulation: Simulation, bell: Signal[str], log: Log
) -> None:
    """The order of two runs in two threads is chance; a signal that reached across would bring it in."""

    async def rings() -> None:
        bell.fire("ding")

    parked_listener(simulation, bell, log)
    errors = in_a_thread(lambda: kumi.run(rings))
    simulation.run(until=2)

    assert [type(error) for error in errors] == [NoRun]
    assert log == []


def in_a_thread(action: Callable[[], object]) -> list[BaseException]:
    """Do something in a thread, and give the errors that came."""
    errors: list[BaseException] = []

    def work() -> None:
        try:
            action()
        except KumiError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return errors


@pytest.mark.parametrize("what", ["next", "stream"])
def test_waiting_for_a_signal_outside_a_run_is_a_clear_error(bell: Signal[str], what: str) -> None:
    async def program() -> None:
        await (bell.next() if what == "next" else aiter(bell).__anext__())

    with pytest.raises(NoRun, match=r"kumi\.run"):
        program().send(None)


def test_fire_takes_one_value_or_none(log: Log) -> None:
    bell = Signal[object]("bell")

    async def listener() -> None:
        log(await bell.next())

    async def both() -> None:
        async with together() as tasks:
            tasks.start(listener)
            await sleep(1)
            bell.fire()

    kumi.run(both)

    assert log == [(1.0, None)]
    with pytest.raises(TypeError, match="at most one value"):
        bell.fire(None, None)  # type: ignore[call-arg]


def test_a_name_is_a_string_and_is_shown() -> None:
    assert repr(Signal[int]("bell")) == "Signal('bell')"
    assert repr(Signal[int]()) == "Signal()"
    assert Signal[int]("bell").name == "bell"
    with pytest.raises(TypeError):
        Signal(3)  # type: ignore[arg-type]


def test_two_tasks_may_not_share_one_wait(log: Log, bell: Signal[str]) -> None:
    async def one(name: str, wait: Awaitable[str]) -> None:
        try:
            log(name, await wait)
        except RuntimeError as error:
            log(name, str(error))

    async def both() -> None:
        wait = bell.next()
        async with together() as tasks:
            tasks.start(one, "first", wait)
            tasks.start(one, "second", wait)
            await sleep(1)
            bell.fire("ding")

    kumi.run(both)

    assert log == [
        (0.0, "second", "Signal('bell') can be awaited only once, by one task"),
        (1.0, "first", "ding"),
    ]


def test_a_value_dropped_from_a_full_stream_may_fire_as_it_dies(log: Log) -> None:
    """Whatever its end sets off, all listeners hear every event, in one order."""
    bell = Signal[object]("bell")

    class Parting:
        def __repr__(self) -> str:
            return "parting"

        def __del__(self) -> None:
            bell.fire("farewell")

    async def small() -> None:
        stream = bell.stream(keep=1)
        await sleep(2)
        stream.close()

    async def reader(name: str) -> None:
        async for event in bell:
            log(name, repr(event))

    async def both() -> None:
        with until(after(3)):
            async with together() as tasks:
                tasks.start(small)
                tasks.start(reader, "a")
                tasks.start(reader, "b")
                await sleep(1)
                bell.fire(Parting())
                await sleep(0)
                bell.fire("second")

    kumi.run(both)

    heard = [(name, what) for _, name, what in log]
    assert [what for name, what in heard if name == "a"] == ["parting", "'second'", "'farewell'"]
    assert [what for name, what in heard if name == "b"] == ["parting", "'second'", "'farewell'"]
    assert now_is_over()


def now_is_over() -> bool:
    """Whether no run is left in this thread."""
    try:
        now()
    except NoRun:
        return True
    return False

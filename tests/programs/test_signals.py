"""Signals: the next event, every event, and nothing lost in silence."""

from __future__ import annotations

import gc
import threading
from collections.abc import Awaitable, Callable

import pytest

import kumi
from kumi import after, sleep, together
from kumi.kernel import KumiError, Lagged, NoRun, PortError, Signal, Simulation, Stream, at, now, until
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


# Every event.


def test_a_stream_gives_every_event_in_order(log: Log) -> None:
    bell = Signal[int]("bell")

    async def reader() -> None:
        async for count in bell:
            log(count)
            if count == 3:
                return

    async def both() -> None:
        async with together() as tasks:
            tasks.start(reader)
            tasks.start(ring, bell, 5)

    kumi.run(both)

    assert log == [(1.0, 1), (2.0, 2), (3.0, 3)]


def test_nothing_is_lost_while_the_reader_is_busy(log: Log) -> None:
    """Law 5: it reads each event as late as it is free, and none is missing."""
    bell = Signal[int]("bell")

    async def reader() -> None:
        async for count in bell:
            log(count)
            await sleep(2.5)
            if count == 4:
                return

    async def both() -> None:
        async with together() as tasks:
            tasks.start(reader)
            tasks.start(ring, bell, 4)

    kumi.run(both)

    assert log == [(1.0, 1), (3.5, 2), (6.0, 3), (8.5, 4)]


def test_events_of_one_instant_are_all_read_at_that_instant(log: Log) -> None:
    bell = Signal[int]("bell")

    async def reader() -> None:
        async for count in bell:
            log(count)

    async def both() -> None:
        async with together() as tasks:
            tasks.start(reader)
            await sleep(1)
            for count in range(5):
                bell.fire(count)
            await sleep(1)
            tasks.cut()

    kumi.run(both)

    assert log == [(1.0, count) for count in range(5)]


def test_readers_of_one_signal_do_not_disturb_each_other(log: Log) -> None:
    """Each has a cursor of its own."""
    bell = Signal[int]("bell")

    async def reader(name: str, pause: float) -> None:
        async for count in bell:
            log(name, count)
            await sleep(pause)
            if count == 2:
                return

    async def both() -> None:
        async with together() as tasks:
            tasks.start(reader, "quick", 0.0)
            tasks.start(reader, "slow", 10.0)
            tasks.start(ring, bell, 2)

    kumi.run(both)

    assert log == [(1.0, "quick", 1), (1.0, "slow", 1), (2.0, "quick", 2), (11.0, "slow", 2)]


def test_a_reader_that_falls_behind_is_told_by_how_much_and_reads_on(log: Log) -> None:
    """Law 5: of ten events a stream that keeps three has lost seven."""
    bell = Signal[int]("bell")

    async def reader() -> None:
        stream = bell.stream(keep=3)
        await sleep(10)
        try:
            async for count in stream:
                log(count)
        except Lagged as lagged:
            log("lagged", lagged.by)
        async for count in stream:
            log(count)
            if count == 10:
                return

    async def both() -> None:
        async with together() as tasks:
            tasks.start(reader)
            tasks.start(ring, bell, 10, 0.5)

    kumi.run(both)

    assert log == [(10.0, "lagged", 7), (10.0, 8), (10.0, 9), (10.0, 10)]


def test_lagging_is_an_error_with_the_number_in_it() -> None:
    bell = Signal[int]("bell")

    async def reader() -> None:
        stream = bell.stream(keep=1)
        for count in range(5):
            bell.fire(count)
        async for _ in stream:
            pass

    with pytest.raises(Lagged, match="missed 4 events") as raised:
        kumi.run(reader)
    assert raised.value.by == 4


def test_a_stream_begins_when_it_is_opened_and_its_length_is_what_is_unread(log: Log) -> None:
    bell = Signal[int]("bell")

    async def reader() -> None:
        bell.fire(0)
        stream = bell.stream()
        bell.fire(1)
        bell.fire(2)
        log(len(stream))
        async for count in stream:
            log(count, len(stream))
            if not len(stream):
                return

    kumi.run(reader)

    assert log == [(0.0, 2), (0.0, 1, 1), (0.0, 2, 0)]


@pytest.mark.parametrize("keep", [0, -1])
def test_a_stream_keeps_at_least_one_event(bell: Signal[str], keep: int) -> None:
    with pytest.raises(ValueError, match=f"at least 1 event, not {keep}"):
        bell.stream(keep=keep)  # type: ignore[unused-awaitable]


def test_leaving_a_loop_early_leaves_no_listener_behind(log: Log) -> None:
    """A stream is a plain iterator with a cursor: it ends with the loop, not with the next collection."""
    bell = Signal[int]("bell")

    async def reader() -> None:
        async for count in bell:
            log("heard", count, bell.listeners)
            break
        log("left", bell.listeners)

    async def both() -> None:
        async with together() as tasks:
            tasks.start(reader)
            tasks.start(ring, bell, 1)

    gc.disable()
    try:
        kumi.run(both)
    finally:
        gc.enable()

    assert log == [(1.0, "heard", 1, 1), (1.0, "left", 0)]


def test_a_closed_stream_listens_no_longer_and_forgets(log: Log) -> None:
    bell = Signal[int]("bell")

    async def reader() -> None:
        stream = bell.stream()
        bell.fire(1)
        stream.close()
        bell.fire(2)
        log(len(stream), bell.listeners)

    kumi.run(reader)

    assert log == [(0.0, 0, 0)]


def test_a_stream_that_is_closed_ends_the_loop_of_its_reader(log: Log) -> None:
    """Whether the reader waits, or was woken at that very instant."""
    bell = Signal[int]("bell")

    async def reader(stream: Stream[int]) -> None:
        async for count in stream:
            log(count)
        log("over")

    async def both() -> None:
        waiting, woken = bell.stream(), bell.stream()
        async with together() as tasks:
            tasks.start(reader, waiting)
            tasks.start(reader, woken)
            await sleep(1)
            waiting.close()
            await sleep(1)
            bell.fire(7)
            woken.close()

    kumi.run(both)

    assert log == [(1.0, "over"), (2.0, "over")]


def test_a_stream_has_one_reader(log: Log) -> None:
    bell = Signal[int]("bell")

    async def reader(name: str, stream: Stream[int]) -> None:
        try:
            async for count in stream:
                log(name, count)
                return
        except RuntimeError as error:
            log(name, str(error))

    async def both() -> None:
        stream = bell.stream()
        async with together() as tasks:
            tasks.start(reader, "first", stream)
            tasks.start(reader, "second", stream)
            await sleep(1)
            bell.fire(1)

    kumi.run(both)

    assert log == [
        (0.0, "second", "a stream has one reader; open another stream for another task"),
        (1.0, "first", 1),
    ]


def test_a_signal_may_be_fired_by_its_own_reader(log: Log) -> None:
    """The reader hears itself, later, once for each."""
    bell = Signal[int]("bell")

    async def reader() -> None:
        async for count in bell:
            log(count)
            if count == 3:
                return
            bell.fire(count + 1)

    async def both() -> None:
        async with together() as tasks:
            tasks.start(reader)
            await sleep(1)
            bell.fire(1)

    kumi.run(both)

    assert log == [(1.0, 1), (1.0, 2), (1.0, 3)]


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

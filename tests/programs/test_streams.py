"""Streams: every event of a signal, and nothing lost in silence."""

from __future__ import annotations

import gc
import weakref

import pytest

import kumi
from kumi import Signal, sleep, together
from kumi.devs import Lagged, NeverAwaited, Stream
from tests.programs.log import Log


async def ring(bell: Signal[int], times: int, every: float = 1.0) -> None:
    """Fire 1, 2, 3, ... one every second."""
    for count in range(1, times + 1):
        await sleep(every)
        bell.fire(count)


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


def test_the_next_of_a_stream_must_be_awaited() -> None:
    async def main() -> None:
        events = Signal[int]("bell").stream()
        events.next()  # type: ignore[unused-awaitable]
        await sleep(1)

    with pytest.raises(NeverAwaited, match="next\\(\\) was made but never awaited"):
        kumi.run(main)


def test_the_next_of_a_stream_is_the_oldest_unread(log: Log) -> None:
    async def main() -> None:
        bell = Signal[int]("bell")
        events = bell.stream()
        bell.fire(1)
        bell.fire(2)
        log(await events.next(), await events.next())

    kumi.run(main)
    assert log == [(0.0, 1, 2)]


def test_a_stream_inside_what_it_carries_is_collected() -> None:
    """A circle of signal, stream and value goes away when nobody holds it."""

    class Value:
        stream: object

    value = Value()
    signal = Signal[Value]("once", once=True)
    value.stream = signal.stream()
    signal.fire(value)
    gone = weakref.ref(value)
    del value, signal
    gc.collect()
    assert gone() is None

"""Input from threads and asyncio, while a run works or waits; and how a thread stops it."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from typing import Any

import pytest

from kumi.devs import Coupled, PortError, Simulation, TimeError
from kumi.devs.tracing import Injected, Record
from tests.devs.parts import Listener, Ticker
from tests.waiting import PATIENCE, beside, patience, until, wait_for, wait_for_state

# From threads.

COUNT = 200


def give_numbers(simulation: Simulation, listener: Listener, *, first: int, pause: float = 0.0) -> None:
    """Give COUNT numbers, one after the other."""
    for number in range(COUNT):
        simulation.inject(listener.into, first + number)
        if pause:
            time.sleep(pause)


def started(simulation: Simulation) -> threading.Event:
    """Return what is set when a run is under way."""
    begun = threading.Event()
    simulation.schedule(0.0, begun.set)
    return begun


@pytest.mark.parametrize("pace", [None, 1.0], ids=["free", "paced"])
def test_an_open_ended_run_waits_for_input_and_loses_none(pace: float | None) -> None:
    """Three threads; what each gives arrives in its order; then somebody says stop."""
    listener = Listener("listener")
    simulation = Simulation(listener)
    listener.into.watch(lambda _time, _value: check_end())
    arrived: list[int] = []

    def check_end() -> None:
        arrived.append(1)
        if len(arrived) == 3 * COUNT:
            simulation.stop()

    givers = [
        lambda first=first: give_numbers(simulation, listener, first=first, pause=0.0001)
        for first in (0, 1000, 2000)
    ]
    with beside(*givers), patience(simulation):
        simulation.run(pace=pace, open_ended=True)

    heard = [value for _, bag in listener.heard for value in bag]
    assert len(heard) == 3 * COUNT
    for first in (0, 1000, 2000):
        assert [value for value in heard if first <= value < first + 1000] == list(
            range(first, first + COUNT)
        )


def test_a_run_that_only_waits_wakes_for_input() -> None:
    listener = Listener("listener")
    simulation = Simulation(listener)
    listener.into.watch(lambda _time, _value: simulation.stop())
    begun = started(simulation)
    main = threading.get_native_id()

    def give() -> None:
        assert begun.wait(PATIENCE)
        wait_for_state(main, "S")
        simulation.inject(listener.into, "wake")

    with beside(give), patience(simulation):
        simulation.run(open_ended=True)

    assert listener.heard == [(0.0, ["wake"])]


def test_a_busy_free_run_takes_input_between_two_instants() -> None:
    """At the time at which it happens to be, and the models lose nothing."""
    net = Coupled("net")
    ticker, listener = net.add(Ticker("ticker", count=10**9)), net.add(Listener("listener"))
    simulation = Simulation(net)

    def give() -> None:
        wait_for(lambda: simulation.now > 100.0)
        give_numbers(simulation, listener, first=0)
        wait_for(lambda: sum(len(bag) for _, bag in listener.heard) == COUNT)
        simulation.stop()

    with beside(give), patience(simulation):
        simulation.run()

    assert [value for _, bag in listener.heard for value in bag] == list(range(COUNT))
    assert [instant for instant, _ in listener.heard] == sorted(instant for instant, _ in listener.heard)
    assert listener.heard[0][0] > 100.0
    assert ticker.ticks == [float(number) for number in range(1, len(ticker.ticks) + 1)]


def test_a_paced_run_stamps_input_with_the_wall_time_at_which_it_came() -> None:
    """Twice as far from the start as on the wall, at twice its pace; the start lies between two looks at the clock."""
    listener = Listener("listener")
    simulation = Simulation(listener)
    listener.into.watch(lambda _time, _value: simulation.stop())
    begun, given = list[float](), list[float]()
    simulation.schedule(0.0, lambda: begun.append(time.monotonic()))

    def give() -> None:
        wait_for(lambda: begun)
        time.sleep(0.15)
        given.append(time.monotonic())
        simulation.inject(listener.into, "x")
        given.append(time.monotonic())

    before = time.monotonic()
    with beside(give), patience(simulation):
        simulation.run(until=2.0 * PATIENCE, pace=2.0)

    ((instant, values),) = listener.heard
    assert values == ["x"]
    assert 2.0 * (given[0] - begun[0]) <= instant <= 2.0 * (given[1] - before)
    assert simulation.now == instant


def test_stamped_input_comes_in_order_with_what_is_planned() -> None:
    net = Coupled("net")
    ticker, listener = net.add(Ticker("ticker", period=0.05, count=10)), net.add(Listener("listener"))
    net.couple(ticker.out, listener.into)
    simulation = Simulation(net)

    due, given = threading.Event(), threading.Event()

    def wait_for_it() -> None:
        due.set()
        assert given.wait(PATIENCE)

    def give() -> None:
        assert due.wait(PATIENCE)
        simulation.inject(listener.into, "x")
        given.set()

    simulation.schedule(0.17, wait_for_it)
    with beside(give), patience(simulation):
        simulation.run(pace=1.0)

    instants = [instant for instant, _ in listener.heard]
    assert instants == sorted(instants)
    assert ticker.ticks == pytest.approx([0.05 * number for number in range(1, 11)])
    ((instant, _),) = [(instant, bag) for instant, bag in listener.heard if "x" in bag]
    assert instant >= 0.17


def test_input_is_written_down_with_its_stamp() -> None:
    records: list[Record] = []
    listener = Listener("listener")
    simulation = Simulation(listener)
    simulation.trace(records.append)

    with beside(lambda: simulation.inject(listener.into, "x")):
        pass
    simulation.run()

    assert [record for record in records if isinstance(record, Injected)] == [
        Injected(0.0, "listener.into", "x")
    ]


def test_input_of_the_wrong_kind_is_refused_in_the_thread_that_gives_it() -> None:
    listener = Listener("listener", int)
    simulation = Simulation(listener)
    refused: list[str] = []
    begun = started(simulation)

    def give() -> None:
        assert begun.wait(PATIENCE)
        with pytest.raises(PortError) as caught:
            simulation.inject(listener.into, "one")
        refused.append(str(caught.value))
        simulation.stop()

    with beside(give), patience(simulation):
        simulation.run(open_ended=True)

    assert refused == ["port 'listener.into' carries int, but was given 'one'"]


@pytest.mark.parametrize("drive", ["advance", "run"])
def test_input_from_a_thread_is_never_too_late_whoever_drives(drive: str) -> None:
    """The clock may move while it is given: it happens at the time at which it arrives."""
    many = 50_000
    net = Coupled("net")
    net.add(Ticker("ticker", count=10**9))
    listener = net.add(Listener("listener"))
    simulation = Simulation(net, hashed=False)
    given = threading.Event()
    refused: list[BaseException] = []

    def give() -> None:
        for number in range(many):
            try:
                simulation.inject(listener.into, number)
            except TimeError as error:
                refused.append(error)
        given.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-7)
    try:
        with beside(give):
            while not given.is_set():
                simulation.advance() if drive == "advance" else simulation.run(until=simulation.now + 2.0)
    finally:
        sys.setswitchinterval(interval)
    for _ in range(2):
        simulation.advance()

    assert refused == []
    assert [value for _, bag in listener.heard for value in bag] == list(range(many))


# Stop.


@pytest.mark.parametrize("how", ["free", "open", "paced", "paced open"])
def test_a_thread_can_stop_a_run(how: str) -> None:
    """After the present instant; the run can go on."""
    ticker = (
        Ticker("ticker", period=1.0, count=10**9) if how == "free" else Ticker("ticker", period=1e6, count=1)
    )
    simulation = Simulation(ticker)

    begun = started(simulation)

    def stop() -> None:
        assert begun.wait(PATIENCE)
        simulation.stop()

    with beside(stop), patience(simulation):
        simulation.run(pace=1.0 if "paced" in how else None, open_ended="open" in how)

    stopped, ticks = simulation.now, len(ticker.ticks)
    assert simulation.next_time > stopped or how == "open"
    simulation.run(until=stopped + 3.0)
    assert len(ticker.ticks) == ticks + (3 if how == "free" else 0)


def test_a_stop_within_an_instant_ends_it_properly() -> None:
    simulation, log = Simulation(), list[str]()

    def first() -> None:
        simulation.stop()
        log.append("first")
        simulation.schedule(1.0, lambda: log.append("second, same instant"))

    simulation.schedule(1.0, first)
    simulation.schedule(2.0, lambda: log.append("later"))

    assert simulation.run(until=5.0).time == 1.0
    assert log == ["first", "second, same instant"]
    simulation.run()
    assert log[2:] == ["later"]


# From asyncio.


@pytest.mark.parametrize("pace", [None, 1.0], ids=["free", "paced"])
def test_tasks_of_the_same_asyncio_loop_give_input(pace: float | None) -> None:
    listener = Listener("listener")
    simulation = Simulation(listener)

    async def give() -> None:
        for number in range(5):
            await asyncio.sleep(0.01)
            simulation.inject(listener.into, number)
        await until(lambda: sum(len(bag) for _, bag in listener.heard) == 5)
        simulation.stop()

    async def main() -> None:
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(simulation.run_async(pace=pace, open_ended=True), give())

    asyncio.run(main())

    assert [value for _, bag in listener.heard for value in bag] == [0, 1, 2, 3, 4]
    instants = [instant for instant, _ in listener.heard]
    assert instants == sorted(instants)
    assert (instants[-1] >= 0.05) if pace else set(instants) == {0.0}


def test_a_thread_gives_input_to_a_run_in_asyncio() -> None:
    listener = Listener("listener")
    simulation = Simulation(listener)
    listener.into.watch(lambda _time, value: simulation.stop() if value == COUNT - 1 else None)

    async def main() -> None:
        async with asyncio.timeout(PATIENCE):
            await simulation.run_async(open_ended=True)

    with beside(lambda: give_numbers(simulation, listener, first=0, pause=0.0005)):
        asyncio.run(main())

    assert [value for _, bag in listener.heard for value in bag] == list(range(COUNT))


def test_asyncio_in_another_thread_gives_input_to_a_run() -> None:
    listener = Listener("listener")
    simulation = Simulation(listener)

    async def give() -> None:
        for number in range(5):
            await asyncio.sleep(0.01)
            simulation.inject(listener.into, number)
        simulation.stop()

    with beside(lambda: asyncio.run(give())), patience(simulation):
        simulation.run(until=60.0, pace=1.0)
        simulation.run()  # what came in the same moment as the stop

    assert [value for _, bag in listener.heard for value in bag] == [0, 1, 2, 3, 4]


def test_several_runs_go_on_in_threads_at_the_same_time() -> None:
    """Each is as if it were alone."""
    alone = Simulation(Ticker("ticker", count=2000)).run().trace_hash
    hashes: list[str] = []

    def work() -> None:
        with Simulation(Ticker("ticker", count=2000)) as simulation:
            hashes.append(simulation.run().trace_hash)

    with beside(*[work] * 4):
        pass

    assert hashes == [alone] * 4


def test_a_run_cannot_be_run_by_two_threads_at_once() -> None:
    simulation = Simulation()
    begun, end = threading.Event(), threading.Event()
    refused: list[Any] = []

    def block() -> None:
        begun.set()
        end.wait(PATIENCE)

    def second() -> None:
        begun.wait(PATIENCE)
        for deed in (simulation.run, simulation.advance):
            with pytest.raises(RuntimeError) as caught:
                deed()
            refused.append(type(caught.value).__name__)
        end.set()

    simulation.schedule(1.0, block)
    simulation.schedule(2.0, lambda: None)
    with beside(second):
        simulation.run()

    assert refused == ["NoRun", "NoRun"]
    assert simulation.now == 2.0


def test_input_planned_by_time_is_refused_in_the_past_also_while_running() -> None:
    listener = Listener("listener")
    simulation = Simulation(listener)
    simulation.schedule(2.0, lambda: simulation.inject(listener.into, "x", at=1.0))

    with pytest.raises(TimeError, match=r"input for t = 1\.0 s came at t = 2\.0 s"):
        simulation.run()

"""What is sent to a program before it reads is heard: all that is sent is received, or refused."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import Signal, now, sleep, until
from kumi.devs import Atomic, Coupled, Lagged, NoRun, Program, Simulation
from tests.programs.log import Log
from tests.waiting import PATIENCE, beside, patience, wait_for


class Reader(Program):
    """Hears what comes in on two ports, after it has done something else."""

    def __init__(self, log: Log, way: str = "stream", busy: float = 0.0) -> None:
        super().__init__("reader")
        self.into = self.add_input("into", int)
        self.other = self.add_input("other", int)
        self.log = log
        self.way = way
        self.busy = busy

    async def run(self) -> None:
        if self.busy:
            await sleep(self.busy)
        if self.way == "stream":
            async for value in self.into.arrivals:
                self.log(value)
        if self.way == "union":
            async for value in self.into.arrivals | self.other.arrivals:
                self.log(value)
        both = self.into.arrivals | self.other.arrivals if self.way == "next of union" else self.into.arrivals
        while True:
            self.log(await both.next())


class Eager(Atomic):
    """Sends when it enters the run, at the same instant."""

    def __init__(self, *values: int) -> None:
        super().__init__("eager")
        self.out = self.add_output("out", int)
        self.values = values
        self.hold(0.0)

    def output(self) -> None:
        for value in self.values:
            self.out.send(value)


WAYS = ["stream", "next", "union", "next of union"]


@pytest.mark.parametrize("way", WAYS)
def test_input_at_the_first_instant_is_heard(log: Log, way: str) -> None:
    reader = Reader(log, way)
    with Simulation(reader) as simulation:
        simulation.inject(reader.into, 1)
        simulation.inject(reader.into, 2, at=0.0)
        simulation.inject(reader.into, 3, at=1.0)
        simulation.run(until=2.0)

    assert log == [(0.0, 1), (0.0, 2), (1.0, 3)]


@pytest.mark.parametrize("way", WAYS)
def test_what_a_model_sends_at_the_first_instant_is_heard(log: Log, way: str) -> None:
    room = Coupled("room")
    eager, reader = room.add(Eager(1, 2)), room.add(Reader(log, way))
    room.couple(eager.out, reader.into)
    with Simulation(room) as simulation:
        simulation.run(until=2.0)

    assert log == [(0.0, 1), (0.0, 2)]


def test_a_program_that_is_added_hears_what_is_sent_at_that_instant(log: Log) -> None:
    room = Coupled("room")
    with Simulation(room) as simulation:

        def join() -> None:
            eager, reader = room.add(Eager(1, 2)), room.add(Reader(log))
            room.couple(eager.out, reader.into)

        simulation.schedule(3.0, join)
        simulation.run(until=5.0)

    assert log == [(3.0, 1), (3.0, 2)]


@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=12),
    st.sampled_from(WAYS),
    st.integers(0, 4),
)
def test_all_that_comes_before_the_first_reading_is_heard_in_order(
    sent: list[tuple[int, bool]], way: str, busy: int
) -> None:
    """At the instant it came, or when the program begins to read; of two ports that are read together, too.

    Who waits for the next one by one hears all that came before; then it is a signal like others.
    """
    if "next" in way:
        sent = [(instant, to_other) for instant, to_other in sent if instant <= busy]
    log = Log()
    reader = Reader(log, way, float(busy))
    with Simulation(reader) as simulation:
        for number, (instant, to_other) in enumerate(sent):
            port = reader.other if to_other and "union" in way else reader.into
            simulation.inject(port, number, at=float(instant))
        simulation.run(until=10.0)

    in_order = sorted(range(len(sent)), key=lambda number: sent[number][0])
    if "union" in way:  # what comes to two ports in one step comes to the ports in their order
        in_order.sort(key=lambda number: (sent[number][0], sent[number][1]))
    assert log == [(float(max(sent[number][0], busy)), number) for number in in_order]


def test_a_scope_hears_what_comes_from_now_on(log: Log) -> None:
    """A block that a signal ends is not ended by what was before it, and takes nothing from who reads."""

    class Careful(Reader):
        async def run(self) -> None:
            await sleep(1.0)
            with until(self.into.arrivals) as cut:
                await sleep(1.0)
            self.log("undisturbed", not cut.is_cut)
            self.log(await self.into.arrivals.next())

    reader = Careful(log)
    with Simulation(reader) as simulation:
        simulation.inject(reader.into, 1)
        simulation.run(until=5.0)

    assert log == [(2.0, "undisturbed", True), (2.0, 1)]


def test_once_it_is_read_a_port_is_a_signal(log: Log) -> None:
    """Whoever listens later hears what comes from then on."""

    class Twice(Reader):
        async def run(self) -> None:
            self.log(await self.into.arrivals.next())
            await sleep(5.0)
            self.log(await self.into.arrivals.next())

    reader = Twice(log)
    with Simulation(reader) as simulation:
        for instant in (0.0, 3.0, 8.0):
            simulation.inject(reader.into, int(instant), at=instant)
        simulation.run(until=10.0)

    assert log == [(0.0, 0), (8.0, 8)]


@pytest.mark.parametrize("way", ["stream", "next"])
def test_of_too_much_the_last_is_kept_and_the_reader_is_told(log: Log, way: str) -> None:
    """Nobody reads for a while; of more than 65,536 the oldest are dropped, and counted."""
    count, kept = 66_000, 65_536

    class Told(Reader):
        async def run(self) -> None:
            await sleep(1.0)
            stream = self.into.arrivals.stream() if way == "stream" else self.into.arrivals
            try:
                await stream.next()
            except Lagged as lagged:
                self.log("missed", lagged.by)
            for _ in range(kept):
                self.log(await stream.next())

    reader = Told(log)
    with Simulation(reader) as simulation:
        for number in range(count):
            simulation.inject(reader.into, number)
        simulation.run(until=5.0)

    assert log == [(1.0, "missed", count - kept), *((1.0, number) for number in range(count - kept, count))]


def test_what_was_not_read_in_one_run_is_not_heard_in_the_next(log: Log) -> None:
    reader = Reader(log, busy=5.0)
    with Simulation(reader) as simulation:
        simulation.inject(reader.into, 1)
        simulation.run(until=1.0)
    with Simulation(reader) as simulation:
        simulation.inject(reader.into, 2)
        simulation.run(until=6.0)

    assert log == [(5.0, 2)]


def test_a_stream_that_was_opened_before_the_run_has_it_all(log: Log) -> None:
    class Early(Reader):
        def __init__(self, log: Log) -> None:
            super().__init__(log)
            self.stream = self.into.arrivals.stream()

        async def run(self) -> None:
            async for value in self.stream:
                self.log(value)
                if value == 2:
                    break
            async for value in self.into.arrivals:
                self.log("again", value)

    reader = Early(log)
    with Simulation(reader) as simulation:
        for value in (1, 2):
            simulation.inject(reader.into, value)
        simulation.inject(reader.into, 3, at=1.0)
        simulation.run(until=2.0)

    assert log == [(0.0, 1), (0.0, 2), (1.0, "again", 3)]


def test_a_model_with_a_confluent_of_its_own_lets_tasks_hear_its_input(log: Log) -> None:
    class Both(Atomic):
        def __init__(self) -> None:
            super().__init__("both")
            self.into = self.add_input("into", int)
            self.hold(1.0)

        def confluent(self) -> None:
            self.rest()

    async def listen() -> None:
        async for value in both.into.arrivals:
            log(value)

    both = Both()
    with Simulation(both) as simulation:
        simulation.start(listen)
        simulation.inject(both.into, 7, at=1.0)
        simulation.run(until=2.0)

    assert log == [(1.0, 7)]


def test_a_signal_from_outside_is_heard_by_programs_of_the_same_instant(log: Log) -> None:
    """They may be started after it was given."""
    bell = Signal[int]("bell")

    async def listen() -> None:
        async for value in bell:
            log(value)

    with Simulation() as simulation:
        simulation.inject(bell, 1)
        simulation.start(listen)
        simulation.run(until=1.0)

    assert log == [(0.0, 1)]


# From threads.

COUNT = 500
AHEAD = 1000


class Collector(Program):
    """Keeps what it hears."""

    def __init__(self) -> None:
        super().__init__("collector")
        self.into = self.add_input("into", int)
        self.heard: list[int] = []

    async def run(self) -> None:
        async for value in self.into.arrivals.stream(keep=10**6):
            self.heard.append(value)


@pytest.mark.parametrize("pace", [None, 1.0], ids=["free", "paced"])
def test_all_that_threads_send_before_and_while_it_runs_is_heard(pace: float | None) -> None:
    """Half of them send before the run has begun; what came before stop() is delivered, or planned for later."""
    collector = Collector()
    simulation = Simulation(collector)

    def send(first: int) -> None:
        for value in range(first, first + COUNT):
            simulation.inject(collector.into, value)

    with beside(*(lambda first=i * COUNT: send(first) for i in range(4))):
        pass
    begun = threading.Event()
    simulation.schedule(0.0, begun.set)

    def send_on() -> None:
        assert begun.wait(PATIENCE)
        threads = [threading.Thread(target=send, args=(i * COUNT,)) for i in range(4, 8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        simulation.stop()

    with beside(send_on), patience(simulation):
        simulation.run(pace=pace, open_ended=True)
    if pace is not None:
        simulation.run()
    assert simulation.planned == 0
    simulation.close()

    assert sorted(collector.heard) == list(range(8 * COUNT))
    for first in range(0, 8 * COUNT, COUNT):
        mine = [value for value in collector.heard if first <= value < first + COUNT]
        assert mine == list(range(first, first + COUNT))


@pytest.mark.some_of(4)
@pytest.mark.parametrize("attempt", range(20))
def test_input_is_received_or_left_or_refused_while_the_run_is_closed(attempt: int) -> None:
    """Threads send until they are refused; nothing is taken from them that nobody knows of."""
    collector = Collector()
    simulation = Simulation(collector)
    accepted = [0, 0, 0]

    def send(index: int) -> None:
        while True:
            try:
                simulation.inject(collector.into, index)
            except NoRun:
                return
            accepted[index] += 1
            if accepted[index] > len(collector.heard) + AHEAD:  # three send more than one hears
                time.sleep(0.001)

    def stop() -> None:
        wait_for(lambda: len(collector.heard) > 50)
        simulation.stop()

    with beside(*(lambda index=index: send(index) for index in range(3)), stop):
        simulation.run(open_ended=True)
        simulation.close()

    assert sum(accepted) == len(collector.heard) + simulation.planned, f"attempt {attempt}"


def test_input_with_a_time_may_come_from_a_thread_while_the_run_waits(log: Log) -> None:
    reader = Reader(log)
    simulation = Simulation(reader)
    begun = threading.Event()
    simulation.schedule(0.0, begun.set)

    def send() -> None:
        assert begun.wait(PATIENCE)
        simulation.inject(reader.into, 1, at=7.0)
        wait_for(lambda: log)
        simulation.stop()

    with beside(send), patience(simulation):
        simulation.run(open_ended=True)
    simulation.close()

    assert log == [(7.0, 1)]


def test_time_is_that_of_the_reader(log: Log) -> None:
    """A value that waited is read at the present, not at the time at which it came."""

    class Late(Reader):
        async def run(self) -> None:
            await sleep(4.0)
            self.log(await self.into.arrivals.next(), now() == self.now)

    reader = Late(log)
    with Simulation(reader) as simulation:
        simulation.inject(reader.into, 1, at=2.0)
        simulation.run(until=5.0)

    assert log == [(4.0, 1, True)]

"""A program with ports stands among models like any other."""

from __future__ import annotations

import pytest

from kumi import now, sleep, together
from kumi.devs import Atomic, Coupled, PortError, Program, Simulation, chance
from tests.programs.log import Log


class Source(Atomic):
    """Sends 1, 2, 3, ... one every second."""

    def __init__(self, name: str = "source", last: int = 3) -> None:
        super().__init__(name)
        self.out = self.add_output("out", int)
        self.last = last
        self.count = 1
        self.hold(1.0)

    def output(self) -> None:
        self.out.send(self.count)

    def internal(self) -> None:
        self.count += 1
        if self.count <= self.last:
            self.hold(1.0)


class Sink(Atomic):
    """Writes down what comes in, a bag at a time."""

    def __init__(self, log: Log, name: str = "sink") -> None:
        super().__init__(name)
        self.into = self.add_input("into", int)
        self.log = log

    def external(self) -> None:
        self.log.append((self.now, self.name, list(self.into)))


class Worker(Program):
    """Takes orders; what it does with them is written in subclasses."""

    def __init__(self, log: Log, name: str = "worker") -> None:
        super().__init__(name)
        self.orders = self.add_input("orders", int)
        self.goods = self.add_output("goods", int)
        self.log = log


class Doubler(Worker):
    """Makes two of each, in a quarter of a second."""

    async def run(self) -> None:
        try:
            async for order in self.orders.arrivals:
                await sleep(0.25)
                self.log("makes", order)
                self.goods.send(2 * order)
        finally:
            self.log("over")


def plant(log: Log, worker: Worker, *, last: int = 3) -> Coupled:
    """Put a worker between a source and a sink."""
    system = Coupled("plant")
    source, sink = system.add(Source(last=last)), system.add(Sink(log))
    system.add(worker)
    system.couple(source.out, worker.orders)
    system.couple(worker.goods, sink.into)
    return system


def test_a_program_takes_input_and_gives_output_at_the_instant_it_sends(log: Log) -> None:
    with Simulation(plant(log, Doubler(log))) as simulation:
        simulation.run(until=10.0)

    assert log == [
        (1.25, "makes", 1),
        (1.25, "sink", [2]),
        (2.25, "makes", 2),
        (2.25, "sink", [4]),
        (3.25, "makes", 3),
        (3.25, "sink", [6]),
        (10.0, "over"),
    ]


def test_what_is_sent_before_one_wait_arrives_in_one_bag(log: Log) -> None:
    """A program's output goes out when it waits, all of it, in order."""

    class Bulk(Worker):
        async def run(self) -> None:
            await sleep(1)
            for count in range(3):
                self.goods.send(count)
            self.log("sent")
            await sleep(0)
            self.log("waited")
            self.goods.send(9)

    with Simulation(plant(log, Bulk(log), last=0)) as simulation:
        simulation.run()

    assert log == [(1.0, "sent"), (1.0, "sink", [0, 1, 2]), (1.0, "waited"), (1.0, "sink", [9])]


def test_no_arrival_is_lost_while_the_program_is_busy(log: Log) -> None:
    class Slow(Worker):
        async def run(self) -> None:
            async for order in self.orders.arrivals:
                self.log("begins", order)
                await sleep(2.5)

    with Simulation(plant(log, Slow(log))) as simulation:
        simulation.run()

    assert log == [(1.0, "begins", 1), (3.5, "begins", 2), (6.0, "begins", 3)]


def test_every_value_of_a_bag_arrives_in_the_order_of_the_senders(log: Log) -> None:
    class Reader(Worker):
        async def run(self) -> None:
            async for order in self.orders.arrivals:
                self.log(order)

    system = Coupled("plant")
    one, other = system.add(Source("one", last=2)), system.add(Source("other", last=2))
    other.count = -1
    reader = system.add(Reader(log))
    system.couple(one.out, reader.orders)
    system.couple(other.out, reader.orders)
    with Simulation(system) as simulation:
        simulation.run()

    assert log[:4] == [(1.0, 1), (1.0, -1), (2.0, 2), (2.0, 0)]


def test_programs_see_an_instant_after_the_models_have_settled(log: Log) -> None:
    """A value that passes three models in zero time has arrived everywhere before a program goes on."""

    class Relay(Atomic):
        def __init__(self, name: str) -> None:
            super().__init__(name)
            self.into = self.add_input("into", int)
            self.out = self.add_output("out", int)
            self.held: list[int] = []

        def external(self) -> None:
            self.held = list(self.into)
            log.append((self.now, self.name))
            self.hold(0)

        def output(self) -> None:
            for value in self.held:
                self.out.send(value)

    class Reader(Worker):
        async def run(self) -> None:
            async for order in self.orders.arrivals:
                self.log("program", order)

    system = Coupled("plant")
    source = system.add(Source(last=1))
    relays = [system.add(Relay(f"relay-{i}")) for i in range(3)]
    reader = system.add(Reader(log))
    system.couple(source.out, reader.orders)
    system.couple(source.out, relays[0].into)
    system.couple(relays[0].out, relays[1].into)
    system.couple(relays[1].out, relays[2].into)
    with Simulation(system) as simulation:
        simulation.run()

    assert log == [(1.0, "relay-0"), (1.0, "relay-1"), (1.0, "relay-2"), (1.0, "program", 1)]


def test_two_programs_play_ping_pong_in_zero_time(log: Log) -> None:
    class Player(Worker):
        async def run(self) -> None:
            if self.name == "ping":
                await sleep(1)
                self.goods.send(0)
            async for count in self.orders.arrivals:
                self.log(self.name, count)
                if count < 3:
                    self.goods.send(count + 1)

    system = Coupled("table")
    ping, pong = system.add(Player(log, "ping")), system.add(Player(log, "pong"))
    system.couple(ping.goods, pong.orders)
    system.couple(pong.goods, ping.orders)
    with Simulation(system) as simulation:
        simulation.run()

    assert log == [(1.0, "pong", 0), (1.0, "ping", 1), (1.0, "pong", 2), (1.0, "ping", 3)]


def test_tasks_of_a_program_may_send_for_it(log: Log) -> None:
    class Crew(Worker):
        async def run(self) -> None:
            async with together() as tasks:
                for number in (2, 1):
                    tasks.start(self.work, number)

        async def work(self, number: int) -> None:
            await sleep(number)
            self.goods.send(number)

    with Simulation(plant(log, Crew(log), last=0)) as simulation:
        simulation.run()

    assert log == [(1.0, "sink", [1]), (2.0, "sink", [2])]


def test_removing_a_program_cuts_it(log: Log) -> None:
    """It cleans up at that instant, and takes no more orders."""
    worker = Doubler(log)
    system = plant(log, worker)
    with Simulation(system) as simulation:
        simulation.schedule(2.5, lambda: system.remove(worker))
        simulation.run()

        assert simulation.tasks == ()
        assert simulation.now == 3.0
        assert not worker.is_running
    assert log == [
        (1.25, "makes", 1),
        (1.25, "sink", [2]),
        (2.25, "makes", 2),
        (2.25, "sink", [4]),
        (2.5, "over"),
    ]
    assert worker.orders.arrivals.listeners == 0


def test_a_program_that_is_removed_may_send_a_last_word(log: Log) -> None:
    """It leaves the run when it has ended; its couplings hold until then."""

    class Polite(Worker):
        async def run(self) -> None:
            try:
                await sleep(100)
            finally:
                self.goods.send(-1)

    worker = Polite(log)
    system = plant(log, worker, last=0)
    with Simulation(system) as simulation:
        simulation.schedule(2.0, lambda: system.remove(worker))
        simulation.run()

    assert log == [(2.0, "sink", [-1])]


def test_a_program_added_to_a_running_model_begins_at_that_instant(log: Log) -> None:
    class Greeter(Worker):
        async def run(self) -> None:
            self.log("begins")
            self.goods.send(7)
            await sleep(1)
            self.log("goes on")

    def join() -> None:
        greeter = system.add(Greeter(log, "late"))
        system.couple(greeter.goods, sink.into)

    system = Coupled("plant")
    sink = system.add(Sink(log))
    with Simulation(system) as simulation:
        simulation.schedule(4.0, join)
        simulation.run()

    assert log == [(4.0, "begins"), (4.0, "sink", [7]), (5.0, "goes on")]


def test_a_program_among_models_can_be_run_again(log: Log) -> None:
    """Each run begins it anew."""
    system = plant(log, Doubler(log), last=1)
    for _ in range(2):
        with Simulation(system) as simulation:
            simulation.run(until=2.0)

    assert log == [(1.25, "makes", 1), (1.25, "sink", [2]), (2.0, "over"), (2.0, "over")]


def test_an_error_in_a_program_names_the_model_and_the_time(log: Log) -> None:
    class Breaks(Worker):
        async def run(self) -> None:
            await self.orders.arrivals.next()
            raise ValueError("broken")

    with (
        Simulation(plant(log, Breaks(log))) as simulation,
        pytest.raises(ValueError, match="broken") as raised,
    ):
        simulation.run()
    assert raised.value.__notes__ == ["in task 'plant.worker.run' at t = 1.0 s"]


def test_a_value_of_the_wrong_type_is_refused_where_it_is_sent(log: Log) -> None:
    class Careless(Worker):
        async def run(self) -> None:
            with pytest.raises(PortError, match=r"'plant\.worker\.goods' carries int, but was given 'two'"):
                self.goods.send("two")  # type: ignore[arg-type]
            self.goods.send(2)

    with Simulation(plant(log, Careless(log), last=0)) as simulation:
        simulation.run()

    assert log == [(0.0, "sink", [2])]


def test_a_program_cannot_send_for_a_model(log: Log) -> None:
    class Meddler(Worker):
        async def run(self) -> None:
            await sleep(0.5)
            source = system["source"]
            assert isinstance(source, Source)
            source.out.send(99)

    system = plant(log, Meddler(log))
    with Simulation(system) as simulation, pytest.raises(PortError, match=r"'plant\.source\.out'"):
        simulation.run()


def test_a_program_needs_its_run() -> None:
    class Empty(Program):
        pass

    with (
        Simulation(Empty("empty")) as simulation,
        pytest.raises(TypeError, match=r"Empty needs a method `async def run\(self\)`"),
    ):
        simulation.run()


def test_a_program_whose_run_is_not_async_is_refused() -> None:
    class Plain(Program):
        def run(self) -> None:  # type: ignore[override]
            pass

    with pytest.raises(TypeError, match="a program is an `async def` function"):
        Simulation(Plain("plain"))


def test_programs_draw_from_streams_of_their_own(log: Log) -> None:
    """Named by the path of the model, so that another model beside it changes nothing."""

    class Draws(Program):
        async def run(self) -> None:
            log(self.name, chance().integer(0, 10**9))

    def draws(*names: str) -> dict[object, object]:
        log.clear()
        system = Coupled("plant")
        for name in names:
            system.add(Draws(name))
        with Simulation(system, seed=1) as simulation:
            simulation.run()
        return {name: number for _, name, number in log}

    alone = draws("a")
    both = draws("z", "a")

    assert both["a"] == alone["a"]
    assert both["z"] != both["a"]


def test_what_a_program_sends_can_be_watched(log: Log) -> None:
    worker = Doubler(log)
    seen: list[tuple[float, int]] = []
    worker.goods.watch(lambda time, value: seen.append((time, value)))
    with Simulation(plant(log, worker, last=2)) as simulation:
        simulation.run(until=5.0)

    assert seen == [(1.25, 2), (2.25, 4)]


def test_time_is_the_same_for_the_program_and_its_model(log: Log) -> None:
    class Looks(Worker):
        async def run(self) -> None:
            await sleep(1.5)
            self.log(now() == self.now)

    with Simulation(plant(log, Looks(log), last=0)) as simulation:
        simulation.run()

    assert log == [(1.5, True)]

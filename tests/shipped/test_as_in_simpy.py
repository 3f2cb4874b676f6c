"""The examples after those of SimPy do what SimPy does: with the same random numbers, the same at the same times."""

from __future__ import annotations

import sys
from collections.abc import Generator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import simpy

from kumi.devs import Chance
from kumi.devs.chance import stream

EXAMPLES = Path(__file__).parents[2] / "examples" / "from_simpy"
SEEDS = range(5)

Process = Generator[Any, Any, None]
Told = list[tuple[float, str, str]]


def example(name: str) -> Any:
    """Import an example by its name."""
    found = spec_from_file_location(f"from_simpy_{name}", EXAMPLES / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module


def draws(seed: int, task: str) -> Chance:
    """Give the random numbers that a task of this path has in kumi."""
    return stream(seed, f".{task}")


@pytest.mark.parametrize("seed", SEEDS)
def test_bank_renege(seed: int) -> None:
    shipped = example("bank_renege")
    told: Told = []
    env = simpy.Environment()
    counter = simpy.Resource(env)

    def customer(name: str) -> Process:
        chance = draws(seed, f"bank.{name}")
        told.append((env.now, name, "comes"))
        with counter.request() as request:
            result = yield request | env.timeout(chance.uniform(*shipped.PATIENCE))
            if request not in result:
                told.append((env.now, name, "gives up"))
                return
            told.append((env.now, name, "is served"))
            yield env.timeout(chance.exponential(shipped.SERVICE))
        told.append((env.now, name, "leaves"))

    def bank() -> Process:
        chance = draws(seed, "bank")
        for number in range(1, shipped.CUSTOMERS + 1):
            env.process(customer(f"customer{number}"))
            yield env.timeout(chance.exponential(shipped.INTERVAL))

    env.process(bank())
    env.run()
    assert shipped.simulate(seed) == told


@pytest.mark.parametrize("seed", SEEDS)
def test_carwash(seed: int) -> None:
    """Times are whole minutes, so that much happens at once: the order within one minute is each kernel's own."""
    shipped = example("carwash")
    told: Told = []
    env = simpy.Environment()
    machines = simpy.Resource(env, shipped.MACHINES)

    def car(name: str) -> Process:
        told.append((env.now, name, "comes"))
        with machines.request() as request:
            yield request
            told.append((env.now, name, "goes in"))
            yield env.timeout(shipped.WASHING)
            dirt = draws(seed, f"carwash.{name}").integer(50, 99)
            told.append((env.now, name, f"loses {dirt} % of its dirt"))
        told.append((env.now, name, "leaves"))

    def carwash() -> Process:
        chance = draws(seed, "carwash")
        number = 0
        while True:
            for _ in range(shipped.FIRST if number == 0 else 1):
                env.process(car(f"car{number}"))
                number += 1
            yield env.timeout(chance.integer(shipped.INTERVAL - 2, shipped.INTERVAL + 2))

    env.process(carwash())
    env.run(until=shipped.END + 0.5)  # SimPy leaves out what happens at the very end
    assert sorted(shipped.simulate(seed)) == sorted(told)


class Shop:
    """The machine shop on SimPy."""

    def __init__(self, shipped: Any, seed: int) -> None:
        self.shipped = shipped
        self.seed = seed
        self.env = simpy.Environment()
        self.repairman = simpy.PreemptiveResource(self.env)
        self.parts: list[list[float]] = [[] for _ in range(shipped.MACHINES)]
        self.jobs: list[float] = []
        self.is_broken = [False] * shipped.MACHINES
        for number in range(shipped.MACHINES):
            machine = self.env.process(self.make_parts(number))
            self.env.process(self.break_down(number, machine))
        self.env.process(self.do_other_jobs())

    def make_parts(self, number: int) -> Process:
        chance = draws(self.seed, f"work.machine{number}")
        while True:
            left = chance.normal(*self.shipped.MAKING)
            while left > 0.0:
                begun = self.env.now
                try:
                    yield self.env.timeout(left)
                    left = 0.0
                except simpy.Interrupt:
                    left -= self.env.now - begun
                    self.is_broken[number] = True
                    with self.repairman.request(priority=1) as request:
                        yield request
                        yield self.env.timeout(self.shipped.REPAIR)
                    self.is_broken[number] = False
            self.parts[number].append(self.env.now)

    def break_down(self, number: int, machine: simpy.Process) -> Process:
        chance = draws(self.seed, f"work.machine{number} breaks")
        while True:
            yield self.env.timeout(chance.exponential(self.shipped.BREAKING))
            if not self.is_broken[number]:
                machine.interrupt()

    def do_other_jobs(self) -> Process:
        while True:
            left = self.shipped.JOB
            while left > 0.0:
                with self.repairman.request(priority=2) as request:
                    yield request
                    begun = self.env.now
                    try:
                        yield self.env.timeout(left)
                        left = 0.0
                    except simpy.Interrupt:
                        left -= self.env.now - begun
            self.jobs.append(self.env.now)


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_machine_shop(seed: int) -> None:
    shipped = example("machine_shop")
    there = Shop(shipped, seed)
    there.env.run(until=shipped.WEEKS * 7 * 24 * 60.0)

    here = shipped.simulate(seed)
    assert [machine.parts for machine in here.machines] == there.parts
    assert here.jobs == there.jobs


@pytest.mark.parametrize("seed", SEEDS)
def test_movie_renege(seed: int) -> None:
    shipped = example("movie_renege")
    env = simpy.Environment()
    counter = simpy.Resource(env)
    films = range(len(shipped.TITLES))
    tickets = [shipped.TICKETS for _ in films]
    sold_out = [env.event() for _ in films]
    sold_out_at: list[float | None] = [None for _ in films]
    left: list[list[float]] = [[] for _ in films]

    def group(film: int, people: int) -> Process:
        with counter.request() as request:
            result = yield request | sold_out[film]
            if request not in result:
                left[film].append(env.now)
            elif tickets[film] < people:
                yield env.timeout(0.5)
            else:
                tickets[film] -= people
                if tickets[film] < 2:
                    sold_out[film].succeed()
                    sold_out_at[film] = env.now
                    tickets[film] = 0
                yield env.timeout(1.0)

    def cinema() -> Process:
        chance = draws(seed, "cinema")
        while True:
            yield env.timeout(chance.exponential(shipped.INTERVAL))
            film, people = chance.choice(films), chance.integer(1, 6)
            if tickets[film] > 0:
                env.process(group(film, people))

    env.process(cinema())
    env.run(until=shipped.END)

    shown = shipped.simulate(seed)
    assert [(film.tickets, film.sold_out_at, film.left) for film in shown] == list(
        zip(tickets, sold_out_at, left, strict=True)
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_gas_station(seed: int) -> None:
    shipped = example("gas_station")
    told: Told = []
    env = simpy.Environment()
    pumps = simpy.Resource(env, 2)
    tank = simpy.Container(env, shipped.STATION, init=shipped.STATION)

    def car(name: str) -> Process:
        told.append((env.now, name, "comes"))
        with pumps.request() as request:
            yield request
            wanted = shipped.CAR - draws(seed, f"station.{name}").integer(5, 25)
            yield tank.get(wanted)
            yield env.timeout(wanted / shipped.SPEED)
            told.append((env.now, name, f"has got {wanted} l"))

    def watch() -> Process:
        while True:
            if tank.level / tank.capacity * 100 < shipped.CALL_BELOW:
                told.append((env.now, "station", "calls the truck"))
                yield env.timeout(shipped.TRUCK)
                amount = tank.capacity - tank.level
                yield tank.put(amount)
                told.append((env.now, "truck", f"brings {amount} l"))
            yield env.timeout(10)

    def station() -> Process:
        chance = draws(seed, "station")
        env.process(watch())
        for number in range(100):
            yield env.timeout(chance.integer(*shipped.INTERVAL))
            env.process(car(f"car{number}"))

    env.process(station())
    env.run(until=shipped.END + 0.25)
    assert sorted(shipped.simulate(seed)) == sorted(told)


def test_event_latency() -> None:
    shipped = example("event_latency")
    told: list[tuple[float, float]] = []
    env = simpy.Environment()
    end = simpy.Store(env)

    def carry(message: float) -> Process:
        yield env.timeout(shipped.LATENCY)
        yield end.put(message)

    def send() -> Process:
        while True:
            yield env.timeout(shipped.INTERVAL)
            env.process(carry(env.now))

    def receive() -> Process:
        while True:
            sent = yield end.get()
            told.append((sent, env.now))

    env.process(send())
    env.process(receive())
    env.run(until=shipped.END + 0.5)
    assert shipped.simulate() == told


@pytest.mark.parametrize("seed", SEEDS)
def test_process_communication(seed: int) -> None:
    shipped = example("process_communication")

    def simulate(speaker: str, block: str, listeners: list[tuple[str, str]]) -> Told:
        told: Told = []
        env = simpy.Environment()
        shelves = [simpy.Store(env) for _ in listeners]

        def speak() -> Process:
            chance = draws(seed, f"{block}.{speaker}")
            while True:
                yield env.timeout(chance.integer(6, 10))
                for shelf in shelves:
                    yield shelf.put(env.now)

        def take(name: str, task: str, shelf: simpy.Store) -> Process:
            chance = draws(seed, f"{block}.{task}")
            while True:
                sent = yield shelf.get()
                late = ", late" if sent < env.now else ""
                told.append((env.now, name, f"gets what was said at {sent:g}{late}"))
                yield env.timeout(chance.integer(4, 8))

        env.process(speak())
        for (name, task), shelf in zip(listeners, shelves, strict=True):
            env.process(take(name, task, shelf))
        env.run(until=shipped.END + 0.5)
        return sorted(told)

    alone, many = shipped.simulate(seed)
    assert sorted(alone) == simulate("speak_to_one", "one_to_one", [("taker", "take")])
    assert sorted(many) == simulate("speak_to_all", "one_to_many", [("anna", "anna"), ("ben", "ben")])

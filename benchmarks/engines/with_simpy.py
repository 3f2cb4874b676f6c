"""The tasks for SimPy."""

from collections.abc import Generator
from importlib import import_module
from time import perf_counter, process_time
from typing import Any

from benchmarks.process import resident_bytes
from benchmarks.tasks import BURST, DELAY, FAR, Sample, check, first_sending, period

simpy: Any = import_module("simpy")

Process = Generator[Any, Any, None]


def sleeps(tasks: int, each: int, coinciding: bool = False) -> Sample:
    ended = 0

    def sleeper(environment: Any, pause: float) -> Process:
        nonlocal ended
        for _ in range(each):
            yield environment.timeout(pause)
        ended += 1

    environment = simpy.Environment()
    for index in range(tasks):
        environment.process(sleeper(environment, 1.0 if coinciding else period(index)))
    started = perf_counter()
    environment.run()
    seconds = perf_counter() - started
    check("tasks that ended", ended, tasks)
    return {"figure": tasks * each / seconds / 1e6}


def requests(tasks: int, units: int, each: int) -> Sample:
    held = 0

    def user(environment: Any, docks: Any, pause: float) -> Process:
        nonlocal held
        for _ in range(each):
            with docks.request() as request:
                yield request
                held += 1
                yield environment.timeout(pause)

    environment = simpy.Environment()
    docks = simpy.Resource(environment, units)
    for index in range(tasks):
        environment.process(user(environment, docks, period(index)))
    started = perf_counter()
    environment.run()
    seconds = perf_counter() - started
    check("requests that were granted", held, tasks * each)
    return {"figure": held / seconds / 1e6}


def interrupts(tasks: int, number: int) -> Sample:
    heard = 0

    def sleeper(environment: Any) -> Process:
        nonlocal heard
        while True:
            try:
                yield environment.timeout(FAR)
            except simpy.Interrupt:
                heard += 1

    def driver(environment: Any) -> Process:
        yield environment.timeout(1.0)
        for index in range(number):
            sleepers[index % tasks].interrupt()
            if index % BURST == BURST - 1:
                yield environment.timeout(1.0)

    environment = simpy.Environment()
    sleepers = [environment.process(sleeper(environment)) for _ in range(tasks)]
    environment.process(driver(environment))
    environment.run(until=0.5)
    started = perf_counter()
    environment.run(until=FAR / 2)
    seconds = perf_counter() - started
    check("interrupts", heard, number)
    queue = len(environment._queue)
    return {"figure": seconds / number * 1e6, "queue": queue, "queue_per_live": queue / tasks}


def task_memory(number: int) -> Sample:
    def sleeper(environment: Any) -> Process:
        yield environment.timeout(FAR)

    before = resident_bytes()
    environment = simpy.Environment()
    for _ in range(number):
        environment.process(sleeper(environment))
    environment.run(until=1.0)
    return {"figure": (resident_bytes() - before) / number}


def messages(number: int, messages: int) -> Sample:
    """Nodes are processes with a store each; a message on its way is a process that waits, then puts."""
    delivered = 0
    environment = simpy.Environment()
    inboxes = [simpy.Store(environment) for _ in range(number)]

    def travel(message: int, to: int) -> Process:
        yield environment.timeout(DELAY)
        yield inboxes[to].put(message)

    def node(address: int) -> Process:
        nonlocal delivered
        following = (address + 1) % number
        yield environment.timeout(first_sending(address))
        environment.process(travel(address, following))
        while True:
            message = yield inboxes[address].get()
            delivered += 1
            environment.process(travel(message, following))

    for address in range(number):
        environment.process(node(address))
    started = process_time()
    environment.run(until=DELAY * (messages // number))
    seconds = process_time() - started
    return {"figure": delivered / seconds}

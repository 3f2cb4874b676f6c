"""What is measured, in numbers that all engines share.

Each engine implements some of these tasks as functions of the same name and returns a `Sample`: the
figure in the unit of the task, and what else is worth keeping.

- `devstone(kind, width, depth, seeds)`: million transitions per second.
- `tickers(number, ticks)`: microseconds per tick of tickers with different periods, each with a sink.
- `sleeps(tasks, each)`: million timed sleeps per second.
- `interrupts(tasks, number)`: microseconds per interrupt of a waiting task, and the queue afterwards.
- `requests(tasks, units, each)`: million units of a resource per second that were asked for, held and given back.
- `task_memory(number)`, `atomic_memory(number)`: bytes per sleeping task and per idle atomic.
- `flat(number)`: seconds to build a chain of atomics in one coupled model, ready to run.
- `messages(number, messages)`: messages per CPU second that nodes in a ring pass on, each to the next.
- `total_order(number, broadcasts)`: protocol events per CPU second of nodes that broadcast in one order.
- `swarm(number, rounds)`: broadcasts per CPU second of nodes that go about, each heard by about ten others.
- `world(number, density, budget)`: simulated seconds per CPU second of robots in a world; see `scene.py`.
- `avoidance(number, budget)`: simulated seconds per CPU second of robots that avoid each other; see `avoidance_scene.py`.
- `start_import(times)`, `start_help(times)`: CPU milliseconds until kumi is imported, and of `kumi --help`.
- `steering(number, bend, density, ...)`: CPU microseconds of a robot and step of a control loop.
- `flocking(number)`: simulated seconds per CPU second of a flock that one program leads.
- `step(sensor, number, ...)`: CPU microseconds of a robot and step that reads a sensor and steers.
- `push(sensor, number)`: CPU microseconds of a robot and simulated second that a sensor takes which reports on its own.
- `kept(number)`: the CPU time of a recorded run over that of one that is not.
- `churn(gone, alive)`: CPU microseconds of a body that comes and goes after so many others did, beside so many.

The tasks of `cliffs_kumi.py` each have one size as their argument, and their figure in the unit of their row.
"""

from itertools import accumulate, repeat, takewhile
from math import pi, sqrt

Sample = dict[str, float]

FAR = 1e9
"""A sleep that never ends by itself."""

DELAY = 0.01
"""Seconds that a message takes."""

RANGE = 100.0
NEIGHBOURS = 10.0
"""Metres at which a broadcast is heard, and by how many, about."""

BURST = 1_000
"""How many tasks are interrupted at one instant."""


def period(index: int) -> float:
    """Give each ticker or sleeper its own period, between 0.5 and 1.5, without a common divisor."""
    return 0.5 + (index * 0.6180339887498949) % 1.0


def first_sending(index: int) -> float:
    """Give each node its own time within the first delay, so that no two messages arrive at once."""
    return DELAY * ((index * 0.6180339887498949) % 1.0)


def swarm_side(number: int) -> float:
    """Return the side of a square in which a node has about `NEIGHBOURS` others within `RANGE`."""
    return sqrt(number * pi * RANGE**2 / NEIGHBOURS)


def horizon(number: int, ticks: int) -> float:
    """Find a time by which `number` tickers have ticked about `ticks` times in all."""
    rate = sum(1.0 / period(index) for index in range(number))
    return 0.5 + ticks / rate


def ticks_until(number: int, end: float) -> int:
    """Count the ticks of all tickers up to `end` by adding up their periods."""
    return sum(
        sum(1 for _ in takewhile(lambda time: time <= end, accumulate(repeat(period(index)))))
        for index in range(number)
    )


class Skipped(Exception):
    """An engine is left out of a row; the message says why."""


def check(name: str, counted: int, expected: int) -> None:
    """Stop the measurement when an engine counted wrong: a wrong result has no speed."""
    if counted != expected:
        raise ValueError(f"{name}: counted {counted:,}, expected {expected:,}")

"""What happens first: the order by time, rank, and order of planning."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import sleep
from kumi.devs import Atomic, Event, Simulation, StructureError
from tests.devs.parts import Ticker


def test_events_happen_in_the_order_of_their_times() -> None:
    simulation, log = Simulation(), list[float]()
    for instant in (3.0, 1.0, 2.0, 0.0):
        simulation.schedule(instant, lambda: log.append(simulation.now))

    simulation.run()

    assert log == [0.0, 1.0, 2.0, 3.0]


def test_at_one_time_a_lower_rank_comes_first() -> None:
    simulation, log = Simulation(), list[int]()
    for rank in (7, 0, 4, 2):
        simulation.schedule(1.0, partial(log.append, rank), rank=rank)

    simulation.run()

    assert log == [0, 2, 4, 7]


def test_at_one_time_and_rank_the_first_planned_comes_first() -> None:
    simulation, log = Simulation(), list[str]()
    for name in "bca":
        simulation.schedule(1.0, partial(log.append, name))

    simulation.run()

    assert log == ["b", "c", "a"]


def test_models_come_before_programs() -> None:
    """Models have rank 0, tasks 4: a program sees an instant after the models have settled."""
    log: list[str] = []

    class Steps(Atomic):
        def __init__(self) -> None:
            super().__init__("steps")
            self.left = 3
            self.hold(1.0)

        def internal(self) -> None:
            self.left -= 1
            log.append(f"model {self.left}")
            if self.left:
                self.hold(0.0)

    async def program() -> None:
        await sleep(1.0)
        log.append("program")

    simulation = Simulation(Steps())
    simulation.start(program)

    simulation.run()

    assert log == ["model 2", "model 1", "model 0", "program"]


def test_a_lower_rank_planned_within_the_instant_overtakes_what_waits() -> None:
    """The rule holds at each step, also for what is planned just now."""
    simulation, log = Simulation(), list[str]()

    def first() -> None:
        log.append("rank 3")
        simulation.schedule(1.0, lambda: log.append("rank 1, planned now"), rank=1)
        simulation.schedule(1.0, lambda: log.append("rank 5, planned now"), rank=5)

    simulation.schedule(1.0, lambda: log.append("rank 5"), rank=5)
    simulation.schedule(1.0, first, rank=3)
    simulation.schedule(1.0, lambda: log.append("rank 3, too"), rank=3)

    simulation.run()

    assert log == ["rank 3", "rank 3, too", "rank 1, planned now", "rank 5", "rank 5, planned now"]


def test_moving_is_planning_anew() -> None:
    """An event moved to the time it had goes behind the others of that time."""
    simulation, log = Simulation(), list[str]()
    a, _b = (simulation.schedule(1.0, partial(log.append, name)) for name in "ab")
    a.move(1.0)

    simulation.run()

    assert log == ["b", "a"]


def test_a_rank_is_within_the_allowed() -> None:
    for rank in (-1, 8):
        with pytest.raises(StructureError, match=f"a rank is 0 to 7, not {rank}"):
            Simulation().schedule(1.0, list, rank=rank)


@dataclass
class Oracle:
    """The rule in its plainest form: a list, sorted by (time, rank, order of planning)."""

    planned: dict[int, tuple[float, int, int]] = field(default_factory=dict)
    count: int = 0

    def plan(self, name: int, time: float, rank: int) -> None:
        self.planned[name] = (time, rank, self.count)
        self.count += 1

    def withdraw(self, name: int) -> None:
        self.planned.pop(name, None)

    def order(self) -> list[tuple[float, int]]:
        ordered = sorted(self.planned.items(), key=operator.itemgetter(1))
        return [(time, name) for name, (time, _rank, _order) in ordered]


TIMES = st.sampled_from([0.0, 0.1, 0.2, 0.1 + 0.2, 0.3, 1.0, 1.0, 2.0, 1e-300, 5e-324, 1e15, 1e308])
STEPS = st.one_of(
    st.tuples(st.just("schedule"), TIMES, st.integers(0, 7)),
    st.tuples(st.just("withdraw"), st.integers(0, 40), st.just(0)),
    st.tuples(st.just("move"), st.integers(0, 40), TIMES),
)


@given(st.lists(STEPS, max_size=60))
def test_any_sequence_of_planning_moving_and_withdrawing_keeps_the_order(
    steps: list[tuple[Any, ...]],
) -> None:
    simulation, oracle, log = Simulation(), Oracle(), list[tuple[float, int]]()
    events: list[Event] = []
    ranks: list[int] = []

    def happen(name: int) -> None:
        log.append((simulation.now, name))

    for kind, which, more in steps:
        if kind == "schedule":
            name = len(events)
            events.append(simulation.schedule(which, partial(happen, name), rank=more))
            ranks.append(more)
            oracle.plan(name, which, more)
        elif which < len(events) and kind == "withdraw":
            events[which].withdraw()
            oracle.withdraw(which)
        elif which < len(events):
            events[which].move(more)
            oracle.plan(which, more, ranks[which])
        assert simulation.planned == len(oracle.planned)
    expected = oracle.order()
    assert simulation.next_time == (expected[0][0] if expected else math.inf)
    assert [event.is_planned for event in events] == [name in oracle.planned for name in range(len(events))]

    simulation.run()

    assert log == expected
    assert simulation.planned == 0


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7), st.integers(0, 3)), min_size=1, max_size=40))
def test_what_happens_may_plan_more_and_the_clock_never_goes_back(plan: list[tuple[int, int, int]]) -> None:
    """Each event plans another, later by 0 to 3; of one step, all that were planned before it come first."""
    simulation, log = Simulation(), list[tuple[float, int]]()

    def happen(rank: int, more: int) -> None:
        log.append((simulation.now, rank))
        if more:
            simulation.schedule(simulation.now + more - 1, partial(happen, rank, more - 1), rank=rank)

    for time, rank, more in plan:
        simulation.schedule(float(time), partial(happen, rank, more), rank=rank)

    simulation.run()

    assert [time for time, _ in log] == sorted(time for time, _ in log)
    assert len(log) == sum(1 + more for _, _, more in plan)


@given(st.lists(st.tuples(st.booleans(), st.floats(0.0, 10.0)), max_size=30))
def test_the_clock_never_goes_back_however_it_is_driven(drive: list[tuple[bool, float]]) -> None:
    ticker = Ticker("ticker", period=0.7, count=20)
    simulation, clock = Simulation(ticker), [0.0]
    for by_step, until in drive:
        if by_step:
            simulation.advance()
        else:
            simulation.run(until=max(until, simulation.now))
        clock.append(simulation.now)

    assert clock == sorted(clock)
    assert ticker.ticks == sorted(ticker.ticks)

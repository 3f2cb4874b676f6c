"""Events can be moved and withdrawn in O(log n), and what is withdrawn leaves nothing behind."""

from __future__ import annotations

import gc
import math
import time
import weakref
from collections.abc import Callable

import pytest

from kumi.devs import Atomic, Event, NoRun, Simulation
from tests.devs.parts import Listener, Ticker


def nothing() -> None:
    """Do nothing."""


class Action:
    """Something to call that can be watched by a weak reference."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1


# Laws.


def test_a_withdrawn_event_does_not_happen() -> None:
    simulation, log = Simulation(), list[str]()
    kept = simulation.schedule(1.0, lambda: log.append("kept"))
    withdrawn = simulation.schedule(1.0, lambda: log.append("withdrawn"))
    withdrawn.withdraw()
    assert (kept.is_planned, withdrawn.is_planned, withdrawn.time, simulation.planned) == (
        True,
        False,
        math.inf,
        1,
    )

    simulation.run()

    assert log == ["kept"]
    assert (kept.is_planned, kept.time) == (False, math.inf)


def test_withdrawing_twice_or_after_the_event_does_nothing() -> None:
    simulation = Simulation()
    event = simulation.schedule(1.0, nothing)
    event.withdraw()
    event.withdraw()
    done = simulation.schedule(1.0, nothing)
    simulation.run()
    done.withdraw()

    assert simulation.planned == 0


def test_a_moved_event_happens_once_at_its_new_time() -> None:
    simulation, log = Simulation(), list[float]()
    event = simulation.schedule(1.0, lambda: log.append(simulation.now))
    for instant in (5.0, 0.5, 0.0, 3.0):
        event.move(instant)
        assert (event.time, simulation.next_time, simulation.planned) == (instant, instant, 1)

    simulation.run()

    assert log == [3.0]


def test_an_event_may_be_planned_again_after_it_happened_or_was_withdrawn() -> None:
    simulation, log = Simulation(), list[float]()
    event = simulation.schedule(1.0, lambda: log.append(simulation.now))
    simulation.run()
    event.move(2.0)
    simulation.run()
    event.move(3.0)
    event.withdraw()
    event.move(4.0)

    simulation.run()

    assert log == [1.0, 2.0, 4.0]


def test_an_event_may_plan_itself_again() -> None:
    simulation, log = Simulation(), list[float]()

    def again() -> None:
        log.append(simulation.now)
        if simulation.now < 3.0:
            event.move(simulation.now + 1.0)

    event = simulation.schedule(1.0, again)

    simulation.run()

    assert log == [1.0, 2.0, 3.0]
    assert simulation.planned == 0


def test_an_event_of_the_same_step_can_still_be_withdrawn() -> None:
    """The first of three takes the second out; the third comes all the same."""
    simulation, log = Simulation(), list[str]()

    def first() -> None:
        log.append("first")
        second.withdraw()
        assert not second.is_planned

    simulation.schedule(1.0, first)
    second = simulation.schedule(1.0, lambda: log.append("second"))
    simulation.schedule(1.0, lambda: log.append("third"))

    simulation.run()

    assert log == ["first", "third"]


@pytest.mark.parametrize(
    ("instant", "after"), [(1.0, [(1.0, "second")]), (2.0, [(2.0, "second")]), (math.inf, [])]
)
def test_an_event_of_the_same_step_can_still_be_moved(instant: float, after: list[tuple[float, str]]) -> None:
    simulation, log = Simulation(), list[tuple[float, str]]()

    def write(name: str) -> Callable[[], None]:
        return lambda: log.append((simulation.now, name))

    simulation.schedule(1.0, lambda: second.move(instant))
    second = simulation.schedule(1.0, write("second"))
    simulation.schedule(1.0, write("third"))

    simulation.run()

    assert log == [(1.0, "third"), *after]


def test_an_event_of_a_later_rank_of_this_instant_can_be_withdrawn() -> None:
    simulation, log = Simulation(), list[str]()
    later = simulation.schedule(1.0, lambda: log.append("later"), rank=5)
    simulation.schedule(1.0, later.withdraw)

    simulation.run()

    assert (log, simulation.planned) == ([], 0)


def test_a_model_of_the_same_step_is_withdrawn_by_its_input_only() -> None:
    """Events are withdrawn by those who hold them; a model changes its plan in its own transition."""

    class Shy(Listener):
        def __init__(self) -> None:
            super().__init__("shy")
            self.acted: list[float] = []
            self.hold(2.0)

        def external(self) -> None:
            self.rest()

        def internal(self) -> None:
            self.acted.append(self.now)

    shy = Shy()
    simulation = Simulation(shy)
    simulation.inject(shy.into, "hush", at=1.0)

    simulation.run()

    assert (shy.acted, simulation.planned) == ([], 0)


def test_after_the_run_is_closed_nothing_can_be_planned() -> None:
    simulation = Simulation()
    event = simulation.schedule(1.0, nothing)
    simulation.close()

    with pytest.raises(NoRun):
        event.move(2.0)
    with pytest.raises(NoRun):
        simulation.schedule(2.0, nothing)
    event.withdraw()
    assert (simulation.planned, event.is_planned) == (0, False)


# What holds what.


def test_a_planned_event_needs_nobody_to_hold_it() -> None:
    simulation, log = Simulation(), list[float]()
    simulation.schedule(1.0, lambda: log.append(simulation.now))
    gc.collect()

    simulation.run()

    assert log == [1.0]


def freed(make: Callable[[Simulation, Action], object]) -> bool:
    """Tell whether the action is gone after something was done with it, while the simulation lives."""
    simulation, action = Simulation(), Action()
    gone = weakref.ref(action)
    make(simulation, action)
    del action
    gc.collect()
    return gone() is None


def test_a_withdrawn_event_is_freed() -> None:
    assert freed(lambda simulation, action: simulation.schedule(1.0, action).withdraw())


def test_an_event_moved_to_never_is_freed() -> None:
    assert freed(lambda simulation, action: simulation.schedule(1.0, action).move(math.inf))


def test_an_event_that_happened_is_freed() -> None:
    def happen(simulation: Simulation, action: Action) -> None:
        simulation.schedule(1.0, action)
        simulation.run()

    assert freed(happen)


def test_an_event_that_failed_is_freed() -> None:
    class Failing(Action):
        def __call__(self) -> None:
            raise ValueError("no")

    def fail(simulation: Simulation, action: Action) -> None:
        failing = Failing()
        failing.other = action  # type: ignore[attr-defined]
        simulation.schedule(1.0, failing)
        with pytest.raises(ValueError, match="no"):
            simulation.run()

    assert freed(fail)


def test_an_event_refused_is_freed() -> None:
    def refuse(simulation: Simulation, action: Action) -> None:
        with pytest.raises(ValueError, match="nan"):
            simulation.schedule(math.nan, action)

    assert freed(refuse)


def test_a_planned_event_is_freed_with_its_simulation() -> None:
    """Closed or just dropped, also when the action holds the simulation."""
    for closes in (True, False):
        simulation, action = Simulation(), Action()
        action.simulation = simulation  # type: ignore[attr-defined]
        gone, event_gone = weakref.ref(simulation), weakref.ref(action)
        simulation.schedule(1.0, action)
        if closes:
            simulation.close()
        del simulation, action
        gc.collect()

        assert (gone(), event_gone()) == (None, None)


class Circle:
    """A sink that holds the run it listens to."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation

    def __call__(self, record: object) -> None:
        """Do nothing."""


def test_a_simulation_and_its_model_are_freed() -> None:
    """A study makes thousands of them."""
    for closes in (True, False):
        model = Ticker("ticker", count=100)
        simulation = Simulation(model)
        simulation.trace(Circle(simulation))
        simulation.run(until=10.0)
        gone, model_gone = weakref.ref(simulation), weakref.ref(model)
        if closes:
            simulation.close()
        del simulation, model
        gc.collect()

        assert (gone(), model_gone()) == (None, None)


def test_a_model_outlives_its_simulation_and_rests() -> None:
    model = Ticker("ticker", count=100)
    simulation = Simulation(model)
    simulation.run(until=2.0)
    del simulation
    gc.collect()

    assert (model.ticks, model.is_running) == ([1.0, 2.0], False)
    with Simulation(model) as again:
        again.run()


def test_an_event_outlives_its_simulation() -> None:
    event = Simulation().schedule(1.0, nothing)
    gc.collect()

    event.withdraw()
    assert not event.is_planned
    with pytest.raises(NoRun):
        event.move(2.0)


# Constant memory.


@pytest.mark.slow
@pytest.mark.parametrize("instant", [0.0, 1.0], ids=["at the present instant", "ahead"])
def test_two_million_cycles_leave_nothing_behind(instant: float, resident: Callable[[], int]) -> None:
    """Plan, move, withdraw; with a hundred others planned for the same time."""
    simulation = Simulation()
    others = [simulation.schedule(instant, nothing) for _ in range(100)]
    schedule = simulation.schedule
    for _ in range(20_000):
        schedule(instant, nothing).withdraw()
    before = resident()
    for _ in range(2_000_000):
        event = schedule(instant, nothing)
        event.move(instant + 1.0)
        event.move(instant)
        event.withdraw()

    assert simulation.planned == len(others)
    assert resident() - before < 1_000_000


def test_two_million_moves_of_one_event_leave_nothing_behind(resident: Callable[[], int]) -> None:
    simulation = Simulation()
    event = simulation.schedule(0.0, nothing)
    before = resident()
    for number in range(2_000_000):
        event.move(float(number % 3))

    assert simulation.planned == 1
    assert resident() - before < 1_000_000


def test_a_timer_put_off_for_ever_leaves_nothing_behind(resident: Callable[[], int]) -> None:
    """The usual case: each input moves the time-out of a model, within a run."""

    class Watchdog(Atomic):
        def __init__(self) -> None:
            super().__init__("watchdog")
            self.into = self.add_input("into", int)
            self.most = 0
            self.alarms: list[float] = []

        def external(self) -> None:
            self.hold(10.0)
            self.most = max(self.most, simulation.planned)

        def internal(self) -> None:
            self.alarms.append(self.now)

    watchdog = Watchdog()
    simulation = Simulation(watchdog, hashed=False)
    event: Event

    def feed() -> None:
        simulation.inject(watchdog.into, 1)
        if simulation.now < 100_000.0:
            event.move(simulation.now + 1.0)

    event = simulation.schedule(0.0, feed)
    simulation.run(until=1_000.0)
    before = resident()

    simulation.run()

    assert resident() - before < 1_000_000
    assert watchdog.most <= 3
    assert watchdog.alarms == [100_010.0]


# O(log n).


def seconds_for_moves(size: int) -> float:
    """Give the best time for a number of moves and withdrawals among so many planned events."""
    simulation = Simulation()
    for number in range(size):
        simulation.schedule(1.0 + number * 7919 % size, nothing)
    times = []
    for _ in range(3):
        begin = time.process_time()
        for number in range(20_000):
            event = simulation.schedule(1.0 + number % size, nothing)
            event.move(0.5 + size - number % size)
            event.withdraw()
        times.append(time.process_time() - begin)
    return min(times)


def test_moving_and_withdrawing_among_many_costs_little_more_than_among_few() -> None:
    """Among a thousand times as many; a search through the queue would take hundreds of times as long."""
    assert seconds_for_moves(200_000) < 60.0 * seconds_for_moves(200)

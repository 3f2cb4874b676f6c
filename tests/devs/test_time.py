"""Time: absolute, never recomputed, never backwards, with a stated order of what happens at once."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kumi import now, sleep
from kumi.devs import Atomic, Coupled, EndlessLoop, Simulation, TimeError
from tests.devs.parts import Listener, Sender, Ticker

# Absolute times.


@pytest.mark.parametrize("instant", [0.1 + 0.2, 0.3, 1.1, 1e-12, 1e15 + 0.125, 2.0**53])
def test_a_planned_instant_is_kept_bit_for_bit_whatever_comes_between(instant: float) -> None:
    """A kernel that keeps the time left and subtracts what elapsed would drift."""

    class Patient(Listener):
        def __init__(self) -> None:
            super().__init__("patient")
            self.plans: set[float] = set()
            self.hold(instant)

        def external(self) -> None:
            self.plans.add(self.next_time)

        def internal(self) -> None:
            self.plans.add(self.now)

    patient = Patient()
    simulation = Simulation(patient)
    for number in range(1, 1000):
        simulation.inject(patient.into, number, at=instant * number / 1000.0)

    assert simulation.run().time == instant
    assert patient.plans == {instant}


def test_a_period_is_added_to_the_present_and_nothing_else() -> None:
    """Ten times 0.1 is what float addition says it is."""
    ticker = Ticker("ticker", period=0.1, count=10)
    expected, time = [], 0.0
    for _ in range(10):
        time += 0.1
        expected.append(time)

    Simulation(ticker).run()

    assert ticker.ticks == expected
    assert ticker.ticks[-1] == 0.9999999999999999


def test_equal_sums_meet_and_unequal_ones_do_not() -> None:
    """0.1 + 0.2 is not 0.3, and nobody rounds it."""
    net = Coupled("net")
    listener = net.add(Listener("listener"))
    for name, instant in (("a", 0.3), ("b", 0.1 + 0.2), ("c", 0.3)):
        net.couple(net.add(Sender(name, (instant, name))).out, listener.into)

    Simulation(net).run()

    assert listener.heard == [(0.3, ["a", "c"]), (0.30000000000000004, ["b"])]


@pytest.mark.parametrize("start", [1e15, 2.0**52, 1e-12, 0.0])
def test_the_least_difference_of_times_is_an_order(start: float) -> None:
    simulation, log = Simulation(), list[float]()
    times = [start]
    for _ in range(4):
        times.append(math.nextafter(times[-1], math.inf))
    for instant in reversed(times):
        simulation.schedule(instant, lambda: log.append(simulation.now))

    simulation.run()

    assert log == times


# Zero time.


def test_a_chain_of_zero_time_steps_later_than_zero_keeps_its_order() -> None:
    """Each step of the chain follows its cause; two chains go side by side, the clock stands still."""
    log: list[tuple[float, str, int]] = []

    class Link(Listener):
        def __init__(self, name: str) -> None:
            super().__init__(name, int)
            self.out = self.add_output("out", int)
            self.value = 0

        def external(self) -> None:
            self.value = self.into[0]
            log.append((self.now, self.name, self.value))
            self.hold(0.0)

        def output(self) -> None:
            self.out.send(self.value + 1)

    net = Coupled("net")
    for row in "ab":
        before = net.add(Sender(f"sender {row}", (5.0, 0), type=int)).out
        for number in range(3):
            link = net.add(Link(f"{row}{number}"))
            net.couple(before, link.into)
            before = link.out
    simulation = Simulation(net)

    simulation.run()

    assert log == [(5.0, f"{row}{number}", number) for number in range(3) for row in "ab"]
    assert simulation.statistics.steps == 4


def test_an_instant_may_have_as_many_steps_as_allowed_and_no_more() -> None:
    class Steps(Atomic):
        def __init__(self, count: int) -> None:
            super().__init__("steps")
            self.left = count
            self.hold(1.0)

        def internal(self) -> None:
            self.left -= 1
            if self.left:
                self.hold(0.0)

    assert Simulation(Steps(1), max_steps=1).run().time == 1.0
    assert Simulation(Steps(5), max_steps=5).run().statistics.internal == 5
    with pytest.raises(
        EndlessLoop, match=r"time stands still at t = 1\.0 s after 5 steps; taking part: 'steps'"
    ):
        Simulation(Steps(1000), max_steps=5).run()
    with pytest.raises(ValueError, match="max_steps is at least 1, not 0"):
        Simulation(max_steps=0)


def test_steps_are_counted_anew_at_each_time() -> None:
    ticker = Ticker("ticker", period=1.0, count=100)

    assert Simulation(ticker, max_steps=2).run().time == 100.0


class Ping(Listener):
    """Answers at once, always."""

    def __init__(self, name: str, first: float = math.inf) -> None:
        super().__init__(name)
        self.out = self.add_output("out", object)
        self.hold(first)

    def output(self) -> None:
        self.out.send(1)

    def external(self) -> None:
        self.hold(0.0)


def ping_pong() -> Coupled:
    """Two that answer each other for ever from t = 2 on, and two that have nothing to do with it."""
    net = Coupled("net")
    ping, pong = net.add(Ping("ping", 2.0)), net.add(Ping("pong"))
    net.couple(ping.out, pong.into)
    net.couple(pong.out, ping.into)
    net.add(Ticker("ticker", period=2.0))
    net.add(Listener("listener"))
    return net


def test_an_endless_loop_is_reported_with_the_models_in_it() -> None:
    simulation = Simulation(ping_pong(), max_steps=1000)

    with pytest.raises(
        EndlessLoop,
        match=r"^time stands still at t = 2\.0 s after 1000 steps; taking part: 'net\.p[io]ng', 'net\.p[io]ng'$",
    ):
        simulation.run()

    assert simulation.now == 2.0


def test_a_run_with_an_endless_loop_can_be_closed() -> None:
    with Simulation(ping_pong(), max_steps=1000) as simulation, pytest.raises(EndlessLoop):
        simulation.run()


def test_a_loop_of_programs_is_found() -> None:
    async def restless() -> None:
        while True:
            await sleep(0.0)

    simulation = Simulation(max_steps=1000)
    simulation.start(restless)

    with pytest.raises(EndlessLoop, match=r"t = 0\.0 s after 1000 steps; taking part: 'restless'"):
        simulation.run()
    simulation.close()


def test_a_hold_too_small_to_move_the_clock_is_a_step_of_the_instant() -> None:
    """At t = 1e15 a float has steps of 0.125: 0.01 more is the same time. It is no error by itself."""
    ticker = Ticker("ticker", period=0.01, count=5)
    ticker.hold(1e15)
    simulation = Simulation(ticker)

    simulation.run()

    assert ticker.ticks == [1e15] * 5
    assert simulation.statistics.steps == 5


def test_holds_too_small_to_move_the_clock_for_ever_are_an_endless_loop() -> None:
    ticker = Ticker("ticker", period=1e-12, count=10**9)
    ticker.hold(1e15)

    with pytest.raises(
        EndlessLoop, match=r"t = 1000000000000000\.0 s after 1000 steps; taking part: 'ticker'"
    ):
        Simulation(ticker, max_steps=1000).run()


def test_tiny_times_are_times() -> None:
    ticker = Ticker("ticker", period=1e-12, count=3)

    Simulation(ticker).run()

    assert ticker.ticks == [1e-12, 2e-12, 3e-12]


# Until.


def test_until_is_included() -> None:
    ticker = Ticker("ticker", period=1.0, count=5)
    simulation = Simulation(ticker)

    assert simulation.run(until=2.0).time == 2.0
    assert ticker.ticks == [1.0, 2.0]
    assert simulation.run(until=2.5).time == 2.5
    assert ticker.ticks == [1.0, 2.0]
    assert simulation.run(until=math.nextafter(3.0, 0.0)).time < 3.0
    assert ticker.ticks == [1.0, 2.0]
    assert simulation.run().time == 5.0


def test_all_steps_of_the_last_instant_happen() -> None:
    simulation, log = Simulation(), list[str]()

    def first() -> None:
        log.append("first")
        simulation.schedule(2.0, lambda: log.append("second"))

    simulation.schedule(2.0, first)

    simulation.run(until=2.0)

    assert log == ["first", "second"]


def test_a_run_to_the_present_does_what_is_planned_for_it() -> None:
    simulation, log = Simulation(), list[float]()
    simulation.run(until=3.0)
    simulation.schedule(3.0, lambda: log.append(simulation.now))

    simulation.run(until=3.0)

    assert log == [3.0]


def test_a_run_without_an_end_stays_at_the_last_event() -> None:
    simulation = Simulation(Ticker("ticker", period=1.5, count=2))

    assert simulation.run().time == 3.0
    assert simulation.run().time == 3.0
    assert simulation.next_time == math.inf


# Times that are none.

BAD_DURATIONS = [-1.0, -5e-324, math.nan, -math.inf, -1]
BAD_INSTANTS = [1.0, 1.9999999999999998, -1.0, math.nan, -math.inf]


class Wrong(Atomic):
    """At t = 2 does something it may not."""

    def __init__(self, deed: Callable[[Wrong], object]) -> None:
        super().__init__("wrong")
        self.deed = deed
        self.hold(2.0)

    def internal(self) -> None:
        self.deed(self)


@pytest.mark.parametrize("duration", BAD_DURATIONS)
def test_a_duration_is_not_negative_and_a_number(duration: float) -> None:
    rule = r"a duration is a number of seconds >= 0, or inf to rest"
    with pytest.raises(TimeError, match=rf"model 'wrong' called hold\(.*\) at t = 2\.0 s; {rule}"):
        Simulation(Wrong(lambda model: model.hold(duration))).run()
    with pytest.raises(TimeError, match=rule):
        Ticker("early").hold(duration)


@pytest.mark.parametrize("instant", BAD_INSTANTS)
def test_an_instant_to_hold_until_does_not_lie_in_the_past(instant: float) -> None:
    with pytest.raises(
        TimeError, match=r"'wrong' called hold_until\(.*\) at t = 2\.0 s; an instant may not lie in"
    ):
        Simulation(Wrong(lambda model: model.hold_until(instant))).run()


@pytest.mark.parametrize("instant", BAD_INSTANTS)
def test_an_event_is_not_planned_for_the_past(instant: float) -> None:
    """And what was refused changes nothing."""
    simulation, log = Simulation(), list[float]()
    simulation.run(until=2.0)
    event = simulation.schedule(3.0, lambda: log.append(simulation.now))

    with pytest.raises(
        TimeError,
        match=r"planned for t = .* s, but it is t = 2\.0 s already; an instant may not lie|planned for nan; an",
    ):
        simulation.schedule(instant, list)
    with pytest.raises(
        TimeError,
        match=r"planned for t = .* s, but it is t = 2\.0 s already; an instant may not lie|planned for nan; an",
    ):
        event.move(instant)

    assert (simulation.planned, event.time) == (1, 3.0)
    simulation.run()
    assert log == [3.0]


@pytest.mark.parametrize("instant", [*BAD_INSTANTS, math.inf])
def test_input_does_not_come_in_the_past_or_never(instant: float) -> None:
    listener = Listener("listener")
    simulation = Simulation(listener)
    simulation.run(until=2.0)

    with pytest.raises(TimeError, match=r"input for t = .*|an instant"):
        simulation.inject(listener.into, "x", at=instant)

    assert simulation.planned == 0


@pytest.mark.parametrize("until", BAD_INSTANTS)
def test_a_run_does_not_go_back(until: float) -> None:
    simulation = Simulation()
    simulation.run(until=2.0)

    with pytest.raises(TimeError, match=r"cannot run until t = .* s: it is t = 2\.0 s already"):
        simulation.run(until=until)
    with pytest.raises(TimeError, match=r"cannot run until t = .* s: it is t = 2\.0 s already"):
        simulation.run_through(until)

    assert simulation.now == 2.0


def test_a_time_is_a_number() -> None:
    simulation, event = Simulation(), Simulation().schedule(1.0, list)

    for deed in (
        lambda: Ticker("ticker").hold("1"),  # type: ignore[arg-type]
        lambda: Ticker("ticker").hold_until(None),  # type: ignore[arg-type]
        lambda: simulation.schedule("1", list),  # type: ignore[arg-type]
        lambda: event.move([]),  # type: ignore[arg-type]
        lambda: simulation.run(until="1"),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError):
            deed()


def test_an_event_for_never_is_not_planned_until_it_is_moved() -> None:
    simulation, log = Simulation(), list[float]()
    event = simulation.schedule(math.inf, lambda: log.append(simulation.now))
    assert (event.is_planned, event.time, simulation.planned) == (False, math.inf, 0)
    event.move(2.0)
    assert (event.is_planned, event.time, simulation.planned) == (True, 2.0, 1)

    simulation.run()

    assert log == [2.0]


@given(st.floats(0.0, 1e18), st.floats(0.0, 1e18))
@example(0.1, 0.2)
@example(1e15, 1e-12)
def test_the_clock_shows_the_sum_that_floats_give(first: float, second: float) -> None:
    ticker = Ticker("ticker", period=second, count=2)
    ticker.hold(first)
    seen: list[float] = []

    async def program() -> None:
        await sleep(first)
        await sleep(second)
        seen.append(now())

    simulation = Simulation(ticker)
    simulation.start(program)

    simulation.run()

    assert ticker.ticks == [first, first + second]
    assert seen == [first + second]

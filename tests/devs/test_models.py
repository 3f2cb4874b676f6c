"""Atomic models: their transitions, and when they act."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.devs import Atomic, Coupled, KumiError, NoRun, Simulation, Statistics
from tests.devs.parts import Bag, Listener, Ticker, feed


class Probe(Atomic):
    """Writes down which of its methods is called when, and with what."""

    def __init__(self, name: str, *holds: float) -> None:
        super().__init__(name)
        self.into = self.add_input("into", object)
        self.out = self.add_output("out", object)
        self.holds = list(holds)
        self.calls: list[tuple[Any, ...]] = []
        if self.holds:
            self.hold(self.holds.pop(0))

    def output(self) -> None:
        self.calls.append((self.now, "output"))

    def internal(self) -> None:
        self.calls.append((self.now, "internal"))
        if self.holds:
            self.hold(self.holds.pop(0))

    def external(self) -> None:
        self.calls.append((self.now, "external", list(self.into)))


# Transitions.


def test_output_comes_just_before_each_internal_transition() -> None:
    probe = Probe("probe", 1.0, 2.0)

    Simulation(probe).run()

    assert probe.calls == [(1.0, "output"), (1.0, "internal"), (3.0, "output"), (3.0, "internal")]


def test_an_external_transition_gives_no_output() -> None:
    probe = Probe("probe")

    feed(probe, probe.into, (2.0, "x")).run()

    assert probe.calls == [(2.0, "external", ["x"])]


def test_input_at_the_planned_instant_is_confluent_and_by_default_internal_then_external() -> None:
    """A confluent transition is counted as such only."""
    probe = Probe("probe", 1.0)
    simulation = feed(probe, probe.into, (1.0, "x"))

    simulation.run()

    assert probe.calls == [(1.0, "output"), (1.0, "internal"), (1.0, "external", ["x"])]
    assert simulation.statistics == Statistics(steps=1, internal=0, external=0, confluent=1, messages=1)


def test_a_model_may_say_what_happens_at_a_confluence() -> None:
    class InputFirst(Probe):
        def confluent(self) -> None:
            self.external()
            self.internal()

    probe = InputFirst("probe", 1.0)

    feed(probe, probe.into, (1.0, "x")).run()

    assert probe.calls == [(1.0, "output"), (1.0, "external", ["x"]), (1.0, "internal")]


def test_a_confluence_may_extend_the_default() -> None:
    class Counting(Probe):
        def confluent(self) -> None:
            self.calls.append(("before",))
            super().confluent()

    probe = Counting("probe", 1.0)

    feed(probe, probe.into, (1.0, "x")).run()

    assert probe.calls == [(1.0, "output"), ("before",), (1.0, "internal"), (1.0, "external", ["x"])]


def test_elapsed_is_zero_in_the_external_half_of_a_confluence() -> None:
    """P-DEVS: the confluent default is external(internal(state), elapsed 0)."""

    class Watch(Atomic):
        def __init__(self) -> None:
            super().__init__("watch")
            self.into = self.add_input("into", int)
            self.elapses: list[tuple[str, float]] = []
            self.hold(4.0)

        def internal(self) -> None:
            self.elapses.append(("internal", self.elapsed))

        def external(self) -> None:
            self.elapses.append(("external", self.elapsed))

    watch = Watch()

    feed(watch, watch.into, (1.0, 0), (4.0, 0)).run()

    assert watch.elapses == [("external", 1.0), ("internal", 3.0), ("external", 0.0)]


def test_input_that_comes_in_a_later_step_of_the_instant_is_external() -> None:
    """The model acted in the first step; what it caused comes back in the second."""

    class Echo(Listener):
        def __init__(self) -> None:
            super().__init__("echo")
            self.out = self.add_output("out", object)

        def external(self) -> None:
            self.value = self.into[0]
            self.hold(0.0)

        def output(self) -> None:
            self.out.send(self.value)

    class Caller(Probe):
        def output(self) -> None:
            super().output()
            self.out.send("hello")

    pair = Coupled("pair")
    caller, echo = pair.add(Caller("caller", 1.0)), pair.add(Echo())
    pair.couple(caller.out, echo.into)
    pair.couple(echo.out, caller.into)
    simulation = Simulation(pair)

    simulation.run()

    assert caller.calls == [(1.0, "output"), (1.0, "internal"), (1.0, "external", ["hello"])]
    assert simulation.statistics == Statistics(steps=2, internal=2, external=2, confluent=0, messages=2)


def test_a_model_without_methods_takes_part() -> None:
    """It accepts input and its own instants, and does nothing."""

    class Mute(Atomic):
        pass

    mute = Mute("mute")
    into = mute.add_input("into", int)
    mute.hold(1.0)
    simulation = feed(mute, into, (1.0, 1), (2.0, 1))

    simulation.run()

    assert simulation.statistics == Statistics(steps=2, internal=0, external=1, confluent=1, messages=2)


# Time advance.


def test_a_model_that_asks_for_nothing_in_its_internal_transition_rests() -> None:
    ticker = Ticker("ticker", period=2.0, count=2)
    simulation = Simulation(ticker)

    simulation.run()

    assert ticker.ticks == [2.0, 4.0]
    assert (ticker.next_time, simulation.next_time) == (float("inf"), float("inf"))


def test_input_without_a_hold_leaves_the_plan_as_it_was() -> None:
    probe = Probe("probe", 5.0)

    feed(probe, probe.into, (1.0, "a"), (2.0, "b")).run()

    assert probe.calls == [
        (1.0, "external", ["a"]),
        (2.0, "external", ["b"]),
        (5.0, "output"),
        (5.0, "internal"),
    ]


class Directed(Atomic):
    """Does with its plan what the input says."""

    def __init__(self, first: float = 10.0) -> None:
        super().__init__("directed")
        self.orders = self.add_input("orders", tuple)
        self.acted: list[float] = []
        self.hold(first)

    def external(self) -> None:
        for name, *arguments in self.orders:
            getattr(self, name)(*arguments)

    def internal(self) -> None:
        self.acted.append(self.now)


@pytest.mark.parametrize(
    ("orders", "acted"),
    [
        ([("hold", 1.0)], [4.0]),
        ([("hold", 0.0)], [3.0]),
        ([("hold", float("inf"))], []),
        ([("hold", 2)], [5.0]),
        ([("hold_until", 4.5)], [4.5]),
        ([("hold_until", 3.0)], [3.0]),
        ([("hold_until", float("inf"))], []),
        ([("rest",)], []),
        ([("rest",), ("hold", 1.0)], [4.0]),
        ([("hold", 1.0), ("rest",)], []),
        ([("hold", 1.0), ("hold", 2.0)], [5.0]),
        ([], [10.0]),
    ],
)
def test_the_last_word_about_the_next_instant_counts(
    orders: list[tuple[Any, ...]], acted: list[float]
) -> None:
    """The input comes at t = 3; before it, the model planned t = 10."""
    directed = Directed()

    feed(directed, directed.orders, *((3.0, order) for order in orders)).run()

    assert directed.acted == acted


def test_a_hold_at_a_confluence_counts_from_the_instant() -> None:
    directed = Directed(first=3.0)

    feed(directed, directed.orders, (3.0, ("hold", 1.0))).run()

    assert directed.acted == [3.0, 4.0]


def test_before_the_run_a_hold_counts_from_the_entry() -> None:
    plant = Coupled("plant")
    simulation = Simulation(plant)
    simulation.run(until=3.0)
    ticker = plant.add(Ticker("ticker", period=2.0, count=2))

    simulation.run()

    assert ticker.ticks == [5.0, 7.0]


def test_before_the_run_hold_until_names_the_instant_itself() -> None:
    plant = Coupled("plant")
    simulation = Simulation(plant)
    simulation.run(until=3.0)
    late = Ticker("late", count=1)
    late.hold_until(10.0)
    plant.add(late)

    simulation.run()

    assert late.ticks == [10.0]


def test_a_model_knows_its_last_and_next_instant() -> None:
    """Between transitions they stand still, while `now` and `elapsed` go on."""
    ticker = Ticker("ticker", period=2.0, count=2)
    seen: list[tuple[float, ...]] = []
    assert (ticker.last_time, ticker.elapsed, ticker.next_time) == (0.0, 0.0, 2.0)
    simulation = Simulation(ticker)
    for instant in (1.0, 3.0, 5.0):
        simulation.schedule(
            instant, lambda: seen.append((ticker.now, ticker.last_time, ticker.elapsed, ticker.next_time))
        )

    simulation.run()

    assert seen == [(1.0, 0.0, 1.0, 2.0), (3.0, 2.0, 1.0, 4.0), (5.0, 4.0, 1.0, float("inf"))]


def test_a_model_that_enters_later_counts_elapsed_from_its_entry() -> None:
    plant = Coupled("plant")
    simulation = Simulation(plant)
    simulation.run(until=3.0)
    ticker = plant.add(Ticker("ticker", period=2.0))

    simulation.run(until=4.0)

    assert (ticker.last_time, ticker.elapsed, ticker.next_time) == (3.0, 1.0, 5.0)


def test_outside_a_run_a_model_has_no_present() -> None:
    with pytest.raises(NoRun, match="model 'ticker' is in no run yet, so it has no present time"):
        _ = Ticker("ticker").now


@pytest.mark.parametrize("order", ["hold", "hold_until", "rest"])
def test_a_model_is_planned_by_its_own_transitions_only(order: str) -> None:
    """Neither output() nor somebody else may do it."""

    class Meddler(Probe):
        def output(self) -> None:
            getattr(self, order)(*([] if order == "rest" else [9.0]))

    with pytest.raises(
        KumiError, match=r"next event of model 'meddler' .* own transitions, not by output\(\)"
    ):
        Simulation(Meddler("meddler", 1.0)).run()

    victim = Ticker("victim", period=5.0, count=1)
    simulation = Simulation(victim)
    simulation.schedule(1.0, lambda: getattr(victim, order)(*([] if order == "rest" else [9.0])))

    with pytest.raises(
        KumiError, match="next event of model 'victim' can only be planned by its own transitions"
    ):
        simulation.run()
    simulation.run()
    assert victim.ticks == [5.0]


# A model that is run again.


def test_a_model_whose_run_was_closed_can_be_run_again() -> None:
    """From the state it is in, in a new run that begins at zero."""
    listener = Listener("listener")
    heard: list[Bag] = []
    for instant in (1.0, 2.0):
        with Simulation(listener) as simulation:
            simulation.inject(listener.into, "x", at=instant)
            simulation.run()
        heard.append((instant, ["x"]))

    assert listener.heard == heard

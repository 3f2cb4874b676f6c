"""Models and couplings that come and go while a run goes on."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import now, sleep
from kumi.devs import Atomic, Coupled, PortError, Program, Simulation, StructureError, atomics
from kumi.devs.tracing import Coupling, ModelAdded, Record, Removed, Uncoupling
from tests.devs.parts import Listener, Net, Sender, Ticker, Wire


def at_two(net: Net, action: Callable[[], object]) -> Simulation:
    """Make a simulation in which something is done at t = 2, before anybody acts then."""
    simulation = Simulation(net)
    simulation.schedule(2.0, action)
    return simulation


def test_a_coupling_made_within_an_instant_works_after_it() -> None:
    net = Net()
    net.couple(net.sender.out, net.left.into)
    simulation = at_two(net, lambda: net.couple(net.sender.out, net.right.into))

    simulation.run()

    assert net.left.heard == [(1.0, ["x"]), (2.0, ["y"]), (3.0, ["z"])]
    assert net.right.heard == [(3.0, ["z"])]


def test_a_coupling_undone_within_an_instant_carries_to_its_end() -> None:
    net = Net()
    net.couple(net.sender.out, net.left.into)
    net.couple(net.sender.out, net.right.into)

    at_two(net, lambda: net.uncouple(net.sender.out, net.right.into)).run()

    assert net.left.heard == [(1.0, ["x"]), (2.0, ["y"]), (3.0, ["z"])]
    assert net.right.heard == [(1.0, ["x"]), (2.0, ["y"])]


def test_a_model_removed_within_an_instant_acts_to_its_end() -> None:
    net = Net()
    net.couple(net.sender.out, net.left.into)
    ticker = net.add(Ticker("ticker", period=1.0, count=9))

    def remove() -> None:
        net.remove(net.sender)
        net.remove(ticker)

    at_two(net, remove).run()

    assert net.left.heard == [(1.0, ["x"]), (2.0, ["y"])]
    assert ticker.ticks == [1.0, 2.0]
    assert (net.components, net.couplings) == ((net.left, net.right), ())
    assert (ticker.parent, ticker.is_running, ticker.path) == (None, False, "ticker")


def test_a_model_removed_and_dropped_is_freed_without_trouble() -> None:
    net = Net()
    net.couple(net.sender.out, net.left.into)

    def remove() -> None:
        net.remove(net.left)
        del net.left

    simulation = at_two(net, remove)
    simulation.run()

    assert simulation.statistics.internal == 3


def test_a_model_added_within_an_instant_enters_at_its_end() -> None:
    net = Net()
    listener = Listener("late", str)

    def add() -> None:
        net.add(listener)
        net.couple(net.sender.out, listener.into)
        assert not listener.is_running

    at_two(net, add).run()

    assert listener.heard == [(3.0, ["z"])]


def test_a_model_that_acts_at_once_acts_after_the_instant_in_which_it_was_added() -> None:
    """At the same time, when everybody else has settled."""
    order: list[tuple[float, str]] = []
    net = Coupled("net")

    class Busy(Atomic):
        def __init__(self, name: str, steps: int, first: float) -> None:
            super().__init__(name)
            self.steps = steps
            self.hold(first)

        def internal(self) -> None:
            order.append((self.now, self.name))
            self.steps -= 1
            if self.steps:
                self.hold(0.0)

    net.add(Busy("old", 3, 1.0))
    simulation = Simulation(net)
    simulation.schedule(1.0, lambda: net.add(Busy("new", 2, 0.0)))

    simulation.run()

    assert order == [(1.0, "old")] * 3 + [(1.0, "new")] * 2


def test_others_are_undisturbed_by_a_change() -> None:
    """Their plans are the same floats, and the rest of the trace is the same."""

    def watch(with_change: bool) -> tuple[list[float], list[tuple[float, list[Any]]]]:
        net = Net()
        net.couple(net.sender.out, net.left.into)
        ticker = net.add(Ticker("ticker", period=0.1, count=25))
        guest = Ticker("guest", period=0.01, count=1000)
        simulation = Simulation(net)
        if with_change:
            simulation.schedule(0.55, lambda: net.add(guest))
            simulation.schedule(0.75, lambda: net.couple(net.into, net.right.into))
            simulation.schedule(1.0, lambda: net.remove(guest))
        simulation.run()
        return ticker.ticks, net.left.heard

    assert watch(True) == watch(False)


def test_between_two_instants_a_change_works_at_once() -> None:
    net = Net()
    simulation = Simulation(net)
    simulation.run(until=1.5)
    net.couple(net.sender.out, net.left.into)
    simulation.run(until=2.5)
    net.remove(net.sender)

    simulation.run()

    assert net.left.heard == [(2.0, ["y"])]
    assert simulation.now == 2.5


def test_a_model_may_remove_itself_in_its_transition() -> None:
    net = Coupled("net")

    class Mayfly(Ticker):
        def internal(self) -> None:
            super().internal()
            if len(self.ticks) == 2:
                net.remove(self)

    fly = net.add(Mayfly("fly", count=9))
    simulation = Simulation(net)

    simulation.run()

    assert (fly.ticks, fly.parent, simulation.planned) == ([1.0, 2.0], None, 0)


def test_a_model_may_change_couplings_in_its_output_and_transitions() -> None:
    """The output in which it couples goes the old way."""
    net = Net()

    class Switch(Sender):
        def output(self) -> None:
            net.uncouple(self.out, net.left.into)
            net.couple(self.out, net.right.into)
            super().output()

    net.remove(net.sender)
    switch = net.add(Switch("switch", (1.0, "a"), type=str))
    net.couple(switch.out, net.left.into)

    Simulation(net).run()

    assert (net.left.heard, net.right.heard) == ([(1.0, ["a"])], [])
    assert net.couplings == ((switch.out, net.right.into),)


def test_a_program_may_change_the_structure() -> None:
    net = Net()
    when: list[float] = []

    class Builder(Program):
        async def run(self) -> None:
            await sleep(1.5)
            net.couple(net.sender.out, net.left.into)
            await sleep(1.0)
            net.remove(net.sender)
            when.append(now())

    net.add(Builder("builder"))

    Simulation(net).run()

    assert net.left.heard == [(2.0, ["y"])]
    assert when == [2.5]


def test_changes_of_one_instant_happen_in_order() -> None:
    """A name is free again at once; the namesakes leave and enter in turn."""
    records: list[Record] = []
    net = Net()
    new = Sender("sender", (0.5, "new"), type=str)

    def replace() -> None:
        net.remove(net.sender)
        net.add(new)
        net.couple(new.out, net.left.into)

    net.couple(net.sender.out, net.left.into)
    simulation = at_two(net, replace)
    simulation.run(until=1.0)
    simulation.trace(records.append)

    simulation.run()

    changes = [
        record for record in records if isinstance(record, ModelAdded | Removed | Coupling | Uncoupling)
    ]
    assert changes == [
        Uncoupling(2.0, "net.sender.out -> net.left.into"),
        Removed(2.0, "net.sender"),
        ModelAdded(2.0, "net.sender"),
        Coupling(2.0, "net.sender.out -> net.left.into"),
    ]
    assert net.left.heard == [(1.0, ["x"]), (2.0, ["y"]), (2.5, ["new"])]


def test_what_is_added_and_removed_in_one_instant_never_acts() -> None:
    net = Net()
    guest = Ticker("guest", period=0.0)

    def come_and_go() -> None:
        net.add(guest)
        net.remove(guest)

    at_two(net, come_and_go).run()

    assert (guest.ticks, guest.is_running, guest.parent) == ([], False, None)


def test_a_removed_model_can_be_added_again() -> None:
    net = Net()
    listener = net.left
    net.couple(net.sender.out, listener.into)
    simulation = Simulation(net)
    simulation.run(until=1.0)
    net.remove(listener)
    simulation.run(until=2.0)
    net.add(listener)
    net.couple(net.sender.out, listener.into)

    simulation.run()

    assert listener.heard == [(1.0, ["x"]), (3.0, ["z"])]


def test_a_whole_subtree_enters_and_leaves() -> None:
    outer = Coupled("outer")
    simulation = Simulation(outer)
    net = Net()
    net.couple(net.sender.out, net.left.into)
    simulation.run(until=10.0)

    outer.add(net)
    simulation.run(until=11.5)
    outer.remove(net)
    simulation.run()

    assert net.left.heard == [(11.0, ["x"])]
    assert [model.is_running for model in atomics(net)] == [False, False, False]
    assert simulation.planned == 0


def test_input_on_its_way_to_a_model_that_was_removed_is_an_error() -> None:
    """It left the run: nobody calls its transitions any more, and nothing is dropped in silence."""
    net = Net()
    simulation = Simulation(net)
    simulation.inject(net.left.into, "late", at=5.0)
    simulation.schedule(2.0, lambda: net.remove(net.left))

    with pytest.raises(PortError, match=r"input for port 'left\.into' came after its model had left the run"):
        simulation.run()

    assert (simulation.now, net.left.heard) == (5.0, [])
    with pytest.raises(PortError, match=r"port 'left\.into' belongs to a model that is not part of this run"):
        simulation.inject(net.left.into, "later")


def test_a_change_of_an_instant_that_failed_is_not_overtaken_by_later_ones() -> None:
    net = Net()

    def couple_and_fail() -> None:
        net.couple(net.sender.out, net.left.into)
        raise ValueError("after the coupling")

    simulation = Simulation(net)
    simulation.schedule(0.5, couple_and_fail)
    with pytest.raises(ValueError, match="after the coupling"):
        simulation.run()

    net.uncouple(net.sender.out, net.left.into)
    simulation.run()

    assert (net.couplings, net.sender.out.targets, net.left.heard) == ((), (), [])


def test_a_change_of_an_instant_that_failed_takes_effect_at_that_instant() -> None:
    """The instant is over when the error comes out; the clock does not move on before the change."""
    net = Coupled("net")
    ticker = Ticker("ticker")

    def add_and_fail() -> None:
        net.add(ticker)
        raise ValueError("after the adding")

    simulation = Simulation(net)
    simulation.schedule(1.0, add_and_fail)
    with pytest.raises(ValueError, match="after the adding"):
        simulation.run()

    simulation.run(until=1.5)
    simulation.run()

    assert ticker.ticks == [2.0, 3.0, 4.0]


def test_a_change_that_fails_does_not_lose_those_behind_it() -> None:
    net = Coupled("net")
    ticker = Ticker("ticker", count=1)

    class NoProgram(Program):
        def run(self) -> int:  # type: ignore[override]
            return 5

    def add_both() -> None:
        net.add(NoProgram("no program"))
        net.add(ticker)

    simulation = Simulation(net)
    simulation.schedule(1.0, add_both)
    with pytest.raises(TypeError, match="a program is an `async def` function"):
        simulation.run()

    simulation.run()

    assert ticker.ticks == [2.0]


def test_what_is_refused_while_running_changes_nothing() -> None:
    net = Net()
    net.couple(net.sender.out, net.left.into)
    simulation = at_two(net, lambda: net.add(Listener("left")))

    with pytest.raises(StructureError, match="'net' has a component named 'left' already"):
        simulation.run()
    simulation.run()

    assert net.left.heard == [(1.0, ["x"]), (2.0, ["y"]), (3.0, ["z"])]


def test_what_is_added_to_a_model_that_leaves_does_not_enter() -> None:
    net = Coupled("net")
    shell = net.add(Coupled("shell"))
    ticker = Ticker("ticker")
    simulation = Simulation(net)

    def remove_and_add() -> None:
        net.remove(shell)
        shell.add(ticker)

    simulation.schedule(1.0, remove_and_add)

    simulation.run()

    assert (ticker.ticks, ticker.is_running, ticker.path) == ([], False, "shell.ticker")
    with Simulation(shell) as again:
        again.run()
    assert ticker.ticks == [1.0, 2.0, 3.0]


@dataclass
class Equal(Atomic):
    """A model that equals others of its kind, and so cannot be hashed."""

    label: str

    def __post_init__(self) -> None:
        super().__init__(self.label)
        self.acted: list[float] = []
        self.hold(1.0)

    def internal(self) -> None:
        self.acted.append(self.now)
        self.hold(1.0)


@dataclass
class EqualProgram(Program):
    """A program with the same trait."""

    label: str

    def __post_init__(self) -> None:
        super().__init__(self.label)
        self.woke: list[float] = []

    async def run(self) -> None:
        while True:
            await sleep(1.0)
            self.woke.append(now())


def test_models_are_told_apart_by_identity_not_by_equality() -> None:
    """A dataclass is a handy way to write a model."""
    nets = [Coupled("one"), Coupled("two")]
    outer = Coupled("outer")
    models, programs = [], []
    for net in nets:
        outer.add(net)
        models.append(net.add(Equal("same")))
        programs.append(net.add(EqualProgram("equal")))
    assert models[0] == models[1]
    with Simulation(outer) as simulation:
        simulation.run(until=1.5)
        nets[0].remove(models[0])
        nets[0].remove(programs[0])
        simulation.run(until=2.5)

    assert [model.acted for model in models] == [[1.0], [1.0, 2.0]]
    assert [program.woke for program in programs] == [[1.0], [1.0, 2.0]]


def test_a_model_that_could_not_enter_can_be_mended_and_run() -> None:
    net = Coupled("net")
    ticker = net.add(Ticker("ticker", count=1))

    class NoProgram(Program):
        def run(self) -> int:  # type: ignore[override]
            return 5

    wrong = net.add(NoProgram("wrong"))
    with pytest.raises(TypeError, match="a program is an `async def` function"):
        Simulation(net)

    net.remove(wrong)
    with Simulation(net) as simulation:
        simulation.run()

    assert ticker.ticks == [1.0]


def test_models_are_not_copied() -> None:
    """A copy would share ports with the original; a model is made anew instead."""
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            make(Listener("listener"))
        with pytest.raises(TypeError):
            make(Sender("sender").out)


# Routes.

PLACES = ["sender", "wire 0", "wire 1", "wire 2", "left", "right"]
"""Couplings go from an earlier place to a later one, so they never close a loop."""

STEPS = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.integers(0, 3), st.integers(1, 5)).filter(
        lambda step: step[2] < step[3]
    ),
    max_size=30,
)


class Web(Coupled):
    """A sender, wires, and listeners, with couplings to be made and undone."""

    def __init__(self) -> None:
        super().__init__("web")
        self.sources: dict[str, Any] = {"sender": self.add(Ticker("sender", count=10**9)).out}
        self.targets: dict[str, Any] = {}
        for name in PLACES[1:4]:
            wire = self.add(Wire(name))
            self.sources[name], self.targets[name] = wire.out, wire.into
        self.listeners = [self.add(Listener(name)) for name in PLACES[4:]]
        for listener in self.listeners:
            self.targets[listener.name] = listener.into
        self.wanted: Counter[tuple[str, str]] = Counter()

    def step(self, is_made: bool, source: str, target: str) -> None:
        """Make a coupling or undo one."""
        if is_made:
            self.couple(self.sources[source], self.targets[target])
            self.wanted[source, target] += 1
        elif self.wanted[source, target]:
            self.uncouple(self.sources[source], self.targets[target])
            self.wanted[source, target] -= 1

    def paths(self) -> list[int]:
        """Count the ways from the sender to each listener."""
        ways = Counter({"sender": 1})
        for target in PLACES[1:]:
            ways[target] = sum(ways[source] * self.wanted[source, target] for source in PLACES)
        return [ways[name] for name in PLACES[4:]]


@given(STEPS)
def test_a_value_takes_every_way_there_is_when_it_is_sent(steps: list[tuple[bool, bool, int, int]]) -> None:
    """Whatever was coupled and uncoupled before, between two instants or within one."""
    web = Web()
    simulation = Simulation(web, hashed=False)
    for number, (is_within, is_made, source, target) in enumerate(steps):
        if is_within:
            simulation.schedule(number + 0.5, partial(web.step, is_made, PLACES[source], PLACES[target]))
            simulation.run(until=number + 0.5)
        else:
            web.step(is_made, PLACES[source], PLACES[target])
        for listener in web.listeners:
            listener.heard.clear()

        simulation.run(until=number + 1.0)

        assert [sum(len(bag) for _, bag in listener.heard) for listener in web.listeners] == web.paths()
    assert len(web.couplings) == web.wanted.total()

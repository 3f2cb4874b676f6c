"""Atomic models: transitions, bags, time advance, ports and watchers."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, Union

import pytest

from kumi.kernel import Atomic, Coupled, InPort, KumiError, NoRun, PortError, Simulation, Statistics, StructureError
from tests.kernel.parts import Bag, Listener, Sender, Shell, Ticker


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


def feed(model: Atomic, into: InPort[Any], *plan: tuple[float, Any]) -> Simulation:
    """Make a simulation that brings values to a port."""
    simulation = Simulation(model)
    for instant, value in plan:
        simulation.inject(into, value, at=instant)
    return simulation


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
def test_the_last_word_about_the_next_instant_counts(orders: list[tuple[Any, ...]], acted: list[float]) -> None:
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

    with pytest.raises(KumiError, match=r"next event of model 'meddler' .* own transitions, not by output\(\)"):
        Simulation(Meddler("meddler", 1.0)).run()

    victim = Ticker("victim", period=5.0, count=1)
    simulation = Simulation(victim)
    simulation.schedule(1.0, lambda: getattr(victim, order)(*([] if order == "rest" else [9.0])))

    with pytest.raises(KumiError, match="next event of model 'victim' can only be planned by its own transitions"):
        simulation.run()
    simulation.run()
    assert victim.ticks == [5.0]


# Bags.


def test_all_input_of_a_step_makes_one_transition() -> None:
    """Two senders and one that sends twice: one bag with four values."""
    net = Coupled("net")
    listener = net.add(Listener("listener"))
    for sender in (Sender("a", (1.0, "a")), Sender("b", (1.0, "b1"), (1.0, "b2")), Sender("c", (1.0, "c"))):
        net.couple(net.add(sender).out, listener.into)
    simulation = Simulation(net)

    simulation.run()

    assert listener.heard == [(1.0, ["a", "b1", "b2", "c"])]
    assert simulation.statistics == Statistics(steps=1, internal=3, external=1, confluent=0, messages=4)


def test_a_bag_is_in_the_order_in_which_the_senders_were_planned() -> None:
    """b planned t = 2 when the run began, a only at t = 1."""
    net = Coupled("net")
    a, b = net.add(Sender("a", (1.0, "-"), (2.0, "a"))), net.add(Sender("b", (2.0, "b")))
    listener = net.add(Listener("listener"))
    net.couple(a.out, listener.into)
    net.couple(b.out, listener.into)

    Simulation(net).run()

    assert listener.heard == [(1.0, ["-"]), (2.0, ["b", "a"])]


def test_receivers_are_served_in_the_order_of_couplings() -> None:
    """The second was coupled first."""
    order: list[str] = []

    class Named(Listener):
        def external(self) -> None:
            order.append(self.name)

    net = Coupled("net")
    sender = net.add(Sender("sender", (1.0, 1)))
    first, second = net.add(Named("first")), net.add(Named("second"))
    net.couple(sender.out, second.into)
    net.couple(sender.out, first.into)

    Simulation(net).run()

    assert order == ["second", "first"]


def test_a_bag_is_empty_outside_transitions_and_forgotten_after_them() -> None:
    listener = Listener("listener")
    simulation = feed(listener, listener.into, (1.0, "a"), (2.0, "b"))
    assert (len(listener.into), bool(listener.into), list(listener.into)) == (0, False, [])

    simulation.run()

    assert listener.heard == [(1.0, ["a"]), (2.0, ["b"])]
    assert (len(listener.into), bool(listener.into), list(listener.into)) == (0, False, [])


def test_a_bag_reads_like_a_sequence() -> None:
    class Reader(Listener):
        def external(self) -> None:
            port = self.into
            self.heard.append((self.now, [len(port), bool(port), port[0], port[-1], list(port), list(port)]))
            with pytest.raises(IndexError, match=r"port 'reader.into' holds 2 values now"):
                port[2]

    reader = Reader("reader")

    feed(reader, reader.into, (1.0, "a"), (1.0, "b")).run()

    assert reader.heard == [(1.0, [2, True, "a", "b", ["a", "b"], ["a", "b"]])]


def test_a_bag_may_be_huge() -> None:
    listener = Listener("listener", int)
    simulation = feed(listener, listener.into, *((1.0, number) for number in range(100_000)))

    simulation.run()

    assert listener.heard == [(1.0, list(range(100_000)))]


BAG_ORDER = """
from kumi.kernel import Coupled, Simulation
from tests.kernel.parts import Listener, Sender

net = Coupled("net")
listener = net.add(Listener("listener"))
for number in range(50):
    sender = net.add(Sender(f"sender {number * 7 % 50}", (1.0, number), (2.0 + number % 3, -number)))
    net.couple(sender.out, listener.into)
run = Simulation(net).run()
print(listener.heard, run.trace_hash)
"""


def test_bag_order_is_the_same_in_every_process() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", BAG_ORDER],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("0", "1", "4242")
    }

    assert len(said) == 1
    assert said.pop().startswith(f"[(1.0, {list(range(50))})")


# Paths.


def test_two_paths_carry_two_messages() -> None:
    """One sender reaches one port by two shells and directly, coupled twice: four values in one bag."""
    net = Coupled("net")
    sender = net.add(Sender("sender", (1.0, "x")))
    listener = net.add(Listener("listener"))
    for name in ("upper", "lower"):
        way = net.add(Coupled(name))
        into, out = way.add_input("into", object), way.add_output("out", object)
        way.couple(into, out)
        net.couple(sender.out, into)
        net.couple(out, listener.into)
    net.couple(sender.out, listener.into)
    net.couple(sender.out, listener.into)
    simulation = Simulation(net)

    simulation.run()

    assert listener.heard == [(1.0, ["x", "x", "x", "x"])]
    assert simulation.statistics.messages == 4


def test_the_same_value_arrives_not_a_copy() -> None:
    net = Coupled("net")
    thing = ["thing"]
    sender, listener = net.add(Sender("sender", (1.0, thing))), net.add(Listener("listener"))
    net.couple(sender.out, listener.into)

    Simulation(net).run()

    assert listener.heard[0][1][0] is thing


# Ports.


class Animal:
    pass


class Dog(Animal):
    pass


@pytest.mark.parametrize(
    ("declared", "fits", "misfits"),
    [
        (int, [1, True, 10**30], [1.0, "1", None]),
        (float, [1.0, 1, float("nan")], ["1", None, 1j]),
        (str, ["", "ü"], [b"", 1]),
        (bool, [True], [1]),
        (Animal, [Animal(), Dog()], [object(), Dog]),
        (int | str, [1, "1"], [1.0, None]),
        (Union[int, None], [1, None], ["1"]),  # noqa: UP007  # the older spelling must do, too
        (float | None, [1.0, 1, None], ["1"]),
        (list[int], [[1], ["not checked"]], [(1,)]),
        (dict[str, int] | None, [{}, None], [[]]),
        (tuple[int, ...], [(1, 2)], [[1]]),
        (object, [1, None, object(), int], []),
        (Any, [1, None], []),
        (int | Any, [1, "1"], []),
        (None, [None], [0]),
    ],
)
def test_a_port_accepts_what_its_type_says(declared: Any, fits: list[Any], misfits: list[Any]) -> None:
    listener = Listener("listener", declared)
    simulation = feed(listener, listener.into, *((1.0, value) for value in fits))

    simulation.run()

    assert len(listener.heard[0][1]) == len(fits)
    for value in misfits:
        with pytest.raises(PortError, match=r"port 'listener.into' carries .*, but was given"):
            simulation.inject(listener.into, value)


def test_sending_a_misfit_fails_at_the_sender() -> None:
    sender = Sender("sender", (1.0, "one"), type=int)

    with pytest.raises(PortError, match=r"port 'sender.out' carries int, but was given 'one'") as caught:
        Simulation(sender).run()

    assert caught.value.__notes__ == ["in output of 'sender' at t = 1.0 s"]


@pytest.mark.parametrize("declared", ["int", 5, [int], int.__add__])
def test_a_port_of_no_type_is_refused(declared: Any) -> None:
    with pytest.raises(StructureError, match="a port carries a class, a union of classes, or object, but"):
        Listener("listener", declared)


@pytest.mark.parametrize("name", ["", "a.b"])
def test_a_name_is_not_empty_and_has_no_dot(name: str) -> None:
    """Dots separate the names of a path."""
    for make in (Listener, Coupled):
        with pytest.raises(StructureError, match="a model's name may not be empty or contain a dot"):
            make(name)
    for model in (Listener("a"), Coupled("a")):
        with pytest.raises(StructureError, match="a port's name may not be empty or contain a dot"):
            model.add_input(name, int)


def test_port_names_are_unique_in_a_model_in_both_directions() -> None:
    for model in (Listener("model"), Coupled("model")):
        model.add_input("a", int)
        for again in (model.add_input, model.add_output):
            with pytest.raises(StructureError, match="model 'model' has a port named '?a'? already"):
                again("a", int)


def test_ports_know_their_place() -> None:
    outer = Coupled("outer")
    listener = outer.add(Coupled("inner")).add(Listener("listener", int | str))
    port = listener.into

    assert (port.path, port.name, port.owner, port.type) == ("outer.inner.listener.into", "into", listener, int | str)
    assert repr(port) == "<kumi._core.InPort 'outer.inner.listener.into'>"
    assert (listener.inputs, listener.outputs) == ((port,), ())
    assert repr(listener) == "<Listener 'outer.inner.listener'>"


def test_only_output_sends() -> None:
    """Not a transition, not another model, not the main program."""

    class Hasty(Sender):
        def internal(self) -> None:
            self.out.send(1)

    other = Sender("other")

    class Thief(Sender):
        def output(self) -> None:
            other.out.send(1)

    with pytest.raises(PortError, match=r"port 'hasty.out' can only send inside output\(\) of its model"):
        Simulation(Hasty("hasty", (1.0, 1))).run()
    with pytest.raises(PortError, match=r"'other.out' can only send inside output\(\) of its model"):
        Simulation(Thief("thief", (1.0, 1))).run()
    with pytest.raises(PortError, match=r"'other.out' can only send inside output\(\) of its model"):
        other.out.send(1)


def test_a_model_may_not_send_on_the_port_of_another_in_its_run() -> None:
    net = Coupled("net")
    other = net.add(Sender("other"))

    class Thief(Sender):
        def output(self) -> None:
            other.out.send(1)

    net.add(Thief("thief", (1.0, 1)))

    with pytest.raises(PortError, match=r"model 'net.thief' sent on port 'net.other.out', which belongs to another"):
        Simulation(net).run()


def test_the_port_of_a_coupled_model_does_not_send() -> None:
    shell = Shell("shell", Sender("sender"))

    with pytest.raises(PortError, match=r"port 'shell.out' belongs to a coupled model and only passes on"):
        shell.out.send(1)


def test_only_a_fitting_rank_is_accepted() -> None:
    assert [Sender("sender", rank=rank).rank for rank in (0, 7)] == [0, 7]
    for rank in (-1, 8):
        with pytest.raises(StructureError, match=rf"the rank of model 'sender' is {rank}; allowed are 0 to 7"):
            Sender("sender", rank=rank)


# Watchers.


def test_watchers_on_every_level_see_what_passes() -> None:
    """Flattening leaves the ports between sender and receiver out of the way, but not their watchers."""
    seen: list[tuple[str, float, Any]] = []
    net = Coupled("net")
    shell = net.add(Shell("outer", Shell("inner", Sender("sender", (1.0, "x"), (2.5, "y")))))
    listener = net.add(Listener("listener"))
    result = net.add_output("result", object)
    net.couple(shell.out, listener.into)
    net.couple(shell.out, result)
    inner = shell.inner
    assert isinstance(inner, Shell)
    for port in (inner.inner.out, inner.out, shell.out, result, listener.into):
        port.watch(lambda time, value, path=port.path: seen.append((path, time, value)))

    Simulation(net).run()

    paths = ["net.outer.inner.sender.out", "net.outer.inner.out", "net.outer.out", "net.listener.into", "net.result"]
    assert seen == [(path, time, value) for time, value in ((1.0, "x"), (2.5, "y")) for path in paths]
    assert listener.heard == [(1.0, ["x"]), (2.5, ["y"])]


def test_a_watcher_may_come_in_the_middle_of_a_run() -> None:
    seen: list[tuple[float, int]] = []
    shell = Shell("shell", Ticker("ticker", count=3))
    simulation = Simulation(shell)
    simulation.run(until=1.0)
    shell.out.watch(lambda time, value: seen.append((time, value)))

    simulation.run()

    assert seen == [(2.0, 1), (3.0, 2)]


def test_watchers_are_told_once_a_path_in_the_order_they_came() -> None:
    seen: list[str] = []
    sender = Sender("sender", (1.0, "x"))
    for name in ("first", "second", "third"):
        sender.out.watch(lambda _time, _value, name=name: seen.append(name))

    Simulation(sender).run()

    assert seen == ["first", "second", "third"]


def test_a_watcher_sees_what_is_injected() -> None:
    seen: list[tuple[str, float, Any]] = []
    net = Coupled("net")
    into = net.add_input("into", object)
    listener = net.add(Listener("listener"))
    net.couple(into, listener.into)
    for port in (into, listener.into):
        port.watch(lambda time, value, path=port.path: seen.append((path, time, value)))
    simulation = Simulation(net)
    simulation.inject(into, "x", at=2.0)

    simulation.run()

    assert seen == [("net.into", 2.0, "x"), ("net.listener.into", 2.0, "x")]
    assert listener.heard == [(2.0, ["x"])]


def test_a_watcher_that_watches_more_sees_them_from_the_next_value_on() -> None:
    seen: list[tuple[str, float]] = []
    shell = Shell("shell", Ticker("ticker", count=3))

    def first(time: float, _value: object) -> None:
        seen.append(("first", time))
        if time == 1.0:
            shell.out.watch(lambda time, _value: seen.append(("second", time)))

    shell.out.watch(first)

    Simulation(shell).run()

    assert seen == [("first", 1.0), ("first", 2.0), ("second", 2.0), ("first", 3.0), ("second", 3.0)]


def test_a_watcher_is_a_function() -> None:
    with pytest.raises(TypeError, match=r"watch\(\) needs a function of \(time, value\), not 5"):
        Sender("sender").out.watch(5)  # type: ignore[arg-type]


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

"""How models may be put together, before a run and while it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from kumi.kernel import (
    Atomic,
    Coupled,
    KumiError,
    PortError,
    Program,
    Simulation,
    StructureError,
    atomics,
    coupled_models,
    now,
    sleep,
)
from kumi.kernel.tracing import Added, Coupling, Record, Removed, Uncoupling
from tests.kernel.parts import Listener, Sender, Ticker, Wire


class Net(Coupled):
    """A sender of text, and two listeners."""

    def __init__(self, name: str = "net") -> None:
        super().__init__(name)
        self.into = self.add_input("into", str)
        self.out = self.add_output("out", str)
        self.sender = self.add(Sender("sender", (1.0, "x"), (2.0, "y"), (3.0, "z"), type=str))
        self.left = self.add(Listener("left", str))
        self.right = self.add(Listener("right", str))


# What is refused when it is put together.


def test_names_are_unique_inside_one_coupled_model() -> None:
    net = Net()

    with pytest.raises(StructureError, match="'net' has a component named 'left' already"):
        net.add(Listener("left"))
    with pytest.raises(StructureError, match="'net' has a component named 'left' already"):
        net.add(Coupled("left"))

    net.add(Coupled("other")).add(Listener("left"))


def test_a_model_stands_in_one_place() -> None:
    net, other = Net(), Coupled("other")

    with pytest.raises(StructureError, match=r"'net\.left' cannot be added to 'other': it stands in another model"):
        other.add(net.left)


def test_a_model_cannot_contain_itself() -> None:
    outer, middle, inner = Coupled("outer"), Coupled("middle"), Coupled("inner")
    outer.add(middle)
    middle.add(inner)

    with pytest.raises(StructureError, match="'outer' cannot be added to 'outer': it would contain itself"):
        outer.add(outer)
    with pytest.raises(StructureError, match=r"'outer' cannot be added to 'outer\.middle\.inner': it would contain"):
        inner.add(outer)


@pytest.mark.parametrize("thing", [5, None, "model", Listener, object()])
def test_only_models_are_components(thing: Any) -> None:
    with pytest.raises(StructureError, match="a component of 'net' must be an Atomic or a Coupled model, not"):
        Net().add(thing)


class Forgetful(Atomic):
    """Does not call super().__init__."""

    def __init__(self) -> None:
        pass


class ForgetfulCoupled(Coupled):
    """Does not call super().__init__ either."""

    def __init__(self) -> None:
        pass


@pytest.mark.parametrize("make", [Forgetful, ForgetfulCoupled])
def test_a_model_that_forgot_to_initialize_its_base_is_told_so(make: Callable[[], Any]) -> None:
    with pytest.raises(StructureError, match=rf"{make.__name__}.__init__ did not call super\(\).__init__\(name\)"):
        Net().add(make())
    with pytest.raises(StructureError, match=rf"{make.__name__}.__init__ did not call super\(\).__init__\(name\)"):
        Simulation(make())


@pytest.mark.parametrize(
    "use",
    [
        lambda model: model.hold(1.0),
        lambda model: model.add_input("into", int),
        lambda model: model.add_output("out", int),
        lambda model: model.path,
    ],
)
def test_a_model_that_forgot_its_base_can_do_nothing(use: Callable[[Forgetful], object]) -> None:
    with pytest.raises(StructureError, match=r"Forgetful.__init__ did not call super\(\).__init__\(name\)"):
        use(Forgetful())


def test_the_name_of_a_model_is_text() -> None:
    for make in (Atomic, Coupled):
        with pytest.raises((TypeError, StructureError), match="name|str"):
            make(5)  # type: ignore[arg-type]


def test_an_unknown_component_is_named_with_the_known_ones() -> None:
    with pytest.raises(StructureError, match="'net' has no component 'centre'; it has: sender, left, right"):
        Net()["centre"]
    assert Net()["left"].name == "left"


def test_only_ports_are_coupled() -> None:
    net = Net()

    with pytest.raises(StructureError, match=r"couple\(\) in 'net' needs two ports, but was given 'sender'"):
        net.couple("sender", net.left.into)  # type: ignore[arg-type]
    with pytest.raises(StructureError, match=r"couple\(\) in 'net' needs two ports, but was given <Listener 'net.left'>"):
        net.couple(net.sender.out, net.left)  # type: ignore[arg-type]


def test_the_port_of_another_model_is_not_coupled_here() -> None:
    net, stranger = Net(), Sender("stranger", type=str)
    deep = net.add(Coupled("inner")).add(Listener("deep", str))

    with pytest.raises(
        StructureError,
        match=r"port 'stranger\.out' cannot be coupled in 'net': it belongs neither to 'net' nor to one of its comp",
    ):
        net.couple(stranger.out, net.left.into)
    with pytest.raises(StructureError, match=r"port 'net\.inner\.deep\.into' cannot be coupled in 'net'"):
        net.couple(net.sender.out, deep.into)


def test_a_namesake_of_a_component_is_another_model() -> None:
    net = Net()

    with pytest.raises(StructureError, match=r"port 'left\.into' cannot be coupled in 'net'"):
        net.couple(net.sender.out, Listener("left", str).into)


def test_couplings_have_a_direction() -> None:
    net = Net()
    inner = net.add(Wire("inner", str))

    for source in (net.left.into, net.out, inner.into):
        with pytest.raises(StructureError, match=rf"'{source.path}' cannot be the source of a coupling in 'net'"):
            net.couple(source, net.right.into)
    for target in (net.sender.out, net.into, inner.out):
        with pytest.raises(StructureError, match=rf"'{target.path}' cannot be the target of a coupling in 'net'"):
            net.couple(net.sender.out, target)


def test_types_must_fit() -> None:
    net = Coupled("net")
    number = net.add(Sender("number", type=float))
    text = net.add(Listener("text", str | bytes))

    with pytest.raises(
        StructureError,
        match=r"cannot couple 'net\.number\.out' to 'net\.text\.into': it sends float, but str \| bytes is accepted",
    ):
        net.couple(number.out, text.into)


@pytest.mark.parametrize(
    ("sent", "accepted", "fits"),
    [
        (int, int, True),
        (int, object, True),
        (object, int, False),
        (int, float, True),
        (float, int, False),
        (bool, int, True),
        (int, bool, False),
        (int, int | str, True),
        (int | str, int, False),
        (int | str, str | int | None, True),
        (int | None, float | None, True),
        (list[int], list[str], True),
        (list[int], tuple[int], False),
        (Any, int, False),
        (int, Any, True),
    ],
)
def test_a_coupling_fits_when_everything_sent_is_accepted(sent: Any, accepted: Any, fits: bool) -> None:
    """Of generic types only the class counts."""
    net = Coupled("net")
    source, target = net.add(Sender("source", type=sent)), net.add(Listener("target", accepted))

    if fits:
        net.couple(source.out, target.into)
        assert net.couplings == ((source.out, target.into),)
    else:
        with pytest.raises(StructureError, match=r"cannot couple 'net\.source\.out' to 'net\.target\.into'"):
            net.couple(source.out, target.into)
        assert net.couplings == ()


def test_a_model_does_not_feed_itself() -> None:
    class Both(Listener):
        def __init__(self, name: str) -> None:
            super().__init__(name)
            self.out = self.add_output("out", object)

    net = Coupled("net")
    both = net.add(Both("both"))
    wire = net.add(Wire("wire"))

    with pytest.raises(
        StructureError, match=r"'net\.both\.out' cannot be coupled to 'net\.both\.into': a model may not feed itself"
    ):
        net.couple(both.out, both.into)
    with pytest.raises(StructureError, match=r"'net\.wire\.out' cannot be coupled to 'net\.wire\.into': a model may"):
        net.couple(wire.out, wire.into)


def test_what_is_not_there_is_not_removed() -> None:
    net = Net()
    stranger = Listener("left", str)

    with pytest.raises(StructureError, match="'net' has no component 'left' to remove"):
        net.remove(stranger)
    with pytest.raises(StructureError, match=r"'net\.sender\.out' is not coupled to 'net\.left\.into' in 'net'"):
        net.uncouple(net.sender.out, net.left.into)
    net.couple(net.sender.out, net.left.into)
    net.uncouple(net.sender.out, net.left.into)
    with pytest.raises(StructureError, match=r"'net\.sender\.out' is not coupled to 'net\.left\.into' in 'net'"):
        net.uncouple(net.sender.out, net.left.into)


# Loops of ports alone.


def ring(net: Coupled, first: Wire, second: Wire) -> None:
    """Lead each wire into the other."""
    net.couple(first.out, second.into)
    net.couple(second.out, first.into)


def nested_ring(depth: int) -> Coupled:
    """Give a model with two wires in a ring, so many levels down."""
    at = net = Coupled("net")
    for _ in range(depth):
        at = at.add(Coupled("inner"))
    ring(at, at.add(Wire("a")), at.add(Wire("b")))
    return net


@pytest.mark.parametrize("depth", [0, 1, 50])
def test_a_loop_without_an_atomic_model_is_refused_at_any_depth(depth: int) -> None:
    path = ".".join(["net"] + ["inner"] * depth)

    with pytest.raises(StructureError, match="close a loop without an atomic model in it") as caught:
        Simulation(nested_ring(depth))

    assert f"{path}.a.into -> {path}.a.out -> {path}.b.into -> {path}.b.out -> {path}.a.into" in str(caught.value)


def test_a_loop_through_several_levels_is_refused() -> None:
    """In through one shell, out of it, and around outside."""
    net = Coupled("net")
    shell = net.add(Coupled("shell"))
    into, out = shell.add_input("into", int), shell.add_output("out", int)
    wire, back = shell.add(Wire("wire")), net.add(Wire("back"))
    shell.couple(into, wire.into)
    shell.couple(wire.out, out)
    net.couple(out, back.into)
    net.couple(back.out, into)

    with pytest.raises(StructureError, match=r"net\.shell\.wire\.out -> net\.shell\.out -> net\.back\.into"):
        Simulation(net)


def test_a_loop_through_an_atomic_model_is_fine() -> None:
    class Relay(Listener):
        def __init__(self, name: str) -> None:
            super().__init__(name, int)
            self.out = self.add_output("out", int)

        def external(self) -> None:
            super().external()
            if self.into[0] < 3:
                self.hold(1.0)

        def output(self) -> None:
            self.out.send(self.heard[-1][1][0] + 1)

    net = Coupled("net")
    relay, wire = net.add(Relay("relay")), net.add(Wire("wire"))
    net.couple(relay.out, wire.into)
    net.couple(wire.out, relay.into)
    simulation = Simulation(net)
    simulation.inject(relay.into, 0, at=0.0)

    simulation.run()

    assert relay.heard == [(0.0, [0]), (1.0, [1]), (2.0, [2]), (3.0, [3])]


def test_a_diamond_is_no_loop() -> None:
    net = Coupled("net")
    a, b, c, d = (net.add(Wire(name)) for name in "abcd")
    for source, target in ((a, b), (a, c), (b, d), (c, d)):
        net.couple(source.out, target.into)
    listener = net.add(Listener("listener"))
    net.couple(d.out, listener.into)
    simulation = Simulation(net)
    simulation.inject(a.into, 7, at=1.0)

    simulation.run()

    assert listener.heard == [(1.0, [7, 7])]


def test_a_refused_model_can_be_mended_and_run() -> None:
    net = nested_ring(0)
    a, b = net.components
    assert isinstance(a, Wire)
    assert isinstance(b, Wire)
    with pytest.raises(StructureError):
        Simulation(net)

    net.uncouple(b.out, a.into)

    assert Simulation(net).run().time == 0.0


def test_a_loop_is_refused_between_two_instants_of_a_run() -> None:
    net = Coupled("net")
    a, b = net.add(Wire("a")), net.add(Wire("b"))
    simulation = Simulation(net)
    net.couple(a.out, b.into)

    with pytest.raises(StructureError, match=r"coupling 'net\.b\.out' to 'net\.a\.into' closes a loop"):
        net.couple(b.out, a.into)

    assert net.couplings.count((b.out, a.into)) == 0
    simulation.run()


def test_a_loop_made_in_one_instant_is_refused() -> None:
    """The first coupling waits for the end of the instant, but the second knows of it."""
    net = Coupled("net")
    a, b = net.add(Wire("a")), net.add(Wire("b"))
    simulation = Simulation(net)
    simulation.schedule(1.0, lambda: ring(net, a, b))

    with pytest.raises(StructureError, match="loop without an atomic model"):
        simulation.run()

    assert set(b.out.targets).isdisjoint({a.into}) or set(a.out.targets).isdisjoint({b.into})


def test_a_subtree_with_a_loop_is_refused_by_a_running_model() -> None:
    net = Coupled("net")
    simulation = Simulation(net)
    broken = nested_ring(3)
    broken.name = "broken"

    with pytest.raises(StructureError, match="loop without an atomic model"):
        net.add(broken)

    assert net.components == ()
    assert broken.parent is None
    simulation.run()


# One model, one run.


@pytest.mark.parametrize("make", [lambda: Listener("model"), lambda: Coupled("model"), Net])
def test_a_model_takes_part_in_one_run(make: Callable[[], Any]) -> None:
    model = make()
    with Simulation(model):
        with pytest.raises(StructureError, match=f"'{model.name}' is part of a run already"):
            Simulation(model)
        with pytest.raises(StructureError, match=f"'{model.name}' cannot be added to 'other': it is part of a run"):
            Coupled("other").add(model)
    with Simulation(model) as simulation:
        simulation.run()


def test_a_part_of_a_model_is_not_run_by_itself() -> None:
    with pytest.raises(StructureError, match=r"'net\.left' cannot be run by itself: it stands in another model"):
        Simulation(Net().left)


def test_a_simulation_of_no_model_is_refused() -> None:
    with pytest.raises((TypeError, KumiError), match="model"):
        Simulation("model")  # type: ignore[arg-type]


def test_a_model_in_a_run_is_not_initialized_again() -> None:
    """It would change its rank under the agenda."""
    net = Coupled("net")
    tickers = [net.add(Ticker(f"ticker {number}", period=0.0, count=1)) for number in range(20)]
    simulation = Simulation(net)

    with pytest.raises(KumiError, match=r"'net\.ticker 15'|'ticker 15'"):
        Atomic.__init__(tickers[15], "ticker 15", rank=7)

    net.remove(tickers[15])
    simulation.run()
    assert [ticker.ticks for ticker in tickers] == [[0.0] if number != 15 else [] for number in range(20)]


# While a run goes on.


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

    changes = [record for record in records if isinstance(record, Added | Removed | Coupling | Uncoupling)]
    assert changes == [
        Uncoupling(2.0, "net.sender.out -> net.left.into"),
        Removed(2.0, "net.sender"),
        Added(2.0, "net.sender"),
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


# Size.


def chain(depth: int) -> tuple[Coupled, Listener, Wire]:
    """Give a model nested so deep: what comes into the wire at the bottom reaches the listener at the top."""
    bottom = Wire("wire", object)
    at = Coupled("level")
    at.add(bottom)
    out = at.add_output("out", object)
    at.couple(bottom.out, out)
    for _ in range(depth - 1):
        outer = Coupled("level")
        outer.add(at)
        outer_out = outer.add_output("out", object)
        outer.couple(out, outer_out)
        at, out = outer, outer_out
    net = Coupled("net")
    net.add(at)
    listener = net.add(Listener("listener"))
    net.couple(out, listener.into)
    return net, listener, bottom


def test_models_may_be_nested_five_thousand_deep() -> None:
    net, listener, bottom = chain(5000)
    assert sum(1 for _ in coupled_models(net)) == 5002
    with Simulation(net) as simulation:
        simulation.inject(bottom.into, "up", at=1.0)
        simulation.run()

    assert listener.heard == [(1.0, ["up"])]
    assert bottom.path == ".".join(["net"] + ["level"] * 5000 + ["wire"])


def least_seconds(work: Callable[[int], object], size: int) -> float:
    """Give the best of three times."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        work(size)
        times.append(time.perf_counter() - begin)
    return min(times)


def flat(size: int) -> None:
    """Build, run and drop a flat model: one sender that reaches all others, all of which reach one."""
    net = Coupled("net")
    sender, last = net.add(Sender("sender", (1.0, 0))), net.add(Listener("last"))
    for number in range(size):
        wire = net.add(Wire(f"wire {number}", object))
        net.couple(sender.out, wire.into)
        net.couple(wire.out, last.into)
    with Simulation(net) as simulation:
        simulation.run()
        assert len(last.heard[0][1]) == size


def deep(depth: int) -> None:
    """Build, run and drop a deep model."""
    net, listener, bottom = chain(depth)
    with Simulation(net) as simulation:
        simulation.inject(bottom.into, "up")
        simulation.run()
        assert len(listener.heard) == 1


def levels(depth: int) -> None:
    """Build, run and drop a deep model with a ticker on every level, inside first."""
    at = Coupled("level")
    for _ in range(depth):
        outer = Coupled("level")
        outer.add(at)
        outer.add(Ticker("ticker", count=1))
        at = outer
    with Simulation(at) as simulation:
        simulation.run()
        assert simulation.statistics.internal == depth


def emptied(size: int) -> None:
    """Build a flat model and take everything out again while it runs."""
    net = Coupled("net")
    into = net.add_input("into", object)
    listeners = [net.add(Listener(f"listener {number}")) for number in range(size)]
    for listener in listeners:
        net.couple(into, listener.into)
    with Simulation(net) as simulation:
        simulation.schedule(1.0, lambda: [net.remove(listener) for listener in listeners])
        simulation.run()
    assert (net.components, net.couplings, into.targets) == ((), (), ())


@pytest.mark.parametrize(
    ("work", "size"),
    [(flat, 3000), (deep, 3000), (levels, 1000), (emptied, 1000)],
    ids=["flat", "deep", "levels", "emptied"],
)
def test_four_times_the_model_takes_about_four_times_as_long(work: Callable[[int], object], size: int) -> None:
    """Quadratic work would take sixteen times as long."""
    work(size)  # the first time costs extra

    assert least_seconds(work, 4 * size) < 9.0 * least_seconds(work, size)

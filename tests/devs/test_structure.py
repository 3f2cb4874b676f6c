"""How models may be put together, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kumi.devs import Atomic, Coupled, KumiError, Simulation, StructureError
from tests.devs.parts import Listener, Net, Sender, Ticker, Wire

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

    with pytest.raises(
        StructureError, match=r"'net\.left' cannot be added to 'other': it stands in another model"
    ):
        other.add(net.left)


def test_a_model_cannot_contain_itself() -> None:
    outer, middle, inner = Coupled("outer"), Coupled("middle"), Coupled("inner")
    outer.add(middle)
    middle.add(inner)

    with pytest.raises(StructureError, match="'outer' cannot be added to 'outer': it would contain itself"):
        outer.add(outer)
    with pytest.raises(
        StructureError, match=r"'outer' cannot be added to 'outer\.middle\.inner': it would contain"
    ):
        inner.add(outer)


@pytest.mark.parametrize("thing", [5, None, "model", Listener, object()])
def test_only_models_are_components(thing: Any) -> None:
    with pytest.raises(
        StructureError, match="a component of 'net' must be an Atomic or a Coupled model, not"
    ):
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
    with pytest.raises(
        StructureError, match=rf"{make.__name__}.__init__ did not call super\(\).__init__\(name\)"
    ):
        Net().add(make())
    with pytest.raises(
        StructureError, match=rf"{make.__name__}.__init__ did not call super\(\).__init__\(name\)"
    ):
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
        with pytest.raises((TypeError, StructureError), match=r"name|str"):
            make(5)  # type: ignore[arg-type]


def test_an_unknown_component_is_named_with_the_known_ones() -> None:
    with pytest.raises(StructureError, match="'net' has no component 'centre'; it has: sender, left, right"):
        Net()["centre"]
    assert Net()["left"].name == "left"


def test_only_ports_are_coupled() -> None:
    net = Net()

    with pytest.raises(StructureError, match=r"a coupling in 'net' joins two ports, but was given 'sender'"):
        net.couple("sender", net.left.into)  # type: ignore[arg-type]
    with pytest.raises(
        StructureError, match=r"a coupling in 'net' joins two ports, but was given <Listener 'net.left'>"
    ):
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
        with pytest.raises(
            StructureError, match=rf"'{source.path}' cannot be the source of a coupling in 'net'"
        ):
            net.couple(source, net.right.into)
    for target in (net.sender.out, net.into, inner.out):
        with pytest.raises(
            StructureError, match=rf"'{target.path}' cannot be the target of a coupling in 'net'"
        ):
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
        StructureError,
        match=r"'net\.both\.out' cannot be coupled to 'net\.both\.into': a model may not feed itself",
    ):
        net.couple(both.out, both.into)
    with pytest.raises(
        StructureError, match=r"'net\.wire\.out' cannot be coupled to 'net\.wire\.into': a model may"
    ):
        net.couple(wire.out, wire.into)


def test_what_is_not_there_is_not_removed() -> None:
    net = Net()
    stranger = Listener("left", str)

    with pytest.raises(StructureError, match="'net' has no component 'left' to remove"):
        net.remove(stranger)
    with pytest.raises(
        StructureError, match=r"'net\.sender\.out' is not coupled to 'net\.left\.into' in 'net'"
    ):
        net.uncouple(net.sender.out, net.left.into)
    net.couple(net.sender.out, net.left.into)
    net.uncouple(net.sender.out, net.left.into)
    with pytest.raises(
        StructureError, match=r"'net\.sender\.out' is not coupled to 'net\.left\.into' in 'net'"
    ):
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

    assert f"{path}.a.into -> {path}.a.out -> {path}.b.into -> {path}.b.out -> {path}.a.into" in str(
        caught.value
    )


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
        with pytest.raises(
            StructureError, match=f"'{model.name}' cannot be added to 'other': it is part of a run"
        ):
            Coupled("other").add(model)
    with Simulation(model) as simulation:
        simulation.run()


def test_a_part_of_a_model_is_not_run_by_itself() -> None:
    with pytest.raises(
        StructureError, match=r"'net\.left' cannot be run by itself: it stands in another model"
    ):
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

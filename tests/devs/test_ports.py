"""Ports: what may pass, who may send, and who may watch."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal, Protocol, TypedDict, Union

import pytest

from kumi.devs import (
    Coupled,
    PortError,
    Simulation,
    StructureError,
)
from tests.devs.parts import Listener, Sender, Shell, Ticker, feed

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
        (Annotated[int, "metres"], [1], ["1"]),
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


class Unchecked(Protocol):
    """Cannot be asked whether a value fits."""

    def bark(self) -> None: ...


class Record(TypedDict):
    """A dict to the eye of Python."""

    number: int


@pytest.mark.parametrize("declared", ["int", 5, [int], int.__add__, Literal["a"], Unchecked, Record])
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
            with pytest.raises(StructureError, match=r"model 'model' has a port named '?a'? already"):
                again("a", int)


def test_ports_know_their_place() -> None:
    outer = Coupled("outer")
    listener = outer.add(Coupled("inner")).add(Listener("listener", int | str))
    port = listener.into

    assert (port.path, port.name, port.owner, port.type) == (
        "outer.inner.listener.into",
        "into",
        listener,
        int | str,
    )
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
    with pytest.raises(PortError, match=r"port 'other.out' cannot send: its model is in no run"):
        Simulation(Thief("thief", (1.0, 1))).run()
    with pytest.raises(PortError, match=r"port 'other.out' cannot send: its model is in no run"):
        other.out.send(1)


def test_a_model_may_not_send_on_the_port_of_another_in_its_run() -> None:
    net = Coupled("net")
    other = net.add(Sender("other"))

    class Thief(Sender):
        def output(self) -> None:
            other.out.send(1)

    net.add(Thief("thief", (1.0, 1)))

    with pytest.raises(
        PortError, match=r"model 'net.thief' sent on port 'net.other.out', which belongs to another"
    ):
        Simulation(net).run()


def test_the_port_of_a_coupled_model_does_not_send() -> None:
    shell = Shell("shell", Sender("sender"))

    with pytest.raises(PortError, match=r"port 'shell.out' belongs to a coupled model and only passes on"):
        shell.out.send(1)


def test_only_a_fitting_rank_is_accepted() -> None:
    assert [Sender("sender", rank=rank).rank for rank in (0, 7)] == [0, 7]
    for rank in (-1, 8):
        with pytest.raises(
            StructureError, match=rf"the rank of model 'sender' is {rank}; allowed are 0 to 7"
        ):
            Sender("sender", rank=rank)


# Watchers.


def test_watchers_on_every_level_see_what_passes() -> None:
    """Flattening leaves the ports between sender and receiver out of the way, but not their watchers."""
    seen: list[tuple[str, float, Any]] = []

    def see(path: str, time: float, value: object) -> None:
        seen.append((path, time, value))

    net = Coupled("net")
    shell = net.add(Shell("outer", Shell("inner", Sender("sender", (1.0, "x"), (2.5, "y")))))
    listener = net.add(Listener("listener"))
    result = net.add_output("result", object)
    net.couple(shell.out, listener.into)
    net.couple(shell.out, result)
    inner = shell.inner
    assert isinstance(inner, Shell)
    for port in (inner.inner.out, inner.out, shell.out, result, listener.into):
        port.watch(partial(see, port.path))

    Simulation(net).run()

    paths = [
        "net.outer.inner.sender.out",
        "net.outer.inner.out",
        "net.outer.out",
        "net.listener.into",
        "net.result",
    ]
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

    def see(name: str, _time: float, _value: object) -> None:
        seen.append(name)

    sender = Sender("sender", (1.0, "x"))
    for name in ("first", "second", "third"):
        sender.out.watch(partial(see, name))

    Simulation(sender).run()

    assert seen == ["first", "second", "third"]


def test_a_watcher_sees_what_is_injected() -> None:
    seen: list[tuple[str, float, Any]] = []

    def see(path: str, time: float, value: object) -> None:
        seen.append((path, time, value))

    net = Coupled("net")
    into = net.add_input("into", object)
    listener = net.add(Listener("listener"))
    net.couple(into, listener.into)
    for port in (into, listener.into):
        port.watch(partial(see, port.path))
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

"""Input from outside: planned for a time, or given to a run that is driven by hand."""

from __future__ import annotations

import math
import threading

import pytest

from kumi import Signal, now
from kumi.devs import Coupled, PortError, Simulation
from tests.devs.parts import Listener, Sender, Ticker
from tests.waiting import PATIENCE, beside, wait_for

# Planned.


def test_planned_input_comes_at_its_time_in_the_order_it_was_given() -> None:
    listener = Listener("listener")
    simulation = Simulation(listener)
    for value, instant in (("b", 2.0), ("a", 1.0), ("c", 2.0)):
        simulation.inject(listener.into, value, at=instant)

    simulation.run()

    assert listener.heard == [(1.0, ["a"]), (2.0, ["b", "c"])]


def test_input_for_the_present_comes_at_the_present() -> None:
    listener = Listener("listener")
    simulation = Simulation(listener)
    simulation.inject(listener.into, "zero")
    simulation.run(until=3.0)
    simulation.inject(listener.into, "three")
    simulation.inject(listener.into, "three, too", at=3.0)

    simulation.run()

    assert listener.heard == [(0.0, ["zero"]), (3.0, ["three", "three, too"])]


def test_input_meets_what_models_send_at_that_time_in_one_bag() -> None:
    net = Coupled("net")
    sender, listener = net.add(Sender("sender", (1.0, "sent"))), net.add(Listener("listener"))
    net.couple(sender.out, listener.into)
    simulation = Simulation(net)
    simulation.inject(listener.into, "injected", at=1.0)

    simulation.run()

    assert listener.heard == [(1.0, ["sent", "injected"])]


def test_input_to_a_coupled_model_goes_to_all_it_leads_to() -> None:
    net = Coupled("net")
    into = net.add_input("into", int)
    listeners = [net.add(Listener(name)) for name in "ab"]
    for listener in listeners:
        net.couple(into, listener.into)
    simulation = Simulation(net)
    simulation.inject(into, 7, at=1.0)

    simulation.run()

    assert [listener.heard for listener in listeners] == [[(1.0, [7])]] * 2


def test_a_signal_can_be_fired_from_outside() -> None:
    bell: Signal[str] = Signal("bell")
    heard: list[tuple[float, str]] = []

    async def listen() -> None:
        async for word in bell:
            heard.append((now(), word))  # noqa: PERF401  # each has its own time

    simulation = Simulation()
    simulation.start(listen)
    simulation.inject(bell, "ding", at=1.0)
    simulation.inject(bell, "dong", at=2.0)

    simulation.run()

    assert heard == [(1.0, "ding"), (2.0, "dong")]
    simulation.close()


def test_input_of_the_wrong_kind_is_refused_where_it_is_given() -> None:
    net = Coupled("net")
    listener, sender = net.add(Listener("listener", int)), net.add(Sender("sender"))
    simulation = Simulation(net)
    stranger = Listener("stranger")

    with pytest.raises(PortError, match=r"port 'net\.listener\.into' carries int, but was given 'one'"):
        simulation.inject(listener.into, "one")
    with pytest.raises(
        PortError, match=r"input goes to an input port or a signal, not to <.*'net\.sender\.out'>"
    ):
        simulation.inject(sender.out, 1)  # type: ignore[arg-type]
    with pytest.raises(
        PortError, match=r"port 'stranger\.into' belongs to a model that is not part of this run"
    ):
        simulation.inject(stranger.into, 1)
    assert simulation.planned == 0


# Driven from outside.


def test_a_run_driven_by_hand_takes_input_between_its_steps() -> None:
    net = Coupled("net")
    ticker, listener = net.add(Ticker("ticker", count=2)), net.add(Listener("listener"))
    net.couple(ticker.out, listener.into)
    simulation = Simulation(net)
    simulation.advance()
    simulation.inject(listener.into, "now")
    simulation.inject(listener.into, "between", at=1.5)

    assert [simulation.advance() for _ in range(4)] == [1.0, 1.5, 2.0, math.inf]
    assert listener.heard == [(1.0, [0]), (1.0, ["now"]), (1.5, ["between"]), (2.0, [1])]


def test_input_from_a_thread_reaches_a_run_driven_by_hand() -> None:
    """It comes with the next step, wherever the run was when it was given."""
    listener = Listener("listener")
    simulation = Simulation(listener)
    came = threading.Event()
    simulation.schedule(1.0, lambda: came.wait(PATIENCE))

    def give() -> None:
        wait_for(lambda: simulation.now == 1.0)
        simulation.inject(listener.into, "while it works")
        came.set()

    with beside(give):
        simulation.advance()
    with beside(lambda: simulation.inject(listener.into, "while it does not")):
        pass
    while simulation.advance() < math.inf:
        pass

    assert [value for _, bag in listener.heard for value in bag] == ["while it works", "while it does not"]
    assert {instant for instant, _ in listener.heard} == {1.0}

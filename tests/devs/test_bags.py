"""Bags: all input of a step comes at once, in an order that never changes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kumi.devs import (
    Coupled,
    Simulation,
    Statistics,
)
from tests.devs.parts import Listener, Sender, feed
from tests.waiting import PATIENCE

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
from kumi.devs import Coupled, Simulation
from tests.devs.parts import Listener, Sender

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
            timeout=PATIENCE,
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

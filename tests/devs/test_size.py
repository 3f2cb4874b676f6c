"""Models may be large: nested thousands deep, with many components, in time that grows with the size."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

from kumi.devs import (
    Coupled,
    Simulation,
    coupled_models,
)
from tests.devs.parts import Listener, Sender, Ticker, Wire


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
    """Give the best of three processor times, without the collector, which has a time of its own."""
    times = []
    for _ in range(3):
        gc.collect()
        gc.disable()
        begin = time.process_time()
        work(size)
        times.append(time.process_time() - begin)
        gc.enable()
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

    def remove_all() -> None:
        for listener in listeners:
            net.remove(listener)

    with Simulation(net) as simulation:
        simulation.schedule(1.0, remove_all)
        simulation.run()
    assert (net.components, net.couplings, into.targets) == ((), (), ())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "size"),
    [(flat, 300), (deep, 300), (levels, 200), (emptied, 200)],
    ids=["flat", "deep", "levels", "emptied"],
)
def test_work_grows_with_the_model_and_not_with_its_square(work: Callable[[int], object], size: int) -> None:
    """Twenty times the model takes some twenty times as long; quadratic work would take four hundred times."""
    work(size)  # the first time costs extra

    assert least_seconds(work, 20 * size) < 150.0 * least_seconds(work, size)

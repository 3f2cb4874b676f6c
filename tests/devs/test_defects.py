"""The defects found in other kernels, each as a law of this one."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial

import pytest

from kumi import Signal, after, sleep, until
from kumi.devs import Atomic, Coupled, Simulation
from kumi.testing.devstone import WiringKind, measure
from tests.devs.parts import Listener, Sender, Shell, Ticker
from tests.waiting import PATIENCE


def test_zero_time_steps_later_than_zero_are_in_order() -> None:
    """A minimal kernel mis-orders them: HOmod of width 5 and depth 6 with 2 seeds makes 1,422 of each."""
    measured = measure(WiringKind.HOMOD, 5, 6, seeds=2)

    assert (measured.counts.internal, measured.counts.external) == (1_422, 1_422)
    assert measured.disagreements() == []


ORDER = """
from kumi.devs import Coupled, Simulation
from tests.devs.parts import Listener, Sender
net = Coupled("net")
listener = net.add(Listener("listener"))
for name in ("delta", "alpha", "charlie", "bravo", "echo"):
    net.couple(net.add(Sender(name, (1.0, name), (2.0, {name}))).out, listener.into)
print(Simulation(net).run().trace_hash, [next(iter(v)) if isinstance(v, set) else v for _, b in listener.heard for v in b])
"""


def test_bag_order_does_not_change_from_run_to_run() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", ORDER],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        ).stdout
        for seed in ("1", "2", "3")
    ]

    assert said[0] == said[1] == said[2]
    assert said[0].split(" ", 1)[1].strip() == str(["delta", "alpha", "charlie", "bravo", "echo"] * 2)


def test_an_external_transition_is_made_once_a_bag_not_once_a_message() -> None:
    net = Coupled("net")
    listener = net.add(Listener("listener"))
    for number in range(10):
        net.couple(net.add(Sender(f"sender {number}", (1.0, number))).out, listener.into)
    simulation = Simulation(net)

    simulation.run()

    assert listener.heard == [(1.0, list(range(10)))]
    assert (simulation.statistics.external, simulation.statistics.messages) == (1, 10)


def test_an_abandoned_wait_swallows_no_item() -> None:
    """One waits for an item and gives up; the item that comes later goes to the one who still waits."""
    items: Signal[str] = Signal("items")
    log: list[tuple[str, str | None]] = []
    simulation = Simulation()

    async def impatient() -> None:
        item = None
        with until(after(1.0)):
            item = await items.next()
        log.append(("impatient", item))

    async def patient() -> None:
        log.append(("patient", await items.next()))

    async def giver() -> None:
        await sleep(2.0)
        assert items.listeners == 1
        items.fire("item")

    for program in (impatient, patient, giver):
        simulation.start(program)

    simulation.run()

    assert log == [("impatient", None), ("patient", "item")]


def test_withdrawn_entries_do_not_stay_in_the_queue() -> None:
    """A thousand waits cut short: the queue holds what lives, not what was."""
    never: Signal[None] = Signal("never")
    simulation = Simulation()
    most: list[int] = []

    async def restless() -> None:
        for _ in range(1000):
            with until(after(0.001)), until(after(1e6)):
                await never.next()
            most.append(simulation.planned)

    simulation.start(restless)

    simulation.run()

    assert max(most) <= 2
    assert simulation.planned == 0
    assert simulation.now == pytest.approx(1.0)


def test_the_clock_does_not_go_backwards() -> None:
    """Not by an event planned in the past, not by a model, not by a run to an earlier time."""
    times: list[float] = []

    class Restless(Atomic):
        def __init__(self) -> None:
            super().__init__("restless")
            self.hold(1.0)

        def internal(self) -> None:
            times.append(self.now)
            with pytest.raises(ValueError, match=">= 0"):
                self.hold(-0.5)
            with pytest.raises(ValueError, match="past"):
                self.hold_until(self.now - 0.5)
            if self.now < 3.0:
                self.hold(0.5)

    simulation = Simulation(Restless())
    simulation.run(until=2.0)
    for deed in (
        lambda: simulation.run(until=1.0),
        lambda: simulation.schedule(1.0, list),
        lambda: simulation.schedule(5.0, list).move(1.0),
    ):
        with pytest.raises(ValueError, match="already"):
            deed()

    simulation.run(until=4.0)

    assert times == [1.0, 1.5, 2.0, 2.5, 3.0]


def test_flattening_keeps_observers_on_coupled_ports() -> None:
    seen: list[tuple[str, float, int]] = []

    def see(path: str, time: float, value: int) -> None:
        seen.append((path, time, value))

    shell = Shell("a", Shell("b", Shell("c", Ticker("ticker", count=2))))
    at: Shell | Ticker | Sender = shell
    while isinstance(at, Shell):
        at.out.watch(partial(see, at.path))
        at = at.inner

    Simulation(shell).run()

    assert sorted(seen) == [
        (path, time, int(time) - 1) for path in ("a", "a.b", "a.b.c") for time in (1.0, 2.0)
    ]


def test_flattening_is_not_quadratic() -> None:
    """A chain of couplings is followed once from each sender, when it first sends, and then remembered.

    So values through a thousand levels do not take a thousand times as long as through one; the bound is
    generous, as the machine may be busy.
    """

    def seconds(depth: int) -> float:
        ticker = Ticker("ticker", count=2000)
        shell = Shell("shell", ticker)
        for _ in range(depth - 1):
            shell = Shell("shell", shell)
        net = Coupled("net")
        net.add(shell)
        listener = net.add(Listener("listener"))
        net.couple(shell.out, listener.into)
        best = float("inf")
        with Simulation(net, hashed=False) as simulation:
            simulation.run(until=1.0)
            for part in range(1, 4):
                begin = time.process_time()
                simulation.run(until=part * 600.0)
                best = min(best, time.process_time() - begin)
        assert len(listener.heard) == 1800
        return best

    assert seconds(1000) < 60.0 * seconds(1)

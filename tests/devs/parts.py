"""Small models that the tests of the kernel put together."""

from __future__ import annotations

from typing import Any

from kumi.devs import Atomic, Coupled, InPort, OutPort, Simulation

Bag = tuple[float, list[Any]]
"""When input came, and what, in the order of the bag."""


class Sender(Atomic):
    """Sends each value so many seconds after its entry; values of one instant go out together."""

    def __init__(self, name: str, *plan: tuple[float, Any], type: Any = object, rank: int = 0) -> None:
        super().__init__(name, rank=rank)
        self.out: OutPort[Any] = self.add_output("out", type)
        self.plan = sorted(plan, key=lambda item: item[0])
        self.entry: float | None = None
        if self.plan:
            self.hold(self.plan[0][0])

    def output(self) -> None:
        if self.entry is None:
            self.entry = self.last_time
        for after, value in self.plan:
            if self.entry + after == self.now:
                self.out.send(value)

    def internal(self) -> None:
        entry = self.entry or 0.0
        self.plan = [item for item in self.plan if entry + item[0] > self.now]
        if self.plan:
            self.hold_until(entry + self.plan[0][0])


class Ticker(Atomic):
    """Sends 0, 1, 2, ... with a period, so many times, and writes its instants down."""

    def __init__(self, name: str, period: float = 1.0, count: int = 3, *, rank: int = 0) -> None:
        super().__init__(name, rank=rank)
        self.out = self.add_output("out", int)
        self.period = period
        self.count = count
        self.ticks: list[float] = []
        self.hold(period)

    def output(self) -> None:
        self.out.send(len(self.ticks))

    def internal(self) -> None:
        self.ticks.append(self.now)
        if len(self.ticks) < self.count:
            self.hold(self.period)


class Listener(Atomic):
    """Writes every bag down."""

    def __init__(self, name: str, type: Any = object) -> None:
        super().__init__(name)
        self.into: InPort[Any] = self.add_input("into", type)
        self.heard: list[Bag] = []

    def external(self) -> None:
        self.heard.append((self.now, list(self.into)))


class Wire(Coupled):
    """Leads its input straight to its output, without a model between."""

    def __init__(self, name: str, type: Any = int) -> None:
        super().__init__(name)
        self.into: InPort[Any] = self.add_input("into", type)
        self.out: OutPort[Any] = self.add_output("out", type)
        self.couple(self.into, self.out)


class Shell(Coupled):
    """Wraps a sender: what it sends comes out of the shell."""

    def __init__(self, name: str, inner: Sender | Ticker | Shell) -> None:
        super().__init__(name)
        self.inner = self.add(inner)
        self.out: OutPort[Any] = self.add_output("out", object)
        self.couple(inner.out, self.out)


class Net(Coupled):
    """A sender of text, and two listeners."""

    def __init__(self, name: str = "net") -> None:
        super().__init__(name)
        self.into = self.add_input("into", str)
        self.out = self.add_output("out", str)
        self.sender = self.add(Sender("sender", (1.0, "x"), (2.0, "y"), (3.0, "z"), type=str))
        self.left = self.add(Listener("left", str))
        self.right = self.add(Listener("right", str))


def feed(model: Atomic, into: InPort[Any], *plan: tuple[float, Any]) -> Simulation:
    """Make a simulation that brings values to a port."""
    simulation = Simulation(model)
    for instant, value in plan:
        simulation.inject(into, value, at=instant)
    return simulation

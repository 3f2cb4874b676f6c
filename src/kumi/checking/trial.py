"""One run of a case: nodes on a simulated network, faults from a plan, monitors that judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kumi.checking.case import Case
from kumi.checking.monitors import Ending, Monitor, Violation
from kumi.kernel import Simulation
from kumi.network import Effect, Exponential, Node, SimulatedNetwork
from kumi.protocols import Layer, Observation, Stack


@dataclass(frozen=True)
class Verdict:
    """What came out of one run."""

    seed: int
    violation: Violation | None
    time: float
    messages: int
    trace_hash: str


class Trial:
    """A case set up with so many nodes; `run` lets it happen."""

    def __init__(
        self,
        case: Case,
        *,
        nodes: int | None = None,
        seed: int = 0,
        stack: Callable[[], Stack] | None = None,
        effects: tuple[Effect, ...] = (),
    ) -> None:
        self.case = case
        self.seed = seed
        self.simulation = Simulation(seed=seed)
        self.network = SimulatedNetwork(self.simulation, Exponential(0.01), *effects)
        self.monitors = case.monitors()
        self._stack = case.stack if stack is None else stack
        self._crashed: set[int] = set()
        self._watched: dict[int, list[Monitor]] = {}
        group = range(case.nodes if nodes is None else nodes)
        self.nodes = [
            Node(self.simulation, self.network, address, group=group, move_in=self._move_in)
            for address in group
        ]

    def _move_in(self, node: Node) -> Stack:
        stack = self._stack()
        stack.settle(node, self._observe)
        for monitor in self.monitors:
            layer: Layer[Any] = stack[monitor.watches]
            self._watched.setdefault(id(layer), []).append(monitor)
        return stack

    def _observe(self, seen: Observation) -> None:
        for monitor in self._watched.get(id(seen.layer), ()):
            monitor.observe(seen)

    def crash(self, address: int) -> None:
        """Let a node go down."""
        self._crashed.add(address)
        for monitor in self.monitors:
            monitor.crashed(self.simulation.now, address)
        self.nodes[address].crash()

    def run(self) -> Verdict:
        """Let everything happen, and judge it."""
        violation = None
        try:
            for node in self.nodes:
                node.start()
            self.simulation.run(until=self.case.duration + self.case.settling)
            self._finish()
        except Violation as found:
            violation = found
        simulation = self.simulation
        verdict = Verdict(self.seed, violation, simulation.now, self.network.sent, simulation.trace_hash)
        simulation.close()
        return verdict

    def _finish(self) -> None:
        everyone = frozenset(node.address for node in self.nodes)
        up = frozenset(node.address for node in self.nodes if node.is_up)
        ending = Ending(self.simulation.now, tuple(sorted(everyone)), everyone - self._crashed, up, True)
        for monitor in self.monitors:
            monitor.finish(ending)

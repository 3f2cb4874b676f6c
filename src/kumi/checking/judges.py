"""Monitors at work: they see the stacks of all nodes, on whatever network, and the first violation counts.

A trial has judges, and a run on a real network can have them as well: give a node's stack to `move_in`, and
call `finish` when all should have happened.

    judges = Judges(case.monitors())
    Node(simulation, network, address, group=group, move_in=lambda node: judges.move_in(case.stack(), node))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kumi.checking.monitors import Ending, Monitor, Violation
from kumi.contract.messages import Address
from kumi.network import Node
from kumi.protocols import Layer, Observation, Stack


class Judges:
    """The monitors of one run; `told` hears of all that they see."""

    def __init__(
        self, monitors: Sequence[Monitor], told: Callable[[Observation], None] | None = None
    ) -> None:
        self.monitors = monitors
        self.violation: Violation | None = None
        self.caught_by: type[Monitor] | None = None
        self.crashed: set[Address] = set()
        self.seen = 0  # what was asked of the layers they watch, and told by them
        self._told = told
        self._watched: dict[Address, dict[int, list[Monitor]]] = {}

    def move_in(self, stack: Stack, node: Node) -> Stack:
        """Let a stack settle on a node, under the eyes of the monitors."""
        if node.address in self.crashed:
            for monitor in self.monitors:
                self._ask(monitor, monitor.restarted, node.simulation.now, node.address)
        stack.settle(node, self._observe, of=[monitor.watches for monitor in self.monitors])
        # By identity, for the layers of this life alone: those of the life before are gone.
        watched = self._watched[node.address] = {}
        for monitor in self.monitors:
            layer: Layer[*tuple[Any, ...]] = stack[monitor.watches]
            watched.setdefault(id(layer), []).append(monitor)
        return stack

    def see_crash(self, time: float, address: Address) -> None:
        """Tell the monitors that a node went down."""
        self.crashed.add(address)
        for monitor in self.monitors:
            self._ask(monitor, monitor.crashed, time, address)

    def finish(self, time: float, nodes: Iterable[Node]) -> None:
        """Judge what had to happen, after faults have stopped and everything has settled."""
        nodes = tuple(nodes)
        everyone = frozenset(node.address for node in nodes)
        up = frozenset(node.address for node in nodes if node.is_up)
        ending = Ending(time, tuple(sorted(everyone)), everyone - self.crashed, up, True)
        for monitor in self.monitors:
            self._ask(monitor, monitor.finish, ending)

    def _observe(self, seen: Observation) -> None:
        self.seen += 1
        if self._told is not None:
            self._told(seen)
        for monitor in self._watched[seen.address].get(id(seen.layer), ()):
            self._ask(monitor, monitor.observe, seen)

    def _ask(self, monitor: Monitor, judge: Callable[..., None], *what: object) -> None:
        """Ask a monitor; what is found first counts, even if a layer catches the error."""
        try:
            judge(*what)
        except Violation as found:
            if self.violation is None:
                self.violation, self.caught_by = found, type(monitor)
            raise

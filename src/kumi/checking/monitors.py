"""Judging a run: does each layer keep its promise?

A monitor watches what is asked of a layer and what the layer tells, at all nodes, and the crashes. What
must never happen (safety) it reports at once, by raising `Violation`. What must happen in the end
(liveness) it judges in `finish`, which is called when faults have stopped and the network is quiet.

A trial has judges, and a run on a real network can have them as well: give a node's stack to `move_in`, and
call `finish` when all should have happened.

    judges = Judges(case.monitors())
    Node(simulation, network, address, group=group, move_in=lambda node: judges.move_in(case.stack(), node))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kumi.contract.messages import Address
from kumi.network import Node
from kumi.protocols import Layer, Observation, Stack


class Violation(Exception):
    """A property was broken; its text says who did what, when, against which property."""

    def __init__(self, rule: str, story: str) -> None:
        super().__init__(f"{rule}: {story}")
        self.rule = rule
        self.story = story


@dataclass(frozen=True)
class RunEnding:
    """How a run ended: who never crashed, who is up now, and whether all had settled."""

    time: float
    group: tuple[Address, ...]
    correct: frozenset[Address]
    up: frozenset[Address]
    is_quiet: bool


class Monitor:
    """Watches one layer, by the guarantee it offers; override what is needed."""

    watches: type[Layer[*tuple[Any, ...]]]
    """The guarantee it judges; it sees the requests and the tellings of the topmost layer that offers it."""

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """See what is asked of the layer at a node."""

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """See what the layer tells at a node."""

    def crashed(self, time: float, address: Address) -> None:
        """See a node go down."""

    def restarted(self, time: float, address: Address) -> None:
        """See a node come back."""

    def finish(self, ending: RunEnding) -> None:
        """Judge what had to happen."""

    def observe(self, seen: Observation) -> None:
        """Take an observation of the layer it watches."""
        if seen.what == "tell":
            self.indicated(seen.time, seen.address, seen.event)
        else:
            self.request(seen.time, seen.address, seen.what, seen.event)


def broken(rule: str, *story: str) -> Violation:
    """Make a violation of a rule from sentences."""
    return Violation(rule, "; ".join(story))


def names(addresses: Iterable[Address]) -> str:
    """Write addresses in order."""
    return ", ".join(str(address) for address in sorted(addresses)) or "nobody"


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
        ending = RunEnding(time, tuple(sorted(everyone)), everyone - self.crashed, up, True)
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

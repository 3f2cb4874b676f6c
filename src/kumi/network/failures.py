"""When do nodes crash, come back, and stand still?

A schedule of failures is planned once, before or during a run. What happens at an instant happens before
the messages and timers of that instant: a node that crashes at 3 s receives nothing at 3 s.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from math import inf, isinf
from typing import TypeAlias

from kumi.contract.messages import Address
from kumi.devs.ranks import FAULT_RANK
from kumi.network.checks import check_window
from kumi.network.errors import NetworkError, UnknownNode
from kumi.network.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCrash:
    """A node goes down at `start`; it comes back at `end`, with what it stored unless it is to `forget`."""

    node: Address
    start: float
    end: float = inf
    forget: bool = False

    def __post_init__(self) -> None:
        check_window(self.start, self.end, "a crash")

    def plan(self, node: Node) -> None:
        """Let it happen to a node."""
        node.simulation.schedule(self.start, node.crash, rank=FAULT_RANK)
        if not isinf(self.end):
            node.simulation.schedule(self.end, partial(node.restart, forget=self.forget), rank=FAULT_RANK)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePause:
    """A node stands still from `start`, and goes on at `end` with what came meanwhile."""

    node: Address
    start: float
    end: float

    def __post_init__(self) -> None:
        check_window(self.start, self.end, "a pause")

    def plan(self, node: Node) -> None:
        """Let it happen to a node."""
        node.simulation.schedule(self.start, node.pause, rank=FAULT_RANK)
        if not isinf(self.end):
            node.simulation.schedule(self.end, node.resume, rank=FAULT_RANK)


Failure: TypeAlias = NodeCrash | NodePause


def plan_failures(nodes: Iterable[Node], failures: Iterable[Failure]) -> None:
    """Let failures happen to nodes at their instants."""
    there = {node.address: node for node in nodes}
    schedule = list(failures)
    for failure in schedule:
        if failure.node not in there:
            raise UnknownNode(f"there is no node {failure.node} for {failure!r}; there are {sorted(there)}")
    check_apart(schedule)
    for failure in schedule:
        failure.plan(there[failure.node])


def check_apart(schedule: Iterable[Failure]) -> None:
    """Refuse two failures of one node at a time: the end of one would end the other."""
    until: dict[Address, Failure] = {}
    for failure in sorted(schedule, key=lambda one: one.start):
        before = until.get(failure.node)
        if before is not None and before.end > failure.start:
            raise NetworkError(f"node {failure.node} cannot fail twice at a time: {before!r} and {failure!r}")
        until[failure.node] = failure

"""Judging a run: does each layer keep its promise?

A monitor watches what is asked of a layer and what the layer tells, at all nodes, and the crashes. What
must never happen (safety) it reports at once, by raising `Violation`. What must happen in the end
(liveness) it judges in `finish`, which is called when faults have stopped and the network is quiet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kumi.contract.messages import Address
from kumi.protocols import Layer, Observation


class Violation(Exception):
    """A property was broken; its text says who did what, when, against which property."""

    def __init__(self, rule: str, story: str) -> None:
        super().__init__(f"{rule}: {story}")
        self.rule = rule
        self.story = story


@dataclass(frozen=True)
class Ending:
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

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """See what the layer tells at a node."""

    def crashed(self, time: float, address: Address) -> None:
        """See a node go down."""

    def restarted(self, time: float, address: Address) -> None:
        """See a node come back."""

    def finish(self, ending: Ending) -> None:
        """Judge what had to happen."""

    def observe(self, seen: Observation) -> None:
        """Take an observation of the layer it watches."""
        if seen.what == "tell":
            self.told(seen.time, seen.address, seen.event)
        else:
            self.request(seen.time, seen.address, seen.what, seen.event)


def broken(rule: str, *story: str) -> Violation:
    """Make a violation of a rule from sentences."""
    return Violation(rule, "; ".join(story))


def names(addresses: Iterable[Address]) -> str:
    """Write addresses in order."""
    return ", ".join(str(address) for address in sorted(addresses)) or "nobody"

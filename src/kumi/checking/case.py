"""What is checked: a stack, what is asked of it, who judges, and which bugs must be found.

A case belongs to one protocol. Its top layer is a workload, which asks the protocol for things as a user
would; it needs the guarantee by an annotation like any layer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite

from kumi.checking.monitors import Monitor
from kumi.protocols import Stack


def a_minority(nodes: int) -> int:
    """Return how many of so many may crash if a majority must stay."""
    return (nodes - 1) // 2


def all_but_one(nodes: int) -> int:
    """Return how many of so many may crash if one must stay."""
    return nodes - 1


def nobody(_nodes: int) -> int:
    """Return 0: the protocol stands no crash."""
    return 0


FOUND_WITHIN = 200
"""Runs within which a planted bug is found where its case says nothing else."""


@dataclass(frozen=True)
class Case:
    """A protocol under test.

    `faults` names the kinds of fault under which its promises hold; `crashes` says how many nodes may
    crash. After `duration` seconds faults stop, and after `settling` more all must have happened. `mutants`
    are stacks with a planted bug, by name; each is found within 200 runs from seed 0 on, or as many as
    `within` says. With fewer than `fewest` nodes the protocol makes no sense. The first `above` layers ask, and the
    one below them is tried.
    """

    name: str
    promise: str
    stack: Callable[[], Stack]
    monitors: Callable[[], list[Monitor]]
    faults: frozenset[str]
    mutants: Mapping[str, Callable[[], Stack]] = field(default_factory=dict)
    crashes: Callable[[int], int] = a_minority
    duration: float = 10.0
    settling: float = 60.0
    nodes: int = 5
    fewest: int = 2
    within: Mapping[str, int] = field(default_factory=dict)
    above: int = 1

    def __post_init__(self) -> None:
        for what, seconds in (("duration", self.duration), ("settling", self.settling)):
            if not (isfinite(seconds) and seconds > 0.0):
                raise ValueError(
                    f"the {what} of case '{self.name}' is a positive number of seconds, not {seconds!r}"
                )
        if not 1 <= self.fewest <= self.nodes:
            raise ValueError(f"case '{self.name}' has {self.nodes} nodes, and {self.fewest} at the fewest")

    def runs_to_find(self, mutant: str) -> int:
        """Return in how many runs a mutant is found."""
        return self.within.get(mutant, FOUND_WITHIN)

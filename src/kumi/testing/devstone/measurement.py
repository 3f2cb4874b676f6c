"""What does a DEVStone model count when it runs, and how long does that take?"""

from __future__ import annotations

from dataclasses import dataclass, fields
from time import perf_counter
from typing import TYPE_CHECKING

from kumi.devs import Atomic, Coupled, InPort, OutPort, Simulation, Statistics
from kumi.testing.devstone.wiring import (
    CHILD,
    LEVEL,
    CouplingEnd,
    DevstoneCounts,
    Wiring,
    WiringKind,
    check_size,
    closed_form,
    innermost,
    wiring,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


class Stone(Atomic):
    """An atomic that answers each bag of messages at once with one message, and counts what it does."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.inlet = self.add_input("in", int)
        self.outlet = self.add_output("out", int)
        self.internals = 0
        self.externals = 0

    def output(self) -> None:
        """Send one message."""
        self.outlet.send(0)

    def internal(self) -> None:
        """Rest until the next bag."""
        self.internals += 1

    def external(self) -> None:
        """Become active for no time."""
        self.externals += 1
        self.hold(0.0)


class DevstoneLevel(Coupled):
    """One level of a DEVStone model around the next inner one."""

    def __init__(self, name: str, plan: Wiring, child: DevstoneLevel | None) -> None:
        super().__init__(name)
        self.entries: dict[str, InPort[int]] = {port: self.add_input(port, int) for port in plan.inputs}
        self.exits: dict[str, OutPort[int]] = {port: self.add_output(port, int) for port in plan.outputs}
        self.child = None if child is None else self.add(child)
        self.stones = [self.add(Stone(f"atomic{k}")) for k in range(plan.atomics)]
        for source, target in plan.couplings:
            self.couple(self._source(source), self._target(target))

    def _source(self, place: CouplingEnd) -> InPort[int] | OutPort[int]:
        if place.part == LEVEL:
            return self.entries[place.port]
        if place.part == CHILD:
            assert self.child is not None
            return self.child.exits[place.port]
        return self.stones[place.part].outlet

    def _target(self, place: CouplingEnd) -> InPort[int] | OutPort[int]:
        if place.part == LEVEL:
            return self.exits[place.port]
        if place.part == CHILD:
            assert self.child is not None
            return self.child.entries[place.port]
        return self.stones[place.part].inlet


def build(kind: WiringKind, width: int, depth: int) -> list[DevstoneLevel]:
    """Build a model from the innermost level outwards; the last level is the whole model."""
    check_size(width, depth)
    levels = [DevstoneLevel("level1", innermost(kind), None)]
    plan = wiring(kind, width)
    for level in range(2, depth + 1):
        levels.append(DevstoneLevel(f"level{level}", plan, levels[-1]))
    return levels


@dataclass(frozen=True, kw_only=True)
class DevstoneMeasurement:
    """What was counted in one run, what the kernel says about it, and how long it took."""

    kind: WiringKind
    width: int
    depth: int
    seeds: int
    counts: DevstoneCounts
    statistics: Statistics
    build_seconds: float
    run_seconds: float

    @property
    def expected(self) -> DevstoneCounts:
        """What the closed form gives for this model."""
        return closed_form(self.kind, self.width, self.depth, self.seeds)

    @property
    def transitions_per_second(self) -> float:
        """Internal and external transitions in a second of the run; a confluent one counts as two."""
        return (self.counts.internal + self.counts.external) / self.run_seconds

    def disagreements(self) -> list[str]:
        """Say in sentences where models, kernel and closed form differ; an empty list is the proof."""
        wrong = []
        for field in fields(DevstoneCounts):
            counted, right = getattr(self.counts, field.name), getattr(self.expected, field.name)
            if counted != right:
                wrong.append(f"{field.name}: counted {counted:,}, but the closed form gives {right:,}.")
        for name in ("internal", "external"):
            own, told = getattr(self.counts, name), getattr(self.statistics, name) + self.statistics.confluent
            if own != told:
                wrong.append(f"{name}: the models counted {own:,}, but the kernel tells {told:,}.")
        return wrong


def measure(
    kind: WiringKind, width: int, depth: int, seeds: int = 1, *, hashed: bool = True
) -> DevstoneMeasurement:
    """Build a model, send one message into each of its inputs at 0, 1, 2 and so on, and count."""
    check_size(width, depth, seeds)
    began = perf_counter()
    levels = build(kind, width, depth)
    with Simulation(levels[-1], hashed=hashed) as simulation:
        built = perf_counter()
        for seed in range(seeds):
            for port in levels[-1].entries.values():
                simulation.inject(port, 0, at=float(seed))
        simulation.run()
        ran = perf_counter()
        statistics = simulation.statistics
    return DevstoneMeasurement(
        kind=kind,
        width=width,
        depth=depth,
        seeds=seeds,
        counts=count(levels, statistics),
        statistics=statistics,
        build_seconds=built - began,
        run_seconds=ran - built,
    )


def count(levels: Sequence[DevstoneLevel], statistics: Statistics) -> DevstoneCounts:
    """Count models and couplings as they stand, and transitions as the models counted them.

    No model can tell how many of its transitions were confluent, nor how long a bag was without
    slowing down what is measured; these two counts are the kernel's.
    """
    stones = [stone for level in levels for stone in level.stones]
    external_in = external_out = between = 0
    for level in levels:
        for source, target in level.couplings:
            external_in += source.owner is level
            external_out += target.owner is level
            between += source.owner is not level and target.owner is not level
    return DevstoneCounts(
        atomics=len(stones),
        external_in=external_in,
        between=between,
        external_out=external_out,
        internal=sum(stone.internals for stone in stones),
        external=sum(stone.externals for stone in stones),
        confluent=statistics.confluent,
        events=statistics.messages,
    )

"""The same monitors on a real run: recordings of all its nodes, replayed and judged together.

Each process recorded by its own clock, from its own start. The recordings are laid side by side so that no
packet comes before it was sent; what they show is then in an order that could have been. That is enough for
properties of what happened before what. One that speaks of the same instant at two nodes, such as mutual
exclusion, is judged only as finely as packets passed between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from kumi.checking.monitors import Judges, Monitor, RunEnding, Violation
from kumi.contract.messages import Address
from kumi.network import Node
from kumi.network.errors import NetworkError
from kumi.network.inbox import RawMessage
from kumi.network.recorded import Came, RecordedRun, Went, read_recording, replay
from kumi.protocols import Observation, Stack


class SeenEvent(NamedTuple):
    """Something that monitors are shown: when, in which order, and how."""

    time: float
    number: int
    show: Callable[[], None]


def judge_recordings(
    recordings: Iterable[RecordedRun | Path | str],
    stack: Callable[[], Stack],
    monitors: Sequence[Monitor],
    *,
    has_settled: bool = True,
) -> Violation | None:
    """Show a real run to monitors, and return the first violation.

    A recording that breaks off is a node that crashed; a second one of the same node is its next life.
    Without `has_settled`, what had to happen in the end is not judged.
    """
    runs = [read if isinstance(read, RecordedRun) else read_recording(read) for read in recordings]
    starts = aligned(runs)
    judges = Judges(monitors)
    seen: list[SeenEvent] = []

    def show(time: float, action: Callable[[], None]) -> None:
        seen.append(SeenEvent(time, len(seen), action))

    lives: set[Address] = set()
    for start, run in sorted(zip(starts, runs, strict=True), key=lambda pair: pair[0]):
        address = run.head.address
        if address in lives:
            show(start, partial(_each, monitors, "restarted", start, address))
        lives.add(address)
        replay(run, partial(_move_in, stack, monitors, start, show)).check()
        if run.end is None:
            show(start + run.last, partial(judges.see_crash, start + run.last, address))
    try:
        for one in sorted(seen, key=lambda one: one[:2]):
            one.show()
        if has_settled:
            _finish(judges, starts, runs)
    except Violation as found:
        return found
    return None


def _move_in(
    stack: Callable[[], Stack],
    monitors: Sequence[Monitor],
    start: float,
    show: Callable[[float, Callable[[], None]], None],
    node: Node,
) -> Stack:
    made = stack()
    watched: dict[int, list[Monitor]] = {}

    def observe(one: Observation) -> None:
        time = start + one.time
        shifted = Observation(time, one.address, one.layer, one.what, one.event)
        for monitor in watched[id(one.layer)]:
            show(time, partial(monitor.observe, shifted))

    made.settle(node, observe, of=[monitor.watches for monitor in monitors])
    for monitor in monitors:
        watched.setdefault(id(made[monitor.watches]), []).append(monitor)
    return made


def _each(monitors: Sequence[Monitor], what: str, time: float, address: Address) -> None:
    for monitor in monitors:
        getattr(monitor, what)(time, address)


def _finish(judges: Judges, starts: list[float], runs: list[RecordedRun]) -> None:
    group = frozenset(address for run in runs for address in run.head.group)
    time = max((start + run.last for start, run in zip(starts, runs, strict=True)), default=0.0)
    up = frozenset(run.head.address for run in runs if run.end is not None)
    ending = RunEnding(time, tuple(sorted(group)), group - judges.crashed, up, True)
    for monitor in judges.monitors:
        monitor.finish(ending)


def aligned(runs: Sequence[RecordedRun]) -> list[float]:
    """Return when each recording begins, so that no packet comes before it was sent; the first ones at 0.

    Each packet says that one start is at least so much later than another; the longest chain of such
    demands is found as by Bellman and Ford.
    """
    demands = _demands(runs)
    starts = [0.0] * len(runs)
    for _ in range(len(runs) + 1):
        late = [(pair, by) for pair, by in demands.items() if starts[pair[0]] + by > starts[pair[1]] + 1e-9]
        if not late:
            return starts
        for (sender, receiver), by in late:
            starts[receiver] = max(starts[receiver], starts[sender] + by)
    raise NetworkError("these recordings do not belong to one run: packets came before they were sent")


def _demands(runs: Sequence[RecordedRun]) -> dict[tuple[int, int], float]:
    """Return how much later one recording must begin than another, for each two between which packets went."""
    sent: dict[RawMessage, dict[int, float]] = {}
    for number, run in enumerate(runs):
        for entry in run.entries:
            if isinstance(entry, Went):  # a packet that was sent again may be the first one that came
                sent.setdefault(entry.packet, {}).setdefault(number, entry.time)
    demands: dict[tuple[int, int], float] = {}
    for number, run in enumerate(runs):
        for entry in run.entries:
            for packet in entry.packets if isinstance(entry, Came) else ():
                senders = sent.get(packet, {})
                if len(senders) == 1:  # two lives that sent the same say nothing
                    ((sender, time),) = senders.items()
                    pair = sender, number
                    demands[pair] = max(demands.get(pair, time - entry.time), time - entry.time)
    return demands

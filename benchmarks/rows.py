"""The table: what is measured, by which engines, and what is aimed at.

A row names a task, the numbers it is given, and the engines that run it, kumi first. `target` is what
kumi aims at. `known` holds what the peers reached when the target was set; the target divided by that
is the ratio to reach, which a slower or busier machine does not change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kumi.testing.devstone import WiringKind, closed_form

KUMI = "kumi"
XDEVS = "xdevs"
PYTHONPDEVS = "pythonpdevs"
SIMPY = "simpy"
SALABIM = "salabim"


@dataclass(frozen=True)
class Run:
    """One engine in a row: what its task is given, and how often it is measured."""

    engine: str
    params: dict[str, Any]
    repeats: int = 3
    quick: dict[str, Any] | None = field(default_factory=dict)
    """What `--quick` changes in the parameters; None leaves the run out."""
    module: str = ""
    """Where the tasks of the engine stand, if not in the module of `engines` that bears its name."""

    @property
    def place(self) -> str:
        """The module within `benchmarks` that has the engine's tasks."""
        return self.module or f"engines.with_{self.engine}"

    def ordered(self, *, quick: bool) -> tuple[dict[str, Any], int]:
        """Return the parameters and the number of repeats, none where the run is left out."""
        if not quick:
            return self.params, self.repeats
        if self.quick is None:
            return self.params, 0
        return {**self.params, **self.quick}, 1


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    title: str
    unit: str
    task: str
    runs: tuple[Run, ...]
    target: float | None = None
    more_is_better: bool = False
    key: str = "figure"
    known: dict[str, float] = field(default_factory=dict)
    part: str = "Kernel"
    """Under which heading the row stands."""

    def best(self, samples: list[dict[str, float]]) -> dict[str, float] | None:
        """Choose the sample with the best figure."""
        if not samples:
            return None
        choose = max if self.more_is_better else min
        return choose(samples, key=lambda sample: sample[self.key])

    def reaches(self, figure: float, goal: float) -> bool:
        """Whether a figure is as good as a goal."""
        return figure >= goal if self.more_is_better else figure <= goal

    def ratio(self, ours: float, theirs: float) -> float:
        """Tell how many times better the first figure is than the second."""
        return ours / theirs if self.more_is_better else theirs / ours


def devstone(kind: str, width: int, depth: int, target: float, xdevs: float, seeds: int = 1) -> Row:
    """Describe a row of DEVStone, for one seed or for many.

    No lead is wanted over PythonPDEVS: what was known of it counted its set-up, which is left out here,
    as it is for every engine.
    """
    params = {"kind": kind, "width": width, "depth": depth, "seeds": seeds}
    atomics = closed_form(WiringKind(kind), width, depth).atomics
    is_big, is_slow = atomics > 20_000, atomics > 5_000
    peers = [Run(XDEVS, params, repeats=1 if is_big else 3, quick=None if is_slow else {})]
    if not is_big:
        peers.append(Run(PYTHONPDEVS, params, quick=None if is_slow else {}))
    return Row(
        name=f"devstone-{kind}-{width}-{depth}" + (f"-seeds-{seeds}" if seeds > 1 else ""),
        title=f"DEVStone {kind} ({width}, {depth})" + (f", {seeds} seeds" if seeds > 1 else ""),
        unit="M transitions/s",
        task="devstone",
        runs=(Run(KUMI, params, repeats=1 if is_big else 3), *peers),
        target=target,
        more_is_better=True,
        known={XDEVS: xdevs},
    )


def tickers(number: int, target: float, ticks_of_xdevs: int, known: tuple[float, float]) -> Row:
    """Describe a row of sparse tickers; an engine that scans all models gets fewer ticks to do."""
    return Row(
        name=f"tickers-{number}",
        title=f"Sparse: {number:,} tickers, each with a sink",
        unit="µs/tick",
        task="tickers",
        runs=(
            Run(KUMI, {"number": number, "ticks": 500_000}),
            Run(PYTHONPDEVS, {"number": number, "ticks": 100_000}, repeats=3, quick={"ticks": 30_000}),
            Run(
                XDEVS,
                {"number": number, "ticks": ticks_of_xdevs},
                quick={"ticks": 100} if number <= 1_000 else None,
            ),
        ),
        target=target,
        known={PYTHONPDEVS: known[0], XDEVS: known[1]},
    )


def sleeps(tasks: int, each: int, target: float, known: float) -> Row:
    """Describe a row of timed sleeps, no two tasks with the same period."""
    params = {"tasks": tasks, "each": each}
    return Row(
        name=f"sleeps-{tasks}",
        title=f"Timed sleeps, {tasks:,} task{'s' if tasks > 1 else ''}",
        unit="M sleeps/s",
        task="sleeps",
        runs=(Run(KUMI, params), Run(SIMPY, params, quick={"each": each // 3})),
        target=target,
        more_is_better=True,
        known={SIMPY: known},
    )


def requests(tasks: int, units: int, each: int) -> Row:
    """Describe a row of tasks that share the units of a resource."""
    params = {"tasks": tasks, "units": units, "each": each}
    return Row(
        name=f"requests-{tasks}",
        title=f"Units of a resource, {tasks:,} tasks that share {units:,}",
        unit="M requests/s",
        task="requests",
        runs=(Run(KUMI, params), Run(SIMPY, params, quick={"each": each // 3})),
        more_is_better=True,
    )


def interrupts(tasks: int, target: float, known: tuple[float, float]) -> tuple[Row, Row]:
    """Describe two rows of one measurement: the time of an interrupt, and what it leaves behind."""
    few = 10 * BURST_OF_SALABIM if tasks <= 1_000 else BURST_OF_SALABIM
    runs = (
        Run(KUMI, {"tasks": tasks, "number": 300_000}),
        Run(SIMPY, {"tasks": tasks, "number": 300_000}, quick={"number": 100_000}),
        Run(SALABIM, {"tasks": tasks, "number": few}, quick=None if tasks > 1_000 else {}),
    )
    time = Row(
        name=f"interrupts-{tasks}",
        title=f"Interrupting one of {tasks:,} waiting tasks",
        unit="µs/interrupt",
        task="interrupts",
        runs=runs,
        target=target,
        known={SIMPY: known[0], SALABIM: known[1]},
    )
    queue = Row(
        name=f"queue-{tasks}",
        title=f"Queue after these interrupts, {tasks:,} tasks",
        unit="entries per waiting task",
        task="interrupts",
        runs=runs,
        target=2.0,
        key="queue_per_live",
    )
    return time, queue


BURST_OF_SALABIM = 100


def memory(task: str, title: str, peers: tuple[str, ...]) -> Row:
    """Describe a row of resident bytes."""
    params = {"number": 100_000}
    return Row(
        name=task.replace("_", "-"),
        title=title,
        unit="bytes",
        task=task,
        runs=(Run(KUMI, params), *(Run(peer, params, quick={"number": 30_000}) for peer in peers)),
        target=1_000.0,
    )


def flat(number: int, target: float | None, *peers: str) -> Row:
    """Describe a row of building."""
    params = {"number": number}
    return Row(
        name=f"flat-{number}",
        title=f"Building a flat chain of {number:,} atomics",
        unit="s",
        task="flat",
        runs=(Run(KUMI, params), *(Run(peer, params, quick=None) for peer in peers)),
        target=target,
    )


def cycles() -> tuple[Row, Row]:
    """Describe two rows of one measurement: what withdrawn events leave behind, and their time."""
    runs = (Run(KUMI, {"number": 100_000_000}, repeats=1, quick={"number": 2_000_000}),)
    growth = Row(
        name="cycles-memory",
        title="Memory grown by schedule/withdraw cycles (100 million; 2 million with --quick)",
        unit="MB",
        task="cycles",
        runs=runs,
        target=1.0,
        key="grown_mb",
    )
    speed = Row(name="cycles", title="One schedule/withdraw cycle", unit="µs", task="cycles", runs=runs)
    return growth, speed


def hashing(name: str, title: str, *, hashed: bool) -> Row:
    """Describe a row of the cost of the hash: the same DEVStone model with it and without."""
    return Row(
        name=f"trace-{name}",
        title=f"DEVStone HI (100, 100), {title}",
        unit="M transitions/s",
        task="traced",
        runs=(Run(KUMI, {"hashed": hashed}),),
        more_is_better=True,
    )


def recording(depth: int) -> Row:
    """Describe a row of the cost of a sink; a record names its source by all levels above it."""
    return Row(
        name=f"trace-sink-{depth}",
        title=f"A sink in Python, models {depth} levels deep",
        unit="µs/record",
        task="recorded",
        runs=(Run(KUMI, {"depth": depth}),),
    )


ROWS: tuple[Row, ...] = (
    devstone("LI", 10, 300, target=5.0, xdevs=0.30),
    devstone("LI", 10, 300, target=5.0, xdevs=0.30, seeds=20),
    devstone("HI", 100, 100, target=6.0, xdevs=0.58),
    devstone("HI", 300, 300, target=5.0, xdevs=0.34),
    devstone("HO", 100, 100, target=6.0, xdevs=0.48),
    devstone("HOmod", 20, 20, target=4.0, xdevs=0.57),
    tickers(1_000, target=0.8, ticks_of_xdevs=500, known=(8.1, 1_600.0)),
    tickers(10_000, target=1.2, ticks_of_xdevs=100, known=(12.9, 16_000.0)),
    sleeps(1, 1_000_000, target=5.0, known=1.45),
    sleeps(1_000, 1_000, target=4.0, known=0.97),
    sleeps(100_000, 20, target=1.2, known=0.30),
    requests(1_000, 100, 300),
    *interrupts(1_000, target=1.0, known=(7.7, 83.0)),
    *interrupts(100_000, target=2.0, known=(13.6, 39_000.0)),
    memory("task_memory", "Memory of a sleeping task", (SIMPY,)),
    memory("atomic_memory", "Memory of an idle atomic with two ports", (XDEVS, PYTHONPDEVS)),
    flat(10_000, None, XDEVS, PYTHONPDEVS),
    flat(100_000, 10.0, PYTHONPDEVS),
    *cycles(),
    hashing("none", "no hash of the trace", hashed=False),
    hashing("hash", "with the hash of the trace (the default)", hashed=True),
    recording(3),
    recording(30),
)

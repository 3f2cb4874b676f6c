"""What comes of a run of parts, and of the same model run whole in one process?

The trace of a run in one process is divided as the model is: each record goes to the hash of the part of the
model it tells of. A record that names no model, such as that of a signal, goes to the part of whose turn it is.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kumi._core import TraceDigest, current_model, current_task
from kumi.devs import Model, Simulation, atomics
from kumi.distributed.partition import ModelPartition
from kumi.distributed.serve import Collect, Factory, collected


@dataclass(frozen=True)
class Kept:
    """How a part kept up in real time, in seconds of wall time; a histogram has upper edges and counts.

    `instants`: how far behind the clock instants happened. `arrivals`: how late values came that other parts
    had sent. `offset`: what the part's clock lacked to that of the hub at the end.
    """

    instants: tuple[tuple[float, int], ...]
    arrivals: tuple[tuple[float, int], ...]
    offset: float

    def late(self, tolerance: float) -> int:
        """Count the values that came later than so many seconds; exact at the edges of the histogram."""
        return sum(count for edge, count in self.arrivals if edge > tolerance)


@dataclass(frozen=True)
class DistributedRun:
    """When a run ended, the hash of what happened in each part, and what was collected.

    Two runs are equal if they did the same: how many processes they took is not compared. `counts` has the
    transitions of all parts, and the values that reached inputs.
    """

    time: float
    seed: int
    trace_hashes: Mapping[str, str]
    counts: Mapping[str, int]
    values: Mapping[str, object]
    rounds: int = field(default=0, compare=False)
    kept: Mapping[str, Kept] = field(default_factory=dict, compare=False)

    @property
    def trace_hash(self) -> str:
        """One hash for all parts."""
        text = "\n".join(f"{part} {self.trace_hashes[part]}" for part in sorted(self.trace_hashes))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def events(self) -> int:
        """How many transitions there were."""
        return self.counts["internal"] + self.counts["external"] + self.counts["confluent"]


def run_whole(
    factory: Factory,
    parts: ModelPartition | Mapping[str, Iterable[str]],
    *,
    arguments: Mapping[str, Any] | None = None,
    seed: int = 0,
    until: float = math.inf,
    collect: Collect | None = None,
    max_steps: int = 1_000_000,
) -> DistributedRun:
    """Run a model in this process, and give its results part by part, as `run_distributed` does."""
    partition = parts if isinstance(parts, ModelPartition) else ModelPartition.of(parts)
    model = factory(**(arguments or {}))
    traces = _Traces(model, partition)
    with Simulation(seed=seed, hashed=False, max_steps=max_steps) as simulation:
        simulation.engine.set_sink(traces.put)
        simulation.take(model)
        run = simulation.run(until)
        hashes = {part: digest.hex for part, digest in traces.digests.items()}
        values = {} if collect is None else collected(model, partition, collect, partition.parts)
    return DistributedRun(
        time=run.time,
        seed=seed,
        trace_hashes=hashes,
        counts={name: getattr(run.statistics, name) for name in COUNTED},
        values=values,
    )


COUNTED = ("internal", "external", "confluent", "messages")


class _Traces:
    """The hashes of all parts."""

    def __init__(self, model: Model, partition: ModelPartition) -> None:
        places = partition.places(model)
        self.digests = {part: TraceDigest() for part in partition.parts}
        self._parts = {atomic.path: places[id(atomic)] for atomic in atomics(model)}
        self._known: dict[str, TraceDigest] = {}

    def put(self, tag: str, time: float, source: str, value: object) -> None:
        """Take one record."""
        digest = self._known.get(source)
        if digest is None:
            part = self._part_of(source)
            if part is None:
                actor = current_task() or current_model()
                part = None if actor is None else self._part_of(actor.path)
                assert part is not None, f"nobody's record: {source}"
                digest = self.digests[part]
            else:
                digest = self._known[source] = self.digests[part]
        digest.put(tag, time, source, value)

    def _part_of(self, path: str) -> str | None:
        while path:
            if path in self._parts:
                return self._parts[path]
            path = path.rpartition(".")[0]
        return None

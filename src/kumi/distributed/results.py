"""What comes of a run over several processes, and of the same run in one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field


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

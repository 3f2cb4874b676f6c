"""What a run gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from kumi.devs.pace import Lateness

T = TypeVar("T")


@dataclass(frozen=True)
class Statistics:
    """How much happened. A confluent transition is counted as such only; messages are values that reached inputs."""

    steps: int
    internal: int
    external: int
    confluent: int
    messages: int


@dataclass(frozen=True)
class Run(Generic[T]):
    """When a run ended, what its program returned, and the hash of all that happened.

    `finished` tells whether the program has ended, or, of a simulation, that nothing is left to happen.
    """

    time: float
    seed: int
    trace_hash: str
    statistics: Statistics
    lateness: Lateness
    finished: bool
    value: T | None = None

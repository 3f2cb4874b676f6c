"""How are the values of a run spread, and how do they go in time?

Metrics with more to tell than one number: a histogram has a column for each class, a series every value with its instant.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from kumi.study.metrics import Measured, Metric
from kumi.study.sources import Origin


class Histogram(Metric):
    """How many values lie between edges, or, with `by_time`, for how many seconds the value did.

    There is a column for each class, from an edge to just below the next, and one for below and above all.
    """

    def __init__(
        self,
        name: str,
        of: Origin | Sequence[Origin],
        *,
        edges: Sequence[float],
        by_time: bool = False,
        **others: Any,
    ) -> None:
        super().__init__(name, of, **others)
        if not edges or any(b <= a for a, b in pairwise(edges)) or not all(map(math.isfinite, edges)):
            raise ValueError(
                f"the edges of histogram {name!r} are finite and rise, but they are {list(edges)}"
            )
        self.edges = tuple(edges)
        self.by_time = by_time
        self.counts: list[float] = [0] * (len(edges) + 1)
        self._place: int | None = None
        self._at = 0.0

    def take(self, value: float) -> None:
        """Count it in its class."""
        self._count_time()
        self._place = bisect_right(self.edges, value)
        if not self.by_time:
            self.counts[self._place] += 1

    def _count_time(self) -> None:
        if self.by_time and self._place is not None:
            self.counts[self._place] += self.now - self._at
        self._at = self.now

    @property
    def result(self) -> float | None:
        """How many values came, or how many seconds they stood."""
        self._count_time()
        return None if self._place is None else sum(self.counts)

    @property
    def results(self) -> dict[str, Measured]:
        """A column for each class."""
        is_empty = self.result is None
        names = [f"below {self.edges[0]:g}"]
        names += [f"{low:g} to {high:g}" for low, high in pairwise(self.edges)]
        names.append(f"{self.edges[-1]:g} or more")
        return {
            f"{self.name} {label}": None if is_empty else count
            for label, count in zip(names, self.counts, strict=True)
        }


class Series(Metric):
    """Every value with its instant, for pictures of one run; what is measured is how many there are."""

    def __init__(self, name: str, of: Origin | Sequence[Origin], **others: Any) -> None:
        super().__init__(name, of, **others)
        self.points: list[tuple[float, float]] = []

    def take(self, value: float) -> None:
        """Write it down."""
        self.points.append((self.now, value))

    @property
    def result(self) -> int | None:
        """How many values came."""
        return len(self.points) or None

    @property
    def results(self) -> dict[str, Measured]:
        """No column of its own: the points go to the column of the series."""
        return {}

"""What does a metre of way cost?

By default one, everywhere: the cheapest route is the shortest. Where ways near obstacles are worse, a
criterion says what a metre costs at a distance from the nearest obstacle or border: at least one, so that
searches that are led by the straight distance to the goal stay right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kumi.geometry.points import as_real
from kumi.maths import hypot
from kumi.planning.distances import Numbers

if TYPE_CHECKING:
    from kumi.planning.space import Space


@dataclass(frozen=True)
class Criterion:
    """What a metre costs at distances from obstacles, in metres; without a function, one."""

    per_metre: Callable[[Numbers], Numbers] | None = None

    def at(self, distances: Numbers) -> Numbers:
        """Return what a metre costs at these distances from obstacles."""
        if self.per_metre is None:
            return np.ones(len(distances))
        costs = np.asarray(self.per_metre(distances), dtype=np.float64)
        if costs.shape != distances.shape or not (costs >= 1).all():
            raise ValueError("a criterion gives one number >= 1 for each distance")
        return costs

    def of_ways(self, space: Space, start: Numbers, ends: Numbers) -> Numbers:
        """Return what straight ways from one place cost, each at its least distance from obstacles."""
        lengths: Numbers = hypot(ends[:, 0] - start[0], ends[:, 1] - start[1])
        if self.per_metre is None or not len(ends):
            return lengths
        return lengths * self.at(space.clearances_between(np.repeat(start[None, :], len(ends), axis=0), ends))


LENGTH = Criterion()


def shyness(distance: float, weight: float = 1.0) -> Criterion:
    """Return a criterion under which a metre costs 1 + weight at obstacles and 1 beyond a distance from them."""
    near, strong = as_real(distance, "the distance of shyness"), as_real(weight, "the weight of shyness")
    if not (near > 0 and strong >= 0):
        raise ValueError(f"shyness has a distance > 0 and a weight >= 0, not {distance!r} and {weight!r}")
    return Criterion(lambda gaps: 1.0 + weight * np.clip(1.0 - gaps / distance, 0.0, 1.0))

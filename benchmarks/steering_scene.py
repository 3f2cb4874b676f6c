"""The control loop that engines with a step share: discs on two wheels, steered anew each step by random rates of turning.

They stand on a grid at first and fill 5 % of a walled square, as those of kumi do. Each engine implements
`steering(number)` by `microseconds`; what keeps robots apart is the engine's own.
"""

from __future__ import annotations

from math import ceil, pi, sqrt
from time import process_time
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from benchmarks.tasks import Sample

RADIUS, SPEED, PERIOD, BEND, DENSITY = 0.085, 0.2, 0.1, 2.0, 0.05
SETTLING = 5
BUDGET = 2.0
"""CPU seconds after which no further step is begun."""
STEPS = 200_000
"""Steps of robots that are measured at most."""


class Steered(Protocol):
    """A world of robots that are told rates of turning, one for each, for the next step."""

    def step(self, rates: NDArray[np.float64]) -> None: ...


def begin(number: int) -> tuple[float, list[tuple[float, float]], NDArray[np.float64]]:
    """Return the side of the square, and where robots stand and look."""
    gap, rows = sqrt(pi * RADIUS * RADIUS / DENSITY), ceil(sqrt(number))
    at = [((one % rows + 0.5) * gap, (one // rows + 0.5) * gap) for one in range(number)]
    return gap * rows, at, np.random.default_rng(1).uniform(-pi, pi, number)


def microseconds(make: Callable[[int], Steered], number: int) -> Sample:
    """Return CPU microseconds of a robot and step."""
    world, chance = make(number), np.random.default_rng(2)
    for _ in range(SETTLING):
        world.step(chance.uniform(-BEND, BEND, number))
    steps, clock = 0, process_time()
    while steps < max(2, STEPS // number) and (steps < 2 or process_time() - clock < BUDGET):
        world.step(chance.uniform(-BEND, BEND, number))
        steps += 1
    return {"figure": 1e6 * (process_time() - clock) / (steps * number)}

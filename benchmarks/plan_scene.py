"""What is planned in the benchmarks: a hall of blocks to drive through, and a winding path of known length."""

from __future__ import annotations

from math import tau

import numpy as np

from kumi.geometry import Bounds, Rectangle
from kumi.planning import Limits, Path, Space

START, GOAL = (1.0, 1.0), (42.0, 30.0)
"""50.2 m apart as the crow flies."""
RADIUS = 0.4
LIMITS = Limits(top_speed=2.0, acceleration=1.0, braking=1.5, lateral=0.5)


def hall() -> Space:
    """Return 43 × 31 m with 48 blocks of different sizes in rows that are shifted against each other."""
    blocks = [
        Rectangle(
            3.0 + 5.0 * column + 1.3 * (row % 2),
            3.0 + 4.6 * row,
            2.0 + 0.3 * (column % 3),
            1.6 + 0.4 * (row % 2),
        )
        for row in range(6)
        for column in range(8)
    ]
    return Space(blocks, Bounds(0.0, 0.0, 43.0, 31.0))


def winding(count: int) -> Path:
    """Return 50 m with curvatures up to 0.9 per metre, of so many postures."""
    s = np.linspace(0.0, 50.0, count)
    curvature = 0.6 * np.sin(tau * s / 9.0) + 0.3 * np.sin(tau * s / 3.1)
    heading = 0.6 * 9.0 / tau * (1 - np.cos(tau * s / 9.0)) + 0.3 * 3.1 / tau * (1 - np.cos(tau * s / 3.1))
    step = 50.0 / (count - 1)
    middle = (heading[1:] + heading[:-1]) / 2
    x, y = (np.append(0.0, np.cumsum(step * turned)) for turned in (np.cos(middle), np.sin(middle)))
    return Path(x, y, heading, curvature, s)

"""How fast can a vehicle go when its tyres share their grip between the curve and speeding up?

The acceleration a along the path and κv² across it lie in a circle of radius A: a² + κ²z² <= A², with z = v².
In a cell the acceleration is even, and z and |κ| are at most those of the faster end and the sharpest place.
So the circle holds throughout if it holds for these: (z1 - z0)² / 4h² + κ² max(z0, z1)² <= A². From the end
of the path backwards this gives the highest speeds from which the rest can still be kept, and from its start
forwards the fastest among them.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from kumi.planning.pieces import Line

if TYPE_CHECKING:
    from kumi.planning.caps import Cells
    from kumi.planning.limits import Limits
    from kumi.planning.paths import Numbers


def with_grip(cells: Cells, nodes: Numbers, limits: Limits) -> Line:
    """Return the highest line below the caps that keeps to the circle of friction."""
    ways, bends, caps = np.diff(cells.s).tolist(), cells.bend.tolist(), nodes.tolist()
    z = caps[-1]
    for i in range(len(ways) - 1, -1, -1):
        z = caps[i] = min(caps[i], z + _gain(z, ways[i], bends[i], limits.grip, limits.braking))
    z = caps[0]
    for i, (way, bend) in enumerate(zip(ways, bends, strict=True)):
        z = caps[i + 1] = min(caps[i + 1], z + _gain(z, way, bend, limits.grip, limits.acceleration))
    return Line(cells.s, np.array(caps))


def _gain(z: float, way: float, bend: float, grip: float, rate: float) -> float:
    """Return by how much z can grow over a way, the circle being kept at the faster end."""
    most = 2.0 * rate * way
    # (g / 2h)² + κ²(z + g)² = A², solved for the gain g.
    square = 1.0 + (2.0 * way * bend) ** 2
    half = (2.0 * way * bend) ** 2 * z
    rest = (2.0 * way) ** 2 * (grip**2 - (bend * z) ** 2)
    root = half * half + square * rest
    gain = (-half + sqrt(root)) / square if root > 0.0 else 0.0
    return min(most, max(gain, 0.0))

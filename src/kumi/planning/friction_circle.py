"""How fast can a vehicle go when its tyres share their grip between the curve and speeding up?

The acceleration a along the path and κv² across it lie in a circle of radius A: a² + κ²z² <= A², with z = v².
In a cell the acceleration is even, and z and |κ| are at most those of the faster end and the sharpest place.
So the circle holds throughout if it holds for these: (z1 - z0)² / 4h² + κ² max(z0, z1)² <= A². From the end
of the path backwards this gives the highest speeds from which the rest can still be kept, and from its start
forwards the fastest among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kumi import _core
from kumi.planning.pieces import Line

if TYPE_CHECKING:
    from kumi.planning.limits import Limits
    from kumi.planning.paths import Numbers
    from kumi.planning.speed_limits import Cells


def with_grip(cells: Cells, nodes: Numbers, limits: Limits) -> Line:
    """Return the highest line below the caps that keeps to the circle of friction."""
    ways, bends = np.diff(cells.s), np.ascontiguousarray(cells.bend)
    squares = _core.grip_squares(ways, bends, nodes, limits.grip, limits.acceleration, limits.braking)
    return Line(cells.s, np.array(squares))

"""Which drive with a bounded jerk is the earliest past zones that are closed for some time?

A drive of bounded acceleration is searched for on a lattice (see `lattice`) and then averaged over a sliding window of
τ = a/j seconds (see `jerk`), which bounds its jerk if it keeps its speed for a window between speeding up and
braking: the lattice finds only such drives. The average is half a window late, so the zones are moved to half a window
earlier for the search. It is beside the drive by a τ²/24 at most, so zones that are wider by that are surely
passed; narrower ones are tried first, and what comes out is tested against the zones as they are.

The full strength a is not the best where speeds change little: weaker ones, which need a shorter window, are tried as
well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kumi.planning.jerk import averaged, widened
from kumi.planning.lattice import NODES, counts_for, earliest
from kumi.planning.pieces import fastest, timed
from kumi.planning.profile import Profile

if TYPE_CHECKING:
    from kumi.planning.conflicts import Region
    from kumi.planning.limits import Limits
    from kumi.planning.speed_limits import Cells

SHARES = (1.0, 0.8, 0.6, 0.4, 0.25)
"""Shares of the strength that are tried."""
FEW_SHARES = (1.0, 0.5)
"""The same where the lattice is a fine one."""
WIDER = (0.0, 0.5, 1.0)
"""By which shares of a τ²/24 zones are made wider, until what is found is free."""
ON_PATH = 1e-9
"""The share of the path by which a zone that begins or ends on it keeps away from its ends."""


def earliest_calm(cells: Cells, limits: Limits, closed: Region) -> Profile | None:
    """Return the earliest profile from rest outside of a region that is found within all limits, or None."""
    for nodes in counts_for(closed, float(cells.s[-1])):
        shares = SHARES if nodes == NODES else FEW_SHARES
        found = [_with_strength(cells, limits, share, closed, nodes) for share in shares]
        free = [profile for profile in found if profile is not None]
        if free:
            return min(free, key=lambda profile: profile.duration)
    return None


def _with_strength(cells: Cells, limits: Limits, share: float, closed: Region, nodes: int) -> Profile | None:
    weak = replace(limits, acceleration=limits.acceleration * share, braking=limits.braking * share)
    strength = max(weak.acceleration, weak.braking)
    window = strength / limits.jerk
    wide = widened(cells, window)
    top = Profile(timed(fastest(wide, wide.nodes(0.0, 0.0), weak.acceleration, weak.braking), {}))
    for share_of_stray in WIDER:
        stray = share_of_stray * strength * window * window / 24.0
        region = _moved(closed, window / 2.0, stray, float(cells.s[-1]))
        drive = earliest(top, wide, weak, region, nodes, window)
        if drive is None:
            return None
        profile = Profile(averaged(drive.line, drive.halts, cells, window))
        if closed.hits(profile) is None:
            return profile
    return None


def _moved(region: Region, earlier: float, wider: float, length: float) -> Region:
    """Return a region that is earlier and wider, but not beyond an end of the path where it was not."""
    edge = ON_PATH * length
    low, high = region.low - wider, region.high + wider
    low = np.where(region.low > 0.0, np.maximum(low, np.minimum(region.low, edge)), low)
    high = np.where(region.high < length, np.minimum(high, np.maximum(region.high, length - edge)), high)
    return replace(region, low=low, high=high, opens=region.opens - earlier, closes=region.closes - earlier)

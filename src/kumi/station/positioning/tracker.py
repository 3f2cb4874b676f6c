"""Where is a robot, by its own reckoning and by a positioning system, either of which may err?

The robot's reckoning tells how it moved; fixes tell where it is. A Kalman filter over place and heading joins them: between
fixes the estimate moves as the robot does, and its doubt grows with the way. A fix without a heading corrects the heading, too,
once the robot has driven, since a wrong heading leads astray.

A fix that is too far from the estimate for its doubt is an outlier, and is rejected (an innovation gate: one good fix in a
thousand is, too). A robot that was carried elsewhere makes every fix an outlier, but they agree with each other: when enough of
the last ones do, the estimate begins anew among them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import remainder, tau

import numpy as np
from numpy.typing import NDArray

from kumi.geometry import wrapped
from kumi.maths import cos, hypot, sin
from kumi.station.records import PoseRecord

Floats = NDArray[np.float64]

GATES = {2: 13.82, 3: 16.27}
"""Squared distances, in standard deviations, that one good fix in a thousand exceeds; by how much a fix tells."""
KEPT_FIXES, AGREEING_FIXES = 8, 5
"""How many of the last rejected fixes must agree before they are believed."""
WIDTH = 4.0
"""Standard deviations of a fix within which rejected fixes agree."""


@dataclass(frozen=True)
class Fix:
    """Where a positioning system sees a robot; `error` is its standard deviation in metres."""

    x: float
    y: float
    heading: float | None = None
    error: float = 0.05
    heading_error: float = 0.05


@dataclass(frozen=True)
class Drift:
    """How much a robot's reckoning errs: by the metre, by the radian, and at first."""

    way: float = 0.05
    turn: float = 0.05
    heading: float = 0.05
    place_at_first: float = 0.5
    heading_at_first: float = 0.3


class Tracker:
    """Keeps the estimate of one robot."""

    def __init__(self, believed: PoseRecord, drift: Drift | None = None) -> None:
        self.drift = drift or Drift()
        self.rejected = self.restarts = 0
        self._believed = believed
        self._state: Floats = np.array((believed.x, believed.y, believed.heading))
        first = (self.drift.place_at_first, self.drift.place_at_first, self.drift.heading_at_first)
        self._doubt: Floats = np.diag(np.square(first))
        self._outliers: deque[tuple[float, float, float | None]] = deque(maxlen=KEPT_FIXES)

    @property
    def pose(self) -> PoseRecord:
        """Where the robot is, by all that was told."""
        x, y, heading = self._state.tolist()
        return PoseRecord(x=x, y=y, heading=wrapped(heading))

    def gap_to(self, believed: PoseRecord) -> float:
        """Return how far a belief is from the last one."""
        return hypot(believed.x - self._believed.x, believed.y - self._believed.y)

    def move(self, believed: PoseRecord) -> None:
        """Take in where the robot believes to be now: it moved as that belief did."""
        before, self._believed = self._believed, believed
        dx, dy = believed.x - before.x, believed.y - before.y
        turn = remainder(believed.heading - before.heading, tau)
        way = hypot(dx, dy)
        if way == 0.0 and turn == 0.0:
            return
        slant = float(self._state[2]) - before.heading
        step_x, step_y = dx * cos(slant) - dy * sin(slant), dx * sin(slant) + dy * cos(slant)
        self._state = self._state + np.array((step_x, step_y, turn))
        moving = np.eye(3)
        moving[0, 2], moving[1, 2] = -step_y, step_x
        noise = self.drift.way * way
        bend = self.drift.heading * way + self.drift.turn * abs(turn)
        self._doubt = moving @ self._doubt @ moving.T + np.diag(np.square((noise, noise, bend)))

    def fix(self, fix: Fix) -> bool:
        """Take in a fix; return whether it was believed."""
        told = 2 if fix.heading is None else 3
        off = np.array((fix.x, fix.y, fix.heading or 0.0)) - self._state
        off[2] = remainder(float(off[2]), tau)
        off = off[:told]
        errors = np.square((fix.error, fix.error, fix.heading_error)[:told])
        spread = self._doubt[:told, :told] + np.diag(errors)
        if float(off @ np.linalg.solve(spread, off)) > GATES[told]:
            return self._is_restart(off, fix)
        gain = np.linalg.solve(spread, self._doubt[:told]).T
        self._state = self._state + gain @ off
        keep = np.eye(3)
        keep[:, :told] -= gain
        self._doubt = keep @ self._doubt @ keep.T + gain @ np.diag(errors) @ gain.T
        self._outliers.clear()
        return True

    def _is_restart(self, off: Floats, fix: Fix) -> bool:
        """Keep an outlier; begin anew where enough of the last ones agree with it."""
        self.rejected += 1
        turned = float(off[2]) if fix.heading is not None else None
        self._outliers.append((float(off[0]), float(off[1]), turned))
        width = WIDTH * fix.error
        agreeing = [one for one in self._outliers if hypot(one[0] - off[0], one[1] - off[1]) <= width]
        if len(agreeing) < AGREEING_FIXES:
            return False
        self.restarts += 1
        self._outliers.clear()
        heading = float(self._state[2]) + (turned or 0.0)
        x, y = (float(np.median([one[axis] for one in agreeing])) for axis in (0, 1))
        self._state = np.array((self._state[0] + x, self._state[1] + y, heading))
        unsure = self.drift.heading_at_first if turned is None else fix.heading_error
        self._doubt = np.diag(np.square((fix.error, fix.error, unsure)))
        return True

"""Where is a robot, by its own reckoning and by fixes from outside, either of which may err?

Reckoning tells at once how the robot moved, and its error grows with the way; a fix tells where it is, a little wrong and
perhaps a little late. A Kalman filter over place and heading joins them: between fixes the estimate moves as the robot does, and
its doubt grows with the way. A late fix is compared with what was reckoned at its instant. A fix without a heading corrects the
heading, too, once the robot has driven, since a wrong heading leads astray.

A fix that is too far from the estimate for its doubt is an outlier, and is rejected (an innovation gate: one good fix in a
thousand is, too). A robot that was carried elsewhere makes every fix an outlier, but they agree with each other: when enough of
the last ones do, the estimate begins anew among them. Where every fix is good, as from a camera over the floor, `has_gate=False`
leaves that out.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import inf, remainder, tau

import numpy as np
from numpy.typing import NDArray

from kumi.geometry import Point, Pose, wrapped
from kumi.maths import hypot

Floats = NDArray[np.float64]

GATES = {2: 13.82, 3: 16.27}
"""Squared distances, in standard deviations, that one good fix in a thousand exceeds; by how much a fix tells."""
KEPT_FIXES, AGREEING_FIXES = 8, 5
"""How many of the last rejected fixes must agree before they are believed."""
WIDTH = 4.0
"""Standard deviations of a fix within which rejected fixes agree."""
LEAST_ERROR = 1e-9
"""Metres or radians: an exact fix counts as one with this error, so that a matrix can be inverted."""
KEPT_POSES = 200
"""So many reckoned poses are remembered: some ten seconds of driving."""


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


class PoseFilter:
    """Keeps the estimate of one robot."""

    def __init__(self, believed: Pose, drift: Drift | None = None, *, has_gate: bool = True) -> None:
        self.drift = drift or Drift()
        self.rejected = self.restarts = 0
        self._has_gate = has_gate
        self._reckoned: deque[tuple[float, Pose]] = deque([(-inf, believed)], maxlen=KEPT_POSES)
        self._state: Floats = np.array((*believed.position, believed.heading))
        first = (self.drift.place_at_first, self.drift.place_at_first, self.drift.heading_at_first)
        self._doubt: Floats = np.diag(np.square(first))
        self._outliers: deque[tuple[float, float, float | None]] = deque(maxlen=KEPT_FIXES)

    @property
    def reckoned(self) -> Pose:
        """Where the robot believes it is now."""
        return self._reckoned[-1][1]

    @property
    def pose(self) -> Pose:
        """Where the robot is, by all that was told."""
        x, y, heading = self._state.tolist()
        return Pose(Point(x, y), wrapped(heading))

    @property
    def _slant(self) -> float:
        """By how much the robot's own plane is turned."""
        return float(self._state[2]) - self.reckoned.heading

    def reckoned_place(self, place: Point) -> Point:
        """Return where the robot, by its own reckoning, would believe a place to be."""
        return self.reckoned.position + (place - self.pose.position).turned(-self._slant)

    def move(self, believed: Pose, time: float = -inf) -> None:
        """Take in where the robot believed to be at a time: it moved as that belief did."""
        last, before = self._reckoned[-1]
        gone = believed.position - before.position
        turn = remainder(believed.heading - before.heading, tau)
        step = gone.turned(self._slant)
        self._reckoned.append((max(time, last), believed))
        way = hypot(gone.x, gone.y)
        if way == 0.0 and turn == 0.0:
            return
        self._state = self._state + np.array((*step, turn))
        noise = self.drift.way * way
        bend = self.drift.heading * way + self.drift.turn * abs(turn)
        self._doubt = _moved(self._doubt, step) + np.diag(np.square((noise, noise, bend)))

    def fix(self, fix: Fix, time: float = inf) -> bool:
        """Take in a fix of an instant, or of now; return whether it was believed."""
        then = self._reckoned_at(time)
        since = (self.reckoned.position - then.position).turned(self._slant)
        turned = self.reckoned.heading - then.heading
        state = self._state - np.array((*since, turned))
        doubt = _moved(self._doubt, -since)
        told = 2 if fix.heading is None else 3
        off = np.array((fix.x, fix.y, fix.heading or 0.0)) - state
        off[2] = remainder(float(off[2]), tau)
        off = off[:told]
        errors = np.square(np.maximum((fix.error, fix.error, fix.heading_error)[:told], LEAST_ERROR))
        spread = doubt[:told, :told] + np.diag(errors)
        if self._has_gate and float(off @ np.linalg.solve(spread, off)) > GATES[told]:
            return self._is_restart(off, fix)
        gain = np.linalg.solve(spread, doubt[:told]).T
        change = gain @ off
        keep = np.eye(3)
        keep[:, :told] -= gain
        # What was driven since the instant of the fix is turned with the heading that the fix corrects.
        since = since.turned(float(change[2]))
        self._state = state + change + np.array((*since, turned))
        self._doubt = _moved(keep @ doubt @ keep.T + gain @ np.diag(errors) @ gain.T, since)
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

    def _reckoned_at(self, time: float) -> Pose:
        """Return where the robot believed to be at a time, on a straight line between two reports."""
        later_time, later = self._reckoned[-1]
        for earlier_time, earlier in reversed(self._reckoned):
            if earlier_time <= time:
                break
            later_time, later = earlier_time, earlier
        if later_time <= time or earlier_time == -inf:
            return later if later_time <= time else earlier
        share = (time - earlier_time) / (later_time - earlier_time)
        return Pose(
            earlier.position + (later.position - earlier.position) * share,
            earlier.heading + remainder(later.heading - earlier.heading, tau) * share,
        )


def _moved(doubt: Floats, step: Point) -> Floats:
    """Return the doubt of a pose after a step: what is unsure of the heading makes the place unsure, too."""
    moving = np.eye(3)
    moving[0, 2], moving[1, 2] = -step.y, step.x
    moved: Floats = moving @ doubt @ moving.T
    return moved

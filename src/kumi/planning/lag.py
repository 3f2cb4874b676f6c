"""Where does a vehicle really go whose controller reaches each reference only after a while?

The controller is a lag of first order, as in `kumi.motion.Follower`: the gap to the reference falls to 1/e within `lag`
seconds. Between two samples the reference goes evenly, and the answer to that has a closed form. The vehicle is
then where the reference was on average, as seen through a window that fades with age: a lag behind on its path, and
beside it by no more than lag² a / 2 where the acceleration across the path is a.
"""

from __future__ import annotations

from math import inf

import numpy as np

from kumi.geometry import BodyShape, Point, Pose, gap
from kumi.maths import exp, hypot
from kumi.planning.conflicts import Mover
from kumi.planning.trajectory import TimedMotion

SETTLED = 8.0
"""So many lags after its end the gap to the reference is gone: to 1/3000."""


def lagged(reference: TimedMotion, lag: float) -> TimedMotion:
    """Return the motion of a vehicle that follows a reference with a lag, in seconds; it begins at its first place."""
    if lag <= 0.0:
        return reference
    time = np.concatenate([reference.time, reference.time[-1] + lag * np.linspace(0.5, SETTLED, 16)])
    columns = []
    for column in (reference.x, reference.y, reference.heading):
        wanted = np.append(column, np.full(16, column[-1])).tolist()
        value, values = wanted[0], [wanted[0]]
        for before, after, span in zip(wanted[:-1], wanted[1:], np.diff(time).tolist(), strict=True):
            ahead = lag * (after - before) / span if span > 0.0 else 0.0
            value = after - ahead + (value - before + ahead) * exp(-span / lag)
            values.append(value)
        columns.append(np.array(values))
    return TimedMotion(time, *columns)


def least_gap(shape: BodyShape, motion: TimedMotion, other: Mover) -> float:
    """Return how near a vehicle and another come to each other, at the instants of both motions."""
    clock = np.union1d(motion.time, other.motion.time)
    ours, theirs = (np.column_stack(one.poses(clock)) for one in (motion, other.motion))
    apart = ours - theirs
    least = hypot(apart[:, 0], apart[:, 1]) - shape.reach - other.shape.reach
    near = inf
    for i in np.argsort(least, kind="stable").tolist():
        if least[i] >= near:
            break
        (x, y, heading), (u, v, facing) = ours[i].tolist(), theirs[i].tolist()
        near = min(near, gap(shape, Pose(Point(x, y), heading), other.shape, Pose(Point(u, v), facing)))
    return near

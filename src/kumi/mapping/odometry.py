"""Where is a car by its encoder and its steering alone?

Between two readings the middle of the rear axle goes along an arc: over a way s with the front wheel at an angle a
it turns by s * tan(a) / wheelbase. The arc is exact, whatever its length. Errors add up: this is the reference that
every other way of finding oneself has to beat.
"""

from __future__ import annotations

from collections.abc import Iterable

from kumi._core import Point, driven
from kumi.geometry import Pose, wrapped
from kumi.mapping.scan import Scan


def drive(pose: Pose, way: float, steering: float, wheelbase: float = 0.15) -> Pose:
    """Return where a car is after a way, in metres, with its front wheel at an angle, to the left positive."""
    x, y, heading = driven(pose.position.x, pose.position.y, pose.heading, way, steering, wheelbase)
    return Pose(Point(x, y), wrapped(heading))


def dead_reckoning(scans: Iterable[Scan], start: Pose, wheelbase: float = 0.15) -> list[Pose]:
    """Return the pose at each scan of a log; the first is the start."""
    poses: list[Pose] = []
    before: Scan | None = None
    for scan in scans:
        if before is None:
            poses.append(start)
        else:
            poses.append(drive(poses[-1], scan.distance - before.distance, scan.steering, wheelbase))
        before = scan
    return poses

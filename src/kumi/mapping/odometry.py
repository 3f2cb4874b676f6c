"""Where is a car by its encoder and its steering alone?

Between two readings the middle of the rear axle goes along an arc: over a way s with the front wheel at an angle a
it turns by s * tan(a) / wheelbase. The arc is exact, whatever its length. Errors add up: this is the reference that
every other way of finding oneself has to beat.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import cos

from kumi._core import Point, driven
from kumi.geometry import Pose
from kumi.mapping.scan import Scan


def drive(pose: Pose, way: float, steering: float, wheelbase: float = 0.15) -> Pose:
    """Return where a car is after a way, in metres, with its front wheel at an angle, to the left positive."""
    x, y, heading = driven(pose.position.x, pose.position.y, pose.heading, way, steering, wheelbase)
    return Pose(Point(x, y), heading)


class FrontWheel:
    """Turns the way of an encoder at the steered front wheel, as packet robots have it, into that of the rear axle.

    The front wheel goes along a longer arc: the rear axle goes its way times the cosine of the steering angle.
    """

    def __init__(self) -> None:
        self._front = 0.0
        self._rear = 0.0

    def rear(self, front: float, steering: float) -> float:
        """Return how far the rear axle has gone when the front wheel has gone so far, lately at an angle."""
        self._rear += (front - self._front) * cos(steering)
        self._front = front
        return self._rear


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

"""All robots of a station as they were seen at some instant: who is there, and who is within a rectangle?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kumi.geometry import Bounds
from kumi.station.floor.ways import is_on_floor
from kumi.station.records import PoseRecord, RobotRecord


class RobotSnapshot:
    """Robots that are there, for many who look within a short time."""

    def __init__(self, robots: Sequence[RobotRecord] = ()) -> None:
        self.robots = robots
        self.present = {one.tag for one in robots if one.state != "away"}
        self._placed = [
            (one, pose)
            for one in robots
            if one.state != "away" and (pose := one.pose) and is_on_floor(pose.x, pose.y, one.radius)
        ]
        self._where = {one.tag: (one, pose) for one, pose in self._placed}
        places = [(pose.x, pose.y) for _, pose in self._placed]
        self._x, self._y = np.array(places, dtype=float).reshape(-1, 2).T

    def find(self, tag: str) -> tuple[RobotRecord, PoseRecord] | None:
        """Return a robot and where it is, if that is known."""
        return self._where.get(tag)

    def within(self, bounds: Bounds) -> list[tuple[RobotRecord, PoseRecord]]:
        """Return the robots that are in a rectangle, and where."""
        across = (bounds.left <= self._x) & (self._x <= bounds.right)
        return [
            self._placed[one]
            for one in np.flatnonzero(across & (bounds.bottom <= self._y) & (self._y <= bounds.top))
        ]

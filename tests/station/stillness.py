"""Does a robot stand still? It does when it tells the same place again and again: one that drives never tells one twice."""

from __future__ import annotations

from kumi.station.records import PoseRecord, RobotRecord

ENOUGH = 5


class Stillness:
    """What a robot told of its place, as often as somebody looked."""

    def __init__(self) -> None:
        self._told: dict[float, PoseRecord] = {}

    def is_seen(self, robot: RobotRecord) -> bool:
        """Note what is known of a robot; whether it has told the same place five times by now."""
        if robot.seen_at is not None and robot.pose is not None:
            self._told[robot.seen_at] = robot.pose
        last = list(self._told.values())[-ENOUGH:]
        return len(last) == ENOUGH and all(one == last[0] for one in last)

    @property
    def place(self) -> PoseRecord:
        """Where it was last."""
        return list(self._told.values())[-1]

"""Where does a station believe its robots to be?"""

from __future__ import annotations

from math import remainder, tau
from typing import Any

import msgspec

from kumi.geometry import Point, Pose
from kumi.mapping.pose_filter import Fix, PoseFilter
from kumi.maths import hypot
from kumi.station.positioning.sources import FixFeed, PositioningSource
from kumi.station.records import PlaceRecord, PoseRecord
from kumi.station.refusals import conflict

ELSEWHERE = 1.0
"""Metres from where a robot said it was last; beyond them its reckoning began anew."""
LEAST_CORRECTION = 0.005
"""Metres or radians of a correction that is worth telling."""


class LastReport(msgspec.Struct, frozen=True):
    """One report of a robot: where the station believes it to be, what else it told, and when, by the clock of the store."""

    pose: PoseRecord
    values: dict[str, Any]
    at: float


class Positioning:
    """Corrects what robots say by what a positioning system sees; without one, robots are where they say.

    `heard` is where robots are that talk with this process, by their last reports.
    """

    def __init__(self, source: PositioningSource | None = None) -> None:
        self.heard: dict[str, LastReport] = {}
        self._source = source
        self._filters: dict[str, PoseFilter] = {}

    def begin(self, robot: str, believed: PoseRecord) -> None:
        """A robot enters, and says where; unless it goes on where it was, what was known before is worth nothing."""
        known = self._filters.get(robot)
        if self._source is not None and (
            known is None or known.reckoned.position.distance_to(Point(believed.x, believed.y)) > ELSEWHERE
        ):
            self._filters[robot] = PoseFilter(_pose(believed))

    def report(self, robot: str, believed: PoseRecord) -> PoseRecord:
        """Take where a robot believes it is; return where it is."""
        if self._source is None:
            return believed
        pose_filter = self._filters.get(robot)
        if pose_filter is None:
            pose_filter = self._filters[robot] = PoseFilter(_pose(believed))
        pose_filter.move(_pose(believed))
        fix = self._source.look(robot, believed)
        if fix is not None:
            pose_filter.fix(fix)
        return PoseRecord(
            x=pose_filter.pose.position.x, y=pose_filter.pose.position.y, heading=pose_filter.pose.heading
        )

    def tell(self, robot: str, at: PlaceRecord, heading: float | None, error: float) -> None:
        """Take a fix from outside; refused where the station has another positioning system."""
        if not isinstance(self._source, FixFeed):
            raise conflict("this station takes no fixes from outside; start it with --positioning feed")
        self._source.tell(robot, Fix(at.x, at.y, heading, error))


def is_worth_telling(believed: PoseRecord, corrected: PoseRecord) -> bool:
    """Return whether a robot should know that it is elsewhere."""
    turned = remainder(believed.heading - corrected.heading, tau)
    return (
        hypot(believed.x - corrected.x, believed.y - corrected.y) > LEAST_CORRECTION
        or abs(turned) > LEAST_CORRECTION
    )


def _pose(record: PoseRecord) -> Pose:
    return Pose(Point(record.x, record.y), record.heading)

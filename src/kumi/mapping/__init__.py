"""Where am I and what is around: odometry, occupancy, finding oneself while drawing a map, merging, exploration."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.mapping.criteria import Score, Truth, trajectory_error
    from kumi.mapping.driving import Clearances, DriveCommand, Driver
    from kumi.mapping.exploration import Exploration
    from kumi.mapping.files import save_map
    from kumi.mapping.frontiers import Frontier, frontiers
    from kumi.mapping.matching import Match, match
    from kumi.mapping.merging import frame_of_meeting, merge, moved
    from kumi.mapping.models import PACKET_BEAMS, Beam, FilterSettings, OdometryModel, RangeModel
    from kumi.mapping.occupancy import Drawing, OccupancyMap
    from kumi.mapping.odometry import dead_reckoning, drive
    from kumi.mapping.picture import draw_map
    from kumi.mapping.pose_filter import Drift, Fix, PoseFilter
    from kumi.mapping.scan import MappingError, Scan, ranges_of
    from kumi.mapping.slam import Estimate, Slam
    from kumi.mapping.team import MappingTeam

__all__ = [
    "PACKET_BEAMS",
    "Beam",
    "Clearances",
    "Drawing",
    "Drift",
    "DriveCommand",
    "Driver",
    "Estimate",
    "Exploration",
    "FilterSettings",
    "Fix",
    "Frontier",
    "MappingError",
    "MappingTeam",
    "Match",
    "OccupancyMap",
    "OdometryModel",
    "PoseFilter",
    "RangeModel",
    "Scan",
    "Score",
    "Slam",
    "Truth",
    "dead_reckoning",
    "draw_map",
    "drive",
    "frame_of_meeting",
    "frontiers",
    "match",
    "merge",
    "moved",
    "ranges_of",
    "save_map",
    "trajectory_error",
]

lazy(__name__)

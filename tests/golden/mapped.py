"""Scenes of mapping: robots find themselves and draw a map, alone, as a team, and by meeting."""

from __future__ import annotations

from functools import cache
from math import inf, pi
from pathlib import Path

import kumi
from kumi.devs.chance import stream
from kumi.geometry import Point, Pose
from kumi.mapping import (
    Drawing,
    MappingTeam,
    RangeModel,
    Slam,
    dead_reckoning,
    frame_of_meeting,
    frontiers,
    match,
    merge,
    moved,
    trajectory_error,
)
from kumi.testing.surveys import Survey, surveys
from kumi.world import load_map
from tests.golden.content import content_hash

ARENA = Path(kumi.__file__).parent / "scenario" / "shipped" / "maps" / "arena.toml"
STARTS = [(0.4, 0.3, 0.0), (3.5, 0.4, pi / 2), (0.5, 2.6, 0.0)]
RANGES = RangeModel(reach=1.5)


@cache
def logs() -> list[Survey]:
    """Return what three robots log on three metres in the arena."""
    return surveys(load_map(ARENA), STARTS, seed=5, length=3.0, ranges=RANGES)


def surveyed() -> str:
    """What robots log with their errors, and where dead reckoning says they are."""
    found = [(log.scans, log.poses, dead_reckoning(log.scans, log.poses[0])) for log in logs()]
    return content_hash(found, [trajectory_error(reckoned, poses) for _, poses, reckoned in found])


def drawn() -> str:
    """The map along a known way, its frontiers, and the map turned and merged."""
    drawing = Drawing(RANGES)
    for reading, pose in zip(logs()[0].scans, logs()[0].poses, strict=True):
        drawing.add(pose, reading)
    turned = moved(drawing.map, Pose(Point(0.3, -0.2), 0.4))
    both = merge([drawing.map, turned])
    found = [[one.cells, one.middle(drawing.map)] for one in frontiers(drawing.map)]
    likely = drawing.likelihood(Pose(Point(0.5, 0.3), 0.1), logs()[0].scans[5])
    return content_hash([one.evidence for one in (drawing.map, turned, both)], found, likely)


def slam() -> str:
    """One robot finds itself while it draws its map."""
    robot = Slam(stream(1, "slam"), logs()[1].poses[0], ranges=RANGES, particles=60)
    estimates = [robot.add(reading) for reading in logs()[1].scans]
    return content_hash(estimates, robot.particles, robot.map.evidence, robot.errors)


def team() -> str:
    """Three robots share their maps, and how one map lies on another is found."""
    together = MappingTeam(ranges=RANGES, particles=40)
    for number, log in enumerate(logs()):
        together.add(f"robot {number}", stream(0, f"slam {number}"), log.poses[0])
    for tick in range(min(len(log.scans) for log in logs())):
        for number, log in enumerate(logs()):
            together.observe(f"robot {number}", log.scans[tick])
    turned = moved(together.map, Pose(Point(0.5, 0.1), 0.3))
    frame = frame_of_meeting(Pose(Point(1, 2), 0.4), (1.1, 0.3), Pose(Point(0, 1), 2.0), (1.2, -0.7))
    poses = [together.pose(f"robot {number}") for number in range(3)]
    return content_hash(poses, together.map.evidence, match(together.map, turned), frame, inf)


SCENES = [surveyed, drawn, slam, team]

"""A robot whose start nobody knows joins the team when its map matches, or when it meets somebody."""

from __future__ import annotations

from math import inf, pi, radians

import numpy as np

from kumi.devs.chance import stream
from kumi.geometry import Point, Pose
from kumi.mapping import FilterSettings, MappingTeam, OdometryModel, RangeModel, Scan, frame_of_meeting
from kumi.mapping.matching import apart
from kumi.mapping.team import TRY
from kumi.testing.surveys import surveys
from kumi.world import load_map
from tests.mapping.sketches import NOTHING, scan
from tests.mapping.worlds import ARENA, STARTS

EXACT = OdometryModel(way_noise=0.0, way_bias=0.0, steering_noise=0.0, steering_bias=0.0, lag=0.0)
STEADY = FilterSettings(jitter=0.0, wander=0.0)
HERE = Pose(Point(0.0, 0.0))


def test_a_robot_joins_when_its_map_matches() -> None:
    """From then on its place in the common frame is known to 10 cm and 3 degrees."""
    ranges = RangeModel(reach=1.5)
    logs = surveys(load_map(ARENA), STARTS[:2], seed=2, length=10.0, ranges=ranges, odometry=EXACT)
    team = MappingTeam(ranges=ranges, odometry=EXACT, settings=STEADY, particles=3, period=40)
    team.add("known", stream(0, "known"), logs[0].poses[0])
    team.add("lost", stream(0, "lost"))
    for one, other in zip(logs[0].scans, logs[1].scans, strict=False):
        team.observe("known", one)
        team.observe("lost", other)
        if team.has_joined("lost"):
            break
    index = len(team.members["lost"].poses) - 1
    away, turn = apart(team.pose("lost"), logs[1].poses[index])

    assert team.has_joined("lost")
    assert index + 1 >= TRY * 40
    assert away < 0.10
    assert turn < radians(3.0)
    assert team.map.area > team.map_of("known").area


def test_a_robot_joins_when_it_meets_another() -> None:
    """They stand face to face, a metre apart, each at the origin of its own frame."""
    team = MappingTeam(particles=2, odometry=EXACT, settings=STEADY)
    team.add("known", stream(0, "known"), HERE)
    team.add("lost", stream(0, "lost"))
    for name in ("known", "lost"):
        team.observe(name, Scan(0.0, 0.0, 0.0, NOTHING))
    frame = frame_of_meeting(team.pose("known"), (1.0, 0.0), team.pose("lost"), (1.0, 0.0))
    team.meet("lost", frame)
    away, turn = apart(team.pose("lost"), Pose(Point(1.0, 0.0), pi))

    assert away < 1e-9
    assert turn < 1e-9


def test_another_robot_is_no_wall() -> None:
    """A beam that ends where the team knows a robot to be is left out; a wall there would be drawn."""
    walls = []
    for other in (None, Pose(Point(1.0, 0.0), pi)):
        team = MappingTeam(particles=2, odometry=EXACT, settings=STEADY)
        team.add("one", stream(0, "one"), HERE)
        if other is not None:
            team.add("other", stream(0, "other"), other)
            team.observe("other", Scan(0.0, 0.0, 0.0, NOTHING))
        team.observe("one", scan(1.0 - 0.225 - 0.225))
        walls.append(bool(team.map_of("one").occupied.any()))

    assert walls == [True, False]


def test_drawn_again_a_map_is_right_where_its_robot_had_nothing_to_go_by() -> None:
    """Its encoder counts a sixth too little, and all it meets is a wall at the end, drawn by a guess of where it is.

    Another robot saw that wall from near: drawn again it stands there. What was estimated on the way stays as it was.
    """
    odometry = OdometryModel(way_noise=0.0, way_bias=0.1, steering_noise=0.0, steering_bias=0.0, lag=0.0)
    team = MappingTeam(
        particles=300, odometry=odometry, settings=FilterSettings(jitter=0.0, wander=0.0), period=200
    )
    team.add("late", stream(3, "late"), Pose(Point(0.0, 0.0)))
    team.add("there", stream(3, "there"), Pose(Point(WALL - 0.225 - 0.4, 0.0)))
    for step in range(52):
        true = 0.02 * step
        ahead = WALL - 0.225 - true
        team.observe("late", scan(ahead if ahead <= 0.8 else inf, time=step, distance=true / 1.2))
    for step in range(200):
        team.observe("there", scan(0.4, time=step, distance=0.02 * (step % 2)))
    poses, before = list(team.members["late"].poses), off(team)
    team.redraw()

    assert team.members["late"].poses == poses
    assert before > 0.075
    assert off(team) < 0.075


WALL = 2.0


def off(team: MappingTeam) -> float:
    """Return how far the wall on one robot's map is from where it is."""
    drawn = team.map_of("late")
    xs = [drawn.centre(cell).x for cell in np.argwhere(drawn.occupied).tolist()]
    return abs(float(np.mean(xs)) - WALL)

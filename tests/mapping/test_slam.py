"""A robot that draws its map as it goes is found again, where dead reckoning is lost."""

from __future__ import annotations

from math import inf, radians

import numpy as np
import pytest

from kumi.devs.chance import stream
from kumi.geometry import Point, Pose
from kumi.mapping import (
    Drawing,
    FilterSettings,
    MappingError,
    MappingTeam,
    OdometryModel,
    RangeModel,
    Scan,
    Slam,
    dead_reckoning,
    drive,
    trajectory_error,
)
from kumi.mapping.matching import apart
from kumi.mapping.slam import SystematicErrors
from kumi.testing.surveys import Survey, surveys
from kumi.world import load_map
from tests.mapping.sketches import NOTHING, scan
from tests.mapping.worlds import ARENA, STARTS

EXACT = OdometryModel(way_noise=0.0, way_bias=0.0, steering_noise=0.0, steering_bias=0.0, lag=0.0)
STEADY = FilterSettings(jitter=0.0, wander=0.0)
HERE = Pose(Point(0.0, 0.0))


@pytest.fixture(scope="module")
def logs() -> list[Survey]:
    """What three robots log on seven metres in the arena."""
    return surveys(load_map(ARENA), STARTS, seed=5, length=7.0, ranges=RangeModel(reach=1.5))


def test_without_errors_every_particle_draws_the_map_of_the_true_way(logs: list[Survey]) -> None:
    """Selection shares tiles between particles; what one writes, no other sees."""
    log = logs[0].scans[:120]
    slam = Slam(stream(0, "slam"), HERE, odometry=EXACT, settings=STEADY, particles=20)
    drawing = Drawing(slam.ranges)
    for reading, pose in zip(log, dead_reckoning(log, HERE), strict=True):
        assert abs(slam.add(reading).pose.position - pose.position) < 1e-9
        drawing.add(pose, reading)

    assert np.array_equal(slam.map.evidence, drawing.map.evidence)


def test_the_team_finds_its_robots_better_than_dead_reckoning(logs: list[Survey]) -> None:
    """The benchmark holds the criteria over many seeds; this is one of them, with fewer particles and shorter ways."""
    team = MappingTeam(ranges=RangeModel(reach=1.5), particles=150)
    for number, log in enumerate(logs):
        team.add(f"robot {number}", stream(0, f"slam {number}"), log.poses[0])
    for tick in range(max(len(log.scans) for log in logs)):
        for number, log in enumerate(logs):
            if tick < len(log.scans):
                team.observe(f"robot {number}", log.scans[tick])
    found = [trajectory_error(team.members[f"robot {n}"].poses, log.poses) for n, log in enumerate(logs)]
    reckoned = [trajectory_error(dead_reckoning(log.scans, log.poses[0]), log.poses) for log in logs]

    assert max(found) < 0.12
    assert np.mean(found) < np.mean(reckoned) / 2.5


def test_the_same_chance_gives_the_same_estimates(logs: list[Survey]) -> None:
    runs = [Slam(stream(1, "slam"), HERE, particles=30) for _ in range(2)]
    for reading in logs[1].scans[:60]:
        one, other = (slam.add(reading) for slam in runs)
        assert one == other
    assert np.array_equal(runs[0].map.evidence, runs[1].map.evidence)


def test_the_estimate_is_the_mean_of_the_particles(logs: list[Survey]) -> None:
    slam = Slam(stream(1, "slam"), HERE, particles=30)
    for reading in logs[1].scans[:40]:
        slam.add(reading)
    place = slam.estimate.pose.position
    x, y, _, weight = slam.particles.T

    assert len(weight) == 30
    assert (float((x * weight).sum()), float((y * weight).sum())) == pytest.approx(
        (place.x * weight.sum(), place.y * weight.sum())
    )


def test_who_stands_learns_nothing_new() -> None:
    """The same reading again and again does not make the map surer."""
    slam = Slam(stream(0, "slam"), HERE, particles=5, odometry=EXACT, settings=STEADY)
    slam.add(scan(0.5))
    before = slam.map.evidence.copy()
    for time in range(1, 20):
        slam.add(scan(0.5, time=time))

    assert np.array_equal(slam.map.evidence, before)


def test_what_others_drew_tells_a_robot_where_it_is() -> None:
    """It drives towards a wall that only another one saw: too short ways are found out."""
    wall = Drawing()
    for y in np.arange(-0.3, 0.3, 0.02):
        for _ in range(5):
            wall.add(Pose(Point(1.0, float(y))), scan(0.475))
    odometry = OdometryModel(way_bias=0.2, way_noise=0.0, steering_noise=0.0, steering_bias=0.0, lag=0.0)
    errors = []
    for shares in (False, True):
        slam = Slam(stream(5, "slam"), HERE, odometry=odometry, settings=FilterSettings(shared_most=6.0))
        if shares:
            slam.share(wall.map)
        for step in range(55):
            true = 0.02 * step
            ahead = 1.7 - 0.225 - true
            reading = scan(ahead if ahead <= 0.8 else inf, time=step, distance=true / 1.15)
            slam.add(reading)
        errors.append(abs(slam.estimate.pose.position.x - 0.02 * 54))

    assert errors[1] < 0.05 < errors[0]


def test_scans_come_in_order() -> None:
    slam = Slam(stream(0, "slam"), HERE, particles=2)
    slam.add(Scan(1.0, 0.0, 0.0, NOTHING))
    with pytest.raises(MappingError, match=r"one at 0\.5 s follows one at 1 s"):
        slam.add(Scan(0.5, 0.0, 0.0, NOTHING))


def test_an_encoder_that_was_reset_is_a_mistake_and_no_way() -> None:
    slam = Slam(stream(0, "slam"), HERE, particles=2)
    slam.add(Scan(1.0, 500.0, 0.0, NOTHING))
    with pytest.raises(
        MappingError, match="at most 10 m, but this one at 2 s says -500 m; was its encoder reset"
    ):
        slam.add(Scan(2.0, 0.0, 0.0, NOTHING))


def test_a_filter_has_particles() -> None:
    with pytest.raises(MappingError, match="at least one particle, not 0"):
        Slam(stream(0, "slam"), HERE, particles=0)


def test_a_robot_that_nobody_knows_is_named() -> None:
    team = MappingTeam(particles=2)
    team.add("one", stream(0, "one"), HERE)
    with pytest.raises(MappingError, match="there is no robot 'two' in the team; there are: one"):
        team.observe("two", Scan(0.0, 0.0, 0.0, NOTHING))
    with pytest.raises(MappingError, match="'one' is in the team already"):
        team.add("one", stream(0, "one"))


def test_errors_that_are_told_are_no_longer_guessed() -> None:
    """A wheel 2 degrees more to the left than it reads, and a way a twentieth longer: the exact arc, by arithmetic."""
    zero = radians(2.0)
    slam = Slam(
        stream(0, "slam"),
        HERE,
        odometry=EXACT,
        settings=STEADY,
        particles=3,
        errors=SystematicErrors(0.05, zero, 0.0),
    )
    slam.add(Scan(0.0, 0.0, 0.1, NOTHING))
    found = slam.add(Scan(1.0, 0.2, 0.1, NOTHING)).pose

    assert slam.errors == SystematicErrors(0.05, zero, 0.0)
    assert apart(found, drive(HERE, 0.21, 0.1 + zero)) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_a_wheel_that_turns_late_stood_as_before_for_a_share_of_the_way() -> None:
    """It read 0, then 0.3; with a lag of a quarter it stood at 0.225 on the average. From the first scan on it lags not."""
    slam = Slam(
        stream(0, "slam"),
        HERE,
        odometry=EXACT,
        settings=STEADY,
        particles=3,
        errors=SystematicErrors(0.0, 0.0, 0.25),
    )
    slam.add(Scan(0.0, 0.0, 0.0, NOTHING))
    found = slam.add(Scan(1.0, 0.2, 0.3, NOTHING)).pose

    assert apart(found, drive(HERE, 0.2, 0.225)) == pytest.approx((0.0, 0.0), abs=1e-9)

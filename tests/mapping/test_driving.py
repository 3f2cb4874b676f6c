"""A car follows its way past walls it does not touch, turns where there is room, and gets out of where it is stuck."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Point, Polygon, Pose, gap
from kumi.mapping import Clearances, DriveCommand, Driver, OccupancyMap, drive
from kumi.mapping.driving import SHARPEST, part_ahead
from kumi.planning.costs import clearances
from kumi.testing.surveys import PLATFORM

STRAIGHT = [Point(0.05 * step, 0.0) for step in range(41)]
NOTHING = Clearances(OccupancyMap(np.full((1, 1), -1.0, dtype=np.float32), 0, 0, 0.05), Point(0.0, 0.0))


Block = tuple[float, float, float, float]


def room_with(*blocks: Block, others: tuple[Point, ...] = (), apart: float = 0.0) -> Clearances:
    """Return the room in a place from -2 to 4 m where rectangles are occupied."""
    middles = -2.0 + 0.05 * (np.arange(120) + 0.5)
    xs, ys = np.meshgrid(middles, middles)
    evidence = np.full((120, 120), -1.0, dtype=np.float32)
    for left, bottom, width, height in blocks:
        evidence[(xs > left) & (xs < left + width) & (ys > bottom) & (ys < bottom + height)] = 3.0
    return Clearances(OccupancyMap(evidence, -40, -40, 0.05), Point(0.0, 0.0), others, apart)


def followed(
    driver: Driver, pose: Pose, way: list[Point], room: Clearances = NOTHING, steps: int = 600
) -> list[Pose]:
    """Return the poses of a car that does what it is told, two centimetres at a time, until it has come."""
    poses = [pose]
    for _ in range(steps):
        if abs(pose.position - way[-1]) < 0.1:
            break
        told = driver.drive(pose, way, room, is_stuck=False)
        pose = drive(pose, told.speed * 0.2, told.steering)
        poses.append(pose)
    return poses


def test_the_part_ahead_begins_at_the_nearest_point_and_is_as_long_as_asked_for() -> None:
    assert part_ahead(Point(0.51, 0.3), STRAIGHT, 0.2) == STRAIGHT[10:15]
    assert part_ahead(Point(1.99, 0.0), STRAIGHT) == STRAIGHT[-1:]


def test_on_a_straight_way_it_goes_straight() -> None:
    assert Driver(0.15, 0.1).drive(Pose(STRAIGHT[0]), STRAIGHT, NOTHING, is_stuck=False) == DriveCommand(
        0.1, 0.0
    )


def test_it_comes_back_to_its_way() -> None:
    """From 20 cm aside it is within 5 cm of it a metre later."""
    poses = followed(Driver(0.15, 0.1), Pose(Point(0.0, 0.2)), STRAIGHT)

    assert abs(poses[-1].position - STRAIGHT[-1]) < 0.1
    assert max(abs(pose.position.y) for pose in poses if pose.position.x > 1.0) < 0.05


def test_looking_the_wrong_way_it_turns_near_to_where_it_stands() -> None:
    """Never further than 60 cm from where it stood before it looks along its way."""
    poses = followed(Driver(0.15, 0.1), Pose(Point(0.0, 0.0), pi), STRAIGHT)
    turned = next(index for index, pose in enumerate(poses) if abs(pose.heading) % (2 * pi) < 0.6)

    assert abs(poses[-1].position - STRAIGHT[-1]) < 0.1
    assert max(abs(pose.position) for pose in poses[:turned]) < 0.6


@pytest.mark.parametrize("heading", [0.0, pi / 2, pi])
def test_in_a_corridor_it_turns_and_touches_no_wall(heading: float) -> None:
    """The corridor is 80 cm wide; a platform that turns on a circle needs 1.1 m."""
    walls = [(-2.0, 0.4, 6.0, 0.5), (-2.0, -0.9, 6.0, 0.5)]
    poses = followed(Driver(0.15, 0.1), Pose(Point(0.0, 0.0), heading), STRAIGHT, room_with(*walls))

    assert abs(poses[-1].position - STRAIGHT[-1]) < 0.1
    for x, y, width, height in walls:
        solid = Polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
        assert min(gap(PLATFORM, pose, solid, Pose(Point(0.0, 0.0))) for pose in poses) > 0.0


def test_it_does_not_come_nearer_to_another_robot_than_it_keeps_apart() -> None:
    other = Point(1.0, 0.0)
    poses = followed(
        Driver(0.15, 0.1), Pose(Point(0.0, 0.0)), STRAIGHT, room_with(others=(other,), apart=0.5), 200
    )
    middles = [pose.position + Point.polar(0.075, pose.heading) for pose in poses]

    assert min(abs(middle - other) for middle in middles) > 0.47


def test_stuck_it_does_not_go_there_again_for_a_while() -> None:
    driver, pose = Driver(0.15, 0.1), Pose(STRAIGHT[0])
    before = driver.drive(pose, STRAIGHT, NOTHING, is_stuck=False)
    after = [driver.drive(pose, STRAIGHT, NOTHING, is_stuck=step == 0) for step in range(20)]

    assert before == DriveCommand(0.1, 0.0)
    assert before not in after[:11]
    assert after[-1] == before
    assert all(abs(told.steering) <= SHARPEST for told in after)


@given(st.integers(0, 2**32 - 1), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_the_room_for_the_next_half_metre_is_that_of_the_whole_map(seed: int, x: float, y: float) -> None:
    """Only a part of the map around the robot is looked at; what is farther away costs nothing on either."""
    chance = np.random.default_rng(seed)
    evidence = np.where(chance.random((60, 90)) < 0.01, 2.0, -1.0).astype(np.float32)
    drawn = OccupancyMap(evidence, -30, -20, 0.05)
    whole = np.pad(clearances(drawn.occupied) * 0.05, 1, constant_values=np.inf)
    places = np.array([x, y]) + chance.uniform(-0.7, 0.7, (50, 2))

    cells = np.floor(places / 0.05).astype(int) - np.array([-30, -20]) + 1
    expected = whole[np.clip(cells[:, 1], 0, 61), np.clip(cells[:, 0], 0, 91)]
    found = Clearances(drawn, Point(x, y)).at(places)

    assert np.array_equal(np.minimum(found, 0.5), np.minimum(expected, 0.5))

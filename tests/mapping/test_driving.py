"""A car follows its way, turns where that lies behind it, and gets out of where it is stuck."""

from __future__ import annotations

from math import inf, pi

from kumi.geometry import Point, Pose
from kumi.mapping import Drive, Driver, drive
from kumi.mapping.driving import SHARPEST, point_ahead

FREE = (inf,) * 6
STRAIGHT = [Point(0.05 * step, 0.0) for step in range(41)]


def followed(driver: Driver, pose: Pose, way: list[Point], steps: int = 600) -> list[Pose]:
    """Return the poses of a car that does what it is told, two centimetres at a time, until it has come."""
    poses = [pose]
    for _ in range(steps):
        if abs(pose.position - way[-1]) < 0.1:
            break
        told = driver.drive(pose, way, FREE, is_stuck=False)
        pose = drive(pose, told.speed * 0.2, told.steering)
        poses.append(pose)
    return poses


def test_the_point_ahead_lies_along_the_way_from_the_nearest_one() -> None:
    assert point_ahead(Point(0.51, 0.3), STRAIGHT, 0.2) == Point(0.05 * 14, 0.0)
    assert point_ahead(Point(1.99, 0.0), STRAIGHT) == STRAIGHT[-1]


def test_on_a_straight_way_it_goes_straight() -> None:
    assert Driver(0.15, 0.1).drive(Pose(STRAIGHT[0]), STRAIGHT, FREE, is_stuck=False) == Drive(0.1, 0.0)


def test_it_comes_back_to_its_way() -> None:
    """From 20 cm aside it is within 2 cm of it a metre later."""
    poses = followed(Driver(0.15, 0.1), Pose(Point(0.0, 0.2)), STRAIGHT)

    assert abs(poses[-1].position - STRAIGHT[-1]) < 0.1
    assert max(abs(pose.position.y) for pose in poses if pose.position.x > 1.0) < 0.02


def test_looking_the_wrong_way_it_turns_within_its_own_length() -> None:
    """Back and forth, never further than 40 cm from where it stood before it looks along its way."""
    poses = followed(Driver(0.15, 0.1), Pose(Point(0.0, 0.0), pi), STRAIGHT)
    turned = next(index for index, pose in enumerate(poses) if abs(pose.heading) % (2 * pi) < 0.6)

    assert abs(poses[-1].position - STRAIGHT[-1]) < 0.1
    assert max(abs(pose.position) for pose in poses[:turned]) < 0.45


def test_before_a_wall_it_goes_back() -> None:
    told = Driver(0.15, 0.1).drive(
        Pose(STRAIGHT[0]), STRAIGHT, (0.12, inf, inf, inf, inf, inf), is_stuck=False
    )

    assert told.speed < 0.0


def test_between_two_walls_it_stands() -> None:
    told = Driver(0.15, 0.1).drive(
        Pose(STRAIGHT[0]), STRAIGHT, (0.12, inf, inf, 0.11, inf, inf), is_stuck=False
    )

    assert told.speed == 0.0


def test_stuck_it_goes_back_the_way_it_came() -> None:
    """With the wheel as it was: that arc is free."""
    driver, pose = Driver(0.15, 0.1), Pose(Point(0.0, 0.4))
    before = driver.drive(pose, STRAIGHT, FREE, is_stuck=False)
    after = driver.drive(pose, STRAIGHT, FREE, is_stuck=True)

    assert after == Drive(-before.speed, before.steering)
    assert abs(after.steering) <= SHARPEST


def test_stuck_while_it_turns_it_goes_on_with_the_other_half_of_the_turn() -> None:
    """First back the way it came, then not there again."""
    driver, pose = Driver(0.15, 0.1), Pose(Point(0.0, 0.0), pi)
    before = driver.drive(pose, STRAIGHT, FREE, is_stuck=False)
    after = [driver.drive(pose, STRAIGHT, FREE, is_stuck=step == 0) for step in range(20)]

    assert before.speed < 0.0
    assert after[0] == Drive(0.1, before.steering)
    assert after[-1] == Drive(0.1, -before.steering)


def test_stuck_again_it_turns_to_the_other_side() -> None:
    driver, pose = Driver(0.15, 0.1), Pose(Point(0.0, 0.0), pi)
    before = driver.drive(pose, STRAIGHT, FREE, is_stuck=False)
    after = [driver.drive(pose, STRAIGHT, FREE, is_stuck=step in (0, 12)) for step in range(30)]

    assert after[-1] == Drive(-0.1, -before.steering)

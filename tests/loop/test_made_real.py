"""A packet robot is made to the measure of a virtual one, whatever that is."""

from __future__ import annotations

from math import pi

import pytest

from kumi.experiment.document import ScenarioError
from kumi.experiment.loop.made_real import Ranger, Speeds, fitted
from kumi.geometry import Disc
from kumi.link.calibration import Calibration


def made(radius: float = 0.1, speed: float = 0.3, turning: float = 0.0, **rangers: Ranger) -> Calibration:
    return fitted("robot 0", Disc(radius), Speeds(speed, turning), rangers)


@pytest.mark.parametrize(("radius", "speed"), [(0.02, 0.05), (0.1, 0.3), (5.0, 20.0), (100.0, 0.01)])
def test_size_and_speed_are_those_of_the_virtual_robot(radius: float, speed: float) -> None:
    robot = made(radius, speed)

    assert robot.width / 2 == pytest.approx(radius)
    assert robot.cruise == pytest.approx(speed)
    assert Calibration.from_dict(robot.to_dict()).to_dict() == robot.to_dict()


def test_a_motion_ends_within_what_the_robot_drives_in_a_millisecond_and_a_half() -> None:
    """At 20 m/s that is 30 mm; below 1 m/s it is 1.5 mm at any speed."""
    assert [made(speed=speed).near_enough for speed in (0.1, 1.0, 20.0)] == pytest.approx(
        [0.0015, 0.0015, 0.03]
    )


def test_the_front_wheel_sits_where_it_turns_the_robot_as_fast_as_it_should() -> None:
    """The motor of one that drives at 1 m/s has 1.2 m/s at most, and on a circle of 1.2/(pi/2) m turns at pi/2 rad/s."""
    large, small = made(5.0, 1.0, pi / 2), made(0.1, 0.3, pi / 2)

    assert large.wheelbase == pytest.approx(1.2 / (pi / 2))
    assert large.wheelbase + large.nose == pytest.approx(5.0)
    assert small.wheelbase == pytest.approx(0.09)


def test_a_wheel_of_a_fast_robot_counts_longer_ways() -> None:
    """Two bytes are 12 m to each side with the usual wheel, and five times as much at 20 m/s."""
    assert made(speed=20.0).wheel == pytest.approx(5.0 * made(speed=4.0).wheel)


def test_a_ranger_tells_its_reach_in_eight_hundred_steps_at_most() -> None:
    assert made(front=Ranger(0.0, 80.0)).ranger_step == pytest.approx(0.1)
    with pytest.raises(
        ScenarioError, match="robot 0 sees 150 m far, and a ranger of a packet robot at most 120 m"
    ):
        made(front=Ranger(0.0, 150.0))


def test_what_is_smaller_than_its_errors_is_refused_with_the_reason() -> None:
    with pytest.raises(ScenarioError, match=r"has at least 0\.02 m: it ends its motions to 1\.5 mm"):
        made(0.01)

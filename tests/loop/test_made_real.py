"""A packet robot is made to the measure of a virtual one, whatever that is."""

from __future__ import annotations

from math import pi

import pytest

from kumi.geometry import Disc
from kumi.link.calibration import Calibration
from kumi.loop.comparing.made_real import RangerMount, Speeds, fitted
from kumi.scenario.document import ScenarioError


def made(
    radius: float = 0.1, speed: float = 0.3, turning: float = 0.0, **rangers: RangerMount
) -> Calibration:
    return fitted("robot 0", Disc(radius), Speeds(speed, turning), rangers)


@pytest.mark.parametrize(("radius", "speed"), [(0.02, 0.05), (0.1, 0.3), (5.0, 20.0), (100.0, 0.01)])
def test_size_and_speed_are_those_of_the_virtual_robot(radius: float, speed: float) -> None:
    robot = made(radius, speed)

    assert robot.width / 2 == pytest.approx(radius)
    assert robot.cruise == pytest.approx(speed)
    assert Calibration.from_dict(robot.to_dict()).to_dict() == robot.to_dict()


def test_a_motion_ends_within_what_the_robot_drives_in_a_millisecond_and_a_half() -> None:
    """At 20 m/s that is 30 mm; below 1 m/s it is 1.5 mm at any speed."""
    assert [made(5.0, speed).near_enough for speed in (0.1, 1.0, 20.0)] == pytest.approx(
        [0.0015, 0.0015, 0.03]
    )


def test_the_front_wheel_sits_where_it_turns_the_robot_as_fast_as_it_should() -> None:
    """The motor of one that drives at 1 m/s has 1.2 m/s at most, and on a circle of 1.2/(pi/2) m turns at pi/2 rad/s."""
    large, small = made(5.0, 1.0, pi / 2), made(0.1, 0.3, pi / 2)

    assert large.wheelbase == pytest.approx(1.2 / (pi / 2))
    assert large.wheelbase + large.nose == pytest.approx(5.0)
    assert small.wheelbase == pytest.approx(0.09)


def test_the_wheelbase_of_a_slow_robot_is_ten_times_what_a_motion_ends_off_at_least() -> None:
    """1.2 cm/s would turn it at pi/2 rad/s with a wheelbase of 8 mm, and 1.5 mm are a tenth of 15 mm."""
    assert made(0.1, 0.01, pi / 2).wheelbase == pytest.approx(0.015)


def test_a_wheel_of_a_fast_robot_counts_longer_ways() -> None:
    """Two bytes are 12 m to each side with the usual wheel, and five times as much at 20 m/s."""
    assert made(5.0, 20.0).wheel == pytest.approx(5.0 * made(5.0, 4.0).wheel)


def test_a_ranger_tells_its_reach_in_eight_hundred_steps_at_most() -> None:
    assert made(front=RangerMount(0.0, 80.0)).ranger_step == pytest.approx(0.1)
    with pytest.raises(
        ScenarioError, match="robot 0 sees 150 m far, and a ranger of a packet robot at most 120 m"
    ):
        made(front=RangerMount(0.0, 150.0))


def test_what_is_smaller_than_its_errors_is_refused_with_the_reason() -> None:
    """Nine tenths of the radius are the wheelbase; 1.5 mm are more than a tenth of 9 mm, and 30 mm of 90 mm."""
    for radius, speed, said in ((0.01, 0.3, "1.5 mm"), (0.1, 20.0, "30 mm")):
        with pytest.raises(
            ScenarioError, match=f"ends its motions to {said}, and one as small would turn too far"
        ):
            made(radius, speed)
    assert made(5.0, 20.0).near_enough == pytest.approx(0.03)

"""The less usual cases of sensors: both bounds of what they read, parts out of reach, robots that are removed."""

from __future__ import annotations

from math import inf, pi
from typing import Any

import pytest

from kumi import sleep
from kumi.contract.readings import Counts, Range
from kumi.geometry import Rectangle
from kumi.motion import Wheel
from kumi.robot import Robot
from kumi.sensing import (
    Camera,
    FloorSensor,
    GaussianNoise,
    Lidar,
    Prop,
    ProximityAlarm,
    RangeFinder,
    View,
    WheelEncoder,
)
from kumi.sensing.noise import as_share
from kumi.world import Block
from tests.sensing.scenes import about, place, reading, readings, rest
from tests.sensing.test_camera import seen
from tests.sensing.test_encoder import counted
from tests.sensing.test_lidar import ROOM


def test_a_single_ray_all_around_looks_straight_back_as_the_first_of_many_does() -> None:
    assert reading(Lidar(1), ROOM).bearings.tolist() == [-pi]


def test_a_scan_reads_no_less_than_it_can_and_beyond_its_reach_nothing() -> None:
    """The walls are at 2, 3, 4 and 5 m."""
    assert reading(Lidar(4, min_reach=2.5), ROOM).distances.tolist() == [2.5, 3.0, 4.0, 5.0]
    assert reading(Lidar(4, min_reach=2.5, reach=3.5), ROOM).distances.tolist() == [2.5, 3.0, inf, inf]


def test_the_noise_of_a_scan_stays_within_what_can_be_measured() -> None:
    lidar = Lidar(400, min_reach=2.5, reach=5.5, noise=GaussianNoise(1.0))
    found = [one for one in reading(lidar, ROOM).distances.tolist() if one < inf]

    assert (min(found), max(found)) == (2.5, 5.5)


def test_a_robot_at_the_same_place_is_in_every_field_of_view() -> None:
    found: list[Any] = []

    async def look(robot: Robot) -> None:
        found.append(await robot.eye.read())

    with place(ghost=True) as stage:
        stage.add(look, at=(0, 0), sensors={"eye": View(view=0.1, bearing=pi)})
        stage.add(rest, at=(0, 0))
        stage.run()

    assert [one.number for one in found[0]] == [1]


def test_where_a_robot_is_seen_follows_each_of_the_two_errors_alone() -> None:
    """A disc of 0.1 m is 5 m away: it is at the wrong place by the distance, or by the bearing."""
    (by_distance,) = reading(View(noise=0.5), others=[(5.0, 0.0)])
    assert by_distance.distance != about(4.9)
    assert [*by_distance.position] == about([by_distance.distance + 0.1, 0.0])

    (by_bearing,) = reading(View(bearing_noise=0.5), others=[(5.0, 0.0)])
    assert by_bearing.distance == about(4.9)
    assert by_bearing.bearing != 0.0
    assert by_bearing.position.direction == about(by_bearing.bearing)
    assert abs(by_bearing.position) == about(5.0)


@pytest.mark.parametrize(("height", "bound"), [(0.1, 0.0), (2.9, 3.0)])
def test_the_noise_of_a_floor_sensor_stays_between_nothing_and_its_reach(height: float, bound: float) -> None:
    found = [one.distance for one in readings(FloorSensor(height=height, tilt=0.0, noise=0.5), 100)]

    assert bound in {min(found), max(found)}
    assert min(found) >= 0.0
    assert max(found) <= 3.0


@pytest.mark.parametrize("pixels", [14, 4098, 101])
def test_a_picture_is_neither_too_small_nor_too_large_nor_odd(pixels: int) -> None:
    for side in ({"width": pixels}, {"height": pixels}):
        with pytest.raises(ValueError, match=f"not {pixels}"):
            Camera(**side)
    assert (Camera(width=16).width, Camera(height=4096).height) == (16, 4096)


def test_a_thing_beyond_the_reach_is_not_in_the_picture() -> None:
    assert seen(props=(Prop((2.0, 0.0)),), reach=2.5) != seen(reach=2.5)
    assert seen(props=(Prop((3.0, 0.0)),), reach=2.5) == seen(reach=2.5)


def test_a_share_is_at_most_all() -> None:
    assert as_share(1.0, "a share") == 1.0
    with pytest.raises(ValueError, match=r"a share .* not 1\.5"):
        as_share(1.5, "a share")


def test_one_and_a_half_circles_count_as_their_whole_way() -> None:
    """A circle of 1 m radius: the wheels, 0.4 m apart, go 0.8 and 1.2 m of way for each radian."""

    async def parts(robot: Robot) -> Any:
        robot.steer(1.0, 1.0)
        await sleep(3 * pi)
        yield

    _, after = counted(parts, WheelEncoder(1000.0, track=0.4), drive=Wheel())
    assert after == Counts(7539, 11309)  # millimetres: 2.4 pi and 3.6 pi


def test_of_a_block_a_side_beyond_the_reach_is_not_met_though_another_is_near() -> None:
    """The block is 0.3 m beside the way; in the cone of 0.15 rad to each side is its far end alone, 2.9 m ahead."""
    block = Block(Rectangle(0.0, 0.3, 3.0, 0.2))

    assert reading(RangeFinder(reach=1.0, view=0.3), [block]) == Range(1.0, False)


def test_a_sampled_sensor_of_a_robot_that_was_removed_tells_nothing() -> None:
    """The other comes near at 4.1 s."""
    found: list[Any] = []

    async def listen(robot: Robot) -> None:
        async for event in robot.near:
            found.append(event)  # noqa: PERF401

    async def come(robot: Robot) -> None:
        await robot.forward(10.0)

    for is_removed in (False, True):
        found.clear()
        with place() as stage:
            stage.add(listen, at=(0, 0), sensors={"near": ProximityAlarm(0.8, period=0.5)})
            stage.add(come, at=(-5, 0.3))
            if is_removed:
                stage.simulation.schedule(1.25, stage.world.bodies[0].remove)
            stage.run(20.0)
        assert len(found) == (0 if is_removed else 2)

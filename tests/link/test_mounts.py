"""Where the packet robot's rangers sit is one truth: the calibration's, for the link, for mapping and in simulations."""

from __future__ import annotations

from contextlib import closing
from math import pi, radians, tan

import pytest

from kumi import now, sleep
from kumi.geometry import Point, Polygon, Pose
from kumi.link.calibration import Calibration
from kumi.mapping import PACKET_BEAMS, Beam, OdometryModel, Scan, dead_reckoning
from kumi.programs.mapping import RANGERS, beams_of
from kumi.robot import Robot
from kumi.scenario import Staging, load_scenario
from kumi.testing.surveys import PLATFORM
from tests.link.pairs import Pair

CALIBRATION = Calibration.default()


def numbers(pose: Pose) -> list[float]:
    return [*pose.position, pose.heading]


def beam_numbers(beam: Beam) -> list[float]:
    return [beam.x, beam.y, beam.bearing]


def corners(shape: Polygon) -> set[tuple[float, float]]:
    return {(round(corner.x, 9), round(corner.y, 9)) for corner in shape.corners}


MOUNTS = [numbers(mount) for mount in CALIBRATION.mounts]


def test_mapping_takes_the_rangers_to_sit_where_the_calibration_says() -> None:
    assert [beam_numbers(beam) for beam in PACKET_BEAMS] == [pytest.approx(mount) for mount in MOUNTS]
    assert OdometryModel().wheelbase == CALIBRATION.wheelbase
    assert corners(PLATFORM) == corners(CALIBRATION.shape)


def test_a_linked_robot_tells_where_its_rangers_sit() -> None:
    robot = Robot(Pair().body)

    assert [beam_numbers(beam) for beam in beams_of(robot)] == MOUNTS


def test_the_robots_of_the_shipped_scenario_are_made_like_that() -> None:
    with closing(Staging(load_scenario("mapping")).stage()) as stage:
        robot = stage.robots[0]

        for name, mount in zip(RANGERS, MOUNTS, strict=True):
            assert numbers(getattr(robot, name).mount) == pytest.approx(mount)


def test_the_encoder_counts_the_way_of_the_back_axle() -> None:
    """A quarter of a circle of 0.5 m: 0.785 m at the axle, and 0.82 m at the front wheel, 15 cm ahead."""
    pair = Pair(baud=57600)
    counted: list[float] = []

    async def go(robot: Robot) -> None:
        await robot.encoder.read()
        for _ in range(18):
            await robot.arc(0.5, pi / 36)
            counted.append(CALIBRATION.distance_of((await robot.encoder.read()).left))

    pair.run(go)

    assert pair.hardware.body.odometer == pytest.approx(0.5 * pi / 2, abs=0.03)
    assert pair.hardware.way == pytest.approx(abs(Point(0.5, 0.15)) * pi / 2, abs=0.03)
    assert counted[-1] == pytest.approx(pair.hardware.body.odometer, abs=0.005)


def test_five_readings_a_second_lead_to_where_the_robot_is() -> None:
    """Though its wheel turns from side to side all the time, and takes its time for it: more than 1.2 m on, within 1 cm."""
    pair = Pair(baud=57600)
    log: list[Scan] = []
    true: list[Point] = []

    async def go(robot: Robot) -> None:
        for step in range(100):
            way = CALIBRATION.distance_of((await robot.encoder.read()).left)
            log.append(Scan(now(), way, await robot.steering.read(), ()))
            true.append(pair.hardware.body.position)
            robot.steer(0.1, 0.1 * tan(radians(30.0) * (1 if step % 7 < 4 else -1)) / CALIBRATION.wheelbase)
            await sleep(0.2)

    pair.run(go)

    start = Pose(Point(1.0, 1.5))
    end = dead_reckoning(log, start, CALIBRATION.wheelbase)[-1]
    assert log[-1].distance > 1.2
    assert end.position.distance_to(true[-1]) < 0.01

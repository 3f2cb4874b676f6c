"""Dead reckoning follows exact arcs, and the simulated car agrees with it."""

from __future__ import annotations

from math import atan, cos, isclose, pi, radians, sin, tan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import now, sleep
from kumi.geometry import Point, Pose
from kumi.mapping import MappingError, Scan, dead_reckoning, drive
from kumi.motion import Car
from kumi.robot import Robot
from kumi.sensing import Potentiometer, Sensor, WheelEncoder
from kumi.stage import Stage
from kumi.world import World

HOME = Pose(Point(0.0, 0.0))
ANGLES = st.floats(-1.0, 1.0)
WAYS = st.floats(-3.0, 3.0)


def test_straight_on() -> None:
    assert drive(Pose(Point(1.0, 2.0), pi / 2), 0.5, 0.0) == Pose(Point(1.0, 2.5), pi / 2)


def test_a_quarter_of_a_circle_of_one_metre_leads_to_one_one() -> None:
    """The wheel stands at atan(wheelbase / radius)."""
    end = drive(HOME, pi / 2, atan(0.15 / 1.0))

    assert abs(end.position - Point(1.0, 1.0)) < 1e-12
    assert isclose(end.heading, pi / 2)


def test_a_whole_circle_leads_home() -> None:
    assert abs(drive(HOME, 2 * pi * 0.4, atan(0.15 / 0.4)).position) < 1e-12


@given(ANGLES, WAYS, st.integers(1, 7))
def test_an_arc_in_pieces_is_the_arc(angle: float, way: float, pieces: int) -> None:
    pose = HOME
    for _ in range(pieces):
        pose = drive(pose, way / pieces, angle)

    assert abs(pose.position - drive(HOME, way, angle).position) < 1e-9


@given(ANGLES, WAYS)
def test_back_the_same_way_leads_home(angle: float, way: float) -> None:
    back = drive(drive(HOME, way, angle), -way, angle)

    assert abs(back.position) < 1e-9
    assert abs(back.heading) < 1e-9


@given(st.floats(-0.6, 0.6))
def test_the_step_of_the_fourth_seed_agrees_for_small_steps(angle: float) -> None:
    """It goes straight along the chord of the arc, by an angle of the way of the front wheel over its radius."""
    front = 1e-4
    turn = front * sin(angle) / 0.15
    rear = front * cos(angle)
    end = drive(HOME, rear, angle)

    assert abs(end.position - Point.polar(rear, turn / 2)) < 1e-12
    assert isclose(end.heading, turn, abs_tol=1e-15)


def test_the_pose_at_each_scan_of_a_log() -> None:
    log = [Scan(0.0, 5.0, 0.0, ()), Scan(1.0, 6.0, 0.0, ()), Scan(2.0, 6.0 + pi / 2, atan(0.15), ())]
    start, after_one, end = dead_reckoning(log, HOME)

    assert (start, after_one) == (HOME, Pose(Point(1.0, 0.0)))
    assert abs(end.position - Point(2.0, 1.0)) < 1e-12


def test_the_simulated_car_is_where_its_own_sensors_say() -> None:
    """Up to one count of the encoder, 0.4 mm, over three metres forward, to both sides and back."""
    log: list[Scan] = []
    truth: list[Pose] = []

    async def program(robot: Robot) -> None:
        for speed, angle in [(0.2, 0.0), (0.2, 0.4), (-0.1, 0.2), (0.2, -0.5), (0.0, 0.0), (0.2, 0.1)]:
            robot.steer(speed, speed * tan(angle) / 0.15)
            for _ in range(20):
                await sleep(0.1)
                counts = (await robot.encoder.read()).left
                log.append(Scan(now(), counts * 0.19 / 512, await robot.steering.read(), ()))
                truth.append(Pose(robot.position, robot.heading))

    with Stage(World()) as stage:
        sensors: dict[str, Sensor] = {"encoder": WheelEncoder(), "steering": Potentiometer(0.15)}
        stage.add(program, at=(0, 0), drive=Car(0.1), sensors=sensors)
        stage.run()

    found = dead_reckoning(log, truth[0])
    assert max(abs(one.position - true.position) for one, true in zip(found, truth, strict=True)) < 0.004


@pytest.mark.parametrize("name", ["time", "distance", "steering"])
def test_a_scan_is_made_of_finite_numbers(name: str) -> None:
    numbers = {"time": 0.0, "distance": 0.0, "steering": 0.0, name: float("nan")}

    with pytest.raises(MappingError, match=f"the {name} of a scan is a finite number, not nan"):
        Scan(**numbers, ranges=())


def test_a_range_below_nothing_is_refused() -> None:
    with pytest.raises(MappingError, match=r"at least 0 m, inf or None, not -0\.1"):
        Scan(0.0, 0.0, radians(1.0), (0.5, -0.1))

"""Driving a robot finds its true numbers within 2 %, under sensor noise; what cannot be measured is told."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from math import pi, radians, sin
from typing import Any, TypeVar

import pytest

from kumi.geometry import Point, Pose
from kumi.kernel import Simulation
from kumi.link.calibration import Calibration
from kumi.link.emulators import Errors
from kumi.link.fitting import Line, period, ranger_values, slope
from kumi.link.measuring import measure
from kumi.link.ranging import Ranging
from kumi.link.remote import Remote
from kumi.link.rig import Rig
from kumi.link.tables import CalibrationError, Table
from kumi.link.turning import Turning
from kumi.sensing import GaussianNoise
from kumi.world import Map, Wall, World
from tests.link.emulated import emulated, place

T = TypeVar("T")

GIVEN = Calibration.default()
SMALL = radians(0.2)
"""Below 10 degrees an angle is found within this, which is less than one count of the potentiometer, 0.29 degrees."""
HALL = Map(4.0, 4.0, obstacles=[Wall((2.0, 0.1), (2.0, 3.9))])


def truth() -> Calibration:
    """Return a robot unlike the one in the file: faster, steering off by 3°, with a ranger of its own."""
    return replace(
        GIVEN,
        motor=Table((byte, speed * 1.13) for byte, speed in GIVEN.motor.entries),
        servo=Table((byte, angle * 0.95 + 0.05) for byte, angle in GIVEN.servo.entries),
        potentiometer=Table((raw + 20, angle * 1.1) for raw, angle in GIVEN.potentiometer.entries),
        ranger=Table((raw * 1.08 + 5, distance) for raw, distance in GIVEN.ranger.entries),
    )


def on(
    truth: Calibration,
    at: Pose,
    program: Callable[[Remote], Coroutine[Any, Any, T]],
    *,
    noise: float = 0.0,
    map_: Map = HALL,
    seed: int = 1,
) -> T:
    """Run a program on an emulated robot, over its link; noise 1 is the one that the law below names."""
    world = World(map_)
    errors = Errors(ranger=3.0 * noise, potentiometer=2.0 * noise, wheel=GaussianNoise(share=0.02 * noise))
    with Simulation(world, seed=seed) as simulation:
        robot = emulated(simulation, world, at, truth=truth, errors=errors)

        async def connected() -> T:
            await robot.remote.connect()
            return await program(robot.remote)

        task = simulation.start_main(connected)
        simulation.run(1000.0)
        return task.result


async def measured(remote: Remote) -> Calibration:
    return await measure(remote, GIVEN)


async def around(remote: Remote) -> Calibration:
    return await Turning(Rig(remote, GIVEN.stop_byte), GIVEN).go_around({})


async def to_the_wall(remote: Remote) -> Line:
    return await Ranging(Rig(remote, GIVEN.stop_byte), GIVEN).find_wall()


@pytest.mark.parametrize("seed", [1, 4])
def test_the_fit_recovers_the_true_numbers_within_2_percent_under_sensor_noise(seed: int) -> None:
    """Rangers err by 3 counts, the potentiometer by 2, the wheel by 2 % a step; the robot looks 4° past the wall."""
    true = truth()

    found = on(true, place(1.2, 2.0, 4.0), measured, noise=1.0, seed=seed)

    for (byte, speed), (_, real) in zip(found.motor.entries, true.motor.entries, strict=True):
        assert speed == pytest.approx(real, rel=0.02), byte
    for (byte, angle), (_, real) in zip(found.servo.entries, true.servo.entries, strict=True):
        assert angle == pytest.approx(real, rel=0.02, abs=SMALL), byte
    for (value, cm), (real, _) in zip(found.ranger.entries, true.ranger.entries, strict=True):
        assert value == pytest.approx(real, rel=0.02), cm
        assert true.ranger.value_of(value) == pytest.approx(cm, rel=0.02), cm
    for angle in (-0.6, -0.3, -0.1, 0.1, 0.3, 0.6):
        value = true.potentiometer.raw_of(angle)
        assert found.pot_angle(value) == pytest.approx(angle, rel=0.02, abs=SMALL)
    assert found.wheelbase == GIVEN.wheelbase
    assert found.nothing == pytest.approx(true.nothing, abs=2)
    Calibration.from_dict(found.to_dict())


# What cannot be measured is one sentence, and the robot stands.


def test_a_place_without_a_wall_in_sight_is_told() -> None:
    with pytest.raises(CalibrationError, match="put the robot where a wall is within half a metre"):
        on(GIVEN, place(10.0, 10.0, 0.0), around, map_=Map(20.0, 20.0))


def test_a_place_without_room_is_told() -> None:
    with pytest.raises(CalibrationError, match="touched something while it went around; give it more room"):
        on(GIVEN, place(1.2, 3.7, 0.0), around)


def test_a_wall_that_is_not_there_is_told() -> None:
    with pytest.raises(CalibrationError, match="drove 150 cm and met no wall"):
        on(GIVEN, place(1.2, 1.5, 90.0), to_the_wall)


def test_a_wall_that_is_looked_at_askew_is_told() -> None:
    with pytest.raises(CalibrationError, match="does not look squarely at a straight wall"):
        on(GIVEN, place(1.55, 2.0, 35.0), to_the_wall)


def test_two_touches_tell_where_the_wall_is() -> None:
    """From the robot, which looks 5° past it, 80 cm away."""
    wall = on(GIVEN, place(1.2, 2.0, 5.0), to_the_wall)

    assert wall.distance_from(Pose(Point(0, 0), radians(-5))) == pytest.approx(0.8, abs=0.003)
    assert abs(wall.step_to(Point(0, 0))) == pytest.approx(0.8, abs=0.003)


def test_a_robot_that_does_not_move_is_told() -> None:
    dead = replace(GIVEN, motor=Table((byte, speed * 1e-6) for byte, speed in GIVEN.motor.entries))

    with pytest.raises(CalibrationError, match="does not move with motor byte 145"):
        on(dead, place(1.2, 2.0, 0.0), around)


# The fits, by numbers known beforehand.


def test_a_speed_is_the_slope() -> None:
    assert slope([1.0, 2.0, 3.0, 4.0], [7.0, 9.0, 11.0, 13.0]) == pytest.approx(2.0)


def test_a_period_is_found_between_its_counts() -> None:
    """A pattern that repeats after 1000.5 counts, read every 7."""
    counts = [7.0 * n for n in range(400)]
    values = [[300 + 100 * sin(2 * pi * c / 1000.5), 200 + 50 * sin(4 * pi * c / 1000.5)] for c in counts]

    assert period(counts, values, 1100.0) == pytest.approx(1000.5, abs=0.5)
    assert period([-c for c in counts], values, 900.0) == pytest.approx(1000.5, abs=0.5)


def test_the_table_of_a_ranger_goes_through_what_was_read() -> None:
    """On a line of two straight pieces, whatever was thought before."""
    distances = [0.1 + 0.0001 * n for n in range(3001)]
    values = [600 - 1000 * d if d <= 0.2 else 500 - 500 * d for d in distances]
    given = [(0.1, 900.0), (0.2, 500.0), (0.4, 350.0)]

    assert ranger_values(distances, values, given) == pytest.approx([500, 400, 300], rel=0.01)


def test_what_was_hardly_read_keeps_the_shape_it_had() -> None:
    """All values are twice what was thought, plus 10; the noise of a few does not bend the table."""
    given = [(0.1, 400.0), (0.2, 300.0), (0.4, 250.0)]
    distances = [0.12 + 0.002 * n for n in range(130)]
    values = [
        2 * (500 - 1000 * d if d <= 0.2 else 350 - 250 * d) + 10 + (3 if n % 2 else -3)
        for n, d in enumerate(distances)
    ]

    assert ranger_values(distances, values, given) == pytest.approx([810, 610, 510], abs=3)


def test_a_distance_that_was_never_read_is_told() -> None:
    given = [(0.1, 400.0), (0.2, 300.0), (0.4, 250.0)]

    with pytest.raises(CalibrationError, match="hardly read between 20 and 40 cm"):
        ranger_values([0.1 + 0.005 * n for n in range(20)], [300] * 20, given)


def test_a_wall_is_as_far_as_the_line_of_sight() -> None:
    wall = Line(Point(2, 0), Point(2, 1))

    assert wall.distance_from(Pose(Point(0, 0), 0.0)) == pytest.approx(2.0)
    assert wall.distance_from(Pose(Point(0, 0), pi / 4)) == pytest.approx(2 * 2**0.5)
    assert wall.step_to(Point(0.5, 7)) == Point(1.5, 0)

"""An emulated packet robot moves and senses as a car in its world."""

from __future__ import annotations

from math import cos, exp, pi, radians, sin, tan

import pytest

from kumi.devs import Simulation
from kumi.geometry import Circle, Point
from kumi.link.calibration import Calibration
from kumi.link.devices import RANGERS, STOP, Device, Switch
from kumi.link.emulators import Hardware, Lags, ReadingErrors
from kumi.sensing import UniformNoise
from kumi.world import Hole, Map, Wall, World

CALIBRATION = Calibration.default()
AT_ONCE = Lags(0.0, 0.0)
SPEED = 0.07986  # of motor byte 140
LEFT_24 = radians(24)  # of servo byte 117


def put(
    map_: Map | None = None,
    *,
    lags: Lags = AT_ONCE,
    errors: ReadingErrors | None = None,
    at: tuple[float, float] = (0.0, 0.0),
    heading: float = 0.0,
) -> tuple[Simulation, Hardware]:
    world = World(map_ or Map())
    simulation = Simulation(world)
    simulation.run(0.0)
    return simulation, Hardware(world, CALIBRATION, at=at, heading=heading, lags=lags, errors=errors)


def test_the_motor_drives_at_the_speed_of_its_byte() -> None:
    simulation, robot = put()
    robot.write(Device.MOTOR, 140)
    simulation.run(10.0)

    assert robot.body.position.x == pytest.approx(0.7986)
    assert robot.read(Device.ENCODER) == int(0.7986 / 0.19 * 512)


def test_backward_the_encoder_counts_below_0_in_two_bytes() -> None:
    simulation, robot = put()
    robot.write(Device.MOTOR, 120)
    simulation.run(1.0)

    assert robot.body.position.x == pytest.approx(-0.12294)
    assert robot.read(Device.ENCODER) == 65536 - 332  # -331.3 counts, rounded down


def test_with_the_wheel_turned_it_drives_the_arc_of_the_seed() -> None:
    """The front wheel goes around at L / sin 24 deg, the back axle at L / tan 24 deg."""
    simulation, robot = put()
    robot.write(Device.SERVO, 117)
    robot.write(Device.MOTOR, 140)
    simulation.run(5.0)

    angle, radius = 5.0 * SPEED * sin(LEFT_24) / 0.15, 0.15 / tan(LEFT_24)
    assert robot.body.heading == pytest.approx(angle)
    assert robot.body.position.distance_to((radius * sin(angle), radius * (1 - cos(angle)))) < 1e-9
    assert robot.way == pytest.approx(5.0 * SPEED)


def test_the_motor_follows_with_a_lag_of_first_order() -> None:
    """After a time T at a lag of 0.1 s it has gone v T - 0.1 v (1 - exp(-T / 0.1))."""
    simulation, robot = put(lags=Lags(motor=0.1, servo=0.0))
    robot.write(Device.MOTOR, 140)
    for time in (0.1, 0.3, 2.0):
        simulation.run(time)
        assert robot.body.position.x == pytest.approx(SPEED * (time - 0.1 * (1 - exp(-time / 0.1))), abs=1e-5)
    robot.write(Device.MOTOR, STOP)
    simulation.run(5.0)

    assert robot.body.position.x == pytest.approx(SPEED * 2.0, abs=1e-5)
    assert not robot.body.is_moving


def test_the_servo_follows_with_a_lag_of_first_order() -> None:
    simulation, robot = put(lags=Lags(motor=0.0, servo=0.2))
    robot.write(Device.SERVO, 131)
    simulation.run(0.2)

    assert robot.steering == pytest.approx(radians(40) * (1 - exp(-1)), abs=radians(2))
    simulation.run(4.0)
    assert robot.read(Device.POTENTIOMETER) == 664


def test_changing_direction_counts_both_ways() -> None:
    simulation, robot = put(lags=Lags(0.1, 0.08))
    robot.write(Device.MOTOR, 140)
    simulation.run(3.0)
    robot.write(Device.MOTOR, 120)
    simulation.run(6.0)

    assert robot.way == pytest.approx(robot.body.position.x, abs=1e-9)


def test_the_rangers_see_along_their_beams() -> None:
    """A box around the robot: its front ranger, at 0.225, is 0.275 from the wall at 0.5.

    Those half ahead, at (0.1, 0.1), see the side at 0.4 over a way of 0.3 times the root of 2.
    """
    box = Map(1.0, 0.8, origin=(-0.5, -0.4))
    _, robot = put(box)

    distances = [CALIBRATION.range_of(robot.read(ranger)) for ranger in RANGERS]

    assert distances == pytest.approx([0.275, 0.424, 0.3, 0.425, 0.3, 0.424], abs=0.005)


def test_where_nothing_is_within_reach_a_ranger_says_so() -> None:
    _, robot = put(Map(10.0, 10.0), at=(5.0, 5.0))

    assert {robot.read(ranger) for ranger in RANGERS} == {CALIBRATION.nothing}


@pytest.mark.parametrize(
    ("motor", "heading", "switch"),
    [
        (140, 0.0, Switch.FRONT),
        (120, pi, Switch.BACK),
        (140, pi / 4, Switch.FRONT | Switch.RIGHT),
        (140, -pi / 4, Switch.FRONT | Switch.LEFT),
    ],
)
def test_a_contact_closes_the_switch_of_its_side_and_stalls_the_motor(
    motor: int, heading: float, switch: int
) -> None:
    simulation, robot = put(Map(obstacles=[Wall((0.5, -3.0), (0.5, 3.0))]), heading=heading)
    told: list[float] = []
    robot.on_collision = lambda: told.append(simulation.now)
    robot.write(Device.MOTOR, motor)
    simulation.run(30.0)

    assert robot.read(Device.SWITCHES) == switch
    assert len(told) == 1
    assert not robot.body.is_moving


def test_a_switch_opens_when_the_body_has_moved_off() -> None:
    simulation, robot = put(Map(obstacles=[Wall((0.5, -3.0), (0.5, 3.0))]))
    robot.write(Device.MOTOR, 140)
    simulation.run(20.0)
    assert robot.read(Device.SWITCHES) == Switch.FRONT

    robot.write(Device.MOTOR, 120)
    simulation.run(20.1)

    assert robot.read(Device.SWITCHES) == 0


def test_driving_into_a_wall_again_is_told_again() -> None:
    simulation, robot = put(Map(obstacles=[Wall((0.5, -3.0), (0.5, 3.0))]))
    told: list[float] = []
    robot.on_collision = lambda: told.append(simulation.now)
    for time in (20.0, 21.0):
        robot.write(Device.MOTOR, STOP)
        robot.write(Device.MOTOR, 140)
        simulation.run(time)

    assert len(told) == 2
    assert told[1] == 20.0


def test_a_body_that_drives_into_it_closes_a_switch() -> None:
    """Robots that share a world touch each other."""
    simulation, robot = put()
    other = Hardware(robot.body.world, CALIBRATION, at=(0.6, 0.0), heading=pi, lags=AT_ONCE)
    other.write(Device.MOTOR, 140)
    simulation.run(5.0)

    assert robot.read(Device.SWITCHES) == other.read(Device.SWITCHES) == Switch.FRONT


def test_in_a_hole_it_is_lost_and_its_wheels_turn_in_vain() -> None:
    simulation, robot = put(Map(terrain=[Hole(Circle((1.0, 0.0), 0.5))]))
    robot.write(Device.MOTOR, 140)
    simulation.run(20.0)
    robot.write(Device.MOTOR, 145)
    simulation.run(21.0)

    assert robot.body.is_gone
    assert robot.read(Device.ENCODER) > 0


def test_readings_err_as_they_are_told_to() -> None:
    """Uniform errors of up to 5 of 1023 on a ranger that would read 324 for 30 cm."""
    _, robot = put(Map(1.0, 0.8, origin=(-0.5, -0.4)), errors=ReadingErrors(ranger=UniformNoise(5.0)))

    values = [robot.read(Device.IR_BACK_LEFT) for _ in range(300)]

    assert min(values) == 319
    assert max(values) == 329


def test_a_slipping_wheel_errs_for_good() -> None:
    simulation, robot = put(errors=ReadingErrors(wheel=UniformNoise(share=0.1)))
    robot.write(Device.MOTOR, 140)
    simulation.run(1.0)
    once = robot.read(Device.ENCODER)

    assert robot.read(Device.ENCODER) == once
    assert once != int(SPEED / 0.19 * 512)
    assert once == pytest.approx(SPEED / 0.19 * 512, rel=0.11)


def test_a_lag_is_a_time() -> None:
    with pytest.raises(ValueError, match="the lag of the motor is a number of seconds >= 0, not -1"):
        Lags(motor=-1)


def test_the_body_is_the_platform_of_the_seed() -> None:
    _, robot = put()

    assert robot.body.shape.reach == pytest.approx(abs(Point(0.225, 0.1)))

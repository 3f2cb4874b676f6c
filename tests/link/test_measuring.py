"""Driving a robot finds its true numbers within 2 %, under sensor noise; what cannot be measured is told."""

from __future__ import annotations

import random
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from math import degrees, exp, pi, radians, sin
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.geometry import Point, Pose
from kumi.link.calibration import Calibration
from kumi.link.emulators import ReadingErrors
from kumi.link.fitting import Fitted, FittedWall, lag_of, period, ranger_values, slope
from kumi.link.measuring import measure
from kumi.link.quality import MeasuredCalibration, Rig
from kumi.link.ranging import Ranging
from kumi.link.remote import Remote
from kumi.link.steering import DrivenCircle, steering_tables
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
        motor_lag=0.17,
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
    errors = ReadingErrors(
        ranger=3.0 * noise, potentiometer=2.0 * noise, wheel=GaussianNoise(share=0.02 * noise)
    )
    with Simulation(world, seed=seed) as simulation:
        robot = emulated(simulation, world, at, truth=truth, errors=errors)

        async def connected() -> T:
            await robot.remote.connect()
            return await program(robot.remote)

        task = simulation.start_main(connected)
        simulation.run(1000.0)
        return task.result


async def measured(remote: Remote) -> MeasuredCalibration:
    return await measure(remote, GIVEN)


async def around(remote: Remote) -> Calibration:
    return await Turning(Rig(remote, GIVEN.stop_byte), GIVEN).go_around({})


async def to_the_wall(remote: Remote) -> FittedWall:
    return await Ranging(Rig(remote, GIVEN.stop_byte), GIVEN).find_wall()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 4])
def test_the_fit_recovers_the_true_numbers_within_2_percent_under_sensor_noise(seed: int) -> None:
    """Rangers err by 3 counts, the potentiometer by 2, the wheel by 2 % a step; the robot looks 4° past the wall."""
    true = truth()

    measurement = on(true, place(1.2, 2.0, 4.0), measured, noise=1.0, seed=seed)
    found = measurement.calibration

    assert (measurement.complaints, measurement.notes) == ((), ())
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
    assert found.motor_lag == pytest.approx(true.motor_lag, rel=0.05)
    assert found.wheelbase == GIVEN.wheelbase
    assert found.nothing == pytest.approx(true.nothing, abs=2)
    Calibration.from_dict(found.to_dict())


BENT = Table(
    (raw, radians(angle))
    for raw, angle in (
        (300, -42),
        (380, -30),
        (420, -24),
        (500, -8),
        (540, 0),
        (600, 9),
        (690, 27),
        (720, 42),
    )
)
"""A potentiometer that is bent at six angles, by up to 4 counts a degree."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_potentiometer_that_is_bent_at_several_angles_is_found_so(seed: int, tmp_path: Path) -> None:
    """Within 0.3°, a count of it, under noise; nine of ten numbers within twice their standard uncertainty."""
    true = replace(truth(), potentiometer=BENT)
    found = on(true, place(1.2, 2.0, 4.0), measured, noise=1.0, seed=seed)

    for angle in range(-36, 40, 3):
        raw = BENT.raw_of(radians(angle))
        assert found.calibration.pot_angle(raw) == pytest.approx(radians(angle), abs=radians(0.3)), angle
    misses = [
        abs(fit.value - real) / fit.uncertainty
        for fit in found.fits
        if (real := true_value(true, fit.name)) is not None
    ]
    assert len(misses) == 4 + 1 + 17 + 15
    assert sum(miss < 2.0 for miss in misses) > 0.85 * len(misses)
    assert max(misses) < 6.0
    assert found.complaints == ()
    found.save(tmp_path / "mine.toml")
    assert Calibration.load(tmp_path / "mine.toml") == Calibration.from_dict(found.calibration.to_dict())
    assert str(found.fits[0]) in (tmp_path / "mine.toml").read_text()


def true_value(true: Calibration, name: str) -> float | None:
    """Return what a number of a fit is in truth, in the unit of the fit."""
    match name.split():
        case ["motor", "lag"]:
            return true.motor_lag
        case ["motor", byte]:
            return 100.0 * true.speed_of(int(byte))
        case ["servo", byte]:
            return degrees(true.angle_of(int(byte)))
        case ["ranger", "at", distance, "cm"]:
            return true.ranger.raw_of(float(distance) / 100.0)
    return None


@pytest.mark.slow
def test_a_table_that_does_not_explain_the_readings_is_told_as_poor() -> None:
    """Between 15 and 20 cm the true ranger tells 30 counts more than any straight line between its entries."""
    entries = sorted((distance, raw) for raw, distance in GIVEN.ranger.entries)
    table = Table((distance, raw) for distance, raw in entries)
    hump = Table((raw, distance) for distance, raw in [*entries, (0.175, table.value_of(0.175) + 30.0)])
    found = on(replace(GIVEN, ranger=hump), place(1.2, 2.0, 4.0), measured)

    assert any(
        said.startswith(("at 15 cm the ranger's readings lie", "at 20 cm the ranger's readings lie"))
        and said.endswith("the table needs more entries there, or something stood in the way")
        for said in found.complaints
    )


def steered(byte: int, angle: float, pot: float, uncertainty: float = 0.01) -> DrivenCircle:
    return DrivenCircle(
        byte, Fitted(radians(angle), radians(uncertainty), 1.0, 100), Fitted(pot, 0.2, 2.0, 100)
    )


SERVO = Table((byte, radians(byte - 100)) for byte in (60, 70, 80, 90, 100, 110, 120, 130, 140))
AT_REST = {byte: Fitted(512.0 + 4.0 * (byte - 100), 0.2, 2.0, 80) for byte in range(60, 141, 10)}


def test_a_wheel_that_does_not_keep_its_angle_is_told_as_poor() -> None:
    circles = [steered(byte, byte - 100.0, 512.0 + 4.0 * (byte - 100)) for byte in (60, 70, 130)]
    good = steering_tables(SERVO, [*circles, steered(140, 40.0, 672.0)], AT_REST)
    loose = steering_tables(SERVO, [*circles, steered(140, 40.0, 677.0)], AT_REST)
    vague = steering_tables(SERVO, [*circles, steered(140, 40.0, 672.0, 0.5)], AT_REST)

    assert (good.complaints, good.notes) == ([], [])
    assert [said.partition(": ")[2] for said in loose.complaints] == ["the wheel does not keep its angle"]
    assert loose.complaints[0].startswith(
        "with servo byte 140 the potentiometer told 677.0 on the circle and 672.0"
    )
    assert vague.complaints == [
        "the angle of servo byte 140 is uncertain by 0.5°: drive it nearer to walls, and let nothing move there"
    ]


def test_a_bend_in_the_middle_is_noted_as_what_is_assumed() -> None:
    """The potentiometer tells 20 counts, 5°, more at byte 100: it is bent there, since the servo is believed."""
    circles = [steered(byte, byte - 100.0, 512.0 + 4.0 * (byte - 100)) for byte in (60, 70, 130, 140)]
    bent = steering_tables(SERVO, circles, AT_REST | {100: Fitted(532.0, 0.2, 2.0, 80)})

    assert degrees(bent.potentiometer.value_of(532.0)) == pytest.approx(0.0)
    assert bent.complaints == []
    assert len(bent.notes) == 1
    assert bent.notes[0].startswith(
        "between -30° and 30° the potentiometer is bent, or the servo is not as in the"
    )
    assert bent.notes[0].endswith("angles there differ by up to 5.0°, and the servo is believed")


def test_where_wider_circles_have_no_room_fewer_angles_are_measured_and_it_is_noted() -> None:
    """A second wall 60 cm to the left: the tightest circle has room, and the next one touches that wall."""
    hall = Map(4.0, 4.0, obstacles=[Wall((2.0, 0.1), (2.0, 3.9)), Wall((0.2, 2.62), (1.9, 2.62))])

    async def steering(remote: Remote) -> tuple[Calibration, list[str]]:
        turning = Turning(Rig(remote, GIVEN.stop_byte), GIVEN)
        return await turning.go_around(await turning.sweep()), turning.notes

    found, notes = on(GIVEN, place(1.2, 2.0, 0.0), steering, map_=hall)

    assert [note for note in notes if note.startswith("there was no room for a circle with servo byte")]
    for (byte, angle), (_, real) in zip(found.servo.entries, GIVEN.servo.entries, strict=True):
        assert angle == pytest.approx(real, abs=radians(0.2)), byte


# How sure the fits are.


def rate(hits: Iterable[bool]) -> float:
    told = [*hits]
    return sum(told) / len(told)


@pytest.mark.parametrize("slip", [0.0, 0.02])
def test_a_slope_lies_within_its_uncertainty_two_times_of_three(slip: float) -> None:
    """Counts that are rounded, of a wheel that slips by a share of each step or not."""
    hits = {1.0: [], 2.0: []}  # type: dict[float, list[bool]]
    for seed in range(300):
        chance = random.Random(seed)
        speed, total, counts = chance.uniform(100.0, 300.0), 0.0, []
        times = [0.031 * number for number in range(400)]
        for _ in times:
            total += 0.031 * speed * (1.0 + chance.gauss(0.0, slip))
            counts.append(float(round(total)))
        found = slope(times, counts)
        for widths, told in hits.items():
            told.append(abs(found.value - speed) <= widths * found.uncertainty)
    assert rate(hits[1.0]) > 0.6
    assert rate(hits[2.0]) > 0.88


def test_a_period_lies_within_its_uncertainty_two_times_of_three() -> None:
    hits = {1.0: [], 2.0: []}  # type: dict[float, list[bool]]
    for seed in range(60):
        chance = random.Random(seed)
        true, phase = chance.uniform(900.0, 1100.0), chance.uniform(0.0, 6.0)
        counts = [7.0 * number for number in range(320)]
        values = [
            [
                round(300 + 80 * sin(number * 2 * pi * c / true + phase) + chance.gauss(0, 3))
                for number in (1, 2, 3)
            ]
            for c in counts
        ]
        found = period(counts, values, 1000.0)
        for widths, told in hits.items():
            told.append(abs(found.value - true) <= widths * found.uncertainty)
    assert rate(hits[1.0]) > 0.6
    assert rate(hits[2.0]) > 0.9


@given(st.integers(0, 10_000), st.floats(0.5, 5.0))
def test_the_values_of_a_ranger_lie_within_their_uncertainties(seed: int, noise: float) -> None:
    """Ten knots at once: at least six of ten within two of them, and none beyond six."""
    chance = random.Random(seed)
    given = [(0.1 + 0.05 * number, 600.0 - 40.0 * number + 2.0 * number**2) for number in range(10)]
    table = Table((distance, 1.05 * value + 7.0 + chance.uniform(-2, 2)) for distance, value in given)
    distances = [chance.uniform(0.1, 0.55) for _ in range(400)]
    values = [round(table.value_of(distance) + chance.gauss(0.0, noise)) for distance in distances]
    misses = [
        abs(fit.value - table.value_of(distance)) / fit.uncertainty
        for fit, (distance, _) in zip(ranger_values(distances, values, given), given, strict=True)
    ]
    assert sum(miss < 2.0 for miss in misses) >= 6
    assert max(misses) < 6.0


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
    assert slope([1.0, 2.0, 3.0, 4.0], [7.0, 9.0, 11.0, 13.0]).value == pytest.approx(2.0)


@pytest.mark.parametrize("lag", [0.03, 0.1, 0.4])
def test_the_lag_of_a_motor_is_how_the_way_that_is_left_falls(lag: float) -> None:
    """Two robots roll out, from 200 and from 90 counts a second, and were stopped a little before the first reading."""
    times = [0.031 * n for n in range(40)]
    rolls = [[(9.0 + t, u * lag * (1 - exp(-(t + 0.02) / lag))) for t in times] for u in (200.0, -90.0)]

    assert lag_of(rolls).value == pytest.approx(lag, rel=1e-3)
    assert lag_of([[(t, round(c)) for t, c in roll] for roll in rolls]).value == pytest.approx(lag, rel=0.15)


def test_a_robot_that_stands_at_once_has_no_lag_and_one_that_rolls_on_is_told() -> None:
    assert lag_of([[(0.1 * n, 7.0) for n in range(10)]]).value == 0.0
    with pytest.raises(CalibrationError, match="did not come to rest when its motor was stopped"):
        lag_of([[(0.1 * n, 20.0 * n) for n in range(10)]])


def test_a_period_is_found_between_its_counts() -> None:
    """A pattern that repeats after 1000.5 counts, read every 7."""
    counts = [7.0 * n for n in range(400)]
    values = [[300 + 100 * sin(2 * pi * c / 1000.5), 200 + 50 * sin(4 * pi * c / 1000.5)] for c in counts]

    assert period(counts, values, 1100.0).value == pytest.approx(1000.5, abs=0.5)
    assert period([-c for c in counts], values, 900.0).value == pytest.approx(1000.5, abs=0.5)


def test_the_table_of_a_ranger_goes_through_what_was_read() -> None:
    """On a line of two straight pieces, whatever was thought before."""
    distances = [0.1 + 0.0001 * n for n in range(3001)]
    values = [600 - 1000 * d if d <= 0.2 else 500 - 500 * d for d in distances]
    given = [(0.1, 900.0), (0.2, 500.0), (0.4, 350.0)]

    assert [fit.value for fit in ranger_values(distances, values, given)] == pytest.approx(
        [500, 400, 300], rel=0.01
    )


def test_what_was_hardly_read_keeps_the_shape_it_had() -> None:
    """All values are twice what was thought, plus 10; the noise of a few does not bend the table."""
    given = [(0.1, 400.0), (0.2, 300.0), (0.4, 250.0)]
    distances = [0.12 + 0.002 * n for n in range(130)]
    values = [
        2 * (500 - 1000 * d if d <= 0.2 else 350 - 250 * d) + 10 + (3 if n % 2 else -3)
        for n, d in enumerate(distances)
    ]

    assert [fit.value for fit in ranger_values(distances, values, given)] == pytest.approx(
        [810, 610, 510], abs=3
    )


def test_a_distance_that_was_never_read_is_told() -> None:
    given = [(0.1, 400.0), (0.2, 300.0), (0.4, 250.0)]

    with pytest.raises(CalibrationError, match="hardly read between 20 and 40 cm"):
        ranger_values([0.1 + 0.005 * n for n in range(20)], [300] * 20, given)


def test_a_wall_is_as_far_as_the_line_of_sight() -> None:
    wall = FittedWall(Point(2, 0), Point(2, 1))

    assert wall.distance_from(Pose(Point(0, 0), 0.0)) == pytest.approx(2.0)
    assert wall.distance_from(Pose(Point(0, 0), pi / 4)) == pytest.approx(2 * 2**0.5)
    assert wall.step_to(Point(0.5, 7)) == Point(1.5, 0)

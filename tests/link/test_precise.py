"""A motion ends where it should, however disturbed the line is, or says that it does not."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, radians, sin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.contract import Arc, Command, Forward, LinkLost, OffTarget, Turn
from kumi.geometry import Point, Pose
from kumi.link.calibration import NEAR_ENOUGH, Calibration
from kumi.link.devices import STOP, Device
from kumi.link.emulators import Lags
from kumi.link.line import Interference
from kumi.link.tables import Table
from kumi.loop.real import ROBOT
from kumi.robot import Robot
from kumi.world import Map
from tests.link.pairs import Pair

ACROSS = Calibration.load(ROBOT)

NEAR = 0.002
"""Metres between where a motion ends and where it should."""


def errors(
    damage: float | Interference, seed: int, motions: int = 4, *, baud: int = 9600, distance: float = 0.1
) -> list[float]:
    """Drive to and fro; return by how many metres each way was too long, but for those that raised."""
    interference = damage if isinstance(damage, Interference) else Interference.for_packets(damage)
    pair = Pair(seed=seed, baud=baud, interference=interference)
    found: list[float] = []

    async def go(robot: Robot) -> None:
        for number in range(motions):
            before = pair.hardware.body.position
            try:
                await (robot.back_up if number % 2 else robot.forward)(distance)
            except (LinkLost, OffTarget):
                return
            found.append(abs(pair.hardware.body.position - before) - distance)

    pair.run(go)
    return found


@pytest.mark.parametrize("damage", [0.0, 0.1, 0.25])
def test_ten_centimetres_are_ten_centimetres_with_any_share_of_packets_damaged(damage: float) -> None:
    found = [error for seed in range(5) for error in errors(damage, seed)]

    assert len(found) >= 16
    assert max(map(abs, found)) <= NEAR


@pytest.mark.slow
@pytest.mark.parametrize("damage", [0.0, 0.1, 0.25])
def test_two_hundred_motions_end_within_two_millimetres_or_raise(damage: float) -> None:
    found = [error for seed in range(5, 55) for error in errors(damage, seed)]

    assert len(found) >= 190
    assert max(map(abs, found)) <= NEAR


@pytest.mark.parametrize(
    "interference",
    [Interference(repeat=0.02), Interference(late=0.01, delay=0.3), Interference(late=0.05, delay=0.15)],
    ids=str,
)
def test_answers_that_come_late_or_twice_cost_no_way(interference: Interference) -> None:
    """What is read may be half a second old; then the wheel went farther between two answers than in the time between."""
    found = [error for seed in range(6) for error in errors(interference, seed, 2, distance=0.6)]

    assert len(found) >= 8
    assert max(map(abs, found)) <= NEAR


@settings(max_examples=25)
@given(
    damage=st.sampled_from([0.0, 0.05, 0.15, 0.3]),
    seed=st.integers(0, 10_000),
    baud=st.sampled_from([9600, 57600]),
    distance=st.floats(0.003, 0.5),
)
def test_any_way_is_as_long_as_it_should_be(damage: float, seed: int, baud: int, distance: float) -> None:
    assert all(abs(error) <= NEAR for error in errors(damage, seed, 2, baud=baud, distance=distance))


def after(pose: Pose, command: Command) -> Pose:
    """Return where a command leads."""
    match command:
        case Forward(distance):
            return Pose(pose.position + Point.polar(distance, pose.heading), pose.heading)
        case Arc(radius, angle):
            centre = pose.position + Point.polar(radius, pose.heading + pi / 2)
            return Pose(centre - Point.polar(radius, pose.heading + angle + pi / 2), pose.heading + angle)
        case Turn(angle):
            return Pose(pose.position, pose.heading + angle)
    raise AssertionError(f"where does {command} lead?")


def check_ends(pair: Pair, *commands: Command) -> None:
    """Hold that each motion ends at its place and heading: within 1.5 mm along its way and beside it, with both axles."""

    async def go(_robot: Robot) -> None:
        for command in commands:
            end = after(pair.body.reckoning.pose, command)
            try:
                await pair.body.carry_out(command)
            except (LinkLost, OffTarget):
                return
            pose = pair.body.reckoning.pose
            off = (pose.position - end.position).turned(-end.heading)
            assert max(abs(off.x), abs(off.y)) <= NEAR_ENOUGH, command
            bend = off.x / command.radius if isinstance(command, Arc) else 0.0  # its way turns until there
            aside = abs(pose.heading - end.heading - bend) * pair.body.calibration.wheelbase
            assert aside <= NEAR_ENOUGH, command

    pair.run(go)


@pytest.mark.slow
def test_arcs_do_not_swing_where_the_link_is_slow() -> None:
    """At 0.3 m/s, with a quarter of all packets damaged: corrected as on a clean line, one of them ends 14 cm beside."""
    beside = []
    for seed in range(80_001, 80_025, 2):
        pair = Pair(
            Map(20.0, 20.0),
            at=(10.0, 10.0),
            seed=seed,
            baud=(9600, 57600, 38400)[seed % 3],
            interference=Interference.for_packets(0.25),
            calibration=ACROSS,
        )

        async def go(_robot: Robot, pair: Pair = pair) -> None:
            for command in (Arc(0.5, 0.9), Arc(-0.9, -0.8), Arc(1.4, 0.7), Arc(-0.4, 1.1)):
                start = Pose(pair.hardware.body.position, pair.hardware.body.heading)
                try:
                    await pair.body.carry_out(command)
                except (LinkLost, OffTarget):
                    return
                end = after(start, command)
                beside.append(abs((pair.hardware.body.position - end.position).turned(-end.heading).y))

        pair.run(go)

    assert len(beside) >= 24
    assert max(beside) <= 0.04


TO_AND_FRO: list[Command] = [
    Arc(0.68, -0.88),
    Arc(-0.95, -0.83),
    Arc(0.5, 0.9),
    Arc(-0.3, 1.2),
    Forward(0.4),
    Forward(-0.3),
]


def test_arcs_and_straight_ways_end_at_their_place_and_heading() -> None:
    pair = Pair()
    check_ends(pair, *TO_AND_FRO)

    assert pair.gap < 0.005  # the potentiometer counts quarters of a degree


def test_a_round_robot_ends_turns_and_arcs_at_their_place_and_heading() -> None:
    check_ends(Pair(calibration=ACROSS, baud=57600), *TO_AND_FRO, Turn(pi / 2), Turn(-0.3), Arc(0.05, -pi))


def test_a_way_is_straight_where_no_byte_of_the_servo_is_straight_ahead() -> None:
    """Half a degree aside, 1 m would end 29 mm beside."""
    servo = Table((byte, angle + radians(0.5)) for byte, angle in Calibration.default().servo.entries)
    pair = Pair(calibration=replace(Calibration.default(), servo=servo))
    check_ends(pair, Forward(1.0), Forward(-0.5))

    assert pair.hardware.body.position.distance_to((1.5, 1.5)) <= NEAR


@pytest.mark.slow
@settings(max_examples=40)
@given(
    damage=st.sampled_from([0.0, 0.1, 0.25]),
    seed=st.integers(0, 10_000),
    is_round=st.booleans(),
    radius=st.floats(0.2, 2.0),
    side=st.sampled_from([1.0, -1.0]),
    angle=st.floats(-0.6, 0.6),
    distance=st.floats(-0.5, 0.5),
)
def test_any_motion_ends_at_its_place_and_heading_or_raises(
    damage: float, seed: int, is_round: bool, radius: float, side: float, angle: float, distance: float
) -> None:
    pair = Pair(
        Map(20.0, 20.0),
        at=(10.0, 10.0),
        seed=seed,
        calibration=ACROSS if is_round else None,
        interference=Interference.for_packets(damage),
    )
    check_ends(pair, Arc(side * radius, angle), Forward(distance), *([Turn(4.0 * angle)] if is_round else []))


@pytest.mark.parametrize("is_long", [True, False])
def test_a_motion_that_ended_beside_its_way_is_driven_again_from_a_way_back_or_raises(is_long: bool) -> None:
    """Its servo does nothing at first, so it goes straight where it should bend; it may wake up when it is there."""
    pair = Pair()
    write = pair.hardware.write
    stops: list[float] = []

    def deaf(device: Device, value: int) -> None:
        stops.extend([pair.world.now] if device is Device.MOTOR and value == STOP else [])
        if device is not Device.SERVO or (stops and not is_long):
            write(device, value)

    vars(pair.hardware)["write"] = deaf
    if not is_long:
        check_ends(pair, Arc(0.5, 0.5))
        assert pair.hardware.body.position.distance_to((1.0 + 0.5 * sin(0.5), 2.0 - 0.5 * cos(0.5))) < 0.004
        return

    async def go(robot: Robot) -> None:
        with pytest.raises(OffTarget, match=r"ended 'Arc\(.*\)' .* mm beside where it should") as caught:
            await robot.arc(0.5, 0.5)
        assert caught.value.beside > NEAR

    pair.run(go)


def test_turns_and_ways_to_places_are_put_right_too() -> None:
    """On a line that damages a fifth of all packets; what turns and bends add up to is as on a clean one."""
    pair = Pair(interference=Interference.for_packets(0.2), fade=20.0, seed=2)

    async def go(robot: Robot) -> None:
        await robot.arc(0.5, radians(40))
        assert robot.heading == pytest.approx(radians(40), abs=0.004)
        goal = robot.position + Point.polar(0.4, radians(60))
        await robot.move_to(goal)
        assert robot.position.distance_to(goal) <= NEAR

    pair.run(go)
    assert pair.gap <= 0.005


def test_a_lag_unlike_the_one_in_the_calibration_is_made_good() -> None:
    """It rolls 2.4 cm farther than it thinks, and drives that back."""
    pair = Pair(lags=Lags(motor=0.4, servo=0.08), believed_lag=0.1)

    async def go(robot: Robot) -> None:
        await robot.forward(0.3)

    pair.run(go)
    assert pair.hardware.body.position.x == pytest.approx(1.3, abs=NEAR)


def test_a_motor_too_weak_to_creep_is_driven_faster() -> None:
    """The wheel stands with every byte below the slowest that can be relied upon; the lag makes it roll too far at first."""
    motor = Calibration.default().motor
    weak = Table((*motor.entries, (121, -1e-6), (134, 1e-6)))
    pair = Pair(
        lags=Lags(motor=0.4, servo=0.08), believed_lag=0.1, truth=replace(Calibration.default(), motor=weak)
    )

    async def go(robot: Robot) -> None:
        await robot.forward(0.3)

    pair.run(go)
    assert pair.hardware.body.position.x == pytest.approx(1.3, abs=NEAR)


def test_a_robot_that_cannot_be_stopped_in_time_says_how_far_it_is_off() -> None:
    """Its motor stops a second after it was told so, each time."""
    pair = Pair()
    write = pair.hardware.write

    def late(device: Device, value: int) -> None:
        if device is Device.MOTOR and value == STOP:
            pair.world.schedule(pair.world.now + 1.0, lambda: write(device, value))
        else:
            write(device, value)

    vars(pair.hardware)["write"] = late

    async def go(robot: Robot) -> None:
        with pytest.raises(
            OffTarget,
            match=r"ended 'Forward\(distance=0.1, speed=None\)' .* mm (beyond|short of) where it should",
        ) as caught:
            await robot.forward(0.1)
        assert abs(caught.value.short_by) > NEAR

    pair.run(go)

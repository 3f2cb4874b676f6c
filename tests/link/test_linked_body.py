"""A packet robot over a link is a body like any other: programs run on it unchanged."""

from __future__ import annotations

from dataclasses import replace
from math import cos, degrees, inf, pi, radians, remainder, sin, tau

import pytest

from kumi import after, now, sleep, until
from kumi.contract import Arc, Busy, CannotDo, Forward, Sample, Steer, Track
from kumi.contract.readings import Counts, Range
from kumi.devs import Simulation, together
from kumi.geometry import Point
from kumi.link.calibration import Calibration
from kumi.link.devices import STOP
from kumi.link.emulators import Lags
from kumi.link.line import Interference
from kumi.link.linked_body import LinkedBody, OtherSpeed
from kumi.link.tables import Table
from kumi.programs.random_movement import random_movement
from kumi.robot import Robot
from kumi.testing import check_body
from kumi.world import Map, Wall
from tests.link.pairs import Pair

QUICK = replace(
    Calibration.default(), motor=Table([(117, -0.5), (127, 0.0), (137, 0.5), (147, 1.0)]), reliable=(127, 147)
)
"""A robot that can drive at the 0.5 m/s which the laws of motion ask for."""


def quick() -> tuple[Simulation, LinkedBody]:
    walls = Map(obstacles=[Wall((4.0, -2.0), (4.0, 2.0))])
    pair = Pair(walls, at=(0.5, 0.0), baud=115200, calibration=QUICK, lags=Lags(0.0, 0.0), believed_lag=0.0)
    pair.simulation.run(0.5)
    return pair.simulation, pair.body


def test_a_linked_body_keeps_the_laws_of_motion() -> None:
    """Those of simulated bodies, to a tenth of a second of driving: what is asked over a line is never new."""
    check_body(quick, tolerance=0.05)


@pytest.mark.parametrize("distance", [0.3, -0.3, 0.05, -0.02])
@pytest.mark.parametrize("baud", [9600, 115200])
def test_forward_goes_as_far_as_it_was_told_to_3_mm(distance: float, baud: int) -> None:
    pair = Pair(baud=baud)

    async def go(robot: Robot) -> None:
        place = await robot.forward(distance)
        assert place == robot.position

    pair.run(go)

    assert pair.hardware.body.position.x - 1.0 == pytest.approx(distance, abs=0.003)
    assert pair.gap < 0.001
    assert not pair.body.is_moving
    assert pair.hardware.motor == STOP


@pytest.mark.parametrize(("radius", "angle"), [(0.5, 90), (0.5, -90), (-0.4, -120), (-0.4, 120)])
def test_an_arc_turns_by_its_angle(radius: float, angle: float) -> None:
    pair = Pair()

    async def go(robot: Robot) -> None:
        await robot.arc(radius, radians(angle))

    pair.run(go)

    assert degrees(pair.hardware.body.heading) == pytest.approx(angle, abs=1.5)
    assert pair.gap < 0.01
    assert (pair.hardware.way > 0.0) == (radius * angle > 0.0)


@pytest.mark.slow
def test_move_to_arrives_and_its_error_is_what_the_reckoning_does_not_know() -> None:
    pair = Pair()
    gaps: list[float] = []

    async def go(robot: Robot) -> None:
        for goal in [(2.0, 2.0), (1.0, 1.0), (2.0, 1.5)]:
            await robot.move_to(goal)
            assert robot.position.distance_to(goal) < 0.01
            gaps.append(pair.gap)

    pair.run(go)

    assert max(gaps) < 0.03


def test_follow_goes_from_place_to_place() -> None:
    pair = Pair()

    async def go(robot: Robot) -> None:
        await robot.follow([(1.5, 1.5), (2.0, 1.8)])
        assert robot.position.distance_to((2.0, 1.8)) < 0.01

    pair.run(go)


def test_a_curve_is_driven_in_one_go_and_left_by_2_cm_at_most() -> None:
    """A quarter of a circle of 0.8 m, 8 cm from place to place: 1.26 m, with no stop on the way."""
    pair = Pair()
    places = [Point(1 + 0.8 * sin(a / 16 * pi / 2), 2.3 - 0.8 * cos(a / 16 * pi / 2)) for a in range(17)]
    far: list[float] = []
    took: list[float] = []

    async def watch() -> None:
        while True:
            far.append(abs(abs(pair.hardware.body.position - Point(1.0, 2.3)) - 0.8))
            await sleep(0.1)

    async def go(robot: Robot) -> None:
        async with together() as tasks:
            watching = tasks.start(watch)
            began = now()
            await robot.follow(places)
            took.append(now() - began)
            watching.cut()
        assert robot.position.distance_to(places[-1]) < 0.01

    pair.run(go)

    assert max(far) <= 0.02
    assert took[0] <= 1.3 * 0.4 * pi / pair.body.calibration.cruise


def test_a_shipped_program_runs_on_it_unchanged() -> None:
    pair = Pair()
    places: list[float] = []

    async def go(robot: Robot) -> None:
        with until(after(50.0)):
            await random_movement(robot, 4.0, 3.0, 0.8, 0.06, 0.1)
        places.append(robot.position.distance_to((1.0, 1.5)))

    pair.run(go)

    assert places[0] > 0.1
    assert pair.gap < 0.1
    assert pair.hardware.way > 3.0  # 50 s at up to 0.1 m/s, less the stops


def test_sensors_give_the_readings_of_simulated_ones() -> None:
    pair = Pair(Map(1.0, 0.8, origin=(-0.5, -0.4)), at=(0.0, 0.0))
    read: dict[str, object] = {}

    async def go(robot: Robot) -> None:
        for name in ("front", "left_of", "rangers", "encoder", "steering"):
            if name in pair.body.sensors:
                read[name] = await getattr(robot, name).read()

    pair.run(go)

    front = read["front"]
    assert isinstance(front, Range)
    assert front.is_hit
    assert front.distance == pytest.approx(0.275, abs=0.005)
    assert isinstance(read["rangers"], tuple)
    assert [one.distance for one in read["rangers"]] == pytest.approx(
        [0.275, 0.424, 0.3, 0.425, 0.3, 0.424], abs=0.005
    )
    assert read["encoder"] == Counts(0, 0)
    assert read["steering"] == pytest.approx(0.0, abs=0.01)
    assert "left_of" not in read


def test_a_sensor_can_have_a_further_name() -> None:
    pair = Pair(aliases={"left": "back_left"})
    read: list[object] = []

    async def go(robot: Robot) -> None:
        read.extend([await robot.left.read(), await robot.back_left.read()])

    pair.run(go)

    assert read[0] == read[1]
    with pytest.raises(ValueError, match="'up' cannot stand for 'down': the sensors are front, front_left"):
        Pair(aliases={"up": "down"})


def test_where_nothing_is_in_reach_a_ranger_reads_its_reach_and_no_hit() -> None:
    pair = Pair(Map(10.0, 10.0), at=(5.0, 5.0))
    read: list[Range] = []

    async def go(robot: Robot) -> None:
        read.append(await robot.back.read())

    pair.run(go)

    assert read == [Range(0.8, False)]


def test_leaving_a_motion_stops_the_robot() -> None:
    pair = Pair()

    async def go(robot: Robot) -> None:
        with until(after(2.0)):
            await robot.forward(inf)
        assert not robot.is_moving
        await sleep(1.0)

    pair.run(go)

    assert pair.hardware.motor == STOP
    assert pair.gap < 0.002


def test_one_motion_at_a_time() -> None:
    pair = Pair()

    async def go(robot: Robot) -> None:
        async with together() as tasks:
            tasks.start(drive, robot, 0.2)
            await sleep(0.5)
            with pytest.raises(Busy, match="robot 0 is busy with Forward"):
                await robot.forward(0.1)
            with pytest.raises(Busy):
                robot.steer(0.05)

    pair.run(go)

    assert pair.hardware.body.position.x == pytest.approx(1.2, abs=0.003)


async def drive(robot: Robot, distance: float) -> None:
    await robot.forward(distance)


def test_steering_changes_without_a_stop_and_ends_at_stop() -> None:
    pair = Pair()

    async def go(robot: Robot) -> None:
        robot.steer(0.08)
        await sleep(2.0)
        robot.steer(0.08, 0.2)
        assert pair.hardware.body.is_moving
        await sleep(2.0)
        robot.stop()
        await sleep(1.0)

    pair.run(go)

    assert remainder(pair.hardware.body.heading, tau) == pytest.approx(0.38, abs=0.06)
    assert pair.gap < 0.005
    assert not pair.hardware.body.is_moving


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (Arc(0.1, 1.0), "a car with a turning radius of 0.179 m cannot carry out Arc"),
        (Steer(0.0, 1.0), "cannot carry out Steer"),
        (Track((Sample(1.0, (0.0, 0.0), 0.0),)), "a car at the other end of a link cannot carry out Track"),
    ],
)
def test_what_a_car_cannot_do_is_refused(command: Arc | Steer | Track, sentence: str) -> None:
    pair = Pair()

    async def go(_robot: Robot) -> None:
        with pytest.raises(CannotDo, match=sentence):
            await pair.body.carry_out(command)
        assert not pair.body.is_moving

    pair.run(go)


def test_a_speed_beyond_the_motor_is_driven_at_the_fastest_it_can_and_a_sentence_says_so_once() -> None:
    pair = Pair()

    async def go(robot: Robot) -> None:
        begun = now()
        with pytest.warns(OtherSpeed, match=r"is told 5 m/s and drives at 0\.101 m/s"):
            await robot.forward(1.01, speed=5.0)
        assert 10.0 <= now() - begun <= 11.0  # and stands, as its encoder tells
        await robot.forward(0.01, speed=4.0)  # nothing is said: warnings are errors here

    pair.run(go)


def test_a_way_of_nothing_is_over_at_once() -> None:
    pair = Pair()

    async def go(robot: Robot) -> None:
        begun = now()
        await robot.forward(0.0)
        assert now() == begun

    pair.run(go)


def test_the_same_seed_gives_the_same_trace() -> None:
    hashes = []
    for _ in range(2):
        pair = Pair(interference=Interference.for_packets(0.1), fade=5.0, seed=5)

        async def go(robot: Robot) -> None:
            await robot.move_to((1.3, 1.6))

        pair.run(go)
        hashes.append((pair.simulation.trace_hash, pair.simulation.now, pair.body.position))

    assert hashes[0] == hashes[1]


def test_the_program_sees_where_it_is_on_the_way() -> None:
    pair = Pair()

    async def go(_robot: Robot) -> None:
        async with together() as tasks:
            tasks.start(carry, pair.body)
            for _ in range(5):
                await sleep(0.5)
                assert pair.gap < 0.01
                assert pair.body.is_moving

    pair.run(go)


async def carry(body: LinkedBody) -> None:
    await body.carry_out(Forward(0.5))

"""A packet robot whose driven wheel can be turned across turns on the spot; a round one is a disc to all."""

from __future__ import annotations

from dataclasses import replace
from math import degrees, hypot, pi, radians
from pathlib import Path

import pytest

from kumi import now, sleep
from kumi.contract import Command, Forward, Turn
from kumi.devs import Chance, together
from kumi.geometry import Point
from kumi.link.calibration import Calibration
from kumi.link.devices import Switch
from kumi.link.emulators import ReadingErrors
from kumi.link.tables import CalibrationError
from kumi.loop.real import ROBOT
from kumi.robot import Robot
from kumi.sensing import UniformNoise
from tests.link.pairs import Pair

ACROSS = Calibration.load(ROBOT)


def drive(pair: Pair, *commands: Command) -> list[float]:
    """Carry out commands one after the other; return how many seconds each took."""
    seconds = []

    async def program(_robot: Robot) -> None:
        for command in commands:
            begin = now()
            await pair.body.carry_out(command)
            seconds.append(now() - begin)

    pair.run(program)
    return seconds


@pytest.mark.parametrize("angle", [90.0, -90.0, 5.0, -170.0])
def test_it_turns_about_its_place_and_ends_where_it_was(angle: float) -> None:
    pair = Pair(calibration=ACROSS, baud=57600)
    drive(pair, Turn(radians(angle)))

    body = pair.hardware.body
    assert degrees(body.turned) == pytest.approx(angle, abs=1.0)
    assert hypot(body.position.x - 1.0, body.position.y - 1.5) < 0.003
    assert pair.gap < 0.003


def test_it_goes_straight_after_a_turn() -> None:
    pair = Pair(calibration=ACROSS, baud=57600)
    drive(pair, Turn(pi / 2), Forward(0.3))

    assert pair.hardware.body.position.x == pytest.approx(1.0, abs=0.01)
    assert pair.hardware.body.position.y == pytest.approx(1.8, abs=0.01)


def test_a_turn_at_a_stated_speed_takes_its_time() -> None:
    """Half a turn at half a radian a second takes 6.3 s, and a second or less to set off and to stop."""
    (seconds,) = drive(Pair(calibration=ACROSS, baud=57600), Turn(pi, 0.5))

    assert 6.3 < seconds < 7.3


def test_a_round_body_is_as_wide_everywhere() -> None:
    reaches = [hypot(corner.x, corner.y) for corner in ACROSS.shape.corners]

    assert min(reaches) == pytest.approx(0.1)
    assert max(reaches) == pytest.approx(0.1)


def test_a_calibration_with_a_round_body_is_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    ACROSS.save(path)

    assert Calibration.load(path) == ACROSS


def test_a_round_body_that_is_longer_than_wide_is_refused() -> None:
    with pytest.raises(CalibrationError, match="a round one is as long as wide"):
        Calibration.from_dict(replace(ACROSS, length=0.3).to_dict())


def test_skid_lengthens_a_way_and_no_turn_and_no_sensor_tells() -> None:
    """With a skid of 10 % of the way, drawn once, 0.3 m are 0.33 m, and the robot believes in 0.3 m."""

    class Tenth:
        def __call__(self, value: float, chance: Chance, /) -> float:
            return 0.1

    pair = Pair(calibration=ACROSS, baud=57600, errors=ReadingErrors(skid=Tenth()))
    drive(pair, Turn(radians(90.0)), Forward(0.3))

    assert degrees(pair.hardware.body.turned) == pytest.approx(90.0, abs=1.5)
    assert pair.hardware.body.position.y == pytest.approx(1.83, abs=0.01)
    assert pair.body.position.y == pytest.approx(1.80, abs=0.01)


def test_play_bends_a_way_by_its_sine_over_the_wheelbase() -> None:
    """One degree of play on 0.3 m with a wheelbase of 9 cm: 0.3 / 0.09 * 1° = 3.3°; uniform play stays within."""
    turns = []
    for seed in range(6):
        errors = ReadingErrors(play=UniformNoise(radians(1.0)))
        pair = Pair(calibration=ACROSS, baud=57600, errors=errors, seed=seed)
        drive(pair, Forward(0.3))
        turns.append(degrees(pair.hardware.body.turned))

    assert max(map(abs, turns)) < 3.8
    assert max(turns) - min(turns) > 1.0


@pytest.mark.parametrize("goal", [(1.8, 1.5), (1.0, 2.3), (0.4, 1.0), (1.7, 2.2)])
def test_it_turns_to_a_goal_and_goes_there_straight_as_wheels_do(goal: tuple[float, float]) -> None:
    """From (1, 1.5), looking east: it is never farther than 2 cm beside the straight line."""
    pair = Pair(calibration=ACROSS, baud=57600)
    start, end = Point(1.0, 1.5), Point(*goal)
    along = (end - start) / abs(end - start)
    beside: list[float] = []

    async def program(robot: Robot) -> None:
        async with together() as tasks:
            watch = tasks.start(look)
            await robot.move_to(goal)
            watch.cut()

    async def look() -> None:
        while True:
            step = pair.hardware.body.position - start
            beside.append(abs(along.x * step.y - along.y * step.x))
            await sleep(0.05)

    pair.run(program)

    assert max(beside) < 0.02
    assert abs(pair.hardware.body.position - end) < 0.015


def test_it_is_steered_on_the_spot() -> None:
    """At half a radian a second for two seconds it turns by a radian, less what the wheel takes to be across."""
    pair = Pair(calibration=ACROSS, baud=57600)

    async def program(robot: Robot) -> None:
        robot.steer(0.0, -0.5)
        await sleep(2.0)
        robot.stop()
        await sleep(1.0)

    pair.run(program)

    assert -1.1 < pair.hardware.body.turned < -0.6
    assert hypot(pair.hardware.body.position.x - 1.0, pair.hardware.body.position.y - 1.5) < 0.005


@pytest.mark.parametrize(
    ("bearing", "switch"),
    [(0.0, Switch.FRONT), (50.0, Switch.LEFT), (-50.0, Switch.RIGHT), (170.0, Switch.BACK)],
)
def test_each_switch_of_a_round_robot_has_a_quarter_of_its_edge(bearing: float, switch: Switch) -> None:
    pair = Pair(calibration=ACROSS, baud=57600)
    at = pair.hardware.body.position + Point.polar(0.1, radians(bearing))

    assert pair.hardware._sides(at) == switch

"""The same program is refused, or carried out, alike by a simulated car, one in the loop, and one behind a link."""

from __future__ import annotations

from math import inf, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import now
from kumi.contract import Arc, CannotDo, Command, Forward, MoveTo, Steer, Track, Turn
from kumi.devs.chance import stream
from kumi.geometry import Point, Pose
from kumi.link.calibration import Calibration
from kumi.link.car_maneuvers import CarDrive
from kumi.loop import Choices
from kumi.loop.real import ROBOT
from kumi.motion import Car, Drive, Wheel
from kumi.robot import Robot
from kumi.testing.drives import COMMANDS, StandIn
from tests.link.pairs import Pair
from tests.loop.one_stage import OneStage

PACKET_ROBOT = Calibration.default()
ROUND = Calibration.load(ROBOT)
HIL = Choices("hil", contacts="real")
sizes = st.floats(0.01, 3.0) | st.floats(-3.0, -0.01)
commands = st.one_of(
    st.sampled_from([one for one in COMMANDS if not isinstance(one, Track)]),
    st.builds(Turn, sizes),
    st.builds(Arc, sizes, sizes),
    st.builds(Steer, sizes, sizes),
    st.builds(Steer, st.just(0.0), sizes),
)


def refused(drive: Drive, command: Command) -> str | None:
    """Return why a simulated drive refuses a command, up to the radius that it names; None where it does not."""
    body = StandIn(Point(0.0, 0.0), 0.0, stream(0, "drive"))
    try:
        drive.plan(command, body)
    except CannotDo as error:
        return str(error).partition(":")[0]
    return None


def refused_by_link(drive: CarDrive, command: Command) -> str | None:
    """Return why a linked car refuses a command, likewise."""
    try:
        drive.strokes(command, Pose(Point(0.0, 0.0)))
    except CannotDo as error:
        return str(error).partition(":")[0]
    return None


@given(commands)
def test_a_linked_car_refuses_what_a_simulated_one_of_its_radius_refuses(command: Command) -> None:
    radius = round(PACKET_ROBOT.min_radius, 3)  # as sentences have it
    simulated = refused(Car(min_radius=radius), command)

    assert refused_by_link(CarDrive(PACKET_ROBOT, min_radius=radius), command) == simulated
    assert refused_by_link(CarDrive(ROUND, min_radius=radius), command) == simulated  # although it could


@given(commands)
def test_a_linked_robot_that_turns_on_the_spot_refuses_nothing_that_wheels_do(command: Command) -> None:
    assert refused(Wheel(), command) is None
    if not isinstance(command, Arc | Steer):  # those of a radius that its wheelbase does not allow
        assert refused_by_link(CarDrive(ROUND), command) is None


def on_stage(command: Command, drive: Drive, real: Choices | None) -> tuple[Pose, float, str]:
    """Carry a command out on a robot of a stage; return where it is then, how long it took, and why it was refused."""
    told: list[tuple[float, str]] = []

    async def go(robot: Robot) -> None:
        begun = now()
        try:
            await robot._carry_out(command)
            told.append((now() - begun, ""))
        except CannotDo as error:
            told.append((now() - begun, str(error)))

    stage = OneStage({} if real is None else {0: real}, drive=drive)
    stage.add(go, 1.5)
    stage.run(60.0)
    ((seconds, words),) = told
    pose = Pose(stage.twin(0).position, stage.twin(0).heading)
    return (pose if real is None else stage.truth(0)), seconds, words


@pytest.mark.parametrize("motor", [HIL, Choices("real", contacts="real")])
@pytest.mark.parametrize("drive", [Car(0.4, 0.3), Wheel(0.3, 2 / 3), Wheel(0.18, 0.4)])
@pytest.mark.parametrize(
    "command", [Turn(pi / 2), MoveTo((2.2, 2.0)), Forward(-0.4), Arc(0.45, 1.0), Arc(0.1, 1.0)]
)
def test_in_the_loop_a_robot_does_or_refuses_what_its_drive_in_the_model_does(
    command: Command, drive: Drive, motor: Choices
) -> None:
    """At the speed of the model's drive, and a second or two for setting off, turning the wheel and stopping.

    Its wheel is turned in steps of 1.5°, so an arc of half a metre may end 3 cm elsewhere.
    """
    simulated, in_the_loop = on_stage(command, drive, None), on_stage(command, drive, motor)

    assert in_the_loop[2] == simulated[2]
    assert in_the_loop[0].position.distance_to(simulated[0].position) < 0.035
    assert simulated[1] <= in_the_loop[1] <= 1.1 * simulated[1] + 3.0


def test_a_linked_car_refuses_to_turn_on_the_spot_in_the_words_of_a_simulated_one() -> None:
    pair = Pair()
    told: list[str] = []

    async def go(robot: Robot) -> None:
        with pytest.raises(CannotDo) as found:
            await robot.turn(pi / 2)
        told.append(str(found.value))

    pair.run(go)

    assert told == [on_stage(Turn(pi / 2), Car(), None)[2]]
    assert pair.hardware.body.position.x == 1.0


def test_where_the_real_motor_has_not_the_speed_of_the_scenario_a_sentence_says_so() -> None:
    """The scenario drives at 1 m/s, and the robot at 0.36 m/s at the most."""
    said: list[str] = []

    async def go(robot: Robot) -> None:
        stage.real[0].body.on_other_speed = said.append
        await robot.forward(0.36)
        await robot.forward(-0.36)

    stage = OneStage({0: HIL}, drive=Wheel(1.0, 0.6))
    stage.add(go, 1.5)
    stage.run(20.0)

    assert said == ["robot 0 is told 1 m/s and drives at 0.36 m/s, the nearest speed that its motor has"]
    assert tuple(stage.real[0].body.other_speeds.values()) == tuple(said)


@given(st.floats(0.06, 0.3), st.booleans())
def test_a_speed_that_is_driven_is_the_one_asked_for_or_a_sentence_says_it_is_not(
    speed: float, is_back: bool
) -> None:
    """The byte that is sent means a speed within 10 % of the one asked for, or somebody is told both."""
    told: list[str] = []
    drive = CarDrive(PACKET_ROBOT, lambda asked, driven: told.append(f"{asked}, {driven}"))
    (stroke,) = drive.strokes(Forward(-inf if is_back else inf, speed), Pose(Point(0.0, 0.0)))
    way = stroke.drive(Pose(Point(0.0, 0.0)), 0.0).speed
    driven = abs(PACKET_ROBOT.speed_of(PACKET_ROBOT.motor_byte(way)))

    is_near = abs(driven - speed) <= 0.1 * speed
    assert told == ([] if is_near else [f"{speed:.3g} m/s, {driven:.3g} m/s"])

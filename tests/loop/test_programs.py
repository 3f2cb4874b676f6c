"""Any program on a robot whose devices were chosen one by one: the program is the same, and so is what it does."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import pi, radians
from pathlib import Path

import pytest

from kumi import now, sleep
from kumi.contract import Blocked, Command, Forward, Turn
from kumi.contract.readings import Range
from kumi.geometry import Point
from kumi.link.emulators import ReadingErrors
from kumi.loop import Choices
from kumi.loop.choices import Kind
from kumi.recording import RunFile
from kumi.recording.published import in_words
from kumi.robot import Robot
from kumi.sensing import Bumper, Infrared, UniformNoise
from tests.loop.one_stage import EXACT, OneStage

FRONT = {"front": Infrared(0.0, reach=0.6, min_reach=0.0)}


async def angle(robot: Robot) -> None:
    """Go 0.6 m east and 0.4 m north."""
    await robot.move_to(robot.home + Point(0.6, 0.0))
    await robot.turn(pi / 2)
    await robot.forward(0.4)


async def rest(_robot: Robot) -> None:
    """Stand."""


@pytest.mark.parametrize("motor", ["virtual", "real", "hil"])
def test_an_unchanged_program_goes_the_same_way_with_each_kind_of_motor(motor: Kind) -> None:
    """It ends 0.6 m east and 0.4 m north of (1, 1), on the floor where the motor is real, to two centimetres.

    A hil motor has moved the counterpart there, too; a real one has told the environment model nothing.
    """
    stage = OneStage({0: Choices(motor, contacts="virtual" if motor == "virtual" else "real")})
    stage.add(angle, 1.0, 1.0)
    stage.run(20.0)

    goal, start = Point(1.6, 1.4), Point(1.0, 1.0)
    (task,) = stage.stage.robots
    assert stage.stage.outcome.errors == ()
    assert task.position.distance_to(goal) < 0.02
    assert stage.truth(0).position.distance_to(start if motor == "virtual" else goal) < 0.02
    assert stage.twin(0).position.distance_to(start if motor == "real" else goal) < 0.02


def test_a_program_shows_the_same_with_each_kind_of_motor(tmp_path: Path) -> None:
    """Robots 1 and 2 are real; what they show stands in the run file of the environment model."""

    async def tell(robot: Robot) -> None:
        robot.show("state", "goes")
        await robot.forward(0.1)
        robot.show("state", "has come")
        robot.show_mark(robot.home, "home")

    choices = {1: Choices("hil", contacts="real"), 2: Choices("real", contacts="real")}
    stage = OneStage(choices, record=tmp_path / "run.kumi")
    for y in (0.5, 1.5, 2.5):
        stage.add(tell, 1.0, y)
    stage.run(5.0)
    stage.stage.close()
    run = RunFile(tmp_path / "run.kumi")

    assert [one.value for one in run.published_at(0.1)] == ["goes"] * 3
    assert [(one.body, one.name, in_words(one.value)) for one in run.published_at(5.0)] == [
        (number, name, words)
        for number, y in enumerate((0.5, 1.5, 2.5))
        for name, words in (("home", f"(1, {y})"), ("state", "has come"))
    ]


def test_the_program_of_a_real_robot_is_that_of_a_virtual_one_to_the_code_object() -> None:
    """The frames in which the programs of three robots run, with each kind of motor, have one code object."""
    frames: list[object] = []

    async def tell(robot: Robot) -> None:
        frames.append(sys._getframe().f_code)
        await robot.forward(0.1)

    hil, real = Choices("hil", contacts="real"), Choices("real", contacts="real")
    stage = OneStage({1: hil, 2: real})
    for y in (0.5, 1.5, 2.5):
        stage.add(tell, 1.0, y)
    stage.run(5.0)

    assert [frame is tell.__code__ for frame in frames] == [True] * 3
    assert stage.stage.outcome.errors == ()


def test_what_a_real_robot_was_told_makes_a_fresh_program_decide_the_same() -> None:
    """Readings of a run in the loop are given to the same program on a virtual robot: it gives the same commands."""
    sensors = FRONT
    told: list[Range] = []
    commands: list[list[Command]] = [[], []]

    async def steps(robot: Robot, read: Callable[[Robot], Awaitable[Range]], heard: list[Command]) -> None:
        """Go on by half of what is free, or turn where that is little."""
        for _ in range(6):
            free = (await read(robot)).distance
            command: Command = Forward(free / 2) if free > 0.3 else Turn(1.0)
            heard.append(command)
            await robot._carry_out(command)

    async def ask(robot: Robot) -> Range:
        told.append(await robot.front.read())
        return told[-1]

    async def again(_robot: Robot) -> Range:
        return replayed.pop(0)

    loop = OneStage({0: Choices("hil", contacts="real", front="real")})
    loop.add(lambda robot: steps(robot, ask, commands[0]), 2.9, sensors=sensors)
    loop.run(30.0)
    replayed = list(told)
    alone = OneStage({})
    alone.add(lambda robot: steps(robot, again, commands[1]), 2.9, sensors=sensors)
    alone.run(30.0)

    assert len(told) == 6
    assert {type(command) for command in commands[0]} == {Forward, Turn}
    assert commands[0] == commands[1]


def test_a_program_cannot_tell_by_name_number_and_chance_which_motor_it_has() -> None:
    told: list[tuple[str, int, float]] = []

    async def tell(robot: Robot) -> None:
        told.append((robot.name, robot.number, robot.chance.uniform()))

    for choices in (Choices(), Choices("hil", contacts="real")):
        stage = OneStage({0: choices})
        stage.add(tell, 1.0)
        stage.run(1.0)

    assert told[0] == told[1]


def test_a_virtual_robot_sees_and_meets_the_counterpart_of_a_real_one() -> None:
    """The real robot comes to rest at x = 2. One that drives east from x = 1 touches it at 1.8, and sees it on the way."""
    found: list[object] = []

    async def come(robot: Robot) -> None:
        await robot.forward(0.5)

    async def drive(robot: Robot) -> None:
        await sleep(6.0)
        found.append((await robot.front.read()).is_hit)
        await robot.forward(0.5)
        found.append(round((await robot.front.read()).distance, 2))
        try:
            await robot.forward(1.0)
        except Blocked as blocked:
            found.append(blocked.by)

    stage = OneStage({0: Choices("hil", contacts="real")})
    stage.add(come, 2.5, heading=pi)
    stage.add(drive, 1.0, sensors=FRONT)
    stage.run(15.0)

    assert found[0] is False
    assert found[1] == pytest.approx(0.3, abs=0.02)
    assert found[2] == "robot 0"
    assert stage.twin(1).position.x == pytest.approx(1.8, abs=0.02)


@pytest.mark.parametrize("contacts", ["virtual", "hil"])
def test_virtual_contacts_stop_a_real_robot_and_let_it_go_back(contacts: Kind) -> None:
    """A virtual robot stands 0.6 m ahead: they would touch after 0.4 m. The real one is stopped there, and rolls on by
    some centimetres; then it backs up by 0.3 m as if nothing was in the way."""
    found: list[object] = []

    async def drive(robot: Robot) -> None:
        try:
            await robot.forward(2.0)
        except Blocked as blocked:
            found.append((blocked.by, blocked.number, round(blocked.bearing)))
        await sleep(1.0)
        found.extend((stage.truth(0).position.x, stage.twin(0).position.x))
        await robot.back_up(0.3)
        found.append(stage.truth(0).position.x)

    stage = OneStage({0: Choices("hil", contacts=contacts)}, tracking=EXACT)
    stage.add(drive, 1.0)
    stage.add(rest, 1.6)
    stage.run(15.0)

    assert stage.stage.outcome.errors == ()
    assert found[0] == ("robot 1", 1, 0)
    assert isinstance(found[1], float)
    assert 1.39 < found[1] < 1.48
    assert found[2] == pytest.approx(1.4, abs=0.005)  # the counterpart touches the other one
    assert found[3] == pytest.approx(found[1] - 0.3, abs=0.02)


def test_a_robot_that_is_steered_is_stopped_by_a_virtual_contact() -> None:
    async def steer(robot: Robot) -> None:
        await sleep(0.5)
        robot.steer(0.3)
        contact = await robot.contacts.next()
        robot.stop()
        assert contact.by == "robot 1"
        await sleep(2.0)

    stage = OneStage({0: Choices("hil", contacts="hil")}, tracking=EXACT)
    stage.add(steer, 1.0)
    stage.add(rest, 1.6)
    stage.run(10.0)

    assert stage.stage.outcome.errors == ()
    assert 1.39 < stage.truth(0).position.x < 1.5


@pytest.mark.parametrize("contacts", ["real", "hil"])
def test_two_real_robots_that_have_met_turn_away_from_each_other(contacts: Kind) -> None:
    """They touch on the floor. Their wheels are not quite across at first, which pushes; then they turn, and go 0.3 m."""
    tries: list[int] = []

    async def meet(robot: Robot) -> None:
        with suppress(Blocked):
            await robot.forward(2.0)
        for count in range(1, 5):
            with suppress(Blocked):
                await sleep(0.3)
                await robot.turn(2.0)
                await robot.forward(0.3)
                tries.append(count)
                return

    devices = Choices("hil", contacts=contacts)
    stage = OneStage({0: devices, 1: devices}, tracking=EXACT)
    stage.add(meet, 1.0, 1.5)
    stage.add(meet, 2.0, 1.55, pi)
    stage.run(30.0)

    assert len(tries) == 2
    assert max(tries) <= 3
    assert stage.truth(0).position.distance_to(stage.truth(1).position) > 0.4


def test_with_real_contacts_a_real_robot_drives_on_and_its_counterpart_stays_outside() -> None:
    async def drive(robot: Robot) -> None:
        await robot.forward(1.2)

    stage = OneStage({0: Choices("hil", contacts="real")}, tracking=EXACT)
    stage.add(drive, 1.0)
    stage.add(rest, 1.6)
    stage.run(10.0)
    counterpart = stage.real[0].counterpart

    assert stage.truth(0).position.x == pytest.approx(2.2, abs=0.02)
    assert counterpart is not None
    assert counterpart.overlaps > 3
    assert stage.off(0) < 0.02  # it has caught up on the other side


def test_real_contacts_are_those_of_the_switches() -> None:
    """A real wall is the border of the floor, 0.4 m ahead of the robot's edge."""
    found: list[str] = []

    async def drive(robot: Robot) -> None:
        try:
            await robot.forward(2.0)
        except Blocked as blocked:
            found.append(blocked.by)

    stage = OneStage({0: Choices("hil", contacts="real")})
    stage.add(drive, 3.5)
    stage.run(10.0)

    assert found == ["something"]
    assert stage.truth(0).position.x == pytest.approx(3.9, abs=0.01)


def test_sensors_are_chosen_one_by_one() -> None:
    """A wall is 0.35 m ahead of the robot and one 0.45 m to its left, on the floor and in the model. The front is real,
    the left is both, under a name of its own, and the right is virtual."""
    sensors = {
        "front": Infrared(0.0, reach=0.6, min_reach=0.0),
        "left": Infrared(pi / 2, reach=0.6, min_reach=0.0),
        "right": Infrared(-pi / 2, reach=0.6, min_reach=0.0),
    }
    found: dict[str, Range] = {}
    asked: list[float] = []

    async def look(robot: Robot) -> None:
        await sleep(0.5)
        for name in sensors:
            begin = now()
            found[name] = await getattr(robot, name).read()
            asked.append(now() - begin)

    stage = OneStage(
        {0: Choices("hil", contacts="real", front="real", left="hil")}, aliases={"left": "back_left"}
    )
    stage.add(look, 3.55, 2.45, sensors=sensors)
    stage.run(2.0)

    assert found["front"].distance == pytest.approx(0.35, abs=0.01)
    assert found["left"].distance == pytest.approx(0.45, abs=0.01)
    assert not found["right"].is_hit
    assert asked[0] > 0.0
    assert asked[1] > 0.0
    assert asked[2] == 0.0
    (difference,) = stage.real[0].compared["left"].differences
    assert abs(difference) < 0.01


@pytest.mark.parametrize(("kind", "count"), [("virtual", 1), ("real", 1), ("hil", 2)])
def test_a_bumper_tells_of_virtual_presses_of_real_ones_or_of_both(kind: Kind, count: int) -> None:
    """A virtual robot is touched after 0.4 m. Then it is gone, and the wall of the floor is touched."""
    presses: list[float] = []

    async def drive(robot: Robot) -> None:
        stream = robot.bumper.reports.stream()
        with suppress(Blocked):
            await robot.forward(3.0)
        await sleep(0.5)
        stage.twin(1).remove()
        with suppress(Blocked):
            await robot.forward(3.0)
        await sleep(0.5)
        presses.extend([(await stream.next()).time for _ in range(len(stream))])

    stage = OneStage({0: Choices("hil", contacts="hil", bumper=kind)}, tracking=EXACT)
    stage.add(drive, 2.0, sensors={"bumper": Bumper()})
    stage.add(rest, 2.6)
    stage.run(20.0)

    assert stage.truth(0).position.x == pytest.approx(3.9, abs=0.01)
    assert len(presses) == count


@pytest.mark.slow
def test_with_a_tracking_source_a_robot_that_skids_comes_to_its_goals() -> None:
    """Eight ways with skids of up to 10 %: it ends within 10 % of the last one, 1.4 m; its reckoning is farther off."""
    errors = ReadingErrors(skid=UniformNoise(0.1), play=UniformNoise(radians(0.1)))
    corners = [Point(x, y) for x, y in ((3.0, 0.8), (3.0, 2.2), (1.0, 2.2), (1.0, 0.8))] * 2

    async def rounds(robot: Robot) -> None:
        for corner in corners:
            with suppress(Blocked):
                await robot.move_to(corner)

    far = {}
    for tracking in (None, EXACT):
        stage = OneStage({0: Choices("hil", contacts="real")}, tracking=tracking, errors=errors)
        stage.add(rounds, 1.0, 0.8)
        stage.run(150.0)
        assert stage.stage.outcome.errors == ()
        far[tracking] = stage.truth(0).position.distance_to(corners[-1])

    assert far[EXACT] < 0.16
    assert far[None] > 1.5 * far[EXACT]


def test_a_robot_that_is_gone_stands_in_the_model_the_others_go_on_and_it_finishes_when_it_is_back() -> None:
    """The cable is pulled at 2 s for 8 s. The other robot's program is over at 4 s, as ever."""
    ends: dict[str, float] = {}

    async def drive(robot: Robot) -> None:
        await robot.forward(0.9)
        ends[robot.name] = now()

    stage = OneStage({0: Choices("hil", contacts="real", front="real")})
    stage.add(drive, 1.0, 1.0, sensors=FRONT)
    stage.add(drive, 1.0, 2.0)
    stage.stage.simulation.schedule(2.0, lambda: setattr(stage.wires[0], "is_cut", True))
    stood: list[float] = []
    stage.stage.simulation.schedule(9.0, lambda: stood.append(stage.twin(0).position.x))
    stage.stage.simulation.schedule(10.0, lambda: setattr(stage.wires[0], "is_cut", False))
    stage.run(25.0)

    assert stage.stage.outcome.errors == ()
    assert ends["robot 1"] == pytest.approx(3.0)
    assert stood == [1.0]
    assert ends["robot 0"] > 10.0
    assert stage.truth(0).position.x > 1.85
    assert stage.off(0) < 0.35  # it drove on for the second of its watchdog

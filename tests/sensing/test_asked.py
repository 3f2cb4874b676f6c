"""An asked sensor answers with the state of the instant of asking, after its latency."""

from __future__ import annotations

from typing import Any

import pytest

from kumi import now, sleep
from kumi.contract import Lost
from kumi.devs import together
from kumi.geometry import Circle, Point
from kumi.recording.journal import JournalReader
from kumi.recording.records import BodyNote
from kumi.robot import Robot
from kumi.sensing import AskedSensor, Position, Sensor, Ultrasonic, View
from kumi.world import Hole
from tests.sensing.scenes import place, rest


class Odd(AskedSensor[float]):
    """Written without super().__init__, as a user would; tells the x of the body and how often it was asked."""

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.times: list[float] = []

    def measure(self) -> float:
        self.times.append(self.world.now)
        return self.scale * self.pose.position.x + len(self.times)


def test_the_answer_is_that_of_the_instant_of_asking() -> None:
    """A robot at 1 m/s asks at 1 s; 0.5 s later it gets where it was then."""
    found: list[Any] = []

    async def drive(robot: Robot) -> None:
        async with together() as tasks:
            tasks.start(ask, robot)
            await robot.forward(3.0)

    async def ask(robot: Robot) -> None:
        await sleep(1.0)
        found.append((await robot.gps.read(), now(), robot.position))

    with place() as stage:
        stage.add(drive, at=(0, 0), sensors={"gps": Position(latency=0.5)})
        stage.run()

    assert found == [(Point(1.0, 0.0), 1.5, Point(1.5, 0.0))]


def test_with_a_period_it_looks_at_multiples_of_it_and_tells_each_once() -> None:
    found: list[Any] = []

    async def ask(robot: Robot) -> None:
        await sleep(0.35)
        for _ in range(3):
            found.append(((await robot.gps.read()).x, now()))  # noqa: PERF401
        await sleep(1.0)
        found.append(((await robot.gps.read()).x, now()))

    async def drive(robot: Robot) -> None:
        async with together() as tasks:
            tasks.start(ask, robot)
            await robot.forward(8.0)

    with place() as stage:
        stage.add(drive, at=(0, 0), sensors={"gps": Position(period=0.5, latency=0.1)})
        stage.run()

    assert found == [(0.5, 0.6), (1.0, 1.1), (1.5, 1.6), (3.0, 3.1)]


def test_multiples_of_a_period_do_not_drift() -> None:
    times = []

    async def ask(robot: Robot) -> None:
        for _ in range(1000):
            await robot.gps.read()
            times.append(now())

    with place() as stage:
        stage.add(ask, at=(0, 0), sensors={"gps": Position(period=0.1)})
        stage.run()

    assert times == [number * 0.1 for number in range(1000)]


def test_a_sensor_of_ones_own_needs_measure_alone() -> None:
    """What it keeps belongs to the attached copy, also without super().__init__()."""
    pattern, found = Odd(2.0), []

    async def ask(robot: Robot) -> None:
        found.append([await robot.odd.read(), await robot.odd.read()])

    with place() as stage:
        stage.add(ask, at=(3, 0), sensors={"odd": pattern})
        stage.add(ask, at=(5, 0), sensors={"odd": pattern})
        stage.run()

    assert found == [[7.0, 8.0], [11.0, 12.0]]
    assert pattern.times == []


def test_a_sensor_without_measure_says_so() -> None:
    class Empty(AskedSensor[float]):
        pass

    async def ask(robot: Robot) -> None:
        with pytest.raises(TypeError, match=r"Empty needs a method `def measure\(self\)`"):
            await robot.empty.read()

    with place() as stage:
        stage.add(ask, at=(3, 0), sensors={"empty": Empty()})
        stage.run()


def test_a_sensor_on_no_body_says_so() -> None:
    with pytest.raises(ValueError, match="this Position is on no body yet: give it to a robot"):
        _ = Position().body


def test_an_attached_sensor_is_not_attached_again() -> None:
    with place() as stage:
        stage.add(rest, at=(0, 0), sensors={"gps": Position()})
        stage.add(rest, at=(1, 0), name="other")
        one, other = stage.world.bodies
        attached: Any = one.sensors["gps"]
        with pytest.raises(ValueError, match="this Position is on 'robot 0' already"):
            attached.attached_to(other)


def test_a_robot_that_fell_gets_no_answer() -> None:
    """The hole begins at 1 m; who asks afterwards gets Lost, as from a motion."""
    raised = []

    async def drive(robot: Robot) -> None:
        with pytest.raises(Lost):
            await robot.forward(5.0)
        try:
            await robot.gps.read()
        except Lost as lost:
            raised.append((now(), lost.at))

    with place(terrain=[Hole(Circle((2, 0), 1.0))]) as stage:
        stage.add(drive, at=(0, 0), sensors={"gps": Position()})
        stage.run()

    assert raised == [(1.0, Point(1.0, 0.0))]


def test_each_question_is_in_the_journal_with_the_name_of_the_sensor() -> None:
    async def ask(robot: Robot) -> None:
        await robot.eyes.read()
        await sleep(0.5)
        await robot.front.read()
        await robot.gps.read()

    with place() as stage:
        stage.world.keep_journal(True)
        sensors: dict[str, Sensor] = {"eyes": View(12.5), "front": Ultrasonic(), "gps": Position()}
        stage.add(ask, at=(0, 0), sensors=sensors)
        stage.run()
        records = JournalReader().read(stage.world.take_journal())

    notes = [(note.time, note.body, note.text) for note in records if isinstance(note, BodyNote)]
    assert notes == [(0.0, 0, "s eyes 12.5"), (0.5, 0, "s front 3"), (0.5, 0, "s gps")]


@pytest.mark.parametrize(("name", "value"), [("latency", -1.0), ("period", 0.0), ("period", -2.0)])
def test_a_time_that_is_none_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"a {name} is a finite number >=? 0, not {value}"):
        Position(**{name: value})

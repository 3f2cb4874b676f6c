"""A stage with robots at ports: they are driven over their links, and stand in the world beside simulated ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from kumi import Blocked, Map, Stage
from kumi.devs import note, sleep
from kumi.link import PtyPair
from kumi.link.emulators import Emulation, Hardware, Make
from kumi.network import Constant, UdpNetwork
from kumi.recording import Published, RunFile
from kumi.robot import Robot
from kumi.sensing import Infrared
from kumi.stage import RobotPort
from kumi.stage.radios import Sockets
from kumi.world import World
from tests.waiting import PATIENCE, wait_for

BAUD = 115200
RATE = 3.0
"""How many times as fast all clocks go."""


@contextmanager
def emulated(at: tuple[float, float] = (0.5, 0.5), rate: float = RATE) -> Iterator[tuple[str, Hardware]]:
    """Give the name of a pseudo-terminal, and the robot that answers there: it stands in a room of 3 x 2 m."""
    terminal = PtyPair(BAUD)
    with Emulation(World(Map(3.0, 2.0)), rate=rate) as emulation:
        robot = emulation.add(terminal, at=at, make=Make(baud=BAUD))
        answering = Thread(target=emulation.run)
        answering.start()
        try:
            yield terminal.name, robot.hardware
        finally:
            emulation.stop()
            answering.join()


async def go(robot: Robot) -> None:
    note("goes")
    robot.show("state", "goes")
    await robot.forward(0.06)
    robot.show("state", "has come")


async def stay(_robot: Robot) -> None:
    """Do nothing."""


def test_a_run_on_linked_robots_is_recorded(tmp_path: Path) -> None:
    """6 cm from (0.5, 0.5), with clocks that go three times as fast on both sides."""
    record = tmp_path / "run.kumi"
    with emulated() as (port, _), Stage(Map(2.0, 2.0), record=record, pace=RATE) as stage:
        robot = stage.add(go, port=RobotPort(port, baud=BAUD), at=(0.5, 0.5), name="Hana")
        outcome = stage.run(PATIENCE)

    run = RunFile(record)
    (end,) = run.state_at(run.end)
    assert outcome.end == "all programs have ended"
    assert outcome.simulated_seconds < PATIENCE
    assert run.meta.robots == {0: "Hana"}
    assert run.meta.map["width"] == 2.0
    assert end.pose.position.x == pytest.approx(robot.position.x, abs=0.001)
    assert end.pose.position.x == pytest.approx(0.56, abs=0.01)
    assert [one.value for one in run.records() if isinstance(one, Published)] == ["goes", "has come"]
    assert [(one.body, one.value) for one in run.published_at(run.end)] == [(0, "has come")]
    assert run.summary is not None
    assert not run.summary.is_interrupted


def test_a_linked_and_a_simulated_robot_meet_in_one_stage() -> None:
    """A virtual robot stands 0.3 m from the real one's nose: it sees it come, and the real one stops before it."""
    seen: list[float] = []
    met: list[Blocked] = []

    async def drive(robot: Robot) -> None:
        with pytest.raises(Blocked) as blocked:
            await robot.forward(1.0)
        met.append(blocked.value)

    async def look(robot: Robot) -> None:
        while not met:
            reading = await robot.eye.read()
            if reading.is_hit:
                seen.append(reading.distance)
            await sleep(0.2)

    with emulated() as (port, hardware), Stage(Map(3.0, 2.0), pace=RATE) as stage:
        real = stage.add(drive, port=RobotPort(port, baud=BAUD), at=(0.5, 0.5), name="real")
        nose = stage.world.bodies[0].shape.reach
        eye = Infrared(bearing=0.0, reach=2.0, min_reach=0.0)
        stage.add(
            look,
            at=(0.5 + nose + 0.4, 0.5),
            heading=3.14159,
            radius=0.1,
            sensors={"eye": eye},
            name="virtual",
        )
        outcome = stage.run(PATIENCE)
        stopped = hardware.body.position.x

    assert outcome.end == "all programs have ended"
    assert outcome.lateness is not None
    assert (met[0].by, met[0].number) == ("virtual", 1)
    assert real.position.x == pytest.approx(stopped, abs=0.02)
    assert 0.5 + 0.1 < stopped < 0.5 + 0.6
    assert seen[-1] < seen[0]


def test_a_run_that_goes_on_takes_up_the_motions_of_linked_robots() -> None:
    """Between two runs the robot stands, and its program knows nothing of it."""
    with emulated() as (port, hardware), Stage(pace=RATE) as stage:
        robot = stage.add(go, port=RobotPort(port, baud=BAUD))
        first = stage.run(1.0)
        between = hardware.motor
        second = stage.run(PATIENCE)

    assert first.end == "1 s are over"
    assert between == 127
    assert second.end == "all programs have ended"
    assert robot.position.x == pytest.approx(0.06, abs=0.01)


SCRIPT = """
import sys
from pathlib import Path
from kumi import Map, Stage
from kumi.stage import RobotPort


async def go(robot):
    await robot.forward(0.02)
    robot.show("state", "has come")
    while True:
        robot.steer(0.1, 0.0)
        await robot.forward(0.5)


async def circle(robot):
    while True:
        await robot.arc(0.3, 1.0)


stage = Stage(Map(3, 2), pace=3.0, record="run.kumi", log="run.log")
stage.add(go, port=RobotPort(sys.argv[1], baud=int(sys.argv[2])), at=(0.5, 0.5), name="Hana")
stage.add(circle, at=(2.0, 1.0), radius=0.1, name="Ken")
print(stage.run(12.0).end)
"""


def test_a_script_without_with_stops_its_robots_and_closes_its_files(tmp_path: Path) -> None:
    """The script ends while both programs go on: the robot stands, and the run file and the log are whole."""
    with emulated() as (port, hardware):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, port, str(BAUD)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        wait_for(lambda: hardware.motor == 127)
        assert hardware.way > 0.02

    assert (done.returncode, done.stdout, done.stderr) == (0, "12 s are over\n", "")
    run = RunFile(tmp_path / "run.kumi")
    assert run.summary is not None
    assert run.end >= 12.0
    assert run.meta.robots == {0: "Hana", 1: "Ken"}
    assert (tmp_path / "run.log").read_text().endswith("\n")


def test_what_a_program_raises_ends_the_run_and_stops_the_other_robots() -> None:
    async def fail(_robot: Robot) -> None:
        await sleep(2.0)
        raise RuntimeError("no way")

    async def drive(robot: Robot) -> None:
        await robot.forward(1.0)

    with emulated() as (port, hardware), Stage(pace=RATE) as stage:
        stage.add(drive, port=RobotPort(port, baud=BAUD))
        stage.add(fail, at=(3.0, 3.0))
        with pytest.raises(RuntimeError, match="no way"):
            stage.run(PATIENCE)
        wait_for(lambda: hardware.motor == 127)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, r"a robot stands somewhere, as in add\(program, at=\(1, 1\)\), or is at a port"),
        ({"port": "none", "radius": 0.2}, "has its own size, drive and sensors, so it takes no radius"),
        ({"port": "none", "sensors": {}, "radius": 1.0}, "so it takes no radius and no sensors"),
        ({"port": "/dev/pts/none"}, "the port /dev/pts/none cannot be opened"),
        ({"port": "none", "at": (1.0, 1.0)}, "it would overlap 'Hana'"),
        ({"port": "none", "at": 3}, "where a body is put is a Point or a pair of numbers, not 3"),
    ],
)
def test_a_robot_that_cannot_be_added_is_refused_in_a_sentence(settings: dict[str, Any], words: str) -> None:
    with Stage() as stage:
        stage.add(stay, at=(1.0, 1.0), name="Hana")
        with pytest.raises(Exception, match=words):  # each has a class of its own
            stage.add(stay, **settings)

        assert [robot.name for robot in stage.robots] == ["Hana"]
        assert stage.world.count == 1


def test_a_port_in_a_stage_that_ran_without_a_pace_is_refused() -> None:
    with Stage() as stage:
        stage.add(stay, at=(1.0, 1.0))
        stage.run()
        with pytest.raises(ValueError, match="keeps real time, and this stage has run without a pace"):
            stage.add(stay, port="/dev/pts/none")


def test_ports_and_sockets_do_not_go_together() -> None:
    with emulated() as (port, _):
        with Stage() as stage:
            stage.connect(Sockets(UdpNetwork, 2))
            with pytest.raises(ValueError, match="connect it to a simulated network"):
                stage.add(stay, port=RobotPort(port, baud=BAUD))
        with Stage() as stage:
            stage.connect(Constant(0.1))
            stage.add(stay, port=RobotPort(port, baud=BAUD))
            assert stage.run(PATIENCE).messages is not None


def test_contacts_are_of_a_known_kind() -> None:
    with pytest.raises(ValueError, match='contacts are "real", "virtual" or "hil", not \'both\''):
        RobotPort("none", contacts="both")  # type: ignore[arg-type]


def test_a_pace_is_above_0() -> None:
    with pytest.raises(ValueError, match="a pace"):
        Stage(pace=0.0)

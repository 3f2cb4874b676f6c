"""A scenario with programs says which devices of which robots are real; what cannot work is said with its place."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import pytest

from kumi import now, sleep
from kumi.cli import main
from kumi.link.calibration import Calibration
from kumi.loop import Choices
from kumi.loop.showing import floor_of
from kumi.programs.random_movement import random_movement
from kumi.recording import RunFile
from kumi.robot import Robot
from kumi.scenario import ScenarioError
from kumi.scenario.real import RealTeam
from kumi.scenario.scenario import load_scenario, shipped_with_real_robots
from kumi.scenario.staging import Staging
from tests.loop.robots import is_running
from tests.waiting import wait_for

FILE = """
until = 6.0
[map]
width = 4.0
height = 3.0
[[robots]]
name = "guest"
count = 2
born = [[1.0, 1.0], [3.0, 1.0]]
program = "programs.py:wander"
[robots.sensors]
front = "infrared"
left = { kind = "infrared", bearing_deg = 90.0 }
down = "floor"
bump = "bumper"
[[robots]]
name = "host"
born = [[2.0, 2.0]]
program = "programs.py:wander"
[robots.sensors]
front = "infrared"
left = "infrared"
down = "floor"
bump = "bumper"
[tracking]
period = 0.1
[[real]]
robot = "guest 1"
motor = "hil"
contacts = "hil"
front = "real"
left = "hil"
bump = "real"
aliases = { left = "back_left", bump = "bumper" }
emulated = { clock_rate = 1.002, clock_offset = 3.0, skid = "uniform:0.05" }
"""

PROGRAMS = """
from kumi.contract import Blocked
from kumi.devs import note

async def wander(robot):
    (await robot.down.read()).distance
    (await robot.front.read()).distance
    (await robot.left.read()).distance
    for _ in range(2):
        await robot.forward(0.3)
        await robot.turn(1.0)
        (await robot.left.read()).distance
    note("done")
"""


def written(folder: Path, text: str = FILE) -> Path:
    """Write a scenario and its program."""
    (folder / "programs.py").write_text(PROGRAMS, encoding="utf-8")
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def team_of(path: Path | str, *changes: str) -> RealTeam:
    found = Staging(load_scenario(path, changes)).real
    assert found is not None
    return found


def test_devices_are_read_by_their_names(tmp_path: Path) -> None:
    (one,) = team_of(written(tmp_path)).robots

    assert (one.number, one.name) == (1, "guest 1")
    assert one.choices == Choices("hil", contacts="hil", front="real", left="hil", bump="real")
    assert one.choices["down"] == "virtual"
    assert one.aliases == {"left": "back_left", "bump": "bumper"}
    assert one.emulated.clock_rate == 1.002


def test_a_robot_goes_by_its_number_too(tmp_path: Path) -> None:
    (one,) = team_of(written(tmp_path), "real.0.robot=1").robots
    assert one.name == "guest 1"


def test_the_one_that_ships_has_two_real_robots_among_five() -> None:
    assert list(shipped_with_real_robots()) == ["convoy-in-the-loop", "random-movement-in-the-loop"]
    staging = Staging(load_scenario("random-movement-in-the-loop"))
    team = staging.real

    assert team is not None
    assert [one.name for one in team.robots] == ["robot 1", "robot 3"]
    assert staging.count == 5
    assert {kit.program.__code__ for kit in staging.kits} == {random_movement.__code__}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('motor = "hil"', 'motor = "simulated"', 'real.0.motor: motor is "virtual", "real" or "hil"'),
        ('motor = "hil"', "motor = 3", 'real.0.motor: motor is "virtual", "real" or "hil"'),
        ('motor = "hil"', 'engine = "hil"', "real.0.engine is unknown: a device of this robot is meant"),
        ('"guest 1"', '"guest 7"', "there is no such robot; it takes a name, such as 'guest 0', or a number"),
        ('"guest 1"', "3", "real.0.robot is 3, and there is no such robot"),
        ('"guest 1"', "1.5", "real.0.robot is 1.5; it takes a whole number or a string"),
        ('front = "real"', 'down = "real"', "a packet robot has no sensor 'down'; it has front, front_left,"),
        ('bump = "bumper" }', 'bump = "horn" }', "a packet robot has no sensor 'horn'"),
        ('bump = "bumper" }', 'bump = "front" }', "guest 1 has bump as a Bumper, and 'front' of a packet"),
        (
            'left = "back_left"',
            'left = "front_left"',
            "looks with left to 90°, and 'front_left' of the robot",
        ),
        (
            'bump = "bumper" }',
            'horn = "bumper" }',
            "guest 1 has no horn that could be 'bumper'; it has front",
        ),
        ("[tracking]\nperiod = 0.1\n", "", "guest 1 has a hil motor and hil contacts: without a tracking"),
        ('contacts = "hil"', 'contacts = "real"\nport = "/dev/x"', "has a port and is emulated"),
        ('motor = "hil"', 'motor = "virtual"', "its real body would stand still and sense the same for ever"),
        (
            'name = "guest"',
            'name = "guest"\nradius = 0.2',
            "a radius of 0.2 m, and the robot of round-robot",
        ),
        (
            'name = "guest"',
            'name = "guest"\ndrive = "omni"',
            "has the drive 'omni', and a packet robot drives",
        ),
        (
            'name = "guest"',
            'name = "guest"\ndrive = "follower"',
            "has the drive 'follower', and a packet robot",
        ),
        ("period = 0.1", "period = 0.0", "the period of tracking is a number of seconds > 0, not 0.0"),
        ("period = 0.1", "perid = 0.1", "tracking.perid is unknown"),
        (
            "clock_rate = 1.002",
            "clock_rate = 0.0",
            "clock_rate of an emulated robot is a number > 0, not 0.0",
        ),
        ("until = 6.0", 'until = 6.0\nnetwork = { kind = "udp" }', 'and network.kind is "udp"'),
        (
            "until = 6.0",
            "until = 6.0\npatience = 0.0",
            "patience is 0.0; it takes a number of seconds greater",
        ),
        ('down = "floor"', 'motor = "floor"', "a sensor of a real robot cannot be named 'motor'"),
        (
            'down = "floor"',
            'down = "encoder"',
            "a hil motor and a virtual down: its counterpart does not roll",
        ),
    ],
)
def test_every_mistake_is_said_with_its_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in FILE
    with pytest.raises(ScenarioError) as found:
        team_of(written(tmp_path, FILE.replace(old, new, 1)))

    assert words in str(found.value)
    assert str(found.value).startswith("mine.toml, line ")


def test_what_needs_a_tracking_source_is_refused_without_one(tmp_path: Path) -> None:
    """A real motor where others meet the robot; a virtual sensor that reports on the way."""
    text = FILE.replace('contacts = "hil"', 'contacts = "real"')
    real = text.replace('motor = "hil"', 'motor = "real"')
    virtual = text.replace('bump = "real"\n', "")

    for changed, words in (
        (real, "guest 1 has a real motor, which tells the environment model nothing"),
        (virtual, "guest 1 has a virtual bump, which reports on the way"),
    ):
        path = written(tmp_path, changed)
        team_of(path)
        with pytest.raises(ScenarioError, match=words):
            team_of(path, "tracking.on=false")


def test_a_car_has_to_turn_as_tightly_as_the_scenario_says(tmp_path: Path) -> None:
    Calibration.default().save(tmp_path / "car.toml")
    car = FILE.replace('motor = "hil"', 'motor = "hil"\ncalibration = "car.toml"')

    with pytest.raises(
        ScenarioError, match=r"turns on the spot with its drive, and the robot of car.toml cannot"
    ):
        team_of(written(tmp_path, car))
    tight = car.replace('name = "guest"', 'name = "guest"\ndrive = { kind = "car", min_radius = 0.1 }')
    with pytest.raises(ScenarioError, match=r"drives arcs of 0.1 m, and the robot of car.toml none below"):
        team_of(written(tmp_path, tight))
    team_of(written(tmp_path, tight.replace("min_radius = 0.1", "min_radius = 1.0")))


@pytest.mark.parametrize("which", ["convoy-in-the-loop", "random-movement-in-the-loop"])
def test_the_page_says_that_it_shows_no_real_robots(which: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", which, "--view"]) == 2
    assert (
        "--view shows no runs with real robots; record one, and `kumi view` shows it"
        in capsys.readouterr().err
    )


def test_a_robot_that_is_not_there_is_said_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = re.sub("emulated = .*", 'port = "/dev/pts/none"', FILE).replace(
        "[tracking]", "[tracking]\non = false"
    )
    path = written(tmp_path, text.replace('contacts = "hil"', 'contacts = "real"'))

    assert main(["run", str(path)]) == 1
    assert "guest 1 is not there: the port /dev/pts/none cannot be opened" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.kumi"))


@pytest.mark.slow
def test_one_command_runs_a_users_program_on_virtual_and_real_robots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All three programs end; drift, clock and lateness are told; both run files and the picture are there.

    Where the machine is busy, time may stand still so often that a clock cannot be told: then it is run again.
    """
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, FILE.replace("until = 6.0", "until = 60.0"))
    said: list[tuple[str, str]] = []

    def tells_clock() -> bool:
        assert main(["run", str(path), "--pace", "2", "--json", "--log", "mine.log"]) == 0
        said.append(capsys.readouterr())
        return json.loads(said[-1][0])["real"][0]["clock"] is not None

    wait_for(tells_clock)
    printed, complained = said[-1]
    found = json.loads(printed)

    assert found["end"] == "all programs have ended"
    assert (tmp_path / "mine.log").read_text(encoding="utf-8").count("done") == 3
    (real,) = found["real"]
    assert real["name"] == "guest 1"
    assert real["is_there"]
    assert real["drift_cm"] < 2.0
    assert real["reckoned_drift_cm"] >= 0.0
    assert real["readings"] == {} or abs(real["readings"]["left"]["real_minus_virtual_cm"]) < 5.0
    assert real["clock"]["rate"] - 1.0 == pytest.approx(0.002, abs=5e-4 + 4.0 * real["clock"]["rate_error"])
    assert found["losses"] == []
    assert found["lateness"]["instants"] > 100
    (pid,) = re.findall(r"guest 1 is process (\d+) at", complained)
    assert not is_running(int(pid))
    assert len(RunFile(tmp_path / "mine.kumi").state_at(2.0)) == 3
    assert len(RunFile(floor_of(tmp_path / "mine.kumi")).state_at(2.0)) == 1
    assert (tmp_path / "mine.png").exists()


killed: list[float] = []
robots: list[int] = []
gone_on: list[float] = []


async def drive(robot: Robot) -> None:
    """Drive to and fro."""
    for _ in range(20):
        await robot.forward(0.3)
        await robot.back_up(0.3)


async def saboteur(robot: Robot) -> None:
    """Kill the process of the other robot after a while, and drive on."""
    await robot.forward(0.3)
    await sleep(2.0)
    os.kill(robots[0], signal.SIGKILL)
    killed.append(now())
    await robot.forward(0.6)
    gone_on.append(robot.position.x)


@pytest.mark.slow
def test_a_robot_whose_process_is_killed_is_told_of_and_the_others_go_on(tmp_path: Path) -> None:
    """The saboteur, which is real, too, goes its 0.9 m, which takes longer than 2 s; the counterpart stands.

    When nobody has moved for 2 s, the run is over.
    """
    path = tmp_path / "mine.toml"
    text = """
        pace = 2.0
        patience = 2.0
        map = { width = 4.0, height = 3.0 }
        [[robots]]
        name = "victim"
        born = [[1.0, 1.0]]
        program = "tests.loop.test_by_file:drive"
        drive = { kind = "wheel", speed = 0.3 }
        [[robots]]
        name = "saboteur"
        born = [[1.0, 2.0]]
        program = "tests.loop.test_by_file:saboteur"
        drive = { kind = "wheel", speed = 0.3 }
        [[real]]
        robot = "victim"
        motor = "hil"
        contacts = "real"
        [[real]]
        robot = "saboteur"
        motor = "hil"
        contacts = "real"
        """
    path.write_text(text, encoding="utf-8")
    staging = Staging(load_scenario(path))
    for found in (killed, robots, gone_on):
        found.clear()
    said: list[str] = []

    def say(words: str) -> None:
        said.append(words)
        robots.extend(int(number) for number in re.findall(r"process (\d+) at", words))

    real = staging.real_side(say)
    assert real is not None
    with staging.stage(real=real) as stage:
        outcome = stage.run()
        counterpart = real.real_robots.real[0].counterpart
        assert counterpart is not None
        assert not counterpart.twin.is_moving
        assert outcome.end.startswith("nobody moved for 2 s: victim")
        assert real.is_broken_off
        assert any(one.name == "victim" and one.time > killed[0] for one in real.losses)
        assert not real.outcomes[0].is_there

    assert (
        1.88 < gone_on[0] < 2.5
    )  # on a busy machine it hears late that it should stop, and goes on till its watchdog
    assert any(words.startswith("victim has disappeared at ") for words in said)
    assert not any(map(is_running, robots))

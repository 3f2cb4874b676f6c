"""A scenario says which devices of which robots are real, and every mistake in it has its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumi.cli import main
from kumi.convoy.loop.scenario import load_loop
from kumi.loop import Choices
from kumi.scenario import ScenarioError
from kumi.scenario.scenario import find_loop

FILE = """
pace = 2.0
[models]
kind = "kumi.convoy:ConvoyTeam"
robots = 4
steps = 3
whisker_length = 0.0
rules = { step = 0.2 }
[[real]]
robot = 2
motor = "hil"
[[real]]
robot = 3
motor = "hil"
infrared = "real"
emulated = { line = "tcp", clock_rate = 1.001 }
"""


def complaint(tmp_path: Path, old: str, new: str) -> str:
    """Return what is said of the file with something replaced."""
    assert old in FILE
    path = tmp_path / "mine.toml"
    path.write_text(FILE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ScenarioError) as found:
        load_loop(path)
    return str(found.value)


def test_devices_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FILE, encoding="utf-8")
    plan = load_loop(path, ["until=50"]).plan

    assert [(one.number, one.choices) for one in plan.robots] == [
        (2, Choices("hil", infrared="virtual", whiskers="virtual")),
        (3, Choices("hil", infrared="real", whiskers="virtual")),
    ]
    assert plan.robots[1].emulated.line == "tcp"
    assert plan.robots[1].emulated.clock_rate == 1.001
    assert (plan.pace, plan.until, plan.tracking) == (2.0, 50.0, None)
    assert plan.convoy.rules.step == 0.2


def test_the_shipped_one_is_that_of_the_paper() -> None:
    """Robots 2 and 3 of four: the front one sees virtually, the back one for real, both with hil motors."""
    scenario = load_loop("convoy-in-the-loop")
    choices = {one.number: one.choices for one in scenario.plan.robots}

    assert scenario.plan.convoy.robots == 4
    assert choices == {
        2: Choices("hil", infrared="virtual", whiskers="real"),
        3: Choices("hil", infrared="real", whiskers="real"),
    }
    assert scenario.plan.tracking is not None


def test_the_team_of_thirty_is_three_changes_away() -> None:
    plan = load_loop("convoy-in-the-loop", ["models.robots=30", "real.0.robot=15", "real.1.robot=16"]).plan

    assert plan.convoy.robots == 30
    assert [one.number for one in plan.robots] == [15, 16]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('motor = "hil"', 'motor = "simulated"', "line 11: real.0.motor: motor is"),
        ('motor = "hil"', 'engine = "hil"', "line 11: real.0.engine is unknown"),
        ('motor = "hil"', 'motor = "real"', "line 11: robot 2 has a real motor, which tells the environment"),
        ("robot = 3", "robot = 9", "there is no robot 9 in a convoy of 4"),
        ("robot = 3", "robot = 2", "robot 2 is given twice"),
        ("whisker_length = 0.0", "whisker_length = 0.03", "feels nothing on the way"),
        ("robots = 4", 'robots = "four"', 'line 5: models.robots is "four"; it takes a whole number'),
        ("robots = 4", "robots = 1", "a convoy has 2 robots or more, not 1"),
        (
            "clock_rate = 1.001",
            "clock_rate = 0.0",
            "clock_rate of an emulated robot is a number > 0, not 0.0",
        ),
        ('line = "tcp"', 'line = "rope"', 'line 16: real.1.emulated.line is "rope"; it takes "pty" or "tcp"'),
        ("pace = 2.0", "pace = 0.0", "pace of a run with real robots is a finite number > 0, not 0.0"),
        (
            "emulated = {",
            'port = "/dev/ttyUSB0"\nemulated = {',
            "has a port and is emulated; give one of them",
        ),
        ('infrared = "real"', 'infrared = "real"\nbaud = 1234', "a baud rate is one of"),
        ('infrared = "real"', 'infrared = "real"\ncalibration = "none.toml"', "there is no such file"),
    ],
)
def test_every_mistake_is_said_with_its_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert words in complaint(tmp_path, old, new)


def test_a_car_that_cannot_turn_on_the_spot_is_refused(tmp_path: Path) -> None:
    from kumi.link.calibration import Calibration

    Calibration.default().save(tmp_path / "car.toml")
    said = complaint(tmp_path, 'infrared = "real"', 'infrared = "real"\ncalibration = "car.toml"')

    assert "the robot of car.toml cannot turn on the spot, as those of a convoy do" in said


def test_other_scenarios_are_none_with_real_robots(tmp_path: Path) -> None:
    assert find_loop("gathering") is None
    assert find_loop(tmp_path / "nothing.toml") is None


def test_a_robot_that_is_not_there_is_said_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.toml"
    text = FILE.replace('emulated = { line = "tcp", clock_rate = 1.001 }', 'port = "/dev/pts/none"')
    path.write_text(text.replace('[[real]]\nrobot = 2\nmotor = "hil"\n', ""), encoding="utf-8")

    assert main(["run", str(path)]) == 1
    said = capsys.readouterr().err
    assert "robot 3 is not there: the port /dev/pts/none cannot be opened" in said
    assert not list(tmp_path.glob("*.kumi"))

"""A convoy's scenario says which devices of which robots are real, and every mistake in it has its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumi.cli import main
from kumi.convoy import ConvoyTeam
from kumi.link.calibration import Calibration
from kumi.loop import Choices
from kumi.scenario import ScenarioError
from kumi.scenario.real import RealTeam
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging

FILE = """
pace = 2.0
[models]
kind = "kumi.convoy:ConvoyTeam"
robots = 4
steps = 3
whisker_length = 0.0
rules = { step = 0.2 }
[[real]]
robot = 1
motor = "hil"
contacts = "real"
[[real]]
robot = "robot 3"
motor = "hil"
contacts = "real"
front = "real"
emulated = { line = "tcp", clock_rate = 1.001 }
"""


def real_of(which: str | Path, *changes: str) -> RealTeam:
    found = Staging(load_scenario(which, changes)).real
    assert found is not None
    return found


def complaint(tmp_path: Path, old: str, new: str) -> str:
    """Return what is said of the file with something replaced."""
    assert old in FILE
    path = tmp_path / "mine.toml"
    path.write_text(FILE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ScenarioError) as found:
        Staging(load_scenario(path))
    return str(found.value)


def test_devices_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FILE, encoding="utf-8")
    robots = real_of(path).robots

    assert [(one.number, one.name, one.choices) for one in robots] == [
        (1, "robot 2", Choices("hil", contacts="real", front="virtual")),
        (2, "robot 3", Choices("hil", contacts="real", front="real")),
    ]
    assert robots[1].emulated.line == "tcp"
    assert robots[1].emulated.clock_rate == 1.001


def test_the_shipped_one_is_that_of_the_paper() -> None:
    """Robots 2 and 3 of four: the front one sees virtually, the back one for real, both with hil motors."""
    staging = Staging(load_scenario("convoy-in-the-loop"))
    assert staging.real is not None
    whiskers = {"left_whisker": "real", "right_whisker": "real"}

    assert staging.count == 4
    assert {one.name: one.choices for one in staging.real.robots} == {
        "robot 2": Choices("hil", contacts="hil", **whiskers),  # type: ignore[arg-type]
        "robot 3": Choices("hil", contacts="hil", front="real", **whiskers),  # type: ignore[arg-type]
    }
    assert staging.real.tracking is not None


def test_the_team_of_thirty_is_three_changes_away() -> None:
    changes = "models.robots=30", "real.0.robot=robot 15", "real.1.robot=robot 16"

    assert [one.number for one in real_of("convoy-in-the-loop", *changes).robots] == [14, 15]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('motor = "hil"', 'motor = "simulated"', "line 11: real.0.motor: motor is"),
        ('motor = "hil"', 'engine = "hil"', "line 11: real.0.engine is unknown"),
        ('motor = "hil"', 'motor = "real"', "line 11: robot 2 has a real motor, which tells the environment"),
        (
            'robot = "robot 3"',
            "robot = 9",
            "real.1.robot is 9, and there is no such robot; it takes a name, such as",
        ),
        ('robot = "robot 3"', "robot = 1", "robot 2 is given twice"),
        ('contacts = "real"', 'contacts = "virtual"', "feels nothing on the way"),
        ("robots = 4", 'robots = "four"', 'line 5: models.robots is "four"; it takes a whole number'),
        ("robots = 4", "robots = 1", "a convoy has 2 robots or more, not 1"),
        (
            "clock_rate = 1.001",
            "clock_rate = 0.0",
            "clock_rate of an emulated robot is a number > 0, not 0.0",
        ),
        ('line = "tcp"', 'line = "rope"', 'line 18: real.1.emulated.line is "rope"; it takes "pty" or "tcp"'),
        (
            "emulated = {",
            'port = "/dev/ttyUSB0"\nemulated = {',
            "has a port and is emulated; give one of them",
        ),
        ('front = "real"', 'front = "real"\nbaud = 1234', "a baud rate is one of"),
        ('front = "real"', 'front = "real"\ncalibration = "none.toml"', "there is no such file"),
        ('front = "real"', 'left = "real"', "real.1.left is unknown: a device of this robot is meant"),
        ("kumi.convoy:ConvoyTeam", "blind.py:Blind", "models are Blind, whose robots cannot be real"),
    ],
)
def test_every_mistake_is_said_with_its_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    (tmp_path / "blind.py").write_text(BLIND)
    assert words in complaint(tmp_path, old, new)


BLIND = """
from dataclasses import dataclass
from kumi.convoy import ConvoyTeam

class Blind:
    def __init__(self, robots, steps, whisker_length, rules):
        self._team = ConvoyTeam(robots=robots, steps=steps, whisker_length=whisker_length)
        self.world, self.whole, self.names, self.radius = self._team.world, self._team.whole, self._team.names, 0.1
        self.assemble, self.join = self._team.assemble, self._team.join
        self.measured, self.rows = self._team.measured, self._team.rows
"""


def test_without_a_tracking_source_real_motors_need_robots_that_are_wholly_real(tmp_path: Path) -> None:
    """All real is possible; with one virtual device, somebody meets or sees a robot of which the model knows nothing."""
    real = [
        {"robot": number, "motor": "real", "contacts": "real", **dict.fromkeys(eyes, "real")}
        for number, eyes in enumerate((("front_right", "front", "front_left"), ("front",), ("front",)))
    ]
    path = tmp_path / "mine.toml"
    head = FILE[: FILE.index("[[real]]")].replace("robots = 4", "robots = 3")
    tables = ["\n".join(["[[real]]", *(f"{key} = {value!r}" for key, value in one.items())]) for one in real]

    path.write_text("\n".join([head, *tables]))
    assert len(real_of(path).robots) == 3
    path.write_text("\n".join([head, *tables[:2]]))
    with pytest.raises(
        ScenarioError, match=r"robot 1 has a real motor, which .*, and robot 3 meets it there"
    ):
        real_of(path)


def test_a_car_that_cannot_turn_on_the_spot_is_refused(tmp_path: Path) -> None:
    Calibration.default().save(tmp_path / "car.toml")
    said = complaint(tmp_path, 'front = "real"', 'front = "real"\ncalibration = "car.toml"')

    assert "robot 3 turns on the spot with its drive, and the robot of car.toml cannot" in said


def test_a_number_of_seconds_below_0_is_refused() -> None:
    with pytest.raises(ValueError, match="setting_off is a number of seconds >= 0, not -1"):
        ConvoyTeam(setting_off=-1.0)


def test_a_robot_that_is_not_there_is_said_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.toml"
    text = FILE.replace('emulated = { line = "tcp", clock_rate = 1.001 }', 'port = "/dev/pts/none"')
    path.write_text(
        text.replace('[[real]]\nrobot = 1\nmotor = "hil"\ncontacts = "real"\n', ""), encoding="utf-8"
    )

    assert main(["run", str(path)]) == 1
    said = capsys.readouterr().err
    assert "robot 3 is not there: the port /dev/pts/none cannot be opened" in said
    assert not list(tmp_path.glob("*.kumi"))

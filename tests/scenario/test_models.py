"""A scenario may have models in place of robots with programs: any class that has a world and a model around it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kumi.scenario import ScenarioError
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging
from tests.commands import kumi

OWN = '''
from kumi.contract import Forward
from kumi.contract.devices import Moved
from kumi.devs import Atomic, Coupled
from kumi.motion import Wheel
from kumi.robot.devices import Motor
from kumi.world import World


class Goer(Atomic):
    """Goes `step` metres, again and again."""

    def __init__(self, name, step, times):
        super().__init__(name)
        self.moved = self.add_input("moved", Moved)
        self.commands = self.add_output("commands", Forward)
        self.step, self.left = step, times
        self.over = lambda: None
        self.hold(0.0)

    def output(self):
        self.commands.send(Forward(self.step))

    def internal(self):
        self.left -= 1

    def external(self):
        if self.left:
            self.hold(0.0)
        else:
            self.over()


class Line:
    """Robots, and no more."""

    def __init__(self, robots):
        self.robots = robots


class Goers:
    """Robots that go straight on, all as far."""

    radius = 0.1

    def __init__(self, robots: int, step: float = 0.5, times: int = 2) -> None:
        self.whole = Coupled("goers")
        self.world = self.whole.add(World(width=10.0, height=10.0))
        self.names = [f"goer {number}" for number in range(robots)]
        for number, name in enumerate(self.names):
            body = self.world.add_body((1.0, 1.0 + number), drive=Wheel(), name=name)
            motor = self.whole.add(Motor(f"motor {number}", body))
            goer = self.whole.add(Goer(name, step, times))
            self.whole.couple(goer.commands, motor.commands)
            self.whole.couple(motor.moved, goer.moved)
            self.last = goer

    def assemble(self, real):
        pass

    def join(self, stage):
        self.last.over = stage.end

    def measured(self, outcome):
        return {"left": self.last.left}

    def rows(self, outcome):
        return [("left", f"{self.last.left} steps")]
'''
FILE = """
[models]
kind = "goers.py:Goers"
robots = 2
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "goers.py").write_text(OWN)
    path = tmp_path / "goers.toml"
    path.write_text(FILE)
    return path


def test_models_of_ones_own_are_run_as_any_scenario(path: Path) -> None:
    """Two robots go twice 0.5 m at 1 m/s: they stand at x = 2 m after 1 s, and that ends the run."""
    staging = Staging(load_scenario(path))

    with staging.stage() as stage:
        outcome = stage.run()

    assert (staging.count, staging.radius, staging.names) == (2, 0.1, {0: "goer 0", 1: "goer 1"})
    assert outcome.simulated_seconds == 1.0
    assert [(body.position.x, body.position.y) for body in stage.world.bodies] == [(2.0, 1.0), (2.0, 2.0)]


def test_the_command_tells_what_they_tell_and_writes_a_log(path: Path) -> None:
    log = path.with_suffix(".log")

    told = json.loads(kumi("run", str(path), "--json", "--log", str(log), "--set", "models.times=3").stdout)
    shown = kumi("run", str(path)).stdout

    assert told["models"] == {"left": 0}
    assert (told["robots"], told["simulated_seconds"]) == (2, 1.5)
    assert "0 steps" in shown
    assert log.read_text().count("Do_Forward(Finish)") == 2 * 3


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('kind = "goers.py:Goers"', "", "models.kind is missing; it takes a class of models as"),
        ('kind = "goers.py:Goers"', "kind = 3", "line 3: models.kind is 3; it takes a class of models as"),
        ("goers.py:Goers", "goers", "models.kind is 'goers', and no such class of models ships"),
        ("goers.py:Goers", "goers.py:Geese", "goers.py has no 'Geese'; there are Goers"),
        (
            "goers.py:Goers",
            "goers.py:Goer",
            "line 4: models.robots is unknown; models takes name, step and times",
        ),
        ("goers.py:Goers", "goers.py:Line", "goers.py:Line makes no models; they have world, whole,"),
        ("robots = 2", "", "models.robots is missing"),
        ("robots = 2", 'robots = "two"', 'line 4: models.robots is "two"; it takes a whole number'),
        ("robots = 2", "robots = 2\nstride = 1.0", "line 5: models.stride is unknown"),
        ("robots = 2", "robots = 2\n[robots]\ncount = 1\nprogram = 'circle'", "robots and models are given"),
    ],
)
def test_a_mistake_is_said_with_its_place(path: Path, old: str, new: str, sentence: str) -> None:
    path.write_text(FILE.replace(old, new))

    with pytest.raises(ScenarioError) as raised:
        Staging(load_scenario(path))

    assert sentence in str(raised.value)

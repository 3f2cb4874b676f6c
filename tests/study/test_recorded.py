"""A run of an experiment that is recorded is the run that is not, and told of while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from kumi.experiment.convoy.study import ConvoyStudy
from kumi.experiment.study import Arena, ArenaNetwork, Counter, Experiment, StudyError
from kumi.recording import RunFile
from kumi.robot import Robot
from tests.study.counting import Sum


async def across(robot: Robot) -> None:
    await robot.move_to((9.0, robot.position.y + robot.chance.uniform(-1.0, 1.0)), speed=1.0)


@dataclass(frozen=True, kw_only=True)
class Crossing(Experiment):
    """How often do robots touch on their way across?"""

    robots: int = 3
    deadline: float = 20.0

    def arena(self) -> Arena:
        return Arena(width=10.0, height=10.0)

    def stage(self, world: Arena, network: ArenaNetwork) -> None:
        for number in range(self.robots):
            world.add_robot(across, at=(1.0, 4.0 + number))

    def watch(self, world: Arena) -> Counter:
        return Counter("contacts", of=world.contacts)


def test_an_experiment_that_is_recorded_comes_out_the_same(tmp_path: Path) -> None:
    told: list[float] = []
    ran = Crossing().record(3, tmp_path / "run.kumi", told.append)

    assert ran == Crossing().run(3)
    run = RunFile(tmp_path / "run.kumi")
    assert run.is_whole
    assert run.summary
    assert run.summary.trace_hash == ran.trace_hash
    assert [len(run.state_at(time)) for time in (0.0, run.end)] == [3, 3]
    assert told == sorted(told)
    assert told[-1] == 20.0


def test_a_convoy_that_the_twin_ran_is_seen_by_its_model(tmp_path: Path) -> None:
    study = ConvoyStudy(robots=4, steps=10)
    ran = study.record(1, tmp_path / "convoy.kumi")

    assert ran == study.run(1)
    assert len(RunFile(tmp_path / "convoy.kumi").state_at(0.0)) == 4


def test_an_experiment_that_runs_by_itself_says_that_there_is_nothing_to_see(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="Sum makes its runs itself and has no `record`"):
        Sum().record(0, tmp_path / "sum.kumi")
    assert list(tmp_path.iterdir()) == []

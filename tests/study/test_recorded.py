"""A run of an experiment that is recorded is the run that is not, and told of while it goes on."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from math import pi
from pathlib import Path

import pytest

from kumi import Map
from kumi.contract import Blocked
from kumi.convoy.study import ConvoyStudy
from kumi.geometry import Disc
from kumi.recording import Published, RunFile
from kumi.robot import Robot
from kumi.study import Counter, Experiment, ExperimentStage, StudyError
from tests.study.counting import Sum


async def across(robot: Robot) -> None:
    await robot.move_to((9.0, robot.position.y + robot.chance.uniform(-1.0, 1.0)), speed=1.0)


@dataclass(frozen=True, kw_only=True)
class Crossing(Experiment):
    """How often do robots touch on their way across?"""

    robots: int = 3
    deadline: float = 20.0

    def world(self) -> Map:
        return Map(width=10.0, height=10.0)

    def stage(self, stage: ExperimentStage) -> None:
        for number in range(self.robots):
            stage.add(across, at=(1.0, 4.0 + number))

    def watch(self, stage: ExperimentStage) -> Counter:
        return Counter("contacts", of=stage.contacts)


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


class Towards(Crossing):
    """Two robots drive into each other."""

    def stage(self, stage: ExperimentStage) -> None:
        for x, goal, heading in ((1.0, 9.0, 0.0), (9.0, 1.0, pi)):
            stage.add(bump, (goal, 5.0), at=(x, 5.0), heading=heading, shape=Disc(0.5))


async def bump(robot: Robot, goal: tuple[float, float]) -> None:
    with suppress(Blocked):
        await robot.move_to(goal, speed=1.0)


def test_the_metrics_of_an_experiment_are_shown_of_the_run_as_they_change(tmp_path: Path) -> None:
    """At 1 m/s each, with radii of 0.5 m, they touch after 3.5 s; both tell of it, and the count is shown once it is whole."""
    ran = Towards().record(1, tmp_path / "run.kumi")
    run = RunFile(tmp_path / "run.kumi")
    shown = [one for one in run.records() if isinstance(one, Published)]

    assert ran.metrics["contacts"] == 2
    assert {(one.body, one.name) for one in shown} == {(None, "contacts")}
    assert shown[-1].value == 2.0
    assert [one.time for one in shown] == pytest.approx([3.5] * len(shown))
    assert run.published_at(run.end) == [shown[-1]]


def test_the_gaps_of_a_convoy_are_shown(tmp_path: Path) -> None:
    """The leader has none before it."""
    ConvoyStudy(robots=4, steps=10).record(1, tmp_path / "convoy.kumi")
    run = RunFile(tmp_path / "convoy.kumi")
    gaps = {one.body: one.value for one in run.published_at(run.end) if one.name == "gap (m)"}
    states = {one.number: one.pose.position for one in run.state_at(run.end)}

    assert set(gaps) == {1, 2, 3}
    for number, gap in gaps.items():
        assert number is not None
        assert gap == pytest.approx(states[number - 1].distance_to(states[number]), abs=0.1)


def test_a_convoy_that_the_twin_ran_is_seen_by_its_model(tmp_path: Path) -> None:
    study = ConvoyStudy(robots=4, steps=10)
    ran = study.record(1, tmp_path / "convoy.kumi")

    assert ran == study.run(1)
    assert len(RunFile(tmp_path / "convoy.kumi").state_at(0.0)) == 4


def test_an_experiment_that_runs_by_itself_says_that_there_is_nothing_to_see(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="Sum makes its runs itself and has no `record`"):
        Sum().record(0, tmp_path / "sum.kumi")
    assert list(tmp_path.iterdir()) == []

"""Experimental frames: one robot, a small team, a large one, a mixed one, and the final system, under one experiment."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import pytest

from kumi import sleep
from kumi.convoy.logic import AVOIDING, AvoidLogic, PlayedAvoid
from kumi.convoy.program.avoid import Avoid
from kumi.devs import Activity, ActivityOutcome, Atomic, InThread, Virtual, start_activity
from kumi.robot import Robot
from kumi.study import (
    Counter,
    Experiment,
    ExperimentStage,
    Frame,
    Ran,
    StudyError,
    TimeMean,
    vary,
)
from kumi.study.files import load_study
from kumi.study.logic import Rule, Specification


class Reckless(Avoid):
    """A planted mistake: what is touched is ignored."""

    async def feel(self) -> None:
        return


@dataclass(frozen=True, kw_only=True)
class RecklessLogic(AvoidLogic):
    """The same questions to the one with the mistake."""

    def model(self) -> PlayedAvoid:
        return PlayedAvoid("avoid", Reckless)


# One robot.


def test_tours_use_every_rule_and_none_begins_another() -> None:
    tours = AVOIDING.tours()
    used = set()
    for tour in tours:
        state = AVOIDING.start
        for given in tour:
            used.add((state, given))
            state = AVOIDING.rules[state, given].state

    assert used == set(AVOIDING.rules)
    assert not any(a != b and b[: len(a)] == a for a in tours for b in tours)


def test_all_sequences_of_a_length_are_those_the_rules_allow() -> None:
    """From idle: go or touch. After go: touch, arrived or blocked; after touch: go or touch."""
    assert list(AVOIDING.all_of(1)) == [("go",), ("touch",)]
    assert set(AVOIDING.all_of(2)) == {
        ("go", "touch"),
        ("go", "arrived"),
        ("go", "blocked"),
        ("touch", "go"),
        ("touch", "touch"),
    }


def test_a_state_that_nothing_leads_to_is_refused() -> None:
    with pytest.raises(StudyError, match="no inputs lead from state 'a' to state 'b'"):
        Specification("a", {("b", "x"): Rule((), "a")})


@pytest.mark.parametrize("sequence", range(len(AVOIDING.tours())))
def test_avoiding_answers_as_specified(sequence: int) -> None:
    assert AvoidLogic(sequence=sequence).run(0).metrics["first_wrong"] is None


def test_avoiding_answers_as_specified_to_every_sequence_of_four_inputs() -> None:
    """The whole study in memory: every sequence is a value of a parameter that varies."""
    count = len(list(AVOIDING.all_of(4)))

    table = vary(AvoidLogic(length=4), sequence=range(count), workers=2).table

    assert table["inputs"].to_list() == [4] * count
    assert table["wrong"].to_list() == [0] * count


def test_a_planted_mistake_is_found_and_said() -> None:
    """Who ignores what is touched sends no halt."""
    number = AVOIDING.tours().index(("go", "touch", "touch"))

    assert RecklessLogic(sequence=number).run(0).metrics == {
        "inputs": 3,
        "wrong": 1,
        "first_wrong": "after touch: nothing, not halt",
    }


def test_inputs_after_the_deadline_are_not_answered() -> None:
    """Go at 1 s, touch at 2 s: a run of 1.5 s is over before the halt."""
    number = AVOIDING.tours().index(("go", "touch", "touch"))

    assert AvoidLogic(sequence=number).run(0).metrics["wrong"] == 0
    assert AvoidLogic(sequence=number, deadline=1.5).run(0).metrics["first_wrong"] == (
        "after touch: nothing, not halt"
    )


def test_the_study_that_ships_tries_every_tour() -> None:
    assert load_study("convoy-logic").design.vary == {"sequence": list(range(len(AVOIDING.tours())))}


# Teams.


async def shuttle(robot: Robot, way: float) -> None:
    """Go there and back three times, at 1 m/s, with a rest of a second at each end."""
    x, y = robot.home.x, robot.home.y
    for _ in range(3):
        await robot.move_to((x + way, y), speed=1.0)
        await sleep(1.0)
        await robot.move_to((x, y), speed=1.0)
        await sleep(1.0)


@dataclass(frozen=True, kw_only=True)
class Shuttles(Experiment):
    """Which share of the robots is on its way, on the mean?"""

    robots: int = 3
    way: float = 3.0
    deadline: float = 60.0

    def stage(self, stage: ExperimentStage) -> None:
        for number in range(self.robots):
            stage.add(shuttle, self.way, at=(0.0, float(number)))

    def watch(self, stage: ExperimentStage) -> tuple[TimeMean, Counter]:
        bodies = stage.world.bodies
        return (
            TimeMean(
                "moving",
                of=stage.motions,
                value=lambda _: sum(body.is_moving for body in bodies) / len(bodies),
                start=0.0,
            ),
            Counter("contacts", of=stage.contacts),
        )


@pytest.mark.parametrize("robots", [1, 4, 100])
def test_one_frame_serves_small_teams_and_large_ones(robots: int) -> None:
    """All robots do the same at the same time, so the share of those who move is that of one robot alone."""
    ran = Shuttles(robots=robots).run(0)
    alone = Shuttles(robots=1).run(0)

    assert ran.metrics["contacts"] == 0
    assert ran.metrics["moving"] == pytest.approx(alone.metrics["moving"], rel=1e-12)


def test_the_share_of_time_is_exact() -> None:
    """Robots that need not turn: one that goes 3 m at 1 m/s and then rests moves 3 of 12 s."""

    async def go(robot: Robot) -> None:
        await robot.move_to((3.0, robot.home.y), speed=1.0)

    def stage(stage: ExperimentStage) -> None:
        stage.add(go, at=(0.0, 0.0))

    ran = Frame(Shuttles(deadline=12.0), 0, staging=stage).run()

    assert ran.metrics["moving"] == 0.25


class Arm(Atomic):
    """Works a second after it is told to, by whatever device is behind it, three times."""

    def __init__(self, name: str, device: Activity[str]) -> None:
        super().__init__(name)
        self._device = device
        self._left = 3
        self.results = self.add_input("results", ActivityOutcome)
        self.done = self.add_output("done", str)
        self.hold(1.0)

    def output(self) -> None:
        if self._left < 3:
            self.done.send("done")

    def internal(self) -> None:
        if self._left:
            self._left -= 1
            start_activity(self._device, into=self.results)

    def external(self) -> None:
        self.hold(0.0)


@dataclass(frozen=True, kw_only=True)
class Arms(Experiment):
    """How often do two arms get their work done?"""

    def stage(self, stage: ExperimentStage) -> None:
        for name in ("left", "right"):
            stage.add_model(Arm(name, Virtual(0.01, str, "done")))

    def watch(self, stage: ExperimentStage) -> Counter:
        arms: list[Any] = [stage.model(name) for name in ("left", "right")]
        return Counter("done", of=[arm.done for arm in arms])

    def over(self, done: Counter) -> bool:
        return done.count == 6


def work() -> str:
    """Stand for a real device: it takes 5 ms of real time."""
    time.sleep(0.005)
    return "done"


def staged(left: Activity[str], right: Activity[str]) -> Ran:
    """Run the same frame around arms with other devices, at the pace of the wall clock."""

    def stage(stage: ExperimentStage) -> None:
        stage.add_model(Arm("left", left))
        stage.add_model(Arm("right", right))

    return Frame(replace(Arms(), deadline=60.0), 0, staging=stage, pace=100.0).run()


def test_the_same_frame_goes_around_virtual_mixed_and_real_devices() -> None:
    """What decides, what is watched and when it is over stay as they are: only who stages is another."""
    virtual = Arms().run(0)
    mixed = staged(Virtual(0.01, str, "done"), InThread(work))
    final = staged(InThread(work), InThread(work))

    assert virtual.metrics == mixed.metrics == final.metrics == {"done": 6}

"""A stage of an experiment tells metrics what happens in it, at the instant at which it happens."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import pi
from typing import Any

import pytest

from kumi import Map, sleep
from kumi.contract import Blocked, Message
from kumi.devs import KumiError, note
from kumi.network import Constant, Loss, MessageDropped, MessageReceived, MessageSent
from kumi.robot import Robot
from kumi.study import (
    Counter,
    Experiment,
    ExperimentStage,
    FirstTime,
    FrameError,
    Generator,
    Maximum,
    Series,
    Total,
)


@dataclass(frozen=True)
class Hello(Message):
    """A greeting."""


@dataclass(frozen=True, kw_only=True)
class Pair(Experiment):
    """Two robots of radius 0.1, 4 m apart, that look at each other."""

    deadline: float = 10.0
    loss: float = 0.0
    program: Callable[..., Any] = field(default=None)  # type: ignore[assignment]
    metrics: Callable[[ExperimentStage], Any] = field(default=None)  # type: ignore[assignment]
    does: tuple[tuple[float, str], ...] = ()

    def world(self) -> Map:
        return Map(width=10.0, height=10.0)

    def stage(self, stage: ExperimentStage) -> None:
        stage.connect(Constant(0.25), Loss(self.loss))
        stage.add(self.program, at=(1.0, 5.0), name="left")
        stage.add(self.program, at=(5.0, 5.0), heading=pi, name="right")

    def stimuli(self, stage: ExperimentStage) -> list[Generator]:
        def remove(name: str) -> None:
            body = stage.world.body_of(name)
            assert body is not None
            body.remove()

        return [Generator("remover", self.does, does=remove)]

    def watch(self, stage: ExperimentStage) -> Any:
        return self.metrics(stage)


async def meet(robot: Robot) -> None:
    """Go straight ahead at 1 m/s."""
    with suppress(Blocked):
        await robot.move_to((3.0, 5.0), speed=1.0)


async def greet(robot: Robot) -> None:
    """Greet a second after the start, and note it."""
    await sleep(1.0)
    await robot.radio.broadcast(Hello())
    note("greeted")


def test_contacts_are_told_to_both_at_their_instant() -> None:
    """Gap 3.8 m, closing at 2 m/s: contact at 1.9 s."""
    ran = Pair(
        program=meet,
        metrics=lambda stage: [
            Counter("contacts", of=stage.contacts),
            FirstTime("first", of=stage.contacts),
            FirstTime("of_left", of=stage.contacts, value=lambda touch: touch.body.name == "left"),
        ],
    ).run(0)

    assert ran.metrics == {
        "contacts": 2,
        "first": pytest.approx(1.9, abs=1e-12),
        "of_left": pytest.approx(1.9, abs=1e-12),
    }


def test_motions_are_told_when_they_begin_and_end() -> None:
    """Both begin at 0 s and end at the contact."""
    ran = Pair(
        program=meet,
        metrics=lambda stage: Series(
            "moving", of=stage.motions, value=lambda _: sum(body.is_moving for body in stage.world.bodies)
        ),
    ).run(0)

    points = ran.series["moving"]
    assert {round(time, 9) for time, _ in points} == {0.0, 1.9}
    assert points[-1][1] == 0


def test_messages_are_told_and_the_network_is_as_the_experiment_says() -> None:
    """Each greets at 1 s, and the other hears it a quarter of a second later."""
    ran = Pair(
        program=greet,
        metrics=lambda stage: [
            Counter("sent", of=stage.messages, value=lambda one: isinstance(one, MessageSent)),
            Counter("received", of=stage.messages, value=lambda one: isinstance(one, MessageReceived)),
            FirstTime("heard", of=stage.messages, value=lambda one: isinstance(one, MessageReceived)),
        ],
    ).run(0)

    assert ran.metrics == {"sent": 2, "received": 2, "heard": 1.25}


def test_what_gets_lost_is_told() -> None:
    ran = Pair(
        loss=1.0,
        program=greet,
        metrics=lambda stage: Counter(
            "dropped", of=stage.messages, value=lambda one: isinstance(one, MessageDropped)
        ),
    ).run(0)

    assert ran.metrics == {"dropped": 2}


def test_notes_are_told_with_who_wrote_them() -> None:
    ran = Pair(
        program=greet,
        metrics=lambda stage: [
            Counter("notes", of=stage.notes, value=lambda noted: noted.value == "greeted"),
            FirstTime("right", of=stage.notes, value=lambda noted: noted.robot == "right"),
        ],
    ).run(0)

    assert ran.metrics == {"notes": 2, "right": 1.0}


def test_departures_are_told_and_stimuli_can_cause_them() -> None:
    ran = Pair(
        program=greet,
        does=((0.5, "left"),),
        metrics=lambda stage: [FirstTime("gone", of=stage.departures), Counter("goes", of=stage.departures)],
    ).run(0)

    assert ran.metrics == {"gone": 0.5, "goes": 1}


def test_one_metric_may_hear_several_sources() -> None:
    ran = Pair(
        program=meet,
        metrics=lambda stage: Total("told", of=[stage.contacts, stage.departures], value=lambda _: 1),
        does=((5.0, "left"),),
    ).run(0)

    assert ran.metrics == {"told": 3}


def test_the_same_seed_gives_the_same_trace_and_another_one_another() -> None:
    def metrics(stage: ExperimentStage) -> Any:
        return Maximum("x", of=stage.motions, value=lambda body: body.position.x)

    async def roam(robot: Robot) -> None:
        with suppress(Blocked):
            while True:
                await robot.move_to((robot.chance.uniform(1, 9), robot.chance.uniform(1, 9)), speed=1.0)

    first, again, other = (Pair(program=roam, metrics=metrics).run(seed) for seed in (1, 1, 2))

    assert first == again
    assert first.trace_hash != other.trace_hash


def test_what_a_program_raises_fails_the_run() -> None:
    async def fail(robot: Robot) -> None:
        raise RuntimeError("no way")

    with pytest.raises(RuntimeError, match="no way"):
        Pair(program=fail, metrics=lambda stage: Counter("n", of=stage.contacts)).run(0)


def test_robots_meet_without_loss_and_delay_where_nothing_is_said() -> None:
    class Plain(Pair):
        def stage(self, stage: ExperimentStage) -> None:
            stage.add(self.program, at=(1.0, 5.0))
            stage.add(self.program, at=(5.0, 5.0))

    ran = Plain(
        program=greet,
        metrics=lambda stage: FirstTime(
            "heard", of=stage.messages, value=lambda one: isinstance(one, MessageReceived)
        ),
    ).run(0)

    assert ran.metrics == {"heard": 1.0}


def test_a_world_that_is_none_is_refused() -> None:
    class Nowhere(Pair):
        def world(self) -> Any:
            return "a hall"

    with pytest.raises(FrameError, match=r"world\(\) of Nowhere returns a Map or a World, not 'a hall'"):
        Nowhere(program=meet, metrics=lambda stage: Counter("n", of=stage.contacts)).run(0)


def test_a_network_is_set_before_the_first_robot() -> None:
    class Late(Pair):
        def stage(self, stage: ExperimentStage) -> None:
            super().stage(stage)
            stage.connect(Loss(0.5))

    with pytest.raises(ValueError, match="connected to a network already"):
        Late(program=meet, metrics=lambda stage: Counter("n", of=stage.contacts)).run(0)


def test_a_share_that_is_none_is_refused_at_once() -> None:
    with pytest.raises((KumiError, ValueError), match="2"):
        Pair(loss=2.0, program=meet, metrics=lambda stage: Counter("n", of=stage.contacts)).run(0)

"""Actions come from another thread: they happen in the run, or are refused with one sentence."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from math import pi
from time import monotonic
from time import sleep as wall_sleep

import pytest

from kumi.control import ActionRefused, LiveActions
from kumi.control import warnings as outlook
from kumi.control.actions import KINDS, GiveCode, GoTo, SetPace, Spot, StopRobot, read_action
from kumi.control.live_run import MOST_WARNINGS, sentence
from kumi.control.warnings import FORECAST_HORIZON, CollisionWatch
from kumi.motion import Car, Drive, Omni, Wheel
from kumi.robot import Robot
from kumi.stage import Progress, Stage
from kumi.world import Map, Wall, World
from tests.control.stages import acted, go_ten_metres, place, rest


async def upwards(robot: Robot) -> None:
    """Go where a wall is in the way."""
    await robot.move_to((0.0, 4.0))


@pytest.fixture
def running() -> Iterator[tuple[Stage, LiveActions, threading.Thread]]:
    """A run at fifty times real time, in a thread of its own."""
    with acted(pace=50.0) as (stage, acting):
        stage.add(rest, at=(0.0, 0.0))
        thread = threading.Thread(target=stage.run, args=(100.0,))
        thread.start()
        yield stage, acting, thread
        thread.join()


@pytest.mark.slow
def test_a_action_happens_in_the_run(running: tuple[Stage, LiveActions, threading.Thread]) -> None:
    stage, acting, thread = running
    acting.ask(GoTo(0, Spot(3.0, 0.0)))
    assert acting.state["held"] == {0: 1}
    with pytest.raises(ActionRefused, match=r"^Robot 7 has no program, so it takes no orders\.$"):
        acting.ask(StopRobot(7))
    thread.join()
    assert place(stage) == (3.0, 0.0)


@pytest.mark.slow
def test_a_pace_that_is_set_holds_from_then_on_and_lateness_is_told() -> None:
    """Ten seconds at a pace of 10 take a second; at a thousandth of it, nobody would wait for the end."""
    told: list[Progress] = []
    with acted(pace=0.01) as (stage, acting):
        stage.add(rest, at=(0.0, 0.0))
        acting.plan(0.0, SetPace(10.0))
        begun = monotonic()
        stage.run(10.0, on_progress=told.append)
        assert 0.9 < monotonic() - begun
        assert told[-1].pace == 10.0
        assert all(one.late >= 0.0 for one in told)


@pytest.mark.slow
def test_a_run_that_cannot_keep_its_pace_tells_how_late_it_is() -> None:
    """A program that takes 1.3 s of wall time for nothing is behind by more than the run may catch up with."""
    told: list[Progress] = []

    async def slow(_robot: Robot) -> None:
        wall_sleep(1.3)

    with acted(pace=1.0) as (stage, _), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stage.add(slow, at=(0.0, 0.0))
        stage.run(0.3, on_progress=told.append)
    assert told[0].late > 1.0
    assert told[-1].given_up > 1.0


def test_a_run_that_is_over_takes_no_actions() -> None:
    with acted() as (stage, acting):
        stage.run(1.0)
        acting.finish()
        with pytest.raises(ActionRefused, match="The run is over"):
            acting.ask(StopRobot(None))


def test_code_is_taken_only_where_it_may_be_given() -> None:
    acting = LiveActions(may_give_code=False)
    with pytest.raises(ActionRefused, match="This run takes no code"):
        acting.ask(GiveCode(0, "a.py", "async def main(robot): pass"))


def test_of_several_programs_main_is_run() -> None:
    code = "async def help(robot): 1 / 0\nasync def main(robot): await robot.forward(1.0)"
    with acted() as (stage, acting):
        stage.add(rest, at=(0.0, 0.0))
        acting.plan(1.0, GiveCode(0, "a.py", code))
        stage.run(5.0)
        assert place(stage) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("name", "body", "sentence"),
    [
        ("goTo", b"{", "goTo cannot be read"),
        ("goTo", b'{"robot": 1}', "missing required field `at`"),
        ("goTo", b'{"robot": 1, "at": {"x": 1, "y": "a"}}', r"at `\$.at.y`"),
        ("goTo", b'{"robot": 1, "at": {"x": 1, "y": 1e999}}', "goTo cannot be read"),
        ("goTo", b'{"robot": 1, "at": {"x": 1, "y": 1}, "speed": 3}', "unknown field `speed`"),
        ("followPath", b'{"robot": 1, "way": []}', "a way has 1 to 1000 places, not 0"),
        ("setNoise", b'{"motion": 2, "sensors": 0}', "a share from 0 to 1, not 2"),
        ("setPace", b'{"pace": 0}', "a pace is a number above 0, up to 1000, not 0"),
    ],
)
def test_a_message_that_does_not_fit_is_refused(name: str, body: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_action(name, body)


def test_the_page_knows_the_names_of_all_actions() -> None:
    assert set(KINDS) == set(LiveActions(may_give_code=True).offers)
    assert set(KINDS) - set(LiveActions().offers) == {"giveCode", "checkCode"}
    assert "goTo" in KINDS


def test_warnings_tell_the_time_until_a_contact() -> None:
    """At 1 m/s, a robot of radius 0.1 touches a wall of no width at x = 3 after 2.9 s."""
    world = World(Map(20.0, 20.0, (-10.0, -10.0), [Wall((3.0, -1.0), (3.0, 1.0))]))
    with Stage(world) as stage:
        stage.add(go_ten_metres, at=(0.0, 0.0))
        stage.run(1.0)
        lookout = CollisionWatch(world)
        (danger,) = lookout.dangers()
        assert (danger.robot, danger.other) == ("robot 0", "wall 1")
        assert danger.seconds == pytest.approx(1.9)
        world.remove_obstacle("wall 1")
        assert lookout.dangers() == []
        lookout.close()


@pytest.mark.parametrize("pairs", [50, 51, 60])
def test_any_number_of_pairs_is_warned_of_and_pages_are_told_how_many_there_are(pairs: int) -> None:
    """Each pair faces each other, 2 m apart: 1.8 m at twice 1 m/s, and none is silent from the 101st robot on."""
    with acted() as (stage, acting):
        for number in range(pairs):
            y = 0.3 * number - 9.0
            for x, heading in ((-1.0, 0.0), (1.0, pi)):
                stage.add(ahead, at=(x, y), heading=heading)
        stage.run(0.1)
        acting.look()
        told = acting.state
        assert len(told["warnings"]) == MOST_WARNINGS
        assert len(told["warnings"]) + told["more_warnings"] == pairs
        assert {one["seconds"] for one in told["warnings"]} == {0.8}
        assert told["why_off"] == ""


def test_where_there_are_too_many_robots_the_page_is_told_that_warnings_are_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outlook, "MOST_ROBOTS", 1)
    with acted() as (stage, acting):
        for x, heading in ((-1.0, 0.0), (1.0, pi)):
            stage.add(ahead, at=(x, 0.0), heading=heading)
        stage.run(0.1)
        acting.look()
        assert acting.state["warnings"] == []
        assert acting.state["why_off"] == (
            "Warnings are off: there are 2 robots, and contacts are foreseen for up to 1."
        )


async def ahead(robot: Robot) -> None:
    """Go a metre and a half straight ahead."""
    await robot.forward(1.5)


@pytest.mark.parametrize("drive", [Wheel(), Omni(), Car(min_radius=0.5)])
def test_whatever_drives_it_the_warning_comes_true(drive: Drive) -> None:
    """The contact comes when the warning said, be it on a straight way or on an arc."""
    world = World(Map(20.0, 20.0, (-10.0, -10.0), [Wall((-9.0, 3.0), (9.0, 3.0))]))
    with Stage(world, on_error="robot") as stage:
        stage.add(upwards, at=(0.0, 0.0), drive=drive)
        stage.run(1.2)
        lookout = CollisionWatch(world)
        (danger,) = lookout.dangers()
        lookout.close()
        stage.run(10.0)
        (error,) = stage.outcome.errors
        assert error.time == pytest.approx(1.2 + danger.seconds)


def test_two_that_meet_are_warned_of_once() -> None:
    async def back(robot: Robot) -> None:
        await robot.move_to((-10.0, 0.0))

    world = World()
    with Stage(world, on_error="robot") as stage:
        stage.add(go_ten_metres, at=(0.0, 0.0))
        stage.add(back, at=(2 * FORECAST_HORIZON, 0.0), heading=3.141592653589793)
        stage.run(1.0)
        (danger,) = CollisionWatch(world).dangers()
        assert danger.seconds == pytest.approx(FORECAST_HORIZON - 1.0 - 0.1)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("two walls meet"), "Two walls meet."),
        (ValueError("walls"), "Walls."),
        (ValueError("x=3 is too far"), "x=3 is too far."),
        (ValueError("is that a wall?"), "Is that a wall?"),
        (ValueError("Done."), "Done."),
        (ValueError(), "ValueError."),
    ],
)
def test_an_error_is_told_as_a_sentence(error: Exception, said: str) -> None:
    """A name or a formula that begins it stays as it is written."""
    assert sentence(error) == said

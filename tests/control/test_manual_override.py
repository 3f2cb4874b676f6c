"""A person drives a robot whose program goes on.

A robot at (0, 0) that looks along x goes at 1 m/s and turns a quarter in a second.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kumi import sleep
from kumi.contract import Steer
from kumi.control import LiveActions, Wait, WordsError
from kumi.control.actions import Commands, FollowPath, GiveBack, GiveCode, GoTo, Spot, StopRobot, TakeOut
from kumi.control.simulated_orders import steps_of
from kumi.recording import Note, RunFile
from kumi.robot import Robot
from kumi.scenario import Staging, load_scenario
from tests.control.stages import acted, go_ten_metres, place, rest


def notes(path: Path) -> list[tuple[float, str]]:
    return [(round(one.time, 6), one.text) for one in RunFile(path).records() if isinstance(one, Note)]


def test_an_order_breaks_off_the_motion_and_the_robot_waits_until_it_is_released(tmp_path: Path) -> None:
    with acted(record=tmp_path / "run.kumi") as (stage, acting):
        stage.add(go_ten_metres, at=(0.0, 0.0))
        acting.plan(2.0, GoTo(0, Spot(2.0, 3.0)))
        acting.plan(8.0, GiveBack(0))
        stage.run(5.0)
        assert place(stage) == (2.0, 2.0)  # a second to turn, two to go
        stage.run(7.0)
        assert place(stage) == (2.0, 3.0)
        stage.run(9.0)
    assert notes(tmp_path / "run.kumi") == [
        (2.0, "by hand: go to (2, 3)"),
        (8.0, "by hand: release"),
        (8.0, "ended at (2, 3)"),
    ]


def test_a_queued_order_lets_the_present_motion_end(tmp_path: Path) -> None:
    with acted(record=tmp_path / "run.kumi") as (stage, acting):
        stage.add(go_ten_metres, at=(0.0, 0.0))
        acting.plan(2.0, GoTo(0, Spot(10.0, 3.0), "queue"))
        acting.plan(3.0, GoTo(0, Spot(10.0, 5.0), "queue"))
        stage.run(10.5)
        assert place(stage) == (10.0, 0.0)
        stage.run(14.0)
        assert place(stage) == (10.0, 3.0)
        stage.run(16.0)
        assert place(stage) == (10.0, 5.0)
    assert (10.0, "ended at (10, 0)") in notes(tmp_path / "run.kumi")


def test_an_order_at_once_overtakes_one_that_waits() -> None:
    with acted() as (stage, acting):
        stage.add(go_ten_metres, at=(0.0, 0.0))
        acting.plan(2.0, GoTo(0, Spot(10.0, 9.0), "queue"))
        acting.plan(4.0, GoTo(0, Spot(4.0, 1.0)))
        stage.run(20.0)
        assert place(stage) == (4.0, 1.0)


def test_a_path_is_followed() -> None:
    with acted() as (stage, acting):
        stage.add(rest, at=(0.0, 0.0))
        acting.plan(1.0, FollowPath(0, [Spot(2.0, 0.0), Spot(2.0, 2.0)]))
        stage.run(3.0)
        assert place(stage) == (2.0, 0.0)
        stage.run(6.0)
        assert place(stage) == (2.0, 2.0)


def test_stop_holds_one_or_all() -> None:
    with acted() as (stage, acting):
        stage.add(go_ten_metres, at=(0.0, 0.0))
        stage.add(go_ten_metres, at=(0.0, 5.0))
        acting.plan(2.0, StopRobot(0))
        acting.plan(3.0, StopRobot(None))
        stage.run(9.0)
        assert place(stage) == (2.0, 0.0)
        assert place(stage, 1)[1] < 5.0
        assert not any(body.is_moving for body in stage.world.bodies)
        assert acting.state == {}  # nobody looked yet
        acting.look()
        assert acting.state["held"] == {0: 0, 1: 0}


def test_what_a_program_steers_meanwhile_holds_from_the_release_on() -> None:
    async def steer_at_three(robot: Robot) -> None:
        await sleep(3.0)
        robot.steer(1.0)
        await sleep(100.0)

    with acted() as (stage, acting):
        stage.add(steer_at_three, at=(0.0, 0.0))
        acting.plan(1.0, StopRobot(0))
        acting.plan(5.0, GiveBack(0))
        stage.run(5.0)
        assert place(stage) == (0.0, 0.0)
        stage.run(7.0)
        assert place(stage) == (2.0, 0.0)


def test_a_program_that_ends_does_not_stop_who_drives() -> None:
    async def end_at_three(_robot: Robot) -> None:
        await sleep(3.0)

    with acted() as (stage, acting):
        stage.add(end_at_three, at=(0.0, 0.0))
        acting.plan(1.0, GoTo(0, Spot(5.0, 0.0)))
        stage.run(6.0)
        assert place(stage) == (5.0, 0.0)


def test_what_blocks_an_order_ends_the_list(tmp_path: Path) -> None:
    with acted(record=tmp_path / "run.kumi") as (stage, acting):
        stage.add(rest, at=(0.0, 0.0))
        stage.add(rest, at=(3.0, 0.0))
        acting.plan(1.0, Commands(0, "forward 5 m; left 90 deg; forward 1 m"))
        stage.run(9.0)
        assert place(stage) == (2.8, 0.0)  # both have a radius of 0.1
    assert notes(tmp_path / "run.kumi")[-1][1].startswith("by hand: gives up, forward: blocked by robot 1")


def test_a_list_of_commands_is_carried_out() -> None:
    with acted() as (stage, acting):
        stage.add(rest, at=(0.0, 0.0))
        acting.plan(0.0, Commands(0, "forward 2 m; wait 3 s; left 90 deg; forward 1 m"))
        stage.run(5.0)
        assert place(stage) == (2.0, 0.0)
        stage.run(7.0)
        assert place(stage) == (2.0, 1.0)
        acting.plan(8.0, Commands(0, "forward; wait 2 s; stop; wait 1 s; back 1 m"))
        stage.run(10.5)
        assert place(stage) == (2.0, 3.0)
        stage.run(13.0)
        assert place(stage) == (2.0, 2.0)


def test_code_takes_the_place_of_a_program(tmp_path: Path) -> None:
    code = (
        "import kumi\nasync def main(robot):\n    await robot.move_to((0.0, 2.0))\n    kumi.note('there')\n"
    )
    with acted(record=tmp_path / "run.kumi") as (stage, acting):
        stage.add(go_ten_metres, at=(0.0, 0.0))
        acting.plan(2.0, StopRobot(0))
        acting.plan(3.0, GiveCode(0, "up.py", code))
        stage.run(20.0)
        assert place(stage) == (0.0, 2.0)
        assert stage.outcome.errors == ()
    said = notes(tmp_path / "run.kumi")
    assert [text for _, text in said] == ["by hand: stop", "by hand: code up.py", "there"]
    assert RunFile(tmp_path / "run.kumi").summary is not None


def test_a_robot_that_is_removed_takes_no_orders() -> None:
    with acted() as (stage, acting):
        stage.add(go_ten_metres, at=(0.0, 0.0))
        acting.plan(2.0, TakeOut(0))
        stage.run(3.0)
        assert stage.world.bodies == () or stage.world.bodies[0].is_gone
        acting.plan(4.0, GoTo(0, Spot(0.0, 0.0)))
        with pytest.raises(ValueError, match="robot 0 is not in the world any more"):
            stage.run(5.0)


@pytest.mark.parametrize("scenario", ["swarm-leader", "gathering", "wall-following"])
def test_a_run_that_nobody_acted_on_keeps_its_hash(scenario: str) -> None:
    def hash_with(acting: LiveActions | None) -> str:
        staging = Staging(load_scenario(scenario))
        with staging.stage(between=None if acting is None else acting.between) as stage:
            if acting is None:
                return stage.run(10.0).trace_hash
            acting.join(stage)
            return stage.run(10.0, on_progress=lambda _: acting.look()).trace_hash

    assert hash_with(LiveActions()) == hash_with(None)


def test_steering_without_an_end_goes_on_beside_what_comes_after_it() -> None:
    assert steps_of("back at 20 cm/s; wait 1 s", 3, 1.0) == [Steer(-0.2), Wait(1.0)]


def test_a_list_for_another_robot_is_refused() -> None:
    with pytest.raises(WordsError, match="line 2: this list is for robot 3, not for robot 4"):
        steps_of("3: forward 1 m\n4: stop", 3, 1.0)

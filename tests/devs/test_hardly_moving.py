"""A program whose time hardly goes on is told by name, place, instants and turns; one among many is not mistaken for it."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest

import kumi
from kumi import sleep
from kumi.contract import Blocked
from kumi.devs import EndlessLoop, Simulation
from kumi.robot import Robot
from kumi.stage.stage import Stage
from kumi.world import World


def line_of(words: str) -> int:
    """Return the line of this file that has these words first."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


async def insist(robot: Robot) -> None:
    """Try again and again to go through a rock."""
    while True:
        with suppress(Blocked):
            await robot.forward(1.0)
        await sleep(1e-9)


def blocked(record: Path | None = None) -> tuple[str, str]:
    """Return what a run is told of a robot that insists, and the hash of all that happened until then."""
    stage = Stage(World(), max_steps=1000, record=record)
    stage.add(insist, at=(0.0, 0.0), name="stubborn")
    stage.world.add_body((0.5, 0.0), name="rock")
    with pytest.raises(EndlessLoop) as told:
        stage.run(10.0)
    found = stage.outcome.trace_hash
    stage.close()
    return str(told.value), found


def test_a_robot_that_retries_a_blocked_motion_with_tiny_sleeps_is_told_by_name() -> None:
    """It is blocked after 0.3 s; then it has two turns in each nanosecond: one by the contact, one by the sleep."""
    told, _ = blocked()
    pattern = (
        r"time hardly goes on: task 'stubborn' had 1001 turns from t = 0\.3 s to 0\.30000050\d* s, at "
        f"{re.escape(__file__)}, line {line_of('await robot.forward(1.0)')}|{line_of('await sleep(1e-9)')}, in insist; "
        "let it wait for longer before it tries again, or give the run more max_steps: now it is 1000"
    )

    assert re.match(pattern, told)


def test_it_is_told_at_the_same_turn_in_every_run(tmp_path: Path) -> None:
    """Also in one that is recorded, which pauses again and again by the wall clock."""
    assert blocked() == blocked() == blocked(tmp_path / "run.kumi")


def test_the_innermost_place_of_the_program_is_told() -> None:
    async def outer() -> None:
        await inner()

    async def inner() -> None:
        while True:
            await sleep(1e-8)  # in the inner one

    with pytest.raises(EndlessLoop, match=rf"line {line_of('# in the inner one')}, in .*inner;"):
        kumi.run(outer, max_steps=1000)


def test_a_sleep_too_short_for_the_clock_is_told_with_its_place() -> None:
    async def restless() -> None:
        await sleep(1.0)
        while True:
            await sleep(1e-20)  # one and this is one

    place = rf"{re.escape(__file__)}, line {line_of('# one and this is one')}, in "
    with pytest.raises(
        EndlessLoop,
        match=rf"stands still at t = 1\.0 s after 1000 steps; taking part: 'restless', at {place}",
    ):
        kumi.run(restless, max_steps=1000)


async def busy(turns: int, pause: float) -> None:
    """Have so many turns with pauses between."""
    for _ in range(turns - 1):
        await sleep(pause)


def test_a_program_may_have_as_many_turns_in_a_millisecond_as_allowed_and_no_more() -> None:
    assert kumi.run(busy, 1000, 1e-7, max_steps=1000).finished
    with pytest.raises(EndlessLoop, match="had 1001 turns"):
        kumi.run(busy, 1001, 1e-7, max_steps=1000)


def test_turns_are_counted_anew_when_a_millisecond_is_over() -> None:
    """A thousand turns at most in any of them, and a million in all."""
    assert kumi.run(busy, 100_000, 1.1e-6, max_steps=1000).finished


def test_many_programs_that_are_busy_together_are_no_endless_loop() -> None:
    """Each counts for itself: here all together have fifty times as many turns as one may have."""
    with Simulation(max_steps=1000) as simulation:
        for number in range(100):
            simulation.schedule(number * 1e-9, lambda: simulation.start(busy, 500, 1e-7))

        assert simulation.run().finished
        assert simulation.statistics.internal >= 50_000


def test_a_run_can_go_on_after_the_report() -> None:
    with Simulation(max_steps=1000) as simulation:
        task = simulation.start(busy, 1500, 1e-7)
        with pytest.raises(EndlessLoop):
            simulation.run()
        assert simulation.run().finished
        assert task.has_ended

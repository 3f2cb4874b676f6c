"""What a program raises ends its robot, with the reason in the outcome and in the journal, or ends the run."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from typing import Any

import pytest

from kumi import now, sleep, together
from kumi.contract import Blocked
from kumi.devs.errors import EndlessLoop, NeverAwaited
from kumi.geometry import Point
from kumi.recording import BodyNote, JournalReader
from kumi.robot import Robot
from kumi.sensing import Whisker
from kumi.stage import Outcome, Stage
from kumi.world import World
from tests.robot.stages import walled


class Notes:
    """A recorder that keeps the notes."""

    def __init__(self) -> None:
        self.reader = JournalReader()
        self.kept: list[tuple[float, int | None, str]] = []

    def write(self, journal: bytes) -> None:
        """Keep the notes among the records."""
        self.kept += [
            (record.time, record.body, record.text)
            for record in self.reader.read(journal)
            if isinstance(record, BodyNote)
        ]


def told(outcome: Outcome) -> list[tuple[str, float, str]]:
    """Return who failed when, and of what."""
    return [(error.robot, error.time, repr(error.error)) for error in outcome.errors]


async def steer_and_fail(robot: Robot) -> None:
    """Fail while the wheels turn."""
    robot.steer(1.0)
    await sleep(2.0)
    raise ValueError("lost my way")


async def go_on(robot: Robot) -> None:
    """Go five metres."""
    await robot.forward(5.0)


def test_an_error_ends_its_robot_and_no_other() -> None:
    notes = Notes()
    with Stage(World(), recorder=notes, on_error="robot") as stage:
        failing = stage.add(steer_and_fail, at=(0.0, 0.0), name="a")
        other = stage.add(go_on, at=(0.0, 5.0), name="b")
        outcome = stage.run(10.0)

        assert told(outcome) == [("a", 2.0, "ValueError('lost my way')")]
        assert (failing.position, failing.is_moving) == (Point(2.0, 0.0), False)
        assert other.position == Point(5.0, 5.0)
        assert outcome.simulated_seconds == 10.0
    assert notes.kept == [(2.0, 0, "program ended by ValueError: lost my way")]


def test_the_end_of_a_program_ends_its_steering() -> None:
    async def steer(robot: Robot) -> None:
        robot.steer(1.0)
        await sleep(2.0)

    with Stage(World(), on_error="robot") as stage:
        robot = stage.add(steer, at=(0.0, 0.0))
        stage.run(10.0)

        assert (robot.position, robot.is_moving) == (Point(2.0, 0.0), False)


def test_blocked_that_nobody_catches_ends_the_robot() -> None:
    with Stage(walled(2.0), on_error="robot") as stage:
        stage.add(go_on, at=(0.0, 0.0))
        (error,) = stage.run().errors

    assert (error.robot, error.time, type(error.error)) == ("robot 0", 1.9, Blocked)
    assert str(error.error).splitlines()[0] == "blocked by wall at (2, 0), 0° from ahead"


def test_on_error_run_lets_the_error_out() -> None:
    stage = Stage(World(), on_error="run")
    stage.add(steer_and_fail, at=(0.0, 0.0))
    stage.add(go_on, at=(0.0, 5.0))

    with pytest.raises(ValueError, match="lost my way") as error:
        stage.run()

    assert any("'robot 0'" in note for note in error.value.__notes__)
    assert stage.simulation.now == 2.0
    assert told(stage.outcome) == [("robot 0", 2.0, "ValueError('lost my way')")]
    stage.close()


def test_many_programs_fail_at_one_instant() -> None:
    """All are told, in the order of the robots."""

    async def fail(robot: Robot) -> None:
        await sleep(1.0)
        raise RuntimeError(robot.name)

    with Stage(World(), on_error="robot") as stage:
        for number in range(100):
            stage.add(fail, at=(number, 0.0))
        outcome = stage.run()

    assert told(outcome) == [(f"robot {n}", 1.0, f"RuntimeError('robot {n}')") for n in range(100)]


def test_many_programs_fail_at_one_instant_and_end_the_run() -> None:
    async def fail(robot: Robot) -> None:
        await sleep(1.0)
        raise RuntimeError(robot.name)

    stage = Stage(World(), on_error="run")
    for number in range(3):
        stage.add(fail, at=(number, 0.0))
    with pytest.raises((RuntimeError, ExceptionGroup)):
        stage.run()
    stage.close()


def test_a_program_that_fails_at_once() -> None:
    async def fail(robot: Robot) -> None:
        raise KeyError("x")

    with Stage(World(), on_error="robot") as stage:
        stage.add(fail, at=(0.0, 0.0))

        assert told(stage.run()) == [("robot 0", 0.0, "KeyError('x')")]


@pytest.mark.parametrize("program", [lambda _: None, lambda _: 3, print])
def test_a_program_that_is_no_coroutine_is_an_error_of_its_robot(program: Any) -> None:
    with Stage(World(), on_error="robot") as stage:
        try:
            stage.add(program, at=(0.0, 0.0))
            errors = [error.error for error in stage.run().errors]
        except TypeError as error:
            errors = [error]

    (found,) = errors
    assert isinstance(found, TypeError)
    assert "async def" in str(found)


def test_a_program_with_other_arguments_is_an_error_of_its_robot() -> None:
    async def go(robot: Robot, one: int) -> None:
        """Wait for an argument that never comes."""

    with Stage(World(), on_error="robot") as stage:
        try:
            stage.add(go, at=(0.0, 0.0))
            errors = [error.error for error in stage.run().errors]
        except TypeError as error:
            errors = [error]

    assert "one" in str(errors[0])


def test_an_error_in_a_task_of_a_program_ends_the_robot() -> None:
    async def fail() -> None:
        await sleep(1.0)
        raise ValueError("inside")

    async def go(robot: Robot) -> None:
        async with together() as tasks:
            tasks.start(fail)
            await robot.forward(10.0)

    with Stage(World(), on_error="robot") as stage:
        robot = stage.add(go, at=(0.0, 0.0))
        outcome = stage.run(5.0)

        assert told(outcome) == [("robot 0", 1.0, "ValueError('inside')")]
        assert (robot.position, robot.is_moving) == (Point(1.0, 0.0), False)


def test_a_motion_never_awaited_is_told_whatever_on_error_says() -> None:
    """It is no error that the program could catch: it comes out of the run."""

    async def forget(robot: Robot) -> None:
        robot.forward(1.0)  # type: ignore[unused-awaitable]
        await sleep(1.0)

    for on_error in ("robot", "run"):
        stage = Stage(World(), on_error=on_error)
        stage.add(forget, at=(0.0, 0.0))
        with pytest.raises(NeverAwaited, match="a motion was made but never awaited"):
            stage.run()
        stage.close()


def test_a_person_who_ends_a_program_ends_the_run() -> None:
    async def leave(robot: Robot) -> None:
        await sleep(1.0)
        raise KeyboardInterrupt

    stage = Stage(World(), on_error="robot")
    stage.add(leave, at=(0.0, 0.0))
    with pytest.raises(KeyboardInterrupt):
        stage.run()
    stage.close()


@pytest.mark.parametrize(("code", "said"), [(None, ""), (0, "0"), (3, "3"), ("tired", "'tired'")])
def test_a_program_that_exits_ends_its_robot_alone_and_that_is_told(code: object, said: str) -> None:
    async def leave(robot: Robot) -> None:
        await sleep(1.0)
        sys.exit(code)  # type: ignore[arg-type]  # whatever a program gives

    async def go(robot: Robot) -> None:
        await robot.forward(3.0)

    sentence = f"the program called sys.exit({said}); a robot's program ends when it returns"
    with Stage(World(), on_error="robot") as stage:
        stage.add(leave, at=(0.0, 0.0), name="leaver")
        other = stage.add(go, at=(0.0, 5.0))
        outcome = stage.run()
        assert other.position == Point(3.0, 5.0)
        assert [(one.robot, one.time, str(one.error)) for one in outcome.errors] == [
            ("leaver", 1.0, sentence)
        ]
    with Stage(World(), on_error="run") as stage:
        stage.add(leave, at=(0.0, 0.0))
        with pytest.raises(RuntimeError, match=re.escape(sentence)):
            stage.run()


def test_a_program_that_never_waits_is_found_out() -> None:
    async def spin(robot: Robot) -> None:
        while True:
            await robot.turn(0.0)

    stage = Stage(World(), on_error="robot")
    stage.simulation._engine.max_steps = 10_000
    stage.add(spin, at=(0.0, 0.0))
    with pytest.raises(EndlessLoop):
        stage.run()
    stage.close()


def test_motions_without_end_at_one_instant_name_the_robot() -> None:
    async def insist(robot: Robot) -> None:
        while True:
            with suppress(Blocked):
                await robot.move_to((10.0, 0.0))

    stage = Stage(World(), on_error="robot")
    stage.add(insist, at=(0.0, 0.0), name="stubborn")
    stage.world.add_body((2.0, 0.0), name="rock")
    with pytest.raises(EndlessLoop, match=r"plane 'world', at last to 'stubborn'"):
        stage.run()
    stage.close()


def test_after_an_error_the_body_stays_and_is_in_the_way() -> None:
    hit: list[tuple[float, str]] = []

    async def meet(robot: Robot) -> None:
        try:
            await robot.back_up(10.0)
        except Blocked as blocked:
            hit.append((now(), blocked.by))

    with Stage(World(), on_error="robot") as stage:
        stage.add(steer_and_fail, at=(0.0, 0.0), name="a")
        stage.add(meet, at=(5.2, 0.0), name="b")
        stage.run()

    assert hit == [(3.0, "a")]


def test_an_error_with_odd_words_is_noted() -> None:
    """Words that are no text for a file, and words that cannot be had."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise LookupError("no words")

    async def fail(robot: Robot, error: Exception) -> None:
        raise error

    with Stage(World(), recorder=Notes(), on_error="robot") as stage:
        stage.add(fail, ValueError("\ud800"), at=(0.0, 0.0))
        stage.add(fail, Mute(), at=(5.0, 0.0))
        stage.add(fail, ValueError("x" * 100_000), at=(10.0, 0.0))
        outcome = stage.run()

    assert len(outcome.errors) == 3


def test_a_program_that_fails_when_its_robot_is_gone() -> None:
    world = World()

    async def fail(robot: Robot) -> None:
        await sleep(1.0)
        world.bodies[0].remove()
        raise ValueError("gone")

    with Stage(world, recorder=Notes(), on_error="robot") as stage:
        stage.add(fail, at=(0.0, 0.0))

        assert told(stage.run()) == [("robot 0", 1.0, "ValueError('gone')")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("home", "cannot be named 'home': a robot has something of that name"),
        ("position", "cannot be named 'position': a robot has something of that name"),
        ("move_to", "cannot be named 'move_to': a robot has something of that name"),
        ("_eye", "a sensor's name is a word of letters, digits and _, but it is '_eye'"),
        ("2nd", "but it is '2nd'"),
        ("two eyes", "but it is 'two eyes'"),
    ],
)
def test_a_sensor_is_named_as_a_program_can_ask_for_it_and_for_nothing_else(name: str, said: str) -> None:
    async def rest(_: Robot) -> None:
        """Do nothing."""

    with Stage(World()) as stage, pytest.raises(ValueError, match=re.escape(said)):
        stage.add(rest, at=(0.0, 0.0), sensors={name: Whisker()})

"""Code that a person gives is checked before it runs; where it fails, it fails alone, and its line is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import kumi
from kumi import sleep
from kumi.control.actions import CheckCode, GiveCode
from kumi.devs import NeverAwaited
from kumi.robot import Robot
from kumi.robot.code import UNAWAITED, UNAWAITED_SOMEWHERE, CodeError, Failure
from kumi.robot.code_check import AWAITED, HINTED, Mistake, mistakes_in
from tests.control.stages import acted, place, rest

KNOWN = dir(Robot)


@pytest.mark.parametrize(
    ("code", "line", "sentence"),
    [
        ("async def main(robot)\n    pass", 1, "Python cannot read this: expected ':'."),
        (
            "async def main(robot):\n    await robot.turn(1.0)\n    robot.forward(1.0)",
            3,
            "robot.forward(...) does nothing unless it is awaited: write `await robot.forward(...)`.",
        ),
        (
            "async def main(bot):\n    bot.contacts.next()",
            2,
            "bot.contacts.next(...) does nothing unless it is awaited: write `await bot.contacts.next(...)`.",
        ),
        (
            "from kumi import sleep as rest\nasync def main(robot):\n    rest(1.0)",
            3,
            "rest(...) does nothing unless it is awaited: write `await rest(...)`.",
        ),
        (
            "async def main(robot):\n    go(robot)\nasync def go(robot, far=1.0): pass",
            2,
            "go(...) does nothing unless it is awaited: write `await go(...)`.",
        ),
        (
            "async def main(robot):\n    await sleep(1.0)",
            2,
            "Nothing is named 'sleep' here: write `from kumi import sleep` above.",
        ),
        (
            "speed = 1.0\nasync def main(robot):\n    await robot.forward(1.0, sped)",
            3,
            "Nothing is named 'sped' here; is 'speed' meant?",
        ),
        (
            "async def main(robot):\n    await robot.foward(1.0)",
            2,
            "A robot has no 'foward'; is 'forward' meant?",
        ),
        (
            "async def main(robot):\n    way = robot.forward(1.0)\n    print(way)\n    await robot.turn(1.0)",
            2,
            "robot.forward(...) does nothing unless it is awaited: write `await robot.forward(...)`.",
        ),
        (
            "async def main(robot):\n    if robot.move_to((1.0, 2.0)):\n        pass",
            2,
            "robot.move_to(...) does nothing unless it is awaited: write `await robot.move_to(...)`.",
        ),
        (
            "async def main(robot):\n    print(f'{robot.contacts.next()}')",
            2,
            "robot.contacts.next(...) does nothing unless it is awaited: write `await robot.contacts.next(...)`.",
        ),
        (
            "async def main(robot):\n    return robot.forward(1.0)",
            2,
            "robot.forward(...) does nothing unless it is awaited: write `await robot.forward(...)`.",
        ),
        ("x = 1\n\ndef main(robot): pass", 3, "`main` must be able to wait: write `async def main(robot):`."),
        (
            "x = 1",
            1,
            "There is no program: write `async def main(robot):` and what the robot does below.",
        ),
        (
            "async def a(r): pass\nasync def b(r): pass",
            2,
            "There are several programs: a, b; name the one to run `main`.",
        ),
        ("x = '\0'", 1, "Python cannot read this: source code string cannot contain null bytes."),
    ],
)
def test_a_mistake_is_told_with_its_line(code: str, line: int, sentence: str) -> None:
    assert mistakes_in(code, KNOWN) == [Mistake(line, sentence)]


@pytest.mark.parametrize(
    "code",
    [
        "async def main(robot):\n    go = robot.forward(1.0)\n    await go",
        "async def main(robot):\n    go = robot.forward(1.0)\n    ways = [go]\n    for way in ways:\n        await way",
        "async def main(robot):\n    go = robot.forward(1.0)\n    await do(go)\nasync def do(way): await way",
        "async def main(robot):\n    async def go():\n        return robot.forward(1.0)\n    await (await go())",
        "async def main(robot):\n    go = robot.forward(1.0)\n    async def later(): await go\n    await later()",
        "async def main(robot):\n    robot.stop()\n    robot.steer(1.0)",
        "async def main(robot):\n    robot.tries = 1\n    robot.tries += 1",
        "from kumi import *\nasync def main(robot):\n    await sleep(1.0)",
        "class Far:\n    near = 1\n    far = near + 1\nasync def main(robot):\n    print([x for x in range(Far.far)])",
        "import math\nasync def turn(robot, by): await robot.turn(by)\nasync def main(robot): await turn(robot, math.pi)",
        "def count():\n    global counted\n    counted = 1\nasync def main(robot):\n    count()\n    print(counted)",
        "async def main(robot):\n    send = [].append\n    send(1)",
        "async def ring(bell): bell.fire()\nasync def main(robot): await ring(robot.contacts)",
    ],
)
def test_what_is_right_is_not_complained_of(code: str) -> None:
    assert mistakes_in(code, KNOWN) == []


def test_all_mistakes_of_a_text_are_told_from_the_first_line_to_the_last() -> None:
    code = "async def main(robot):\n    robot.forward(1.0)\n    await far()\n    robot.turn(1.0)"
    assert [one.line for one in mistakes_in(code, KNOWN)] == [2, 3, 4]


def test_all_motions_are_known_to_be_awaited_and_all_hints_are_true() -> None:
    motions = {"forward", "back_up", "turn", "turn_to", "arc", "follow", "track", "move_to"}
    assert motions | {"send", "broadcast", "receive"} <= AWAITED
    assert set(HINTED) <= set(kumi.__all__)


def test_a_sensor_of_the_robot_is_known() -> None:
    code = "async def main(robot):\n    robot.sonar.read()"
    assert [one.sentence for one in mistakes_in(code, [*KNOWN, "sonar"])] == [
        "robot.sonar.read(...) does nothing unless it is awaited: write `await robot.sonar.read(...)`."
    ]
    assert [one.sentence for one in mistakes_in(code, KNOWN)][:1] == ["A robot has no 'sonar'."]


def test_code_with_a_mistake_is_not_run_and_changes_nothing() -> None:
    with acted() as (stage, acting):
        stage.add(walk, at=(0.0, 0.0))
        acting.plan(
            1.0, GiveCode(0, "code.py", "async def main(robot):\n    robot.stop(); robot.forward(1.0)")
        )
        with pytest.raises(CodeError, match=r"^code.py, line 2: robot.forward\(...\) does nothing"):
            stage.run(20.0)
        stage.run(20.0)
        assert place(stage) == (10.0, 0.0)


def test_a_check_runs_nothing_and_tells_every_mistake() -> None:
    found: list[object] = []
    with acted() as (stage, acting):
        stage.add(walk, at=(0.0, 0.0))
        acting.plan(
            1.0, CheckCode(0, "print('x')\nasync def main(robot):\n    await robot.fly()"), found.append
        )
        stage.run(20.0)
        assert place(stage) == (10.0, 0.0)
    assert found == [[Mistake(3, "A robot has no 'fly'.")]]


HEAD = "import sys\nfrom kumi import sleep\nasync def main(robot):\n    await robot.forward(2.0)\n"


@pytest.mark.parametrize("on_error", ["robot", "run"])
@pytest.mark.parametrize(
    ("code", "line", "sentence"),
    [
        (HEAD + "    go = robot.forward\n    go(1.0)\n    await sleep(9.0)", 6, UNAWAITED),
        (HEAD + "    rest = sleep\n    rest(1.0)\n    await sleep(9.0)", 6, UNAWAITED),
        (HEAD + "    rest = sleep\n    rest(1.0)", 6, UNAWAITED),
        (HEAD + "    go = robot.forward\n    way = go(1.0)\n    print(way)", None, UNAWAITED_SOMEWHERE),
        (HEAD + "    1 / 0", 5, "ZeroDivisionError: division by zero."),
        (HEAD + "    raise KeyboardInterrupt", 5, "KeyboardInterrupt: it says no more."),
        (HEAD + "    raise BaseException('so')", 5, "BaseException: so."),
        (
            HEAD + "    sys.exit(3)",
            5,
            "RuntimeError: the program called sys.exit(3); a robot's program ends when it returns.",
        ),
    ],
)
def test_code_that_fails_ends_alone_and_its_line_is_told(
    on_error: str, code: str, line: int | None, sentence: str
) -> None:
    """It begins at 1 s, and fails when it has gone 2 m at 1 m/s; another robot comes to its goal all the same."""
    with acted(on_error=on_error) as (stage, acting):
        given = [stage.add(rest, at=(0.0, 5.0)), stage.add(walk, at=(0.0, 0.0))][0]
        acting.plan(1.0, GiveCode(0, "code.py", code))
        stage.run(20.0)
        acting.look()
        assert acting.state["failures"] == {0: Failure(line, sentence, 3.0)}
        assert place(stage) == (2.0, 5.0)
        assert place(stage, 1) == (10.0, 0.0)
        assert not given.is_moving
        assert stage.outcome.errors == ()


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("import nothing_like_it", 1, "ModuleNotFoundError: No module named 'nothing_like_it'."),
        (
            "raise SystemExit",
            1,
            "RuntimeError: the program called sys.exit(); a robot's program ends when it returns.",
        ),
        ("from kumi import slep", 1, None),
    ],
)
def test_a_text_that_fails_before_its_program_begins_ends_alone(
    text: str, line: int, sentence: str | None
) -> None:
    with acted(on_error="run") as (stage, acting):
        stage.add(rest, at=(0.0, 5.0))
        stage.add(walk, at=(0.0, 0.0))
        acting.plan(1.0, GiveCode(0, "code.py", f"{text}\nasync def main(robot): pass"))
        stage.run(20.0)
        acting.look()
        failure = acting.state["failures"][0]
        assert (failure.line, failure.time) == (line, 1.0)
        assert sentence is None or failure.sentence == sentence
        assert place(stage, 1) == (10.0, 0.0)


@pytest.mark.parametrize("wait", ["await sleep(0.0)", "await sleep(1e-9)", "pass"])
@pytest.mark.slow
def test_code_that_keeps_the_run_from_going_on_is_ended_alone(wait: str) -> None:
    """Two thousand steps at an instant, or half a second without a wait, are too many here."""
    code = f"from kumi import sleep\nasync def main(robot):\n    while True:\n        {wait}"
    with acted(on_error="run", max_steps=2000, patience=0.5) as (stage, acting):
        stage.add(rest, at=(0.0, 5.0))
        stage.add(walk, at=(0.0, 0.0))
        acting.plan(1.0, GiveCode(0, "code.py", code))
        stage.run(20.0)
        acting.look()
        assert 0 in acting.state["failures"]
        assert place(stage, 1) == (10.0, 0.0)


@pytest.mark.slow
def test_code_that_swallows_every_error_is_ended_alone() -> None:
    code = "async def main(robot):\n    while True:\n        try:\n            x = 1\n        except Exception:\n            pass"
    with acted(on_error="run", patience=0.3) as (stage, acting):
        stage.add(rest, at=(0.0, 5.0))
        stage.add(walk, at=(0.0, 0.0))
        acting.plan(1.0, GiveCode(0, "code.py", code))
        stage.run(20.0)
        assert place(stage, 1) == (10.0, 0.0)


def test_better_code_takes_the_failure_away() -> None:
    with acted() as (stage, acting):
        stage.add(rest, at=(0.0, 0.0))
        acting.plan(1.0, GiveCode(0, "code.py", "async def main(robot): 1 / 0"))
        acting.plan(2.0, GiveCode(0, "code.py", "async def main(robot): await robot.forward(1.0)"))
        stage.run(5.0)
        acting.look()
        assert acting.state["failures"] == {}
        assert place(stage) == (1.0, 0.0)


def test_a_mistake_of_another_program_still_comes_out_of_the_run() -> None:
    async def forgets(_robot: Robot) -> None:
        await sleep(2.0)
        wait: Callable[[float], object] = sleep
        wait(1.0)

    with acted(on_error="run") as (stage, acting):
        stage.add(rest, at=(0.0, 5.0))
        stage.add(forgets, at=(0.0, 0.0))
        acting.plan(1.0, GiveCode(0, "code.py", "async def main(robot): await robot.forward(5.0)"))
        with pytest.raises(NeverAwaited, match=r"test_given_code\.py"):
            stage.run(20.0)


def test_a_forgotten_await_names_the_line_of_the_program_and_no_file_of_kumi() -> None:
    async def forgets(robot: Robot) -> None:
        go: Callable[[float], object] = robot.forward
        go(1.0)

    with acted() as (stage, _):
        stage.add(forgets, at=(0.0, 0.0))
        with pytest.raises(NeverAwaited, match=r"test_given_code.py, line \d+\); write `await`"):
            stage.run(5.0)


async def walk(robot: Robot) -> None:
    """Go ten metres along x."""
    await robot.move_to((10.0, 0.0))

"""Bad code in a contest is contained, told to its team and scored by the rules, and the others play on."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumi.station.sandbox.jail import NoSandbox
from tests.station.matches import HALL, IDLE, OPEN, played, printed, reasons
from tests.waiting import PATIENCE

TURN = 10.0
"""Seconds of its own for a turn of a program."""
MAIN = "async def main(robot):\n"
BAD = {
    "crashes": (MAIN + "    await robot.turn(1)\n    1 / 0", "red.py, line 3: ZeroDivisionError"),
    "no Python": ("async def main(robot:", "red.py, line 1: Python cannot read this"),
    "no program": ("x = 1", "red.py, line 1: There is no program"),
    "another dialect": ("def play(robot): robot.forward(1.0)", "red.py, line 1: There is no program"),
    "endless loop": (MAIN + "    while True: pass", "processor time"),
    "endless loop that waits": (MAIN + "    while True: await robot.lidar.read()", "more than 2000 times"),
    "sleeps": (
        "import time\n" + MAIN + "    await robot.turn(1)\n    time.sleep(1000)",
        "for itself from one call",
    ),
    "floods": (MAIN + "    while True: print('x' * 1000)", "said more than"),
    "raw words": ("import os\n" + MAIN + "    os.write(1, b'\\x08\\0\\0\\0nonsense')", "mean nothing"),
    "host files": (MAIN + "    open('/etc/passwd')", "FileNotFoundError"),
    "network": ("import socket\n" + MAIN + "    socket.socket()", "PermissionError"),
    "what is hidden": (MAIN + "    print(robot.sight._hidden)", "has no '_hidden'"),
    "a message to the others": (
        "from dataclasses import dataclass\nfrom kumi import Message\n"
        "@dataclass(frozen=True)\nclass Noise(Message):\n    loud: bool\n"
        + MAIN
        + "    await robot.radio.send(Noise(True), to=1)",
        "there is no node 1 on the network",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
def test_bad_code_is_contained_told_and_scored_and_the_other_team_plays_on(name: str, tmp_path: Path) -> None:
    code, said = BAD[name]
    good = MAIN + "    await robot.forward(1.0)\n    await robot.referee.report('victim-1', (9.0, 2.5))\n"
    cpu, turn = (2, PATIENCE) if name == "endless loop" else (60, TURN)
    rules = OPEN + f"limits = {{ cpu = {cpu}, turn = {turn}, printed = 20000, calls = 2000 }}\n"
    board = played(tmp_path, code, good, rules=rules)

    assert reasons(board) == [("failed", -20.0)]
    assert reasons(board, "blue") == [("haste", 9.0), ("picture", 10.0), ("reported", 20.0)]
    assert said in printed(tmp_path)
    assert [one.has_failed for one in board.matches[0].robots] == [True, False]


def test_any_call_with_any_values_is_answered_or_refused(tmp_path: Path) -> None:
    """Each of these either does something or raises an error of the program; none ends the match, or the program."""
    code = (
        "VALUES = [0, 0.0, -0.0, 1e-300, -1e-9, 0.01, 1e308, 10**400, True, None, 'x', (), (1, 2), {}, [[1]], float('nan')]\n"
        "from kumi import after, until\n"
        "async def main(robot):\n"
        "    told = 0\n"
        "    calls = [robot.forward, robot.turn, robot.move_to, robot.follow, robot.track, robot.steer, robot.referee.report,\n"
        "             robot.plan.route, robot.sight.read, robot.radio.broadcast, robot.show, robot.show_mark]\n"
        "    for call in calls:\n"
        "        for value in VALUES:\n"
        "            for arguments in ([], [value], [value, value]):\n"
        "                try:\n"
        "                    made = call(*arguments)\n"
        "                    if hasattr(made, '__await__'):\n"
        "                        with until(after(1.0)):\n"
        "                            await made\n"
        "                except Exception:\n"
        "                    told += 1\n"
        "                robot.stop()\n"
        "    print('refused', told)\n"
    )
    rules = HALL.replace("time = 30.0", "time = 20000.0") + "limits = { report = 0.0, look = 0.0 }\n"
    board = played(tmp_path, code, rules=rules)

    assert [one.outcome for one in board.matches[0].robots] == ["it came to its end"]
    assert board.matches[0].seconds < 20000.0, "a match ends with its last program"
    assert "refused" in printed(tmp_path)


def test_a_robot_that_falls_into_a_hole_is_out_and_the_other_plays_on(tmp_path: Path) -> None:
    rules = HALL.replace("map = {", "map = { terrain = [{ hole = [3.0, 1.0], radius = 0.5 }],")
    forward = MAIN + "    await robot.forward(4.0)\n    print('there')\n"
    board = played(tmp_path, forward, forward, rules=rules)

    assert reasons(board) == [("failed", -20.0)]
    assert "red-1 is lost" in printed(tmp_path)
    assert "there" in printed(tmp_path, "blue-1")


def test_where_nothing_contains_code_no_match_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(NoSandbox, match="apt-get install bubblewrap"):
        played(tmp_path, IDLE)

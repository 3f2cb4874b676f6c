"""Bad code in a contest is contained, told to its team and scored by the rules, and the others play on."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumi.station.sandbox.jail import NoSandbox
from tests.station.matches import HALL, played, printed, reasons

BAD = {
    "crashes": ("def play(robot):\n    robot.turn(1)\n    1 / 0", "ZeroDivisionError"),
    "no Python": ("def play(robot:", "SyntaxError"),
    "no play": ("x = 1", "needs a function play(robot)"),
    "endless loop": ("def play(robot):\n    while True: pass", "processor time"),
    "sleeps": ("import time\ndef play(robot):\n    robot.time()\n    time.sleep(1000)", "wall clock"),
    "floods": ("def play(robot):\n    while True: print('x' * 1000)", "said more than"),
    "raw words": (
        "import os\ndef play(robot):\n    os.write(1, b'nonsense\\n')\n    robot.time()",
        "mean nothing",
    ),
    "host files": ("def play(robot): open('/etc/passwd')", "FileNotFoundError"),
    "network": ("import socket\ndef play(robot): socket.socket()", "PermissionError"),
    "the other's robot": ("def play(robot): robot._call('forward', 'blue-1', 1.0)", "has no call forward"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
def test_bad_code_is_contained_told_and_scored_and_the_other_team_plays_on(name: str, tmp_path: Path) -> None:
    code, said = BAD[name]
    good = "def play(robot):\n    robot.forward(1.0)\n    robot.report('victim-1', 6.0, 1.0)\n"
    rules = HALL + "limits = { cpu = 1, wall = 2.0, printed = 20000 }\n"
    board = played(tmp_path, code, good, rules=rules)

    assert reasons(board) == [("failed", -20.0)]
    assert reasons(board, "blue") == [("haste", 9.0), ("reported", 20.0)]
    assert said in printed(tmp_path)
    assert [one.has_failed for one in board.matches[0].robots] == [True, False]


def test_code_that_only_asks_is_ended_by_the_clock(tmp_path: Path) -> None:
    """Each call costs 0.02 s, so a match of 30 s has room for 1,500 of them, and no flood."""
    board = played(tmp_path, "def play(robot):\n    while True: robot.position()")

    assert board.matches[0].seconds == 30.0
    assert 1499 <= board.matches[0].robots[0].calls <= 1501


def test_any_call_with_any_values_is_answered_or_refused(tmp_path: Path) -> None:
    """Each of these either does something or raises robot.Error; none ends the match, or the code."""
    code = (
        "VALUES = [0, 0.0, -0.0, 1e-300, -1e-9, 0.01, 1000, -1000, 1e308, 10**400, True, None, 'x', [], {}, [[1]]]\n"
        "def play(robot):\n"
        "    told = 0\n"
        "    for name in ('go_to', 'forward', 'turn', 'sleep', 'position', 'report', 'look', 'ranges', 'arena', 'time',\n"
        "                 'number', 'read', 'mark', '', '__class__', 'x' * 1000):\n"
        "        for value in VALUES:\n"
        "            for arguments in ([], [value], [value, value], ['x', value, value]):\n"
        "                try:\n"
        "                    robot._call(name, *arguments)\n"
        "                except robot.Error:\n"
        "                    told += 1\n"
        "    print('refused', told)\n"
    )
    rules = HALL.replace("time = 30.0", "time = 20000.0") + "limits = { think = 0.001, report = 0.0 }\n"
    board = played(tmp_path, code, rules=rules)

    assert [one.outcome for one in board.matches[0].robots] == ["it came to its end"]
    assert board.matches[0].seconds < 20000.0, "a match ends with its last code"
    assert "refused" in printed(tmp_path)


def test_a_robot_that_falls_into_a_hole_is_out_and_the_other_plays_on(tmp_path: Path) -> None:
    rules = HALL.replace("map = {", "map = { terrain = [{ hole = [3.0, 1.0], radius = 0.5 }],")
    forward = "def play(robot):\n    robot.forward(4.0)\n    print('there')\n"
    board = played(tmp_path, forward, forward, rules=rules)

    assert reasons(board) == [("failed", -20.0)]
    assert "red-1 is lost" in printed(tmp_path)
    assert "there" in printed(tmp_path, "blue-1")


def test_where_nothing_contains_code_no_match_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(NoSandbox, match="apt-get install bubblewrap"):
        played(tmp_path, "def play(robot): pass")

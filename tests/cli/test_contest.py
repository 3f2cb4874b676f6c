"""`kumi contest`, as a person and as a script meet it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kumi.cli import main
from tests.waiting import PATIENCE, wait_for


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the rules of a new contest, with matches of 20 s, in a folder that is the present one."""
    monkeypatch.chdir(tmp_path)
    assert main(["contest", "new", "cup"]) == 0
    path = Path("cup", "cup.toml")
    path.write_text(path.read_text().replace("time = 300.0", "time = 20.0"))
    return path


@pytest.mark.slow
def test_a_new_contest_is_run_and_its_board_shown(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contest", "new", "cup"]) == 2
    assert "'cup/cup.toml' is there already" in capsys.readouterr().err

    arguments = ["contest", "run", str(rules), "--team", "red=cup/team.py", "--team", "blue=searcher"]
    assert main([*arguments, "--rounds", "4", "--json"]) == 0
    board = json.loads(capsys.readouterr().out)
    assert (board["contest"], board["teams"], len(board["matches"])) == ("cup", ["red", "blue"], 4)
    assert [sheet["game"] for sheet in board["matches"]] == [1, 1, 2, 2]

    assert main(["contest", "board", "cup.contest", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == board
    assert main(["contest", "board", "cup.contest"]) == 0
    shown = capsys.readouterr().out
    for standing in board["standings"]:
        assert f"{standing['team']}" in shown
        assert f"{standing['points']:.1f}" in shown

    assert main(["show", "cup.contest/match-1.kumi", "--at", "10", "-o", "ten.png"]) == 0
    assert Path("ten.png").exists()

    assert main(["contest", "verify", "cup.contest"]) == 0
    assert (
        "4 matches played again: hashes, what was hidden and what counts are as the board"
        in capsys.readouterr().out
    )
    team = Path("cup.contest/teams/red.py")
    team.write_text(team.read_text() + "\nasync def other(robot): pass\nmain = other\n")
    assert main(["contest", "verify", "cup.contest"]) == 1
    assert "match 1: the trace hash is" in capsys.readouterr().out

    assert main(arguments) == 2
    assert "holds a contest already; give another folder with -o, or" in (error := capsys.readouterr().err)
    assert "--fresh" in error
    assert main([*arguments, "--fresh"]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess"], "there is no contest 'chess'"),
        (["cup/cup.toml", "--team", "red"], "a team is written as NAME=FILE"),
        (["cup/cup.toml", "--team", "red=nobody.py"], "there is no file 'nobody.py'"),
        (
            ["cup/cup.toml", "--team", "red=broken.py"],
            "team red: broken.py, line 2: Python cannot read this: '('",
        ),
        (
            ["cup/cup.toml", "--team", "red=binary.py"],
            "team red: 'binary.py' is no text: byte 0 is not UTF-8",
        ),
        (["cup/cup.toml", "--rounds", "3"], "3 rounds are unfair"),
        (["cup/cup.toml", "--pace", "0"], "a pace is a positive number"),
        (["cup/team.py"], "cup/team.py: "),
    ],
)
@pytest.mark.usefixtures("rules")
def test_wrong_use_is_one_sentence(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("broken.py").write_text("# a team\nasync def main(robot:\n    pass\n")
    Path("binary.py").write_bytes(b"\xff\xfe")
    assert main(["contest", "run", *arguments]) == 2

    error = capsys.readouterr().err
    assert said in error
    assert len(error.strip().splitlines()) == 1


@pytest.mark.usefixtures("rules")
def test_a_file_that_is_no_program_is_not_entered(capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken.py").write_text("async def main(robot):\n    return return\n")

    assert main(["contest", "enter", "cup", "broken.py", "--team", "red"]) == 2
    assert capsys.readouterr().err == (
        "Error: team red: broken.py, line 2: Python cannot read this: invalid syntax.\n"
    )


def test_ctrl_c_ends_a_contest_though_code_sleeps_and_leaves_no_noise(rules: Path) -> None:
    """The rules let code compute for 3,000 s between two calls; nobody waits for that after Ctrl-C."""
    rules.write_text(rules.read_text().replace("wall = 20.0", "wall = 3000.0"))
    Path("sleeper.py").write_text(
        "import time\nasync def main(robot):\n    await robot.forward(0.1)\n    time.sleep(5000)\n"
    )
    command = [sys.executable, "-m", "kumi", "contest", "run", str(rules), "--team", "red=sleeper.py"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_file(Path("cup.contest", "match-1.kumi"), process)
        threads = Path(f"/proc/{process.pid}/task")
        wait_for(lambda: any(one.read_text() for one in threads.glob("*/children")))  # the code has begun
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    assert "Traceback" not in error
    assert json.loads(Path("cup.contest", "board.json").read_text())["matches"] == []


def wait_for_file(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a file is there, while a process runs."""
    wait_for(lambda: path.exists() or process.poll() is not None)
    assert process.poll() is None, process.communicate()


@pytest.mark.slow
def test_ctrl_c_ends_a_contest_and_what_was_over_stays(rules: Path) -> None:
    """A thousand matches take an hour. The second has begun at least; the last that began may not be over."""
    rules.write_text(rules.read_text().replace("time = 20.0", "time = 4.0"))
    many = ["--pace", "1.3", "--rounds", "1000"]
    command = [sys.executable, "-m", "kumi", "contest", "run", str(rules), *many]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_file(Path("cup.contest", "match-2.kumi"), process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    begun = len(list(Path("cup.contest").glob("match-*.kumi")))
    over = json.loads(Path("cup.contest", "board.json").read_text())["matches"]
    assert [sheet["match"] for sheet in over] == list(range(1, len(over) + 1))
    assert max(1, begun - 1) <= len(over) <= begun

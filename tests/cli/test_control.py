"""`kumi control` drives emulated robots over real pseudo-terminals, and says in one sentence what is wrong."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kumi.cli import main
from kumi.link.calibration import Calibration
from kumi.recording import RunFile
from kumi.world import Wall, load_map
from tests.waiting import PATIENCE, read_line, read_until, wait_for

KUMI = [sys.executable, "-m", "kumi"]
BAUD = ["--baud", "57600"]


@pytest.fixture(scope="module")
def ports() -> Iterator[list[str]]:
    """Start two emulated robots in one process, and return their ports."""
    command = [*KUMI, "robot", "packet", "--pty", *BAUD, "--at", "1,1", "--at", "1,2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield [read_line(process.stdout).split(" at ")[1].split(",")[0] for _ in range(2)]
        finally:
            process.terminate()


def told(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def kinds(text: str, kind: str) -> list[dict[str, Any]]:
    return [one for one in told(text) if one["kind"] == kind]


def test_two_robots_carry_out_a_list(
    ports: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Live values, readings, and a run file to draw; JSON for a machine."""
    record = tmp_path / "run.kumi"
    where = ["--port", ports[0], "--at", "1,1", "--port", ports[1], "--at", "1,2", *BAUD]
    where += ["--wall", "0,3,4,3", "--save-map", str(tmp_path / "hall.toml")]

    code = main(["control", *where, "--do", "forward 4 cm; read all", "--record", str(record), "--json"])

    said = capsys.readouterr().out
    assert code == 0
    assert len(kinds(said, "values")) > 10
    assert {one["robot"] for one in kinds(said, "looked")} == {"robot 0", "robot 1"}
    for one in kinds(said, "looked"):
        assert one["values"]["encoder"] == pytest.approx(0.04 / 0.19 * 512, abs=40)
    assert [one["end"] for one in kinds(said, "ended")] == ["done", "done"]
    run = RunFile(record)
    assert run.is_whole
    assert load_map(tmp_path / "hall.toml").obstacles == (Wall((0, 3), (4, 3), name="wall 1"),)
    assert {round(state.pose.position.y, 1) for state in run.state_at(run.end)} == {1.0, 2.0}


def test_a_port_that_is_not_there_and_a_bad_calibration_leave_one_robot_out_and_the_rest_goes_on(
    ports: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Calibration.default().to_dict()
    table["servo"]["angles"] = [[61, -40], [97, 0], [131, 40]]
    gap = tmp_path / "gap.toml"
    gap.write_text(
        "\n".join(f"[{name}]\n" + "\n".join(f"{k} = {v}" for k, v in table[name].items()) for name in table)
    )
    fine = tmp_path / "fine.toml"
    Calibration.default().save(fine)
    robots = [("no-such-port", "0,0", fine), (ports[0], "1,1", gap), (ports[1], "1,2", fine)]
    where = [
        word for port, at, path in robots for word in ("--port", port, "--at", at, "--calibration", str(path))
    ]
    where += ["--address", "0", "--address", "0", "--address", "1", *BAUD]

    code = main(["control", *where, "--do", "0: forward 3 cm; read encoder", "--json"])

    said = capsys.readouterr()
    assert code == 1
    assert "robot 0 is left out: the port no-such-port cannot be opened: " in said.err
    assert (
        f"robot 1 is left out: {gap}: servo.angles has a gap: there is nothing between -40° and 0°"
        in said.err
    )
    assert [one["robot"] for one in kinds(said.out, "looked")] == ["robot 2"]


@pytest.mark.slow
def test_a_robot_at_another_baud_rate_is_told(ports: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["control", "--port", ports[0], "--baud", "9600", "--do", "forward 4 cm", "--json"])

    said = capsys.readouterr().out
    assert code == 1
    sentences = [one["sentence"] for one in kinds(said, "trouble")]
    assert "baud" in sentences[0]
    assert sentences[-1] == "cannot be reached; the rest of its list is dropped"


def test_commands_can_be_typed_and_a_typed_stop_comes_at_once(
    ports: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong word is told, and the session goes on. After the stop nothing of the list is begun."""
    out = io.StringIO()

    def typed() -> Iterator[str]:
        yield "froward 3 cm\n"
        yield "forward 90 cm; wait 3600 s\n"
        wait_for(lambda: kinds(out.getvalue().rpartition("\n")[0], "began"))
        yield "stop\n"

    monkeypatch.setattr(sys, "stdin", typed())
    monkeypatch.setattr(sys, "stdout", out)

    code = main(["control", "--port", ports[0], "--at", "1,1", *BAUD, "--json"])

    assert code == 0
    assert capsys.readouterr().err == (
        "line 1, column 1: 'froward' is no command: forward, back, left, right, straight, read, wait, stop are; "
        "did you mean 'forward'?\n"
    )
    assert [one["step"] for one in kinds(out.getvalue(), "began")] == ["forward 90 cm", "stop"]


@pytest.mark.slow
def test_ctrl_c_stops_the_robot(ports: list[str]) -> None:
    command = [
        *KUMI,
        "control",
        "--port",
        ports[1],
        "--address",
        "1",
        "--at",
        "1,2",
        *BAUD,
        "--do",
        "back 50 cm",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        read_until(process.stdout, "back 50 cm")
        read_until(process.stdout, r"way -\d*\.?\d*[1-9]")
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    assert rest.splitlines()[-1].endswith("robot 0: stopped")


def test_a_dry_run_prints_packets_and_sends_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["control", "--port", "nowhere", "--dry-run", "--do", "left 24 deg; wait 1 s; stop"])

    assert code == 0
    turn, wait, stop = capsys.readouterr().out.splitlines()
    assert turn.startswith("   1  left 24 deg               55 7E 06 F0 00 81 75 ")
    assert wait == "   1  wait 1 s                  -"
    assert stop.startswith("   1  stop                      55 7E 06 F0 00 80 7F ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--do", "jump"], "line 1, column 1: 'jump' is no command"),
        (["--do", "left 60 deg"], "line 1: robot 0: the wheel cannot be turned to 60° left"),
        (["--do", "stop", "--list", "x"], "give --do or --list, not both"),
        (["--list", "no-such-file"], "no-such-file: there is no such file"),
        (
            ["--port", "b", "--port", "c", "--port", "d", "--do", "stop"],
            "a session has one to 3 robots, not 4",
        ),
        (["--at", "1,1", "--at", "2,2", "--do", "stop"], "there are more poses than ports: 2 and 1"),
        (["--wall", "1,2,3", "--do", "stop"], "'1,2,3' is not a wall such as 0,2,4,2"),
        (["--at", "here", "--do", "stop"], "'here' is not a place such as 1.5,2,90"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["control", "--port", "a", "--dry-run", *arguments])

    assert code == 2
    assert sentence in capsys.readouterr().err


def test_the_screen_of_a_terminal_shows_a_row_for_each_robot(monkeypatch: pytest.MonkeyPatch) -> None:
    from kumi.cli.control_screen import RobotTable
    from kumi.control.telling import RobotValues, Warned

    picture = RobotTable()
    picture.take(
        RobotValues(1.0, "robot 1", 1.0, 2.0, 90.0, 0.08, 24.0, 0.3, (0.5, None, None, None, None, 0.2), 0)
    )
    picture.take(Warned(1.0, "robot 1", "the wall", 2.5, 2.0, 1.0))
    monkeypatch.setenv("COLUMNS", "160")
    drawn = picture.draw()

    assert "robot 1" in drawn
    assert "1.000, 2.000 m" in drawn
    assert "will hit the wall in 2.5 s" in drawn

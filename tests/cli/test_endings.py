"""A request to terminate ends a command as it should: files are closed, and the exit code says so."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kumi.recording import RunFile
from tests.waiting import PATIENCE, read_line

KUMI = (sys.executable, "-m", "kumi")

PROGRAMS = """
async def wander(robot):
    await robot.turn(1.0)
    print("ready", flush=True)
    while True:
        await robot.turn(1.0)
"""

SCENARIO = """
until = inf

[map]
width = 10.0
height = 10.0

[robots]
count = 1
radius = 0.25
program = "programs.py:wander"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    (tmp_path / "programs.py").write_text(PROGRAMS)
    path = tmp_path / "there.toml"
    path.write_text(SCENARIO)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_ended_by_a_signal_has_a_summary_and_whole_files(
    scenario: Path, number: signal.Signals, code: int
) -> None:
    command = [*KUMI, "run", str(scenario), "--json", "--log", "run.log", "--record", "run.kumi"]
    with subprocess.Popen(
        command, cwd=scenario.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert read_line(process.stdout) == "ready\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    run = RunFile(scenario.parent / "run.kumi")

    assert (process.returncode, err) == (code, "")
    assert run.is_whole
    assert run.summary is not None
    assert run.summary.is_interrupted
    assert run.summary.end == json.loads(out)["simulated_seconds"]
    assert (scenario.parent / "run.log").read_text().endswith("\n")


def test_a_command_that_is_terminated_before_its_work_says_so(tmp_path: Path) -> None:
    script = tmp_path / "wait.py"
    script.write_text(
        "import sys, time, click\n"
        "from kumi.cli.main import kumi, run\n"
        "def work():\n"
        "    try:\n        print('working', flush=True)\n        time.sleep(1e6)\n"
        "    finally:\n        print('cleaned up', flush=True)\n"
        "kumi.add_command(click.Command('work', callback=work))\n"
        "sys.exit(run(kumi))\n"
    )
    command = [sys.executable, str(script), "work"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert read_line(process.stdout) == "working\n"
        process.terminate()
        out, err = process.communicate(timeout=PATIENCE)

    assert (process.returncode, out, err) == (143, "cleaned up\n", "Terminated.\n")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("robot", "world"), ("robot", "packet", "--pty")])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_lasts_until_it_is_told_to_end_is_done_then(
    arguments: tuple[str, ...], number: signal.Signals
) -> None:
    with subprocess.Popen(
        [*KUMI, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert " is at " in read_line(process.stdout)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)

    assert (process.returncode, err) == (0, "")

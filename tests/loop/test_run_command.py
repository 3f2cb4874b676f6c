"""`kumi run` with real robots: one command starts the processes; Ctrl-Z pauses and Ctrl-C ends them all."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kumi.loop.real_time import LAST_WORDS
from kumi.recording import RunFile
from tests.loop.robots import is_running
from tests.waiting import PATIENCE, read_line, wait_for, wait_for_state

PAUSE = 2.0
"""Seconds for which the command is stopped."""


def begun(folder: Path, scenario: str = "convoy-in-the-loop") -> tuple[subprocess.Popen[str], list[int]]:
    """Start the command; return it and the numbers of its robots' processes."""
    command = [sys.executable, "-m", "kumi", "run", scenario, "--record", "run.kumi"]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    said = "".join(read_line(process.stdout) for _ in range(3))
    return process, [int(number) for number in re.findall(r"process (\d+) at", said)]


@pytest.mark.slow
def test_robots_of_a_command_that_was_killed_end_by_themselves(tmp_path: Path) -> None:
    process, robots = begun(tmp_path)
    with process:
        process.kill()

    assert len(robots) == 2
    wait_for(lambda: not any(map(is_running, robots)))


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["convoy-in-the-loop", "random-movement-in-the-loop"])
def test_ctrl_z_pauses_it_and_ctrl_c_ends_all_processes(tmp_path: Path, scenario: str) -> None:
    """Stopped for two seconds, it is behind by them: time stood still. What was seen up to the end can be read."""
    before = time.monotonic()
    process, robots = begun(tmp_path, scenario)
    with process:
        wait_for_more(tmp_path / "run.kumi")
        process.send_signal(signal.SIGTSTP)
        paused = read_line(process.stdout)
        wait_for_state(process.pid, "T")
        time.sleep(PAUSE)
        process.send_signal(signal.SIGCONT)
        wait_for_more(tmp_path / "run.kumi")
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=PATIENCE)
        took = time.monotonic() - before

    assert "paused: all motors are stopped" in paused
    assert process.returncode == 130
    assert len(robots) == 2
    assert not any(map(is_running, robots))
    assert "it was interrupted" in rest
    assert "lateness" in rest
    assert 0.0 < RunFile(tmp_path / "run.kumi").end < took - PAUSE + 2.0 * LAST_WORDS
    assert (tmp_path / "run.png").exists()


def wait_for_more(path: Path) -> None:
    """Wait until a run file is there, and more is written to it than was there: the run goes on."""
    wait_for(path.exists)
    size = path.stat().st_size
    wait_for(lambda: path.stat().st_size > size)

"""`kumi run convoy-in-the-loop`: one command starts the processes; Ctrl-Z pauses and Ctrl-C ends them all."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from kumi.experiment.loop.real_time import LAST_WORDS
from kumi.recording import RunFile
from tests.loop.robots import is_running

PATIENCE = 120.0
"""Seconds that a busy machine may take until something happens that takes one on an idle one."""


def begun(folder: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """Start the command; return it and the numbers of its robots' processes."""
    command = [sys.executable, "-m", "kumi", "run", "convoy-in-the-loop", "--record", "run.kumi"]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    said = "".join(process.stdout.readline() for _ in range(3))
    return process, [int(number) for number in re.findall(r"process (\d+) at", said)]


def test_robots_of_a_command_that_was_killed_end_by_themselves(tmp_path: Path) -> None:
    process, robots = begun(tmp_path)
    with process:
        process.kill()
    end = time.monotonic() + PATIENCE
    while any(map(is_running, robots)) and time.monotonic() < end:
        time.sleep(0.1)

    assert len(robots) == 2
    assert not any(map(is_running, robots))


def test_ctrl_z_pauses_it_and_ctrl_c_ends_all_processes(tmp_path: Path) -> None:
    """Stopped for two seconds, it is behind by them: time stood still. What was seen up to the end can be read."""
    before = time.monotonic()
    process, robots = begun(tmp_path)
    with process:
        assert process.stdout is not None
        wait_for(tmp_path / "run.kumi")
        time.sleep(2.0)
        process.send_signal(signal.SIGTSTP)
        paused = process.stdout.readline()
        wait_for_state(process.pid, "T")
        time.sleep(2.0)
        process.send_signal(signal.SIGCONT)
        time.sleep(1.5)
        took = time.monotonic() - before
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()

    assert "paused: all motors are stopped" in paused
    assert process.returncode == 130
    assert len(robots) == 2
    assert not any(map(is_running, robots))
    assert "it was interrupted" in rest
    assert "lateness" in rest
    assert 0.0 < RunFile(tmp_path / "run.kumi").end < took - 2.0 + 2.0 * LAST_WORDS
    assert (tmp_path / "run.png").exists()


def wait_for(path: Path) -> None:
    """Wait until a file is there."""
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < end, f"{path.name} is not there after {PATIENCE:g} s"
        time.sleep(0.05)


def wait_for_state(number: int, state: str) -> None:
    """Wait until the system says that a process is in a state."""
    end = time.monotonic() + PATIENCE
    while Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(") ")[2][0] != state:
        assert time.monotonic() < end, f"the process is not in state {state} after {PATIENCE:g} s"
        time.sleep(0.05)

"""A study in a process of its own, for tests that end it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
STUDY = """
name = "killed"
experiment = "tests.study.counting:Sum"
seeds = 15

[set]
seconds = 0.02
log = "log"

[vary]
a = [1.0, 2.0, 3.0]
"""

ROWS = STUDY.replace("[vary]\na = [1.0, 2.0, 3.0]\n", "[[rows]]\na = 1.0\nb = 0\n[[rows]]\na = 5.0\nb = 2\n")
"""The same over combinations that are listed."""


def begin(folder: Path, *options: str) -> subprocess.Popen[str]:
    """Start the study as a person would, in a process of its own."""
    command = [sys.executable, "-m", "kumi", "study", "killed.toml", "--workers", "2", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def alive(group: list[int]) -> list[int]:
    """Return those of some processes that are there."""
    return [pid for pid in group if Path(f"/proc/{pid}").exists()]


def children(pid: int) -> list[int]:
    """Return the processes that a process started."""
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in found.read_text().split()] if found.exists() else []

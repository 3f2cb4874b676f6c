"""Commands and programs as a person runs them, without the second that a new interpreter takes for its imports.

A process of its own runs each: it has its own folder, its own environment, its own exit code. It is forked from one that
has imported kumi (`tests.warm`), so what is about start-up itself needs a new interpreter instead.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import Timer

LONGEST = 600.0
"""Seconds; a command that takes longer hangs."""
ROOT = Path(__file__).parent.parent
Done = subprocess.CompletedProcess[str]


def kumi(
    *words: str | Path, cwd: Path | None = None, given: str = "", environment: Mapping[str, str] | None = None
) -> Done:
    """Run a command of kumi, and return how it ended and what it said; the environment is added to the test's own."""
    return _done(["kumi", *map(str, words)], None, cwd, given, environment)


def python(program: str, *, cwd: Path | None = None) -> Done:
    """Run a program, with warnings as errors, and return how it ended and what it said."""
    return _done(["-c"], program, cwd, "", None)


def _done(
    arguments: list[str],
    program: str | None,
    cwd: Path | None,
    given: str,
    environment: Mapping[str, str] | None,
) -> Done:
    warm = _warm()
    assert warm.stdin is not None
    assert warm.stdout is not None
    with tempfile.TemporaryDirectory(prefix="kumi-command-") as folder:
        Path(folder, "in").write_text(given)
        order = {
            "arguments": arguments,
            "program": program,
            "cwd": str(cwd or Path.cwd()),
            "folder": folder,
            "environment": {**os.environ, **(environment or {})},
        }
        warm.stdin.write(f"{json.dumps(order)}\n")
        warm.stdin.flush()
        process = int(warm.stdout.readline())
        timer = Timer(LONGEST, os.kill, (process, signal.SIGKILL))
        timer.start()
        try:
            code = int(warm.stdout.readline())
        finally:
            timer.cancel()
        return Done(arguments, code, *(Path(folder, name).read_text() for name in ("out", "err")))


@cache
def _warm() -> subprocess.Popen[str]:
    """Start the process that others are forked from; it ends when its input does."""
    command = [sys.executable, "-m", "tests.warm"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    atexit.register(process.communicate)  # closes its input, at which it ends
    return process

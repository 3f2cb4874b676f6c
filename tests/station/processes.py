"""A station that is a process of its own, on a port of its own, which can be killed at any moment."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import PATIENCE, free_port, read_line


@dataclass
class Running:
    """A station that runs."""

    process: subprocess.Popen[str]
    url: str
    robots: str

    def kill(self) -> None:
        """End it without a word."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def started(*command: str, says: str) -> Iterator[subprocess.Popen[str]]:
    """Run `kumi` with a command until it says that it is ready; end it as Ctrl-C does."""
    whole = [sys.executable, "-m", "kumi", *command]
    with subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        said = read_line(process.stdout)
        if says not in said:
            assert process.stderr is not None
            raise AssertionError(f"it did not start: {said}{process.stderr.read()}")
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


@contextmanager
def running(folder: Path, port: int, *options: str, robots: int | None = None) -> Iterator[Running]:
    """Run a process of a station that keeps all in a folder, and lets robots in at a port."""
    where = ["--data", str(folder), "--listen", f"127.0.0.1:{port}"]
    door = f"tcp/127.0.0.1:{robots or free_port()}"
    with started("station", *where, "--robots", door, *options, says="answers at") as process:
        yield Running(process, f"http://127.0.0.1:{port}", door)

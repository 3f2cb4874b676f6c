"""A station that is a process of its own, on a port of its own, which can be killed at any moment."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Running:
    """A station that runs."""

    process: subprocess.Popen[str]
    url: str

    def kill(self) -> None:
        """End it without a word."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def running(folder: Path, port: int, *options: str) -> Iterator[Running]:
    """Run a station that keeps all in a folder."""
    command = [
        sys.executable,
        "-m",
        "kumi",
        "station",
        "--data",
        str(folder),
        "--listen",
        f"127.0.0.1:{port}",
        *options,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        if "answers at" not in said:
            assert process.stderr is not None
            raise AssertionError(f"the station did not start: {said}{process.stderr.read()}")
        try:
            yield Running(process, f"http://127.0.0.1:{port}")
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)

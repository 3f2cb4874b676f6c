"""A PostgreSQL server of the tests' own, in a folder of its own, which can be killed at any moment."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import wait_for

MISSING = (
    None if shutil.which("postgres") and shutil.which("initdb") else "there is no PostgreSQL server here"
)
"""Why there can be no server; None where there can."""


class Server:
    """A server that answers at a socket in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"postgresql+psycopg://kumi@/postgres?host={folder}"
        self._user = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
        if self._user is not None:
            shutil.chown(folder, self._user)
        made = ["initdb", "-D", str(folder / "data"), "-A", "trust", "-U", "kumi", "--no-sync", "--locale=C"]
        subprocess.run(made, check=True, capture_output=True, user=self._user, cwd=folder)
        self.start()

    def start(self) -> None:
        """Run it, and wait until it answers."""
        quiet = subprocess.DEVNULL
        command = ["postgres", "-D", str(self.folder / "data"), "-k", str(self.folder), "-h", ""]
        self._process = subprocess.Popen(
            command, stdout=quiet, stderr=quiet, user=self._user, cwd=self.folder
        )
        ask = ["pg_isready", "-h", str(self.folder)]
        wait_for(
            lambda: subprocess.run(ask, stdout=quiet, check=False).returncode == 0,
            "the server does not answer",
        )

    def kill(self) -> None:
        """End it with all its connections, without tidying up: it recovers from its log when it starts."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Have all its processes stand still meanwhile: its connections are there, and nothing comes through them."""
        first = self._process.pid
        stopped = [first]
        os.kill(first, signal.SIGSTOP)
        for child in map(int, Path(f"/proc/{first}/task/{first}/children").read_text().split()):
            os.kill(child, signal.SIGSTOP)
            stopped.append(child)
        try:
            yield
        finally:
            for one in stopped:
                os.kill(one, signal.SIGCONT)


@contextmanager
def server() -> Iterator[Server]:
    """Run a server in a new folder."""
    folder = Path(tempfile.mkdtemp(prefix="kumi-pg-"))
    one = Server(folder)
    try:
        yield one
    finally:
        one.kill()
        shutil.rmtree(folder)

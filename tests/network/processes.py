"""Processes that tests start, listen to, and end; and waiting for what must come true."""

from __future__ import annotations

import asyncio
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.waiting import PATIENCE, wait_for

ROOT = Path(__file__).parent.parent.parent


class Peer:
    """A process of tests/network/peer.py."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, "-m", "tests.network.peer", *map(str, arguments)]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        self.lines: queue.Queue[list[Any]] = queue.Queue()
        self.got: list[tuple[int, int]] = []
        self.over: list[Any] | None = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.endswith("]\n"):
                self.lines.put(json.loads(line))

    def listen(self) -> None:
        """Take in what it has printed so far."""
        while not self.lines.empty():
            match self.lines.get():
                case ["got", sender, number]:
                    self.got.append((sender, number))
                case ["over", *rest]:
                    self.over = rest

    def wait_until(self, is_so: Callable[[Peer], bool]) -> None:
        """Listen until something is so."""

        def listened() -> bool:
            has_ended = self.process.poll() is not None and self.lines.empty()
            self.listen()
            assert is_so(self) or not has_ended, "the process has ended"
            return is_so(self)

        wait_for(listened, lambda: self.got[-5:])

    def terminate(self) -> None:
        """Ask it to end, and wait for that."""
        self.process.terminate()
        self.wait()

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.wait()

    def wait(self) -> None:
        """Wait for its end, and take in the rest."""
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.listen()


async def comes_true(is_so: Callable[[], object], what: str) -> None:
    """Let the asyncio loop run until something is so."""
    async with asyncio.timeout(PATIENCE):
        try:
            while not is_so():
                await asyncio.sleep(0.002)
        except asyncio.CancelledError:
            raise AssertionError(f"it did not come true: {what}") from None

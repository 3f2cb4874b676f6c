"""How does a command start emulated robots that are processes of their own, and end them for sure?

Each is `kumi robot packet`: it prints the name of its port, and nothing else is known of it. They may live in one world,
which is a process, too: `kumi robot world`. They do not hear Ctrl-C of the terminal, since whoever started them first
stops their motors. At the end of the block all are gone; if the one who started them dies without a word, they notice it
by their standard input, and end, too.
"""

from __future__ import annotations

import select
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import degrees
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from kumi.geometry import Pose

START_TIMEOUT = 60.0
"""Seconds of wall time in which a robot says where it listens."""

END = 5.0
"""Seconds of wall time that a robot has to end when it is asked to."""


@dataclass(frozen=True)
class RobotProcess:
    """An emulated robot: its address, where it stands, and its process."""

    address: int
    pose: Pose
    process: subprocess.Popen[str]

    @property
    def is_alive(self) -> bool:
        """Whether its process runs."""
        return self.process.poll() is None

    def wait_for_port(self) -> str:
        """Return the port that it prints; RuntimeError says why there is none."""
        return place_said_by(self.process)


def place_said_by(process: subprocess.Popen[str]) -> str:
    """Return where a process says that it is; RuntimeError says why it does not."""
    deadline, said = time.monotonic() + START_TIMEOUT, ""
    out, err = _pipe(process.stdout), _pipe(process.stderr)
    while not said and time.monotonic() < deadline:
        if select.select([out], [], [], 0.1)[0]:
            said = out.readline()
            if not said:
                raise RuntimeError(err.read().strip().removeprefix("Error: ") or "its process ended")
    if not said:
        raise RuntimeError(f"its process said nothing for {START_TIMEOUT:g} s")
    return said.strip().partition(" is at ")[2].partition(",")[0]


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


@dataclass(frozen=True)
class DeviceStart:
    """An emulated robot to start: its address, where it stands, its line, and options of `kumi robot packet`."""

    address: int
    pose: Pose
    options: Sequence[str] = ()
    line: Sequence[str] = ("--pty",)


@contextmanager
def world_process(*options: str, seconds: float) -> Iterator[str]:
    """Start a world that robots of other processes join, and give where it is; RuntimeError says why it is not there."""
    process = _start("world", *options, seconds=seconds)
    try:
        yield place_said_by(process)
    finally:
        process.terminate()
        _end(process)


@contextmanager
def robot_processes(
    starts: Sequence[DeviceStart], *options: str, seconds: float
) -> Iterator[list[RobotProcess]]:
    """Start robots, with these options for all and a life of so many seconds of their own clocks."""
    robots: list[RobotProcess] = []
    try:
        for start in starts:
            at = f"{start.pose.position.x},{start.pose.position.y},{degrees(start.pose.heading)}"
            own = [*start.line, "--at", at, "--address", f"{start.address:x}", "--seed", str(start.address)]
            process = _start("packet", *own, *options, *start.options, seconds=seconds)
            robots.append(RobotProcess(start.address, start.pose, process))
        yield robots
    finally:
        for robot in robots:
            robot.process.terminate()
        for robot in robots:
            _end(robot.process)


def _start(kind: str, *options: str, seconds: float) -> subprocess.Popen[str]:
    """Start `kumi robot` with a life of so many seconds, out of reach of the terminal's Ctrl-C."""
    command = [sys.executable, "-m", "kumi", "robot", kind, *options, "--seconds", f"{seconds}", "--leash"]
    return subprocess.Popen(  # noqa: S603  # it is this program
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[str]) -> None:
    """Wait until a process has ended, and end it where it does not."""
    try:
        process.wait(END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        _pipe(pipe).close()

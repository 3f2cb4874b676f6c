"""How is a process in the sandbox talked to, and what does its team hear of its end?

What it says is read into the words of the pipe and into nothing else. A process that says too much, nothing for too long, or what is no word
is ended, and the team is told which. Its caller waits here, so a thread does that where others must not wait.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from kumi.installation import DOCTOR
from kumi.station.sandbox.cgroup import ControlGroup
from kumi.station.sandbox.jail import CodeLimits, command, filter_file
from kumi.station.sandbox.words import (
    MOST_WORD_BYTES,
    WORD_HEAD,
    FailedWord,
    NoteWord,
    Print,
    Said,
    Show,
    Word,
    decode_said,
    framed,
)

START_SECONDS = 30.0
"""Seconds that a process may take to begin, besides what its program takes to its first call."""
LOOK_PERIOD = 0.2
"""Seconds between two looks at whether it is over."""
LAST_WORDS = 2.0
"""Seconds for a process to end after it closed its words: who kills it at once never learns why it ended."""
READ_BYTES = 1 << 16
WALLS = ("bwrap:", "unshare:", "mount:", "mkdir:", "setpriv:", "sh:", "/bin/sh:")
"""How the complaints of those begin that build the walls."""


class ChildGone(Exception):
    """A process in the sandbox is gone, or has to go; the message says why."""


@dataclass
class Contained:
    """What came of a program in the sandbox."""

    succeeded: bool = False
    outcome: str = ""
    value: str | None = None
    options: list[dict[str, Any]] = field(default_factory=list)
    printed: str = ""
    calls: int = 0
    trace: str = field(default="", repr=False)


class Sandbox:
    """A process in the sandbox, from its start to its end; NoSandbox where nothing contains it.

    `is_over` says that nobody waits for it any more.
    """

    def __init__(self, limits: CodeLimits, is_over: Callable[[], bool] = lambda: False) -> None:
        self.calls = 0
        self._limits = limits
        self._is_over = is_over
        self._said = self._printed = 0
        with filter_file() as rules:
            self._process = subprocess.Popen(  # noqa: S603 - the walls themselves
                command(limits, rules.fileno()),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(rules.fileno(),),
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        self._group = ControlGroup(limits.memory)
        self._group.add(self._process.pid)
        with suppress(BrokenPipeError):  # it is gone; the first word that is waited for says why
            os.write(self._in, b"\n")  # it waits for a line, so that nothing of it runs outside of the group
        self._ends = monotonic() + limits.seconds
        self._patience = limits.turn + START_SECONDS
        self._read = b""

    def say(self, word: Word) -> None:
        """Say something to it."""
        rest = memoryview(framed(word))
        deadline = monotonic() + self._limits.turn + START_SECONDS
        while rest:
            self._wait(self._in, select.POLLOUT, deadline)
            try:
                rest = rest[os.write(self._in, rest) :]
            except BrokenPipeError:
                raise ChildGone(self._why_gone()) from None

    def hear(self) -> Said:
        """Wait for what it says next; Gone where it is gone, or was ended."""
        deadline = monotonic() + self._patience
        length = self._number(deadline)
        if length > MOST_WORD_BYTES:
            raise ChildGone(f"it was ended: it said something of more than {MOST_WORD_BYTES} bytes at once")
        data = self._take(length, deadline)
        try:
            word: Said = decode_said(data)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            raise ChildGone("it was ended: it spoke to its robot in words that mean nothing") from None
        self._count(word, length)
        return word

    def _count(self, word: Said, length: int) -> None:
        """Keep within the limits."""
        limits = self._limits
        self._said += length
        if isinstance(word, Print | NoteWord):
            self._printed += length
            if self._printed > limits.words:
                raise ChildGone(f"it was ended: it said more than {limits.words} bytes")
        elif not isinstance(word, Show):
            self.calls += 1
            self._patience = limits.turn
            if self.calls > limits.calls:
                raise ChildGone(f"it was ended: it called its robot more than {limits.calls} times")
        if self._said > limits.traffic:
            raise ChildGone(f"it was ended: it said more than {limits.traffic} bytes")

    def close(self) -> None:
        """End the process, and wait until it is gone."""
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()
        self._group.close()

    def _number(self, deadline: float) -> int:
        (length,) = WORD_HEAD.unpack(self._take(WORD_HEAD.size, deadline))
        return int(length)

    def _take(self, length: int, deadline: float) -> bytes:
        while len(self._read) < length:
            self._wait(self._out, select.POLLIN, deadline)
            piece = os.read(self._out, READ_BYTES)
            if not piece:
                raise ChildGone(self._why_gone())
            self._read += piece
        data, self._read = self._read[:length], self._read[length:]
        return data

    def _wait(self, pipe: int, kind: int, deadline: float) -> None:
        """Wait until something can be read or written; Gone where that takes too long."""
        poll = select.poll()
        poll.register(pipe, kind)
        limits, kept_waiting = self._limits, inf
        while not poll.poll(1000.0 * min(LOOK_PERIOD, max(0.0, min(deadline, self._ends) - monotonic()))):
            if self._is_over():
                raise ChildGone("it was ended: nobody waited for it any more")
            if monotonic() >= self._ends:
                raise ChildGone(f"it was ended: it ran for more than {limits.seconds:g} s")
            before, kept_waiting = kept_waiting, self._kept_waiting()
            deadline += max(0.0, kept_waiting - before)
            if monotonic() >= deadline:
                raise ChildGone(
                    f"it was ended: it took more than {limits.turn:g} s for itself from one call of its robot to the next"
                )

    def _kept_waiting(self) -> float:
        """Return for how many seconds the program has waited for the processor; 0 where the system does not tell."""
        process = self._process.pid
        try:
            while below := Path(f"/proc/{process}/task/{process}/children").read_text().split():
                process = int(below[0])  # bubblewrap stands before it
            _, waited, _ = Path(f"/proc/{process}/schedstat").read_text().split()
        except (OSError, ValueError):
            return 0.0
        return int(waited) / 1e9

    def _why_gone(self) -> str:
        """Return why the process ended without a word."""
        process = self._process
        assert process.stderr is not None
        with suppress(subprocess.TimeoutExpired):
            process.wait(LAST_WORDS)
        process.kill()
        complaint = process.stderr.read(READ_BYTES).decode(errors="replace").strip().splitlines()
        code = process.wait()
        number = -code if code < 0 else code - 128
        if number in (signal.SIGXCPU, signal.SIGKILL) and not complaint:
            return f"it was ended: it used more than {self._limits.cpu_seconds} s of processor time, or too much memory"
        if not self._said and complaint and complaint[-1].startswith(WALLS):
            return f"uploaded code cannot be contained here ({complaint[-1]}), so it is refused; {DOCTOR}"
        return f"it ended without a word{': ' + complaint[-1] if complaint else ''}"


def failed(contained: Contained, word: FailedWord) -> None:
    """Keep how a program failed."""
    contained.outcome, contained.trace = word.sentence, word.trace

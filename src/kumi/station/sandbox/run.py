"""How does uploaded code run, and what does its team hear of it?

Its calls are answered by whoever gave the robot; everything else it does stays inside. It ends by itself, or by a limit, and
the team is told which.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from kumi.station.sandbox.jail import Limits, bounded, command, filter_file

Answer = Callable[[str, list[Any]], Awaitable[Any]]
"""What answers the calls of a robot; it may raise CallFailed."""
LONGEST_LINE = 256 * 1024
LAST_WORDS = 2.0
"""Seconds for a process to end after it closed its words: who kills it at once never learns why it ended."""


class CallFailed(Exception):
    """The robot could not do what the code asked for; the code is told, and goes on."""


@dataclass
class Contained:
    """What came of uploaded code."""

    succeeded: bool = False
    outcome: str = ""
    value: Any = None
    printed: str = ""
    calls: int = 0
    trace: str = field(default="", repr=False)


async def run_code(
    order: dict[str, Any],
    answer: Answer,
    limits: Limits | None = None,
    *,
    heard: Callable[[str], object] = lambda _: None,
) -> Contained:
    """Run an order: {"do": "run" | "describe" | "task" | "play", "name", "code", ...}; NoSandbox where nothing contains it.

    What the code prints is told to `heard` as it comes, and stands in what came of it.
    """
    limits = limits or Limits()
    with filter_file() as rules:
        process = await asyncio.create_subprocess_exec(
            *bounded(limits, command(limits, rules.fileno())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            pass_fds=(rules.fileno(),),
            limit=LONGEST_LINE,
        )
    contained = Contained()
    try:
        async with asyncio.timeout(limits.seconds):
            await _talk(process, order, answer, limits, contained, heard)
    except TimeoutError:
        contained.outcome = f"it was ended: it ran for more than {limits.seconds:g} s"
    except ValueError:
        contained.outcome = f"it was ended: it said a line of more than {LONGEST_LINE} bytes"
    else:
        if not contained.succeeded and not contained.outcome:  # it fell silent: let it say how it ended
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_WORDS):
                    await process.wait()
    finally:
        complaint = await _end(process)
    if not contained.succeeded and not contained.outcome:
        contained.outcome = _why_gone(process, limits, complaint)
    return contained


async def _talk(
    process: asyncio.subprocess.Process,
    order: dict[str, Any],
    answer: Answer,
    limits: Limits,
    contained: Contained,
    heard: Callable[[str], object],
) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    said = 0
    await _send(process.stdin, order)
    while line := await process.stdout.readline():
        said += len(line)
        if said > limits.words + 200 * contained.calls:
            contained.outcome = f"it was ended: it said more than {limits.words} bytes"
            return
        try:
            words = json.loads(line)
        except (ValueError, RecursionError):
            words = None
        if not isinstance(words, dict):
            contained.outcome = "it was ended: it spoke to its robot in words that mean nothing"
            return
        if "call" in words:
            contained.calls += 1
            if contained.calls > limits.calls:
                contained.outcome = f"it was ended: it called its robot more than {limits.calls} times"
                return
            await _send(process.stdin, await _answered(answer, words))
        elif "print" in words:
            contained.printed += str(words["print"])
            heard(str(words["print"]))
        elif "failed" in words:
            contained.outcome, contained.trace = str(words["failed"]), str(words.get("trace", ""))
            return
        elif "ended" in words:
            contained.succeeded, contained.value = True, words["ended"]
            return


async def _answered(answer: Answer, words: dict[str, Any]) -> dict[str, Any]:
    arguments = words.get("arguments")
    try:
        if not isinstance(arguments, list):
            raise CallFailed("a call has a list of arguments")
        return {"value": await answer(str(words["call"]), arguments)}
    except CallFailed as failed:
        return {"error": str(failed)}


async def _send(pipe: asyncio.StreamWriter, words: dict[str, Any]) -> None:
    with suppress(ConnectionError):
        pipe.write(json.dumps(words).encode() + b"\n")
        await pipe.drain()


async def _end(process: asyncio.subprocess.Process) -> list[str]:
    """End a process and close its pipes, and return what it complained about."""
    with suppress(ProcessLookupError):
        process.kill()
    assert process.stdin is not None
    process.stdin.close()
    _, said = await process.communicate()
    return said.decode(errors="replace").strip().splitlines()


def _why_gone(process: asyncio.subprocess.Process, limits: Limits, complaint: list[str]) -> str:
    """Return why a process ended without a word."""
    code = process.returncode or 0
    number = -code if code < 0 else code - 128
    if number in (signal.SIGXCPU, signal.SIGKILL) and not complaint:
        return f"it was ended: it used more than {limits.cpu_seconds} s of processor time, or too much memory"
    if number == signal.SIGXFSZ:
        return f"it was ended: it wrote a file of more than {limits.folder} bytes"
    return f"it ended without a word{': ' + complaint[-1] if complaint else ''}"

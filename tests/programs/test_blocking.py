"""A program that makes the whole run wait is told so, with its line; nobody else who sleeps is."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from time import sleep as nap
from types import FrameType
from typing import Any

import pytest

import kumi
from kumi.devs import BlocksRun
from kumi.devs.turn_watchdog import blocking_call

AWHILE = 1.0
"""Seconds: several looks."""


def calls_seen(function: Callable[[], object]) -> dict[int, str]:
    """Return the blocking calls that are seen on the lines of a function, each by its number from the first."""
    seen: dict[int, str] = {}
    first = function.__code__.co_firstlineno

    def look(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code is function.__code__ and event == "line":
            call = blocking_call(frame)
            if call is not None:
                seen[(frame.f_lineno or 0) - first] = call.name
        return look

    sys.settrace(look)
    try:
        function()
    finally:
        sys.settrace(None)
    return seen


# Which line it is.


def by_module() -> None:
    time.monotonic()
    time.sleep(0)


def by_name() -> None:
    nap(0)
    len([0])


def by_import() -> None:
    import time as clock

    clock.sleep(0)


def by_closure() -> None:
    import time

    def rest() -> None:
        time.sleep(0)

    time.sleep(0)


def by_typing() -> None:
    with suppress(EOFError):
        input()


def by_nothing() -> None:
    time.monotonic()
    sleep = len
    sleep("")


@pytest.mark.parametrize(
    ("function", "seen"),
    [
        (by_module, {2: "time.sleep"}),
        (by_name, {1: "time.sleep"}),
        (by_import, {3: "time.sleep"}),
        (by_closure, {6: "time.sleep"}),
        (by_typing, {2: "input"}),
        (by_nothing, {}),
    ],
)
def test_a_blocking_call_is_known_by_the_names_on_its_line(
    function: Callable[[], object], seen: dict[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO())

    assert calls_seen(function) == seen


def test_a_look_at_a_program_keeps_nothing_of_it_alive() -> None:
    """A copy of the local variables would stay in the frame until it ends."""
    value = ["something", "to", "count"]
    held = sys.getrefcount(value)
    frame = sys._getframe()

    assert blocking_call(frame) is None
    assert sys.getrefcount(value) == held


# What is told.


async def dozer() -> None:
    await kumi.sleep(2)
    time.sleep(AWHILE)


def test_a_sleep_in_a_program_is_told_with_its_line_and_what_to_write_instead() -> None:
    with pytest.warns(BlocksRun) as told:
        kumi.run(dozer)

    [warning] = told
    assert (warning.filename, warning.lineno) == (__file__, dozer.__code__.co_firstlineno + 2)
    assert str(warning.message) == (
        "task 'dozer' calls time.sleep(), for which the whole run waits while no time passes in it; "
        "write `await sleep(...)`, with `from kumi import sleep`"
    )


def test_where_warnings_are_errors_it_is_raised_in_the_program() -> None:
    with pytest.raises(BlocksRun, match=r"time\.sleep") as caught:
        kumi.run(dozer)

    assert caught.traceback[-1].lineno == dozer.__code__.co_firstlineno + 1


def test_who_sleeps_beside_a_run_is_not_told() -> None:
    """A thread of its own may sleep while the run goes on; and so may whoever runs it, before and after."""
    sleeper = threading.Thread(target=time.sleep, args=(AWHILE,))

    async def wait() -> None:
        for _ in range(10):
            await kumi.sleep(0.1)

    time.sleep(0.01)
    sleeper.start()
    kumi.run(wait, pace=1.0)
    sleeper.join()


# What else of the wall clock is awaited by mistake.


async def of_asyncio(seconds: float) -> None:
    await asyncio.sleep(seconds)


def test_a_sleep_of_asyncio_is_refused_with_what_to_write_instead() -> None:
    with pytest.raises(RuntimeError, match="no running event loop") as caught:
        kumi.run(of_asyncio, 1.0)
    assert caught.value.__notes__ == [
        "in task 'of_asyncio' at t = 0.0 s; a kumi program does not run on asyncio: use kumi.sleep and kumi's signals"
    ]
    with pytest.raises(TypeError, match="a program may only await what kumi offers"):
        kumi.run(of_asyncio, 0.0)

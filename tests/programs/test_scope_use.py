"""Scopes used wrongly."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import kumi
from kumi import Signal, after, at, sleep, unless, until
from kumi.devs import NoRun, Scope
from tests.programs.log import Log
from tests.programs.plays import play


def test_a_scope_is_entered_once(bell: Signal[str]) -> None:
    async def inside() -> None:
        scope = until(bell)
        with scope, pytest.raises(RuntimeError, match="entered only once"), scope:
            pass

    async def again() -> None:
        scope = until(after(1))
        with scope:
            await sleep(5)
        with pytest.raises(RuntimeError, match="entered only once"), scope:
            pass

    play(inside)
    play(again)


def test_a_scope_that_ended_by_itself_is_not_entered_again(bell: Signal[str]) -> None:
    """The rule does not depend on how its block ended."""

    async def again() -> None:
        scope = until(bell)
        with scope:
            await sleep(1)
        with pytest.raises(RuntimeError, match="entered only once"), scope:
            pass

    play(again)


def test_scopes_left_in_the_wrong_order_are_a_clear_error(log: Log, bell: Signal[str]) -> None:
    """And whatever was left wrongly stops listening when the task ends."""

    async def works() -> None:
        outer, inner = until(bell), until(bell)
        kept.extend([outer, inner])
        outer.__enter__()
        inner.__enter__()
        with pytest.raises(RuntimeError, match="reverse order"):
            outer.__exit__(None, None, None)
        log(bell.listeners)

    kept: list[Scope[str]] = []
    play(works)

    assert log == [(0.0, 2)]
    assert bell.listeners == 0


def test_a_scope_that_is_never_left_stops_listening_when_its_task_ends(log: Log, bell: Signal[str]) -> None:
    async def careless() -> None:
        scope = until(bell)
        scope.__enter__()
        kept.append(scope)
        log(bell.listeners)

    async def later() -> None:
        await sleep(1)
        bell.fire("ding")
        kept[0].cut()
        log(bell.listeners)

    kept: list[Scope[str]] = []
    play(careless, later)

    assert log == [(0.0, 1), (1.0, 0)]


@pytest.mark.parametrize("block", [until, unless])
def test_a_scope_outside_a_program_is_a_clear_error(
    bell: Signal[str], block: Callable[[Signal[str]], Scope[str]]
) -> None:
    with pytest.raises(NoRun, match="inside a program"), block(bell):
        pass


@pytest.mark.parametrize("block", [until, unless])
@pytest.mark.parametrize("signal", [3.0, None, "bell"])
def test_a_scope_needs_a_signal(block: Callable[[object], Scope[object]], signal: object) -> None:
    """Somebody used to other timeouts writes until(3.0)."""
    with pytest.raises(TypeError, match=r"needs a signal, such as after\(30\)"):
        block(signal)


@pytest.mark.parametrize("duration", [-1.0, float("nan")])
def test_a_deadline_needs_a_duration(duration: float) -> None:
    async def works() -> None:
        after(duration)

    with pytest.raises(
        ValueError, match=r"after\(.*\) at t = 0\.0 s: a duration is a number of seconds >= 0"
    ):
        kumi.run(works)


def test_a_deadline_in_the_past_is_refused() -> None:
    async def works() -> None:
        await sleep(2)
        at(1.0)

    with pytest.raises(ValueError, match=r"at\(1\.0\) at t = 2\.0 s: an instant may not lie in the past"):
        kumi.run(works)

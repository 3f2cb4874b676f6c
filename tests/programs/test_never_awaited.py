"""Law 10: a coroutine never awaited is an error, at the place it was made."""

from __future__ import annotations

import inspect
import threading
import warnings
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

import kumi
from kumi import Signal, after, sleep, sleep_until, together, until
from kumi.devs import Atomic, NeverAwaited, Simulation
from tests.programs.log import Log

Making = Callable[[], object]


class Oops(Exception):
    """Something that goes wrong."""


async def errand() -> None:
    """Something a program should await."""
    await sleep(1)


def line_of(function: Callable[..., object], text: str) -> int:
    """Give the number of the line in which a text stands in a function."""
    lines, first = inspect.getsourcelines(function)
    return next(first + i for i, line in enumerate(lines) if text in line)


# Each kind, and where it was made.

BELL = Signal[str]("bell")
KINDS: dict[str, Making] = {
    "sleep": lambda: sleep(1),
    "sleep_until": lambda: sleep_until(5.0),
    "next": BELL.next,
    "errand": errand,
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_made_and_dropped_is_an_error(kind: str) -> None:
    async def main() -> None:
        KINDS[kind]()
        await sleep(1)

    with pytest.raises(NeverAwaited, match=kind) as raised:
        kumi.run(main)
    assert __file__ in str(raised.value)


def test_the_message_names_the_line_of_a_sleep() -> None:
    async def main() -> None:
        await sleep(1)
        sleep(2)  # type: ignore[unused-awaitable]
        await sleep(3)

    with pytest.raises(NeverAwaited, match=rf"{__file__}, line {line_of(main, 'sleep(2)')}\b"):
        kumi.run(main)


def test_the_message_names_the_line_of_a_coroutine() -> None:
    async def main() -> None:
        await sleep(1)
        errand()  # type: ignore[unused-coroutine]
        await sleep(3)

    with pytest.raises(NeverAwaited, match=rf"'errand'.*{__file__}, line {line_of(main, 'errand()')}\b"):
        kumi.run(main)


def test_of_a_wait_the_message_names_the_place_of_dropping() -> None:
    """It is made in a helper, held in a variable, and dies when the helper has returned."""

    async def helper() -> int:
        pause = sleep(7)
        value = 3
        if value > 5:
            await pause
        return value

    async def main() -> None:
        await helper()
        await sleep(1)

    with pytest.raises(NeverAwaited, match=rf"dropped at .*, line {line_of(main, 'await helper()')}\b"):
        kumi.run(main)


def test_of_a_wait_that_a_program_holds_to_its_end_the_message_names_the_program() -> None:
    """Its own frame is gone by then, and the nearest is one of kumi's, which nobody wants to read."""

    async def main() -> None:
        held = [sleep(7)]
        await sleep(1)
        assert held

    with pytest.raises(NeverAwaited, match=rf"begins at {__file__}, line {line_of(main, 'def main')}\b"):
        kumi.run(main)


def test_the_message_names_the_place_of_making_a_coroutine_and_not_of_dropping() -> None:
    async def helper() -> int:
        trip = errand()
        value = 3
        if value > 5:
            await trip
        return value

    async def main() -> None:
        await helper()
        await sleep(1)

    with pytest.raises(NeverAwaited, match=rf"line {line_of(helper, 'errand()')}\b"):
        kumi.run(main)


def test_the_error_comes_at_the_instant_of_the_mistake(log: Log) -> None:
    """The program does not go on past its next wait."""

    async def main() -> None:
        await sleep(2)
        sleep(5)  # type: ignore[unused-awaitable]
        log("the same step")
        await sleep(1)
        log("never")

    with pytest.raises(NeverAwaited):
        kumi.run(main)
    assert log == [(2.0, "the same step")]


def test_a_mistake_in_a_plain_helper_function_is_found() -> None:
    def helper() -> None:
        sleep(1)  # type: ignore[unused-awaitable]

    async def main() -> None:
        helper()
        await sleep(1)

    with pytest.raises(NeverAwaited, match=rf"line {line_of(helper, 'sleep(1)')}\b"):
        kumi.run(main)


def test_a_mistake_in_a_task_of_a_block_comes_out_of_the_run() -> None:
    async def child() -> None:
        sleep(1)  # type: ignore[unused-awaitable]
        await sleep(1)

    async def main() -> None:
        async with together() as tasks:
            tasks.start(child)
            await sleep(9)

    with pytest.raises(NeverAwaited, match=rf"line {line_of(child, 'sleep(1)  #')}\b"):
        kumi.run(main)


def test_a_mistake_as_the_last_thing_a_program_does_is_found() -> None:
    async def main() -> None:
        sleep(1)  # type: ignore[unused-awaitable]

    with pytest.raises(NeverAwaited):
        kumi.run(main)


@pytest.mark.parametrize("kind", KINDS)
def test_a_mistake_in_a_model_is_found(kind: str) -> None:
    """A transition does not wait; a sleep in one does nothing, and must not do so in silence."""

    class Waiting(Atomic):
        def __init__(self) -> None:
            super().__init__("waiting")
            self.hold(1)

        def internal(self) -> None:
            KINDS[kind]()

    with Simulation(Waiting()) as simulation, pytest.raises(NeverAwaited, match=kind):
        simulation.run()


def test_a_mistake_in_a_planned_call_is_found(simulation: Simulation) -> None:
    def action() -> None:
        sleep(1)  # type: ignore[unused-awaitable]

    simulation.schedule(2.0, action)
    with pytest.raises(NeverAwaited):
        simulation.run()


# No false alarm.


async def both(first: Awaitable[object], second: object) -> None:
    """Take something that was made before something was waited for."""
    await first


MADE: dict[str, Callable[[], Awaitable[object]]] = {
    "sleep": lambda: sleep(1),
    "next": BELL.next,
    "errand": errand,
}


@pytest.mark.parametrize("kind", MADE)
def test_what_a_cut_keeps_from_being_awaited_is_no_mistake(log: Log, kind: str) -> None:
    """It lies ready when the block around is cut."""

    async def main() -> None:
        with until(after(1)):
            await both(MADE[kind](), await BELL.next())
        log("left")
        await sleep(1)
        log("goes on")

    kumi.run(main)

    assert log == [(1.0, "left"), (2.0, "goes on")]


@pytest.mark.parametrize("kind", MADE)
def test_what_the_end_of_a_task_keeps_from_being_awaited_is_no_mistake(log: Log, kind: str) -> None:
    async def child() -> None:
        await both(MADE[kind](), await BELL.next())

    async def main() -> None:
        async with together() as tasks:
            tasks.start(child)
            await sleep(1)
            tasks.cut()
        await sleep(1)
        log("goes on")

    kumi.run(main)

    assert log == [(2.0, "goes on")]


def fails() -> object:
    """Fail."""
    raise Oops


@pytest.mark.parametrize("kind", sorted(set(MADE) - {"errand"}))
def test_what_an_error_keeps_from_being_awaited_is_no_mistake(log: Log, kind: str) -> None:
    """The error is the news."""

    async def main() -> None:
        try:
            await both(MADE[kind](), fails())
        except Oops:
            log("caught")
        await sleep(1)
        log("goes on")

    kumi.run(main)

    assert log == [(0.0, "caught"), (1.0, "goes on")]


def test_the_error_of_a_program_comes_out_as_itself() -> None:
    async def main() -> None:
        pause = sleep(1)
        fails()
        await pause

    with pytest.raises(Oops):
        kumi.run(main)


def test_what_is_made_early_and_awaited_late_is_no_mistake(log: Log) -> None:
    async def main() -> None:
        pause, trip = sleep(1), errand()
        await sleep(5)
        await pause
        await trip
        log("done")

    kumi.run(main)

    assert log == [(7.0, "done")]


def test_a_coroutine_closed_by_hand_is_no_mistake(log: Log) -> None:
    async def main() -> None:
        trip: Coroutine[Any, Any, None] = errand()
        trip.close()
        await sleep(1)
        log("done")

    kumi.run(main)

    assert log == [(1.0, "done")]


def test_a_coroutine_dropped_outside_a_run_is_python_s_business() -> None:
    """It warns, as it always does; a sleep made outside of a run is nothing at all."""
    with pytest.warns(RuntimeWarning, match="was never awaited"):
        errand()  # type: ignore[unused-coroutine]
    sleep(1)  # type: ignore[unused-awaitable]


# The warnings of everybody else.


def settings() -> tuple[list[object], dict[str, object]]:
    """Give all that a run could leave changed."""
    return list(warnings.filters), {**vars(warnings), "_filters_version": None}


@pytest.mark.parametrize("how", ["fine", "mistake", "error"])
def test_a_run_leaves_the_warnings_as_it_found_them(how: str) -> None:
    async def main() -> None:
        await sleep(1)
        if how == "mistake":
            sleep(1)  # type: ignore[unused-awaitable]
        elif how == "error":
            raise Oops

    before = settings()
    try:
        kumi.run(main)
    except (NeverAwaited, Oops):
        assert how != "fine"
    assert settings() == before


def test_runs_in_two_threads_leave_the_warnings_as_they_found_them() -> None:
    async def main(length: int) -> None:
        for _ in range(length):
            await sleep(1)

    before = settings()
    threads = [threading.Thread(target=kumi.run, args=(main, 1000 * i)) for i in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert settings() == before


def test_a_run_inside_a_run_leaves_the_warnings_as_it_found_them(log: Log) -> None:
    async def inner() -> None:
        await sleep(1)

    async def main() -> None:
        inside = settings()
        kumi.run(inner)
        log(settings() == inside)
        sleep(1)  # type: ignore[unused-awaitable]

    before = settings()
    with pytest.raises(NeverAwaited):
        kumi.run(main)
    assert settings() == before
    assert log == [(0.0, True)]


def test_other_warnings_of_a_program_pass_as_they_are() -> None:
    async def main() -> None:
        await sleep(1)
        warnings.warn("the battery is old", UserWarning, stacklevel=1)

    with pytest.warns(UserWarning, match="the battery is old"):
        kumi.run(main)


def test_a_warning_that_is_to_be_an_error_is_one_at_its_place() -> None:
    async def main() -> None:
        await sleep(1)
        with pytest.raises(UserWarning):
            warnings.warn("the battery is old", UserWarning, stacklevel=1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kumi.run(main)


@pytest.mark.parametrize("filters", ["ignore", "error", "once", "default"])
def test_the_mistake_is_found_whatever_the_filters_say(filters: Any) -> None:
    async def main() -> None:
        for _ in range(2):
            errand()  # type: ignore[unused-coroutine]
            await sleep(1)

    with warnings.catch_warnings():
        warnings.simplefilter(filters)
        for _ in range(2):
            with pytest.raises(NeverAwaited):
                kumi.run(main)

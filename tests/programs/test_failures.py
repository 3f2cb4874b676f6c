"""What goes wrong in a task ends its siblings and comes out of its block."""

from __future__ import annotations

import pytest

import kumi
from kumi import Interrupted, Signal, after, sleep, together, unless, until
from tests.programs.log import Log
from tests.programs.plays import Oops, fails, works


def test_the_first_failure_ends_the_siblings_and_comes_out_of_the_block(log: Log) -> None:
    """Law 7: at once, as itself, with the task and the time noted; nothing is logged instead."""

    async def main() -> None:
        try:
            async with together() as tasks:
                tasks.start(works, log, "one", 9.0)
                tasks.start(fails, "oops", 2.0)
                tasks.start(works, log, "other", 9.0)
                await works(log, "body", 9.0)
        except Oops as error:
            log("left", str(error), *error.__notes__)

    kumi.run(main)

    assert log == [
        (2.0, "one", "cut"),
        (2.0, "other", "cut"),
        (2.0, "body", "cut"),
        (2.0, "left", "oops", "in task 'main.fails' at t = 2.0 s"),
    ]


def test_several_failures_come_out_as_a_group(bell: Signal[str]) -> None:
    """Both were woken before either failed."""

    async def fails_at_the_bell(name: str) -> None:
        await bell.next()
        raise Oops(name)

    async def main() -> None:
        async with together() as tasks:
            tasks.start(fails_at_the_bell, "a")
            tasks.start(fails_at_the_bell, "b")
            tasks.start(fails, "late", 2.0)
            await sleep(1)
            bell.fire("ding")

    with pytest.raises(ExceptionGroup, match="several tasks of one block failed") as raised:
        kumi.run(main)
    assert [str(error) for error in raised.value.exceptions] == ["a", "b"]


def test_of_two_that_would_fail_at_one_instant_the_first_cuts_the_second(log: Log) -> None:
    async def fails_later() -> None:
        await works(log, "second", 1.0)
        raise Oops("never")

    async def main() -> None:
        async with together() as tasks:
            tasks.start(fails, "first", 1.0)
            tasks.start(fails_later)

    with pytest.raises(Oops, match="first"):
        kumi.run(main)
    assert log == [(1.0, "second", "cut")]


def test_the_failure_of_the_body_comes_first_in_the_group() -> None:
    async def cleans_up_badly() -> None:
        try:
            await sleep(9)
        finally:
            raise Oops("clean-up")

    async def main() -> None:
        async with together() as tasks:
            tasks.start(cleans_up_badly)
            await sleep(1)
            raise Oops("body")

    with pytest.raises(ExceptionGroup) as raised:
        kumi.run(main)
    assert [str(error) for error in raised.value.exceptions] == ["body", "clean-up"]


def test_an_error_while_a_task_is_cut_comes_out() -> None:
    async def cleans_up_badly() -> None:
        try:
            await sleep(9)
        finally:
            raise Oops("clean-up")

    async def main() -> None:
        with until(after(1)):
            async with together() as tasks:
                tasks.start(cleans_up_badly)

    with pytest.raises(Oops, match="clean-up"):
        kumi.run(main)


def test_a_failure_that_was_caught_is_over(log: Log) -> None:
    async def main() -> None:
        for attempt in range(2):
            with pytest.raises(Oops):
                async with together() as tasks:
                    tasks.start(fails, "oops", 1.0)
            log("tried", attempt)

    kumi.run(main)

    assert log == [(1.0, "tried", 0), (2.0, "tried", 1)]


def test_an_interrupted_task_fails_like_any_other(bell: Signal[str]) -> None:
    """Outside the block that asked for it, Interrupted is an error."""

    async def listens() -> None:
        with unless(bell):
            await sleep(9)

    async def main() -> None:
        async with together() as tasks:
            tasks.start(listens)
            await sleep(1)
            bell.fire("ding")

    with pytest.raises(Interrupted, match="ding"):
        kumi.run(main)


def test_even_keyboard_interrupt_reaches_whoever_started_the_work(log: Log) -> None:
    async def main() -> None:
        try:
            async with together() as tasks:
                tasks.start(works, log, "other", 9.0)
                tasks.start(stops, 1.0)
        finally:
            log("cleans up")

    async def stops(after: float) -> None:
        await sleep(after)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kumi.run(main)
    assert log == [(1.0, "other", "cut"), (1.0, "cleans up")]

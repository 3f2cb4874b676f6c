"""Programs that misbehave so badly that a process of their own is the place for them.

`python -m tests.programs.nasty NAME` runs one of them; see test_nasty.py for what is right.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import kumi
from kumi import Signal, after, sleep, together, until
from kumi.devs import Cut, Outlived, Simulation

kept: list[Any] = []
"""Lives as long as the interpreter."""


def tell(text: object) -> None:
    """Say something at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def never_cut(caught: type[BaseException]) -> None:
    """Go on after every cut."""
    while True:
        with suppress(caught):
            await sleep(1)


async def never_cut_stream() -> None:
    """Go on after everything, in a loop over a stream."""
    while True:
        with suppress(BaseException):
            async for _ in Signal[None]("bell"):
                pass


async def never_cut_block() -> None:
    """Open one block of tasks after the other."""
    while True:
        with suppress(BaseException):
            async with together() as tasks:
                tasks.start(sleep_long)


async def sleep_long() -> None:
    """Sleep."""
    await sleep(100)


STUBBORN: dict[str, Callable[[], Any]] = {
    "cut": lambda: never_cut(Cut),
    "everything": lambda: never_cut(BaseException),
    "stream": never_cut_stream,
    "block": never_cut_block,
}


def stubborn_in_a_scope(kind: str) -> None:
    """Let a scope end a program that does not end."""

    async def main() -> None:
        with until(after(3)):
            await STUBBORN[kind]()

    report(lambda: kumi.run(main))


def stubborn_in_a_block(kind: str) -> None:
    """Let a block of tasks end one that does not end; its sibling does."""

    async def stubborn() -> None:
        await STUBBORN[kind]()

    async def sibling() -> None:
        try:
            await sleep(100)
        finally:
            tell("sibling over")

    async def main() -> None:
        async with together() as tasks:
            tasks.start(stubborn)
            tasks.start(sibling)
            await sleep(3)
            tasks.cut()

    report(lambda: kumi.run(main))


def stubborn_at_the_end(kind: str) -> None:
    """Close a run with a task that does not end; another one does."""

    async def stubborn() -> None:
        await STUBBORN[kind]()

    async def sibling() -> None:
        try:
            await sleep(100)
        finally:
            tell("sibling over")

    simulation = Simulation()
    simulation.start(stubborn)
    simulation.start(sibling)
    simulation.run(until=3)
    report(simulation.close)


def report(action: Callable[[], object]) -> None:
    """Say whether the action found who outlived what."""
    try:
        action()
    except Outlived as error:
        tell(f"Outlived: {error}")


def exit_with_tasks_under_way(kind: str) -> None:
    """Leave everything to the end of the interpreter."""
    bell = Signal[None]("bell")

    async def waits() -> None:
        match kind:
            case "sleep":
                await sleep(9)
            case "next":
                await bell.next()
            case "stream":
                async for _ in bell:
                    pass
            case "scope":
                with until(bell):
                    await (bell | after(9)).next()
            case "block":
                async with together() as tasks:
                    tasks.start(sleep_long)

    async def main() -> None:
        async with together() as tasks:
            kept.append(tasks.start(waits))
            await waits()

    simulation = Simulation()
    kept.extend([simulation, bell, simulation.start(main)])
    simulation.run(until=1)
    tell("exits")


def deep_calls(levels: str) -> None:
    """Wait at the end of a long chain of calls, and be cut there."""

    async def deep(levels: int) -> None:
        await (deep(levels - 1) if levels else sleep(100))

    async def main() -> None:
        with until(after(3)):
            await deep(int(levels))

    sys.setrecursionlimit(3 * int(levels))
    tell(kumi.run(main).time)


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])

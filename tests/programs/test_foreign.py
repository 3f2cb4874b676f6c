"""What does not belong here: other frameworks, generators, plain functions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterator

import pytest

import kumi
from kumi import Signal, note, sleep, together, until
from kumi.devs import NoRun, Simulation
from tests.programs.log import Log


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """An asyncio loop that does not run."""
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


# Awaiting what is not kumi's.


def test_awaiting_a_future_of_asyncio_is_a_clear_error(loop: asyncio.AbstractEventLoop) -> None:
    """The error comes at the await, with the task and the time."""

    async def main() -> None:
        await sleep(2)
        await loop.create_future()

    with pytest.raises(TypeError, match=r"only await what kumi offers.*<Future pending>") as raised:
        kumi.run(main)
    assert raised.value.__notes__ == ["in task 'main' at t = 2.0 s"]


def test_awaiting_a_sleep_of_asyncio_is_a_clear_error() -> None:
    async def main() -> None:
        await asyncio.sleep(0)

    with pytest.raises(TypeError, match="another framework"):
        kumi.run(main)


def test_awaiting_a_sleep_of_asyncio_in_a_run_inside_asyncio_is_a_clear_error() -> None:
    async def program() -> None:
        await asyncio.sleep(1)

    async def main() -> None:
        kumi.run(program)

    with pytest.raises(TypeError, match="another framework"):
        asyncio.run(main())


def test_a_program_may_catch_the_error_and_go_on(log: Log, loop: asyncio.AbstractEventLoop) -> None:
    async def main() -> str:
        for _ in range(3):
            with pytest.raises(TypeError, match="another framework"):
                await loop.create_future()
        await sleep(1)
        log("goes on")
        with pytest.raises(TypeError, match="another framework"):
            await loop.create_future()
        return "done"

    assert kumi.run(main).value == "done"
    assert log == [(1.0, "goes on")]


class Bare:
    """An awaitable that gives control away without saying what it waits for."""

    def __await__(self) -> Generator[object, None, None]:
        yield "something odd"


def test_awaiting_something_that_waits_for_nothing_we_know_is_a_clear_error() -> None:
    async def main() -> None:
        await Bare()

    with pytest.raises(TypeError, match="which gave 'something odd'"):
        kumi.run(main)


class Twice:
    """An awaitable of one's own, made of those of kumi."""

    def __init__(self, duration: float) -> None:
        self.duration = duration

    def __await__(self) -> Generator[object, None, str]:
        yield from sleep(self.duration).__await__()
        yield from sleep(self.duration).__await__()
        return "twice"


def test_an_awaitable_of_one_s_own_may_be_made_of_ours(log: Log) -> None:
    async def main() -> None:
        log(await Twice(1.5))

    kumi.run(main)

    assert log == [(3.0, "twice")]


def test_an_async_generator_of_one_s_own_may_wait(log: Log) -> None:
    async def ticks(period: float) -> AsyncIterator[int]:
        for tick in range(3):
            await sleep(period)
            yield tick

    async def main() -> None:
        async for tick in ticks(2.0):
            log(tick)

    kumi.run(main)

    assert log == [(2.0, 0), (4.0, 1), (6.0, 2)]


def test_an_async_generator_left_early_leaves_its_scopes(log: Log, bell: Signal[str]) -> None:
    """Python closes it when it dies; its scope goes with it, also out of turn."""

    async def ticks() -> AsyncIterator[int]:
        with until(bell):
            for tick in range(100):
                await sleep(1)
                yield tick

    async def main() -> None:
        async for tick in ticks():
            log(tick, bell.listeners)
            break
        log("left", bell.listeners)
        await sleep(1)
        log("goes on")

    kumi.run(main)

    assert log == [(1.0, 0, 1), (1.0, "left", 0), (2.0, "goes on")]


# Ours, awaited elsewhere.


@pytest.mark.parametrize("what", ["sleep", "next", "stream", "together", "until"])
def test_what_is_kumi_s_does_not_work_in_asyncio(bell: Signal[str], what: str) -> None:
    async def main() -> None:
        match what:
            case "sleep":
                await sleep(1)
            case "next":
                await bell.next()
            case "stream":
                async for _ in bell:
                    pass
            case "together":
                async with together():
                    pass
            case "until":
                with until(bell):
                    pass

    with pytest.raises(NoRun, match=r"kumi\.run\(program\)"):
        asyncio.run(main())


@pytest.mark.parametrize("what", [kumi.now, kumi.chance, lambda: kumi.after(1), lambda: note("x")])
def test_what_needs_a_run_says_so(what: Callable[[], object]) -> None:
    with pytest.raises(NoRun, match=r"outside a run; call it from a program, as in kumi\.run\(program\)"):
        what()


@pytest.mark.parametrize("what", [kumi.chance, lambda: note("x")])
def test_what_needs_a_task_says_so(simulation: Simulation, what: Callable[[], object]) -> None:
    """A planned call is inside the run, but in no task."""
    simulation.schedule(1.0, what)

    with pytest.raises(NoRun, match="belongs inside a program"):
        simulation.run()


# What is no program.


def plain() -> int:
    """Do nothing that waits."""
    return 3


def generator() -> Iterator[int]:
    """Yield: this is how others write programs."""
    yield 1


async def async_generator() -> AsyncIterator[int]:
    """Yield and wait."""
    yield 1


@pytest.mark.parametrize("program", [plain, generator, async_generator])
def test_a_program_is_an_async_function(program: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=r"a program is an `async def` function, but \w+ gave"):
        kumi.run(program)  # type: ignore[arg-type]


async def errand() -> None:
    """Do what a program does."""
    await sleep(1)


def test_a_program_is_given_and_not_called() -> None:
    """People used to asyncio.run(main()) are told; and no warning follows."""
    with pytest.raises(
        TypeError, match=r"as in run\(patrol, 3\) or start\(patrol, 3\); errand was called already"
    ):
        kumi.run(errand())  # type: ignore[arg-type]


def test_a_task_is_started_with_a_program_and_not_with_its_call() -> None:
    async def main() -> None:
        async with together() as tasks:
            tasks.start(errand())  # type: ignore[arg-type]

    with pytest.raises(TypeError, match="errand was called already"):
        kumi.run(main)


@pytest.mark.parametrize("program", [None, 3, asyncio])
def test_something_that_cannot_be_called_is_no_program(program: object) -> None:
    with pytest.raises(TypeError, match="async def"):
        kumi.run(program)  # type: ignore[arg-type]


def test_a_program_called_with_the_wrong_arguments_fails_at_the_start() -> None:
    with pytest.raises(TypeError, match=r"the program errand\(.*\) is given "):
        kumi.run(errand, 1)  # type: ignore[arg-type]

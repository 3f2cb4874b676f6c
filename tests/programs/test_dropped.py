"""A run that is dropped, in whatever state, does nothing to another that is under way or comes later."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kumi
from kumi import Signal, after, chance, note, now, sleep, together, unless, until
from kumi.devs import NeverAwaited, NoRun, Program, Simulation
from kumi.robot import Robot
from kumi.stage.stage import Stage
from kumi.world import World


async def errand() -> None:
    """Something a program should await."""
    await sleep(1)


async def works(simulation: Simulation | None = None) -> None:
    """Wait in blocks of all kinds, and speak when it ends."""
    try:
        with until(after(1000.0)), unless(Signal("never")):
            async with together() as tasks:
                tasks.start(errand)
                tasks.start(sleeps)
                await Signal[None]("bell").next()
    finally:
        for say in (lambda: note("bye"), now, lambda: chance().uniform(), lambda: sleep(1)):
            try:
                say()
            except NoRun:
                continue


async def sleeps() -> None:
    """Sleep for ever."""
    await sleep(1e9)


async def fails() -> None:
    """Fail at once."""
    raise ValueError("broken")


class Porter(Program):
    """A program among models."""

    async def run(self) -> None:
        await works()


def made() -> Simulation:
    return Simulation(Porter("porter"))


def with_programs() -> Simulation:
    simulation = made()
    simulation.start(works)
    simulation.start(works, simulation)  # a circle: the program holds its run
    simulation.start(lambda: works(simulation), name="by hand")
    return simulation


def half_run() -> Simulation:
    simulation = with_programs()
    simulation.run(until=0.5)
    simulation.start(works)
    return simulation


def failed() -> Simulation:
    simulation = half_run()
    simulation.start(fails)
    with pytest.raises(ValueError, match="broken"):
        simulation.run(until=2.0)
    return simulation


def closed() -> Simulation:
    simulation = half_run()
    simulation.close()
    return simulation


def staged() -> Stage:
    async def drive(robot: Robot) -> None:
        await robot.forward(1.0)

    stage = Stage(World())
    stage.add(drive, at=(0.0, 0.0))
    stage.simulation.start(works)
    return stage


STATES: dict[str, Callable[[], object]] = {
    "made": made,
    "with programs": with_programs,
    "half run": half_run,
    "failed": failed,
    "closed": closed,
    "staged": staged,
}


class Circle:
    """Holds something in a circle, so that it goes with a collection."""

    def __init__(self, held: object) -> None:
        self.held = held
        self.self = self


async def innocent(drop: Callable[[], object]) -> float:
    """Draw and note, while somebody else is dropped."""
    for step in range(3):
        await sleep(1.0)
        note(chance().integer(0, 100))
        if step == 1:
            drop()
    return now()


@pytest.fixture(autouse=True)
def _no_warning() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def untouched() -> kumi.devs.Run[float]:
    return kumi.run(innocent, lambda: None)


@pytest.mark.some_of(5)
@pytest.mark.parametrize("collected", [False, True], ids=["dropped", "collected"])
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("survived", [0, 2], ids=["young", "old"])
def test_a_run_that_is_dropped_during_another_changes_nothing(
    state: str, collected: bool, survived: int, unraisable: list[Any]
) -> None:
    held: list[object] = [STATES[state]()]
    if collected:
        held[0] = Circle(held[0])
    for generation in range(survived):
        gc.collect(generation)

    def drop() -> None:
        held.clear()
        gc.collect()

    run = kumi.run(innocent, drop)
    gc.collect()
    assert (run.value, run.trace_hash) == (3.0, untouched().trace_hash)
    assert unraisable == []


@pytest.mark.parametrize("state", STATES)
def test_a_mistake_in_the_run_under_way_is_told_all_the_same(state: str) -> None:
    held: list[object] = [Circle(STATES[state]())]

    async def careless() -> None:
        await sleep(1.0)
        held.clear()
        gc.collect()
        errand()  # type: ignore[unused-coroutine]
        await sleep(1.0)

    with pytest.raises(NeverAwaited, match="'errand' was never awaited"):
        kumi.run(careless)


@given(st.lists(st.tuples(st.sampled_from(sorted(STATES)), st.booleans(), st.booleans()), max_size=4))
def test_runs_of_all_states_are_dropped_in_any_order(plan: list[tuple[str, bool, bool]]) -> None:
    """In a circle or not, before the run or during it, with collections whenever Python likes."""
    before: list[object] = []
    during: list[object] = []
    for state, is_circle, is_before in plan:
        made = STATES[state]()
        (before if is_before else during).append(Circle(made) if is_circle else made)
        del made
    before.clear()
    threshold = gc.get_threshold()
    gc.set_threshold(20, 2, 2)
    try:
        run = kumi.run(innocent, during.clear)
    finally:
        gc.set_threshold(*threshold)
    assert run.trace_hash == untouched().trace_hash


def test_a_coroutine_that_was_made_outside_of_runs_is_none_of_their_business() -> None:
    """Python warns of it, as it would without a run."""
    forgotten: list[object] = [Circle(errand())]

    def drop() -> None:
        forgotten.clear()
        gc.collect()

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = kumi.run(innocent, drop)
    assert run.trace_hash == untouched().trace_hash
    assert [str(warning.message) for warning in told] == ["coroutine 'errand' was never awaited"]


@pytest.fixture
def unraisable(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What Python could tell nobody of."""
    told: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", told.append)
    return told

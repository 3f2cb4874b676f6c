"""Robots, worlds and stages are let go when nobody holds them, and a long run does not grow."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import pi
from typing import Any, Literal

import pytest

from kumi import after, sleep, together, until
from kumi.contract import Blocked
from kumi.geometry import Disc
from kumi.motion import Leg, Omni, Wheel
from kumi.robot import Robot
from kumi.stage.stage import Stage
from kumi.world import SimulatedBody, World


async def wander(robot: Robot) -> None:
    """Go from one random place to the next, listen, be cut."""
    while True:
        with suppress(Blocked), until(after(robot.chance.uniform(0.1, 5.0))):
            await robot.move_to((robot.chance.uniform(1.0, 9.0), robot.chance.uniform(1.0, 9.0)))
        with suppress(Blocked):
            await robot.turn(robot.chance.uniform(-pi, pi))


async def listen(robot: Robot) -> None:
    """Do two things at once."""

    async def hear() -> None:
        async for _ in robot.contacts.stream():
            robot.stop()

    async with together() as tasks:
        tasks.start(hear)
        tasks.start(wander, robot)


def look(body: SimulatedBody, *_: object) -> None:
    """Ask where the body is that was told of somebody."""
    assert body.position


def crowded(world: World, on_error: Literal["robot", "run"] = "robot") -> Stage:
    """Return a stage with some robots that wander, listen and watch."""
    stage = Stage(world, seed=1, on_error=on_error)
    for number in range(9):
        stage.add(
            listen if number % 2 else wander,
            at=(1.0 + number % 3 * 3.0, 1.0 + number // 3 * 3.0),
            drive=Wheel(acceleration=3.0),
        )
    for body in world.bodies:
        body.watch(2.0, partial(look, body))
    return stage


def left(refs: list[weakref.ref[Any]]) -> list[Any]:
    """Return what is still there after a collection."""
    gc.collect()
    return [one for ref in refs if (one := ref()) is not None]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["closed", "dropped", "never run", "failed"])
def test_everything_is_let_go_after_the_run(ending: str) -> None:
    world = World(width=10.0, height=10.0)
    stage = crowded(world, "run" if ending == "failed" else "robot")
    if ending != "never run":
        stage.run(20.0)
    if ending == "failed":

        async def fail(robot: Robot) -> None:
            raise ValueError

        stage.add(fail, at=(9.5, 9.5), shape=Disc(0.01))
        with pytest.raises(ValueError):  # noqa: PT011
            stage.run(40.0)
    if ending in {"closed", "never run", "failed"}:
        stage.close()
    refs: list[weakref.ref[Any]] = [
        weakref.ref(thing) for thing in (world, stage, *world.bodies, *stage.robots)
    ]
    assert len(refs) >= 20

    del world, stage

    assert left(refs) == []


def test_a_removed_body_is_let_go_while_the_run_goes_on() -> None:
    world = World()
    refs: list[weakref.ref[Any]] = []

    def come_and_go(number: int) -> None:
        body = world.add_body((float(number), 0.0), drive=Wheel())
        body.watch(1.0, partial(look, body))
        if number % 2:
            body.start(Leg.forward(100.0, 0.1))
        refs.append(weakref.ref(body))
        stage.run(float(number + 1))
        body.remove()

    with Stage(world, on_error="robot") as stage:
        for number in range(50):
            come_and_go(number)

        assert left(refs) == []
        assert (world.count, world.bodies) == (0, ())


@pytest.mark.parametrize("ending", ["closed", "removed"])
def test_who_was_told_of_others_is_let_go_with_the_watch(ending: str) -> None:
    """And nobody else is: of three bodies with two watches each, in turn."""
    world = World()
    bodies = [world.add_body((10.0 * number, 0.0)) for number in range(3)]
    heard: list[list[weakref.ref[Any]]] = [[], [], []]
    watches: list[list[Any]] = [[], [], []]
    for _ in range(2):
        for body, refs, opened in zip(bodies, heard, watches, strict=True):
            told = partial(look, body)
            refs.append(weakref.ref(told))
            opened.append(body.watch(1.0, told))
            del told

    for goes in (1, 2, 0):
        if ending == "removed":
            bodies[goes].remove()
        else:
            for watch in watches[goes]:
                watch.close()
        watches[goes].clear()

        assert left(heard[goes]) == []
        assert [len(left(refs)) for refs in heard] == [2 * bool(opened) for opened in watches]


@pytest.mark.parametrize("ending", ["stopped", "arrived", "removed"])
def test_the_legs_that_were_to_come_are_let_go_when_the_motion_is_over(ending: str) -> None:
    world = World()
    body = world.add_body((0.0, 0.0), drive=Omni())
    refs: list[weakref.ref[Any]] = []

    def shape(begin: float, time: float) -> tuple[float, float, float]:
        return begin + time, 0.0, 0.0

    with Stage(world) as stage:
        begun = [partial(shape, 2.0 * number) for number in range(3)]
        refs += map(weakref.ref, begun)
        body.start([Leg.pattern(pose, 2.0, 1.0, 0.0) for pose in begun])
        begun.clear()
        stage.run(10.0 if ending == "arrived" else 3.0)
        if ending != "arrived":
            assert left(refs)
        if ending == "stopped":
            body.stop()
        elif ending == "removed":
            body.remove()

        assert left(refs) == []


def test_an_unused_motion_keeps_nothing_alive() -> None:
    world = World()
    ref = weakref.ref(world.add_body((0.0, 0.0), drive=Wheel()))

    async def go(body: SimulatedBody) -> None:
        for _ in range(100):
            await Robot(body).forward(0.1)
        body.remove()

    with Stage(world, on_error="robot") as stage:
        stage.simulation.start(go, world.bodies[0])
        stage.run()
        assert left([ref]) == []


@pytest.mark.slow
def test_many_runs_do_not_grow(resident: Callable[[], int]) -> None:
    """What a run took is given back, in Python and in the core."""

    def one() -> None:
        world = World(width=10.0, height=10.0)
        with crowded(world) as stage:
            stage.run(10.0)

    for _ in range(200):  # what the interpreter keeps for the next time is kept by then
        one()
    gc.collect()
    before, blocks = resident(), sys.getallocatedblocks()
    for _ in range(150):
        one()
    gc.collect()

    assert sys.getallocatedblocks() - blocks < 100
    assert resident() - before < 12_000_000


@pytest.mark.slow
def test_a_long_run_does_not_grow(resident: Callable[[], int]) -> None:
    world = World(width=10.0, height=10.0)
    with crowded(world) as stage:
        stage.run(200.0)
        gc.collect()
        before, size = resident(), world.bytes
        stage.run(3000.0)
        gc.collect()

        assert world.bytes < size + 10_000
        assert resident() - before < 6_000_000


@pytest.mark.slow
def test_robots_that_come_and_go_are_forgotten(resident: Callable[[], int]) -> None:
    """The memory of a world follows the robots that are in it; a gone one leaves a few bytes."""
    world = World()

    async def live(robot: Robot) -> None:
        await robot.forward(0.1)
        await sleep(0.1)
        world.bodies[0].remove()

    with Stage(world, on_error="robot") as stage:
        for _ in range(200):
            stage.add(live, at=(0.0, 0.0))
            stage.run()
        gc.collect()
        before = resident()
        for _ in range(3000):
            stage.add(live, at=(0.0, 0.0))
            stage.run()
        gc.collect()

        assert world.count == 0
        assert resident() - before < 3000 * 3000

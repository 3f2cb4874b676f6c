"""One robot on a plane, its program, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from math import inf
from typing import Any, TypeAlias

from kumi.geometry import PointLike
from kumi.motion import Drive
from kumi.robot import Robot
from kumi.stage import Outcome, Stage
from kumi.world import Map, SimulatedBody, Wall, World

Program: TypeAlias = Callable[..., Coroutine[Any, Any, Any]]


def play(
    program: Program,
    *,
    world: World | None = None,
    at: PointLike = (0.0, 0.0),
    heading: float = 0.0,
    drive: Drive | None = None,
    seed: int = 0,
    until: float = inf,
) -> Outcome:
    """Run one robot's program; what it raises comes out."""
    with Stage(World() if world is None else world, seed=seed, on_error="run") as stage:
        stage.add(program, at=at, heading=heading, drive=drive)
        return stage.run(until)


def said(act: Callable[[Robot], Any], *, drive: Drive | None = None, world: World | None = None) -> str:
    """Return what a robot's program is told when it does something wrong: the error and its words."""
    heard: list[str] = []

    async def attempt(robot: Robot) -> None:
        try:
            waiting = act(robot)
            if waiting is not None:
                await waiting
        except Exception as error:  # noqa: BLE001  # the error is what is asked for
            heard.append(f"{type(error).__name__}: {error}")

    play(attempt, drive=drive, world=world, until=1000.0)
    return heard[0] if heard else "nothing"


def walled(x: float) -> World:
    """Return an endless plane with a thin wall at x, across the way of who goes along the x axis."""
    return World(Map(obstacles=(Wall((x, -50.0), (x, 50.0), name="wall"),)))


def turned(robot: Robot) -> float:
    """Return by how much a simulated robot has turned so far, left minus right."""
    assert isinstance(robot._body, SimulatedBody)
    return robot._body.turned

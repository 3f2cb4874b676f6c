"""Small worlds to try sensors in."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from typing import Any

import pytest

from kumi.geometry import BodyShape, Disc, PointLike
from kumi.robot import Robot
from kumi.sensing import Sensor
from kumi.stage.stage import Stage
from kumi.world import Hole, Map, Obstacle, Slow, World

Program = Callable[[Robot], Coroutine[Any, Any, Any]]


def place(
    obstacles: Iterable[Obstacle] = (),
    terrain: Iterable[Slow | Hole] = (),
    *,
    seed: int = 0,
    ghost: bool = False,
) -> Stage:
    """An infinite plane with things on it."""
    return Stage(World(Map(obstacles=obstacles, terrain=terrain), ghost=ghost), seed=seed, on_error="run")


def about(value: Any, rel: float | None = None, abs: float | None = None) -> Any:  # noqa: A002
    """Compare as equal to what is about this; of any type, since it stands in readings."""
    return pytest.approx(value, rel=rel, abs=abs)


async def rest(_robot: Robot) -> None:
    """Do nothing."""


def reading(
    sensor: Sensor,
    obstacles: Iterable[Obstacle] = (),
    terrain: Iterable[Slow | Hole] = (),
    *,
    at: PointLike = (0.0, 0.0),
    heading: float = 0.0,
    shape: BodyShape | None = None,
    others: Iterable[PointLike] = (),
    seed: int = 0,
) -> Any:
    """What a sensor tells at the first instant; the others are discs of 0.1 m."""
    found = []

    async def ask(robot: Robot) -> None:
        found.append(await robot.tried.read())

    with place(obstacles, terrain, seed=seed) as stage:
        stage.add(ask, at=at, heading=heading, shape=shape or Disc(0.1), sensors={"tried": sensor})
        for other in others:
            stage.add(rest, at=other)
        stage.run()
    return found[0]


def readings(
    sensor: Sensor, count: int, *, at: PointLike = (0.0, 0.0), seed: int = 0, others: Iterable[PointLike] = ()
) -> list[Any]:
    """What a sensor tells when it is asked many times at one instant."""
    found = []

    async def ask(robot: Robot) -> None:
        for _ in range(count):
            found.append(await robot.tried.read())  # noqa: PERF401

    with place(seed=seed) as stage:
        stage.add(ask, at=at, sensors={"tried": sensor})
        for other in others:
            stage.add(rest, at=other)
        stage.run()
    return found

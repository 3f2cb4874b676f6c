"""Stages to act on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kumi.control import LiveActions
from kumi.devs import note
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import Map, Obstacle, World


@contextmanager
def acted(*obstacles: Obstacle, **settings: object) -> Iterator[tuple[Stage, LiveActions]]:
    """Give a stage of 40 by 20 metres and what acts on it."""
    acting = LiveActions(may_give_code=True)
    world = World(Map(40.0, 20.0, (-20.0, -10.0), obstacles))
    with Stage(world, between=acting.between, **settings) as stage:  # type: ignore[arg-type]
        acting.join(stage)
        yield stage, acting


async def go_ten_metres(robot: Robot) -> None:
    """Go along x for ten seconds, and note where that ended."""
    at = await robot.move_to((10.0, 0.0))
    note(f"ended at ({at.x:g}, {at.y:g})")


async def rest(_robot: Robot) -> None:
    """Do nothing."""


def place(stage: Stage, number: int = 0) -> tuple[float, float]:
    """Return where a robot is, to the micrometre."""
    at = stage.world.bodies[number].position
    return round(at.x, 6), round(at.y, 6)

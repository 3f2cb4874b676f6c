"""Since when does nobody move?"""

from __future__ import annotations

from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import World


async def two_metres(robot: Robot) -> None:
    await robot.forward(2.0)


async def one_after_a_second(robot: Robot) -> None:
    from kumi import sleep

    await sleep(1.0)
    await robot.forward(1.0)


def test_the_last_that_stops_counts() -> None:
    """At 1 m/s the first moves until 2 s; the second stands, moves from 1 s to 2 s; nobody moves after."""
    with Stage(World()) as stage:
        stage.add(two_metres, at=(0.0, 0.0), name="first")
        stage.add(one_after_a_second, at=(0.0, 5.0), name="second")
        moving = stage.run(1.5).still_since
        standing = stage.run(10.0).still_since

    assert moving is None
    assert standing == 2.0


def test_a_plane_without_bodies_tells_nothing() -> None:
    assert World().still_since is None

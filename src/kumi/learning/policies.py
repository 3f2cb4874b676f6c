"""How does what was learned drive a robot? As a program like any other, on simulated robots and real ones.

A policy is a function from what one robot observes to its action. The program looks at what the robot itself knows: its place and
heading, its goal, its contacts, and those that its sensor `eyes`, a `View`, has in sight, where it has one.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kumi.devs import now, sleep, together
from kumi.geometry import PointLike, as_point
from kumi.learning.episode import Observe, Situation, nearest_other

if TYPE_CHECKING:
    from kumi.robot import Robot

Policy = Callable[[NDArray[np.float32]], NDArray[Any]]


def policy_program(
    policy: Policy,
    *,
    goal: Callable[[Robot], PointLike],
    speed: float = 1.0,
    turn_speed: float = pi / 2,
    period: float = 0.1,
    observe: Observe = nearest_other,
) -> Callable[[Robot], Coroutine[Any, Any, None]]:
    """Return a robot program that follows a policy; an action is a share of the speed and one of the turning speed."""

    async def follow(robot: Robot) -> None:
        touched = [0]

        async def count() -> None:
            async for _ in robot.contacts:
                touched[0] += 1

        aim, eyes = as_point(goal(robot), "a goal"), getattr(robot, "eyes", None)
        async with together() as tasks:
            tasks.start(count)
            while True:
                others = [] if eyes is None else [tuple(one.position) for one in await eyes.read()]
                places = np.array([tuple(robot.position), *others])
                still = np.zeros(len(places))
                headings = still.copy()
                headings[0] = robot.heading
                contacts = np.zeros(len(places), dtype=np.int64)
                contacts[0], touched[0] = touched[0], 0
                goals = places.copy()
                goals[0] = aim
                seen = observe(Situation(now(), places, headings, goals, still, contacts))
                ahead, turn = np.clip(np.asarray(policy(seen[0]), dtype=np.float64), -1.0, 1.0).tolist()
                robot.steer(ahead * speed, turn * turn_speed)
                await sleep(period)

    return follow
